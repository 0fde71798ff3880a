//! Files that are none, links where results go, and a system that has no more of something: told at once, with a hint.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use fwvs_tests::built;
use fwvs_tests::console::{Console, Said};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// No panic, and what to do about it.
fn assert_hinted(what: &str, said: &Said) {
    assert_eq!(said.code, Some(2), "{what}: {said:?}");
    assert!(said.stderr.contains("\nhint: "), "{what}: {said:?}");
    assert!(!said.stderr.contains("panicked"), "{what}: {said:?}");
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("a pipe can be made");
}

#[test]
fn what_is_no_file_is_refused_wherever_a_file_is_read() {
    let console = Console::new();
    let at = |name: &str| console.folder().join(name);
    pipe(&at("pipe.toml"));
    let _listener = UnixListener::bind(at("socket.toml")).expect("a socket");
    symlink("/dev/zero", at("zero.toml")).expect("a link");
    symlink("circle.toml", at("circle.toml")).expect("a link");
    fs::create_dir(at("folder.toml")).expect("a folder");
    File::create(at("long.toml")).and_then(|file| file.set_len(1 << 40)).expect("it takes no room");
    fs::write(at("latin.toml"), b"title = \"\xe4\"\n").expect("it is written");
    for (file, part) in [
        ("pipe.toml", "not a regular file but a pipe"),
        ("socket.toml", "not a regular file but a socket"),
        ("zero.toml", "not a regular file but a device"),
        ("circle.toml", "symbolic links"),
        ("folder.toml", "it is a directory"),
        ("long.toml", "far too long"),
        ("latin.toml", ""),
    ] {
        for arguments in [
            &["explore", file][..],
            &["explore", "--example", "philosophers", "--board", file],
            &["study", file],
            &["replay", file],
        ] {
            let said = console.run(arguments);
            assert_hinted(&format!("{arguments:?}"), &said);
            assert!(said.stderr.contains(part), "{arguments:?}: {}", said.stderr);
        }
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let console = Console::new();
    for open in ["[", "{\"a\":", "a = [", "a = {b = {c = ", "[a.", "[[question]]\nset = ["] {
        fs::write(console.folder().join("deep.toml"), open.repeat(50_000)).expect("it is written");
        for arguments in [
            &["study", "deep.toml"][..],
            &["replay", "deep.toml"],
            &["explore", "--example", "philosophers", "--board", "deep.toml"],
        ] {
            assert_hinted(&format!("{open} {arguments:?}"), &console.run(arguments));
        }
    }
}

#[test]
fn a_run_directory_with_pipes_in_it_is_refused() {
    let console = Console::new();
    let run = console.folder().join("run");
    fs::create_dir(&run).expect("a folder");
    pipe(&run.join("events.jsonl"));
    assert_hinted("events to write", &console.run(&["explore", "--out", "run"]));
    pipe(&run.join("checkpoint"));
    let said = console.run(&["explore", "--resume", "run"]);
    assert_hinted("a checkpoint", &said);
    assert!(said.stderr.contains("not a regular file but a pipe"), "{said:?}");
}

#[test]
fn links_in_a_run_directory_are_not_followed() {
    let console = Console::new();
    let said = console.run(&["explore", "--set", "N=2", "--out", "run"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let at = |name: &str| console.folder().join(name);
    let names = ["scenario-1.json", "summary.json", "checkpoint", ".checkpoint.1.unfinished"];
    for name in names {
        let _ = fs::remove_file(at("run").join(name));
        fs::write(at(name), "three years of work").expect("it is written");
        symlink(at(name), at("run").join(name)).expect("a link");
    }
    let said = console.run(&["explore", "--set", "N=2", "--out", "run"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    for name in names {
        assert_eq!(fs::read_to_string(at(name)).expect("it is there"), "three years of work", "{name}");
    }
    // The list of events says whose directory it is: there a link is an error.
    let events = at("run").join("events.jsonl");
    fs::rename(&events, at("events.jsonl")).expect("it is moved");
    let before = fs::read(at("events.jsonl")).expect("it is there");
    symlink(at("events.jsonl"), &events).expect("a link");
    let said = console.run(&["explore", "--set", "N=2", "--out", "run"]);
    assert_hinted("events", &said);
    assert!(said.stderr.contains("symbolic link"), "{said:?}");
    assert_eq!(fs::read(at("events.jsonl")).expect("it is there"), before);
}

#[test]
fn answers_of_a_study_are_not_written_through_a_link() {
    let console = Console::new();
    let at = |name: &str| console.folder().join(name);
    let text = "example = \"philosophers\"\n[[question]]\nname = \"q\"\nkind = \"exists\"\nset = { N = 2 }\n";
    fs::write(at("study.toml"), text).expect("it is written");
    let study = || console.run(&["study", "study.toml", "--out", "run"]);
    assert_eq!(study().code, Some(0));
    let answers = at("run").join("answers.jsonl");
    fs::remove_file(&answers).expect("it is there");
    fs::write(at("kept"), "three years of work").expect("it is written");
    symlink(at("kept"), &answers).expect("a link");
    assert_eq!(study().code, Some(0));
    assert_eq!(fs::read_to_string(at("kept")).expect("it is there"), "three years of work");
    assert!(fs::read_to_string(answers).expect("it is there").contains("\"event\":\"answer\""));
}

/// `fw-vs explore` behind a limit of the shell's, as somebody who is not root: root may have as many processes as it likes.
fn limited(console: &Console, limit: &str) -> Said {
    let program = console.folder().join("program");
    let firmware = console.folder().join("firmware");
    fs::copy(built::fw_vs(), &program).expect("it is built");
    fs::copy(built::example("philosophers"), &firmware).expect("it is built");
    let out = console.folder().join("open");
    fs::create_dir_all(&out).expect("a folder");
    for path in [console.folder(), &out] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("it is ours");
    }
    let script = format!("ulimit {limit}; exec ../program explore ../firmware --set N=2");
    let mut command = if rustix::process::getuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups", "bash", "-c", &script]);
        command
    } else {
        let mut command = Command::new("bash");
        command.args(["-c", &script]);
        command
    };
    console.start(command.current_dir(&out).env_remove("FWVS_LOG")).wait()
}

#[test]
fn too_few_descriptors_are_told() {
    let console = Console::new();
    let mut refused = 0;
    for number in 4..24 {
        let said = limited(&console, &format!("-n {number}"));
        if said.code == Some(1) {
            continue;
        }
        // With so few, not even a program's libraries can be opened.
        if said.stderr.contains("shared libraries") {
            continue;
        }
        refused += 1;
        assert_hinted(&format!("{number} descriptors"), &said);
        assert!(said.stderr.contains("ulimit -n"), "{number} descriptors: {said:?}");
    }
    assert!(refused > 5, "{refused} of 20");
}

#[test]
fn too_few_threads_are_told() {
    let console = Console::new();
    for number in 1..5 {
        let said = limited(&console, &format!("-u {number}"));
        assert_hinted(&format!("{number} threads"), &said);
        assert!(said.stderr.contains("ulimit -u"), "{number} threads: {said:?}");
    }
}

/// What `fw-vs` says whose shell was told to limit something first. What it says goes through pipes: only files are limited.
fn within(console: &Console, limit: &str, arguments: &str) -> (Option<i32>, String) {
    let script = format!("ulimit {limit}; exec {} {arguments}", built::fw_vs().display());
    let like = console.command(&[]);
    let environment = like.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(console.folder()).envs(environment);
    let output = command.output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn files_that_may_not_become_longer_are_told_like_a_full_disk() {
    let console = Console::new();
    for blocks in [0, 1] {
        for arguments in ["explore --set N=3 --stop all", "new thermostat"] {
            let (code, said) = within(&console, &format!("-f {blocks}"), arguments);
            assert_eq!(code, Some(2), "{blocks}: {said}");
            assert!(said.contains("File too large") && said.contains("\nhint: "), "{blocks}: {said}");
            assert!(said.contains("ulimit -f") && !said.contains("permissions"), "{blocks}: {said}");
        }
    }
    assert!(!console.folder().join("thermostat").exists(), "half a project is worse than none");
}

/// Whoever gives the image of a disk by mistake is told at once: there is no memory to read it.
#[test]
fn of_something_long_that_is_no_firmware_only_the_beginning_is_read() {
    let console = Console::new();
    let image = File::create(console.folder().join("disk.img")).expect("the folder is ours");
    image.set_len(1 << 30).expect("a file can have holes");
    let (code, said) = within(&console, "-v 600000", "explore disk.img");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is not an ELF file"), "{said}");
}

/// A run of which a shorter way to its finding is yet to come.
fn stopped_early(console: &Console) {
    let search = ["--example", "lock-order", "--reduction", "none", "--search", "dfs", "--stop", "all"];
    let said = console.run(&[&["explore", "--out", "run", "--max-paths", "300"][..], &search].concat());
    assert_eq!(said.code, Some(1), "{said:?}");
}

#[test]
fn a_run_goes_on_wherever_its_directory_is_now() {
    let console = Console::new();
    stopped_early(&console);
    let elsewhere = console.folder().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    fs::rename(console.folder().join("run"), elsewhere.join("moved")).expect("it is moved");
    let said = console.run(&["explore", "--resume", "elsewhere/moved"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let shortest = fs::read_to_string(elsewhere.join("moved/scenario-1.json")).expect("it is there");
    assert_eq!(shortest.matches("\"task\":").count(), 12, "{shortest}");
}

/// Whoever makes a checkpoint by hand can make the digest too.
fn write_checkpoint(file: &Path, text: &str) {
    let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(file, format!("{digest}\n{text}")).expect("it is written");
}

#[test]
fn a_checkpoint_names_no_file_outside_its_directory() {
    let console = Console::new();
    stopped_early(&console);
    let victim = console.folder().join("scenario-7.json");
    let other = console.folder().join("victim");
    for path in [&victim, &other] {
        fs::write(path, "precious").expect("it is written");
        let checkpoint = console.folder().join("run/checkpoint");
        let text = fs::read_to_string(&checkpoint).expect("it is text");
        let text = text.split_once('\n').expect("a digest comes first").1;
        let evil = text.replace("run/scenario-1.json", path.to_str().expect("it is text"));
        assert_ne!(evil, text);
        let kept = fs::read(&checkpoint).expect("it is there");
        write_checkpoint(&checkpoint, &evil);
        console.run(&["explore", "--resume", "run"]);
        assert_eq!(fs::read(path).expect("it is there"), b"precious", "{}", path.display());
        fs::write(&checkpoint, kept).expect("it is written");
    }
}

/// A checkpoint with a correct digest can still say what is not so. That is told, and is not the end of the search by force.
#[test]
fn a_checkpoint_that_does_not_fit_the_firmware_is_refused() {
    let console = Console::new();
    let search = ["--example", "voice-storage", "--reduction", "optimal", "--stop", "all"];
    console.run(&[&["explore", "--out", "run", "--max-paths", "20"][..], &search].concat());
    let file = console.folder().join("run/checkpoint");
    let kept = fs::read_to_string(&file).expect("it is text");
    let (_, kept) = kept.split_once('\n').expect("a digest comes first");
    let (format, kept) = kept.split_once('\n').expect("then the format");
    let kept: Value = serde_json::from_str(kept).expect("it is JSON");
    let states = kept["search"]["states"].as_array().expect("there are states");
    let with_sleepers = (0..states.len()).filter(|at| states[*at]["asleep"].is_array());
    let mut refused = 0;
    for at in with_sleepers.take(8) {
        let mut other = kept.clone();
        let sleepers = other["search"]["states"][at]["asleep"].as_array_mut().expect("there are some");
        let task = &mut sleepers.last_mut().expect("there is one")["task"]["index"];
        *task = Value::from(task.as_u64().expect("it is a number") + 1);
        write_checkpoint(&file, &format!("{format}\n{other}"));
        let said = console.run(&["explore", "--resume", "run", "--max-paths", "3"]);
        assert!(!said.stderr.contains("bug in fw-vs"), "{at}: {said:?}");
        refused += usize::from(said.stderr.contains("does not fit the firmware"));
    }
    assert!(refused > 0, "each of them would do");
    write_checkpoint(&file, &format!("{format}\n{kept}"));
    let said = console.run(&["explore", "--resume", "run", "--max-paths", "3"]);
    assert_eq!(said.code, Some(3), "{said:?}");
}
