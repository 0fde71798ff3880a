//! Bad input that has to be made: exit code 2, a sentence and a hint on standard error, and nothing half-written. What a command
//! line or a file of its own can show is in `cases/bad-input`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use fwvs_tests::built;
use fwvs_tests::console::{Console, Said};
use fwvs_wire::VERSION;
use tempfile::TempDir;

/// Files to be wrong with, apart from the folder that `fw-vs` runs in.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a plain name").to_owned()
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), contents).expect("a temporary file can be written");
        self.path(name)
    }
}

/// It says so, with a hint, and leaves nothing behind.
fn assert_refused(what: &str, console: &Console, said: &Said, sentence: &str) {
    assert_eq!(said.code, Some(2), "{what}: {said:?}");
    assert!(said.stderr.contains(sentence), "{what} does not say {sentence:?}: {}", said.stderr);
    let hints = said.stderr.lines().filter(|line| line.starts_with("hint: ")).count();
    assert_eq!(hints, 1, "{what} has one hint: {}", said.stderr);
    assert_eq!(said.stdout, "", "{what}");
    assert!(console.is_untouched(), "{what} leaves something behind");
}

fn refused(what: &str, arguments: &[&str], sentence: &str) {
    let console = Console::new();
    let said = console.run(arguments);
    assert_refused(what, &console, &said, sentence);
}

fn philosophers() -> Vec<u8> {
    fs::read(built::example("philosophers")).expect("a file")
}

/// Where bytes are, which must be there once.
fn place(bytes: &[u8], wanted: &[u8]) -> usize {
    let found: Vec<usize> =
        (0..bytes.len() - wanted.len()).filter(|at| bytes[*at..].starts_with(wanted)).collect();
    assert_eq!(found.len(), 1, "{wanted:?} is at {found:?}");
    found[0]
}

#[test]
fn files_that_are_no_firmware_are_refused() {
    let files = Files::new();
    let whole = philosophers();
    let explore = |what: &str, file: &str, sentence: &str| refused(what, &["explore", file], sentence);
    explore("no such file", &files.path("missing.elf"), "no firmware at ");
    explore("a directory", &files.path(""), "it is a directory");
    explore("a device", "/dev/null", "it is not a regular file");
    explore("an empty file", &files.file("empty", ""), "is not an ELF file");
    explore("a text file", &files.file("text", "int main(void) {}\n"), "is not an ELF file");
    for length in [5, 40, 52, 60, 500, whole.len() / 2, whole.len() - 1] {
        let cut = files.file("cut", &whole[..length]);
        explore(&format!("the first {length} bytes"), &cut, "is cut off: its headers speak of ");
    }
    let program = built::fw_vs();
    explore(
        "a program for this computer",
        program.to_str().expect("a plain name"),
        "is for a 64-bit machine",
    );
}

#[test]
fn firmware_that_does_not_fit_is_refused() {
    let files = Files::new();
    let mut renamed = philosophers();
    let name = place(&renamed, b"\0fwvs_description\0");
    renamed[name + 1] = b'F';
    let renamed = files.file("renamed", renamed);
    refused("firmware without the shim", &["explore", &renamed], "does not contain the fw-vs shim");

    let mut other = philosophers();
    let words = [*b"fwvs", VERSION.to_le_bytes()].concat();
    let version = place(&other, &words) + 4;
    other[version] = 77;
    let other = files.file("other", other);
    let sentence = format!("it speaks version 77, this fw-vs speaks version {VERSION}");
    refused("another version of the shim", &["explore", &other], &sentence);

    let mut moved = philosophers();
    let word = |at: usize| u32::from_le_bytes(moved[at..at + 4].try_into().expect("four bytes"));
    let (headers, loadable) = (word(28) as usize, 1);
    assert_eq!(word(headers), loadable, "the first segment is loaded");
    moved[headers + 12..headers + 16].copy_from_slice(&0x6000_0000_u32.to_le_bytes());
    let moved = files.file("moved", moved);
    refused("an image outside the board's memory", &["explore", &moved], "outside the board's flash");

    let example = built::example("philosophers");
    let board = ["explore", example.to_str().expect("a plain name"), "--board", "qemu-netduinoplus2"];
    refused("firmware for another board", &board, "outside the board's flash 0x08000000");
}

#[test]
fn without_qemu_it_says_how_to_get_it() {
    let console = Console::new();
    let mut command = console.command(&["explore", "--example", "philosophers"]);
    let said = console.start(command.env("PATH", console.folder())).wait();
    assert_refused("no QEMU", &console, &said, "cannot start qemu-system-arm: there is no such program");
    assert!(said.stderr.contains("apt-get install qemu-system-arm"), "{said:?}");
}

