//! The same firmware on every board that QEMU plays: another core, other addresses, and the same paths.

use std::fs;
use std::path::PathBuf;

use fwvs_tests::built::root;
use fwvs_tests::console::Console;
use serde_json::Value;

const DEFAULT: &str = "qemu-lm3s6965";

/// The boards that QEMU plays.
fn boards() -> Vec<String> {
    let files = fs::read_dir(root().join("boards")).expect("there are boards").flatten();
    let names = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| name.starts_with("qemu-")).collect();
    names.sort();
    names
}

/// The folder with the firmware of a board.
fn firmware(board: &str) -> PathBuf {
    let targets = fs::read_dir(root().join("target/firmware").join(board)).into_iter().flatten().flatten();
    let mut folders = targets.map(|target| target.path().join("release"));
    folders.find(|folder| folder.join("lock-order").is_file()).unwrap_or_else(|| {
        panic!("nothing is built for {board}; `cargo xtask firmware --board {board}` does it")
    })
}

#[test]
fn the_same_firmware_takes_the_same_paths_on_every_board() {
    let boards = boards();
    assert!(boards.len() >= 4 && boards.iter().any(|board| board == DEFAULT), "{boards:?}");
    for example in ["philosophers", "lock-order"] {
        let explore = |board: &str| {
            let elf = firmware(board).join(example);
            let elf = elf.to_str().expect("a plain path");
            let explored = Console::new().explore(&[elf, "--board", board]);
            assert_eq!(explored.summary()["board"], board, "{:?}", explored.said);
            let same = ["verdict", "paths", "transitions", "replayed_transitions", "sleep_blocked"];
            let counts = same.map(|name| explored.summary()[name].clone());
            let steps: Vec<Value> = explored.finding()["steps"].as_array().expect("a list").clone();
            let who = |step: &Value| ["task", "operation", "object"].map(|name| step[name].clone());
            (counts, steps.iter().map(who).collect::<Vec<_>>())
        };
        let expected = explore(DEFAULT);
        assert!(!expected.1.is_empty());
        for board in boards.iter().filter(|board| *board != DEFAULT) {
            assert_eq!(explore(board), expected, "{example} on {board}");
        }
    }
}

/// Where there is floating point, its registers belong to a task as the others do.
#[test]
fn stacks_and_floats_are_as_a_compiler_counts_on_on_every_board() {
    for board in boards() {
        let elf = firmware(&board).join("misbehaviours");
        let elf = elf.to_str().expect("a plain path");
        for case in ["case=42", "case=59"] {
            let explored = Console::new().explore(&[elf, "--board", &board, "--set", case]);
            assert_eq!(explored.counts().0, "complete", "{case} on {board}: {:?}", explored.said);
        }
    }
}
