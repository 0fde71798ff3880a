//! `fw-vs new`: from nothing to a first finding and to a clean verdict, with what it prints and what its README says.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use fwvs_tests::built;
use fwvs_tests::console::{Console, Said};

/// Runs lines as a user types them, without a network; what people set for programs of the host does not fit firmware.
fn type_in(console: &Console, folder: &Path, lines: &str) -> Said {
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", lines]).current_dir(folder).env("CARGO_NET_OFFLINE", "true");
    for variable in
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "FWVS_BOARD"]
    {
        shell.env_remove(variable);
    }
    console.start(&mut shell).wait()
}

/// The lines to type that `fw-vs new` prints.
fn lines(printed: &str) -> String {
    printed.lines().filter_map(|line| line.strip_prefix("  ")).map(|line| format!("{line}\n")).collect()
}

/// A project that was just made. Crates that it needs are compiled once and kept for the next run of this test.
fn made(console: &Console, arguments: &[&str]) -> (PathBuf, String) {
    let said = console.run(&[&["new"], arguments].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    let project = console.folder().join(arguments[0]);
    let target = built::root().join("target/firmware").join(format!("new-{}", arguments[0]));
    fs::create_dir_all(&target).expect("a folder can be made");
    symlink(target, project.join("target")).expect("the project has no target yet");
    (project, said.stdout)
}

/// The change that the README shows, made to the program.
fn mend(project: &Path) {
    let readme = fs::read_to_string(project.join("README.md")).expect("a project has a README");
    let block = readme
        .split("```diff\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("it shows a change");
    let side = |left_out: char| -> String {
        let lines = block.lines().filter(|line| !line.starts_with(left_out));
        lines.map(|line| format!("{}\n", &line[1..])).collect()
    };
    let (before, after) = (side('+'), side('-'));
    let main = project.join("src/main.rs");
    let program = fs::read_to_string(&main).expect("a project has a program");
    assert_eq!(program.matches(&before).count(), 1, "{before} is in {program}");
    fs::write(&main, program.replace(&before, &after)).expect("the file is ours");
}

#[test]
fn a_new_project_has_a_finding_and_is_clean_when_mended() {
    let console = Console::new();
    let (project, printed) = made(&console, &["thermostat"]);
    assert!(!project.starts_with(built::root()), "it is outside of the sources");

    let found = type_in(&console, console.folder(), &lines(&printed));
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stdout.contains("deadlock: sensor (priority 2) waits for room in samples"), "{found:?}");
    assert!(found.stdout.contains("  src/main.rs:"), "steps have their lines: {found:?}");
    assert!(!found.stdout.contains("note:"), "{found:?}");

    let replay =
        found.stdout.lines().find_map(|line| line.trim().strip_prefix("fw-vs replay ")).expect("how");
    let scenario = project.join(replay);
    let again = console.run(&["replay", scenario.to_str().expect("a plain path")]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.trim_end().ends_with("happened again"), "{again:?}");

    // Whoever has the README alone can call the program, too.
    let readme = fs::read_to_string(project.join("README.md")).expect("a project has a README");
    let program = built::fw_vs();
    assert!(readme.contains(&format!("`{}`", program.display())), "{readme}");

    mend(&project);
    let mended = fs::read_to_string(project.join("src/main.rs")).expect("a project has a program");
    let mended: Vec<&str> = mended.lines().map(str::trim).collect();
    assert!(
        !mended.windows(2).any(|two| two == ["bus.lock();", "bus.unlock();"]),
        "a lock for nothing: {mended:?}"
    );
    let clean = type_in(&console, console.folder(), &lines(&printed));
    assert_eq!(clean.code, Some(0), "{clean:?}");
    assert!(clean.stdout.contains("complete: every path was explored, nothing was found"), "{clean:?}");
}

/// Who takes the debug information out of the profile is told what is missing, and gets everything else.
#[test]
fn a_finding_without_source_lines_says_how_to_get_them() {
    let console = Console::new();
    let (project, printed) = made(&console, &["plain"]);
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("a project has a Cargo.toml");
    assert!(text.contains("debug = 2"), "{text}");
    fs::write(&manifest, text.replace("debug = 2", "debug = 0")).expect("the file is ours");
    let found = type_in(&console, console.folder(), &lines(&printed));
    assert_eq!(found.code, Some(1), "{found:?}");
    let words: Vec<&str> = found.stdout.split_whitespace().collect();
    assert!(
        words.join(" ").contains(
            "note: no source lines are known, for the firmware has no debug information: set `debug = 2`"
        ),
        "{found:?}"
    );
}

/// Another core, another target, another memory map.
#[test]
fn a_new_project_is_for_the_board_that_was_asked_for() {
    let console = Console::new();
    let (_, printed) = made(&console, &["relay", "--board", "qemu-netduinoplus2"]);
    assert!(
        printed.contains("target/thumbv7em-none-eabihf/release/relay --board qemu-netduinoplus2"),
        "{printed}"
    );
    let found = type_in(&console, console.folder(), &lines(&printed));
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stdout.starts_with("relay on qemu-netduinoplus2: "), "{found:?}");
}

#[test]
fn what_cannot_be_made_is_refused_and_nothing_is_left() {
    for (arguments, sentence) in [
        (&["../there"][..], "cannot be the name of a project"),
        (&["7up"], "cannot be the name of a project"),
        (&["Éa"], "`Éa` cannot be the name of a project"),
        (&["cortex-m"], "`cortex-m` is taken"),
        (&["mine", "--board", "qemu-lm3s"], "there is no board \"qemu-lm3s\""),
        (&["mine", "--shim", "/nowhere"], "the shim's crates are not in /nowhere"),
    ] {
        let console = Console::new();
        let said = console.run(&[&["new"], arguments].concat());
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.stderr.contains(sentence) && said.stderr.contains("\nhint: "), "{said:?}");
        assert!(console.is_untouched(), "{arguments:?}");
    }
}

#[test]
fn what_is_there_already_is_left_alone() {
    let console = Console::new();
    let thesis = console.folder().join("thesis");
    fs::create_dir(&thesis).expect("the folder is ours");
    fs::write(thesis.join("README.md"), "three years of work").expect("the folder is ours");
    let said = console.run(&["new", "thesis"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("there is something called thesis here already\nhint: "), "{said:?}");
    assert_eq!(fs::read_dir(&thesis).expect("it is there").count(), 1);
}