/// A scenario of the philosophers' deadlock.
fn scenario() -> String {
    let console = Console::new();
    let explored = console.explore(&["--example", "philosophers", "--set", "N=2"]);
    let path: PathBuf = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    fs::read_to_string(path).expect("the scenario is written")
}

#[test]
fn scenarios_that_cannot_be_replayed_are_refused() {
    let files = Files::new();
    let whole = scenario();
    let replay = |what: &str, file: &str, sentence: &str| refused(what, &["replay", file], sentence);
    replay("no such scenario", &files.path("missing.json"), "no scenario file at ");
    replay("a directory", &files.path(""), "it is a directory");
    for length in [0, 1, 20, whole.len() / 2, whole.trim_end().len() - 1] {
        let cut = files.file("cut.json", &whole[..length]);
        replay(&format!("the first {length} bytes"), &cut, "is cut off at line ");
    }
    replay("no JSON", &files.file("text.json", "hello"), "is not JSON at line 1");
    let wrong = |what: &str, from: &str, to: &str, sentence: &str| {
        assert!(whole.contains(from), "{from} is not in {whole}");
        replay(what, &files.file("wrong.json", whole.replace(from, to)), sentence);
    };
    wrong("another format", "\"format\": 1", "\"format\": 2", "has format 2, this fw-vs reads format 1");
    wrong("an unknown field", "\"board\"", "\"bord\"", "has a wrong field at line ");
    wrong("an unknown kind", "\"deadlock\"", "\"livedock\"", "has a wrong field at line ");
    wrong("an unknown board", "qemu-lm3s6965\"", "qemu-lm3s\"", "there is no board \"qemu-lm3s\"");
    wrong("another firmware's parameter", "\"N\"", "\"M\"", "philosophers has no parameter \"M\"");
}

#[test]
fn a_scenario_of_another_firmware_is_refused() {
    let files = Files::new();
    let mut whole: serde_json::Value = serde_json::from_str(&scenario()).expect("JSON");
    let ping_pong = built::example("ping-pong");
    let with = |whole: &serde_json::Value, what: &str, sentence: &str| {
        let file = files.file("scenario.json", whole.to_string());
        let firmware = ping_pong.to_str().expect("a plain name");
        let console = Console::new();
        let said = console.run(&["replay", &file, "--firmware", firmware]);
        assert_refused(what, &console, &said, sentence);
    };
    with(&whole, "a scenario with a parameter of another firmware", "ping-pong has no parameter \"N\"");
    whole["parameters"] = serde_json::json!({});
    with(
        &whole,
        "a scenario of another firmware",
        "the scenario is of another firmware: ping-pong has no task",
    );
}

#[test]
fn firmware_below_a_folder_that_is_not_utf_8_is_refused() {
    let files = Files::new();
    let folder = files.0.path().join(OsStr::from_bytes(b"d\xff"));
    fs::create_dir(&folder).expect("a temporary folder can be made");
    fs::write(folder.join("p.elf"), philosophers()).expect("a temporary file can be written");
    let console = Console::new();
    let mut command = console.command(&["explore"]);
    let said = console.start(command.arg(folder.join("p.elf"))).wait();
    assert_refused("a folder that is not UTF-8", &console, &said, "is not UTF-8");
}

#[test]
fn a_run_directory_with_something_else_in_it_is_left_alone() {
    let files = Files::new();
    let kept = files.file("thesis.txt", "three years of work");
    let out = files.path("");
    refused(
        "a folder of somebody else",
        &["explore", "--out", &out],
        "is not empty and no earlier run wrote it",
    );
    assert_eq!(fs::read_to_string(&kept).expect("it is still there"), "three years of work");
    assert_eq!(fs::read_dir(Path::new(&out)).expect("a folder").count(), 1);
}

/// A disk without room behind standard output is an error, and a closed pipe is none; neither is a panic.
#[test]
fn output_that_cannot_be_written_is_told() {
    let console = Console::new();
    let full = || File::options().write(true).open("/dev/full").expect("Linux has it");
    let study = built::root().join("firmware-examples/heart-beat-monitor/study.toml");
    let study = study.to_str().expect("a plain path");
    for arguments in [
        &["boards"][..],
        &["doctor"],
        &["--help"],
        &["explore", "--help"],
        &["--version"],
        &["study", study, "--only", "1."],
        &["explore", "--out", "run"],
    ] {
        let output =
            console.command(arguments).stdout(full()).stderr(Stdio::piped()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("cannot write to standard output"), "{arguments:?}: {said}");
    }
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let status =
        console.command(&["boards"]).stdout(writer).stderr(Stdio::null()).status().expect("it starts");
    assert_eq!(status.code(), Some(0), "nobody reads, and nothing is wrong");
}
