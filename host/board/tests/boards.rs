//! Board files: found, understood, checked. `tests/good` and `tests/bad` have a file for each rule; in a bad one, the first line
//! says what is told. A new case needs no Rust.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fwvs_board::{Board, DEFAULT, Error, Flaw, LinkKind};
use proptest::prelude::*;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The board files of a folder, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(here().join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(!files.is_empty(), "{folder} has board files");
    files
}

fn load(file: &Path) -> Result<Board, Error> {
    Board::load(file.to_str().unwrap())
}

#[test]
fn the_boards_of_the_folder_are_those_that_come_with_the_program() {
    let in_the_folder: Vec<Board> =
        files("../../boards").iter().map(|file| Board { file: None, ..load(file).unwrap() }).collect();
    assert_eq!(Board::all().unwrap(), in_the_folder);
    for board in in_the_folder {
        assert_eq!(Board::load(&board.name).unwrap(), board, "by its name");
    }
    assert_eq!(Board::load(DEFAULT).unwrap().name, DEFAULT);
}

#[test]
fn good_files_are_boards_named_after_them() {
    for file in files("tests/good") {
        let board = load(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(board.name, file.file_stem().unwrap().to_str().unwrap());
        assert_eq!(board.file.as_deref(), Some(file.as_path()));
    }
    let topmost = load(&here().join("tests/good/topmost-word.toml")).unwrap();
    assert_eq!(topmost.memory.ram.end(), 1 << 32);
}

#[test]
fn bad_files_are_refused_for_what_is_wrong_with_them() {
    let mut said = BTreeSet::new();
    for file in files("tests/bad") {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let says = text.lines().next().and_then(|line| line.strip_prefix("# says: "));
        let says = says.unwrap_or_else(|| panic!("{name} begins with `# says: `"));
        let error = load(&file).expect_err(name).to_string();
        assert!(error.contains(says), "{name} does not say {says:?}: {error}");
        let hints: Vec<&str> = error.lines().filter(|line| line.starts_with("hint: ")).collect();
        assert!(
            matches!(hints[..], [hint] if hint.contains(name)),
            "{name} has one hint, with its path: {error}"
        );
        assert!(said.insert(says.replace(name, "")), "{name} says what another file says");
    }
}

#[test]
fn what_comes_with_the_program_has_no_path_in_its_hints() {
    let error = Board::load("qemu-lm3s6965=localhost:3333").unwrap_err();
    assert_eq!(
        error.to_string(),
        "board qemu-lm3s6965 is wrong: it takes no address, \"localhost:3333\" was given\n\
         hint: compare it with the memory map of the chip"
    );
}

#[test]
fn an_address_is_given_behind_the_name() {
    let board = Board::load("gdb-server=localhost:3333").unwrap();
    assert!(board.has_address().is_ok());
    assert!(
        matches!(board.link, LinkKind::Gdb { address: Some(address), .. } if address == "localhost:3333")
    );
    assert!(matches!(Board::load("gdb-server").unwrap().has_address(), Err(Error::NoAddress { .. })));
    for wrong in ["qemu-lm3s6965=localhost:3333", "gdb-server="] {
        let error = Board::load(wrong).unwrap_err();
        assert!(matches!(error, Error::Wrong { flaw: Flaw::Address { .. }, .. }), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = Board::load("/nowhere/board.toml").unwrap_err().to_string();
    assert!(error.starts_with("cannot read the board file /nowhere/board.toml: "), "{error}");
    let error = Board::load(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/../src/.toml")).unwrap_err();
    assert!(matches!(error, Error::Read { .. }), "{error}");
}

#[test]
fn a_wrong_name_lists_the_known_ones_and_the_nearest() {
    for (name, expected) in [
        ("qemu-lm3s6956", Some("qemu-lm3s6965")),
        ("lm3s6965", Some("qemu-lm3s6965")),
        ("netduino", Some("qemu-netduinoplus2")),
        ("gdbserver", Some("gdb-server")),
        ("abacus", None),
        ("", None),
    ] {
        let error = Board::load(name).unwrap_err();
        let Error::Unknown { nearest, known, .. } = &error else { panic!("{error}") };
        assert_eq!(nearest.as_deref(), expected, "{name}");
        assert!(known.contains(&"qemu-mps2-an385".into()));
    }
}

proptest! {
    /// However a board file is damaged: it is refused, or it describes a possible board.
    #[test]
    fn a_damaged_board_file_is_refused_or_possible(
        board in prop::sample::select(vec!["qemu-lm3s6965", "gdb-server"]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, "[-0-9a-fx_.=\"{}\\[\\] \n]{0,3}"), 1..6),
    ) {
        let mut text = fs::read_to_string(here().join(format!("../../boards/{board}.toml"))).unwrap();
        for (place, length, instead) in damage {
            if let Some(from) = (!text.is_empty()).then(|| place.index(text.len())) {
                text.replace_range(from..(from + length).min(text.len()), &instead);
            }
        }
        if let Ok(board) = Board::parse("test", &text) {
            let mut regions = [board.memory.flash, board.memory.ram, board.memory.mailbox];
            regions.sort_by_key(|region| region.origin);
            prop_assert!(regions.iter().all(|region| region.length > 0));
            prop_assert!(regions.windows(2).all(|pair| pair[0].end() <= u64::from(pair[1].origin)));
            prop_assert!(regions[2].end() <= 1 << 32);
        }
    }
}
