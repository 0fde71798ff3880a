//! Board files: found, understood, checked.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::fs;
use std::path::{Path, PathBuf};

use fwvs_link::{Board, BoardFlaw, Error, LinkKind};
use proptest::prelude::*;
use suite::mutation::{Mutation, mutated};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap()
}

#[test]
fn the_boards_of_the_folder_are_those_of_the_program() {
    let built_in = Board::all(None).unwrap();
    let with_folder = Board::all(Some(&folder())).unwrap();
    assert_eq!(built_in, with_folder);
    let files = fs::read_dir(folder()).unwrap().count();
    assert_eq!(built_in.len(), files);
}

#[test]
fn every_qemu_board_can_be_used_and_the_gdb_server_needs_an_address() {
    for board in Board::all(None).unwrap() {
        match board.link {
            LinkKind::Qemu { .. } => board.availability().unwrap(),
            LinkKind::Gdb { .. } => {
                assert!(matches!(board.availability(), Err(Error::NoAddress { .. })));
            }
        }
    }
}

#[test]
fn an_address_is_given_behind_the_name() {
    let board = Board::load("gdb-server=localhost:3333", None).unwrap();
    assert!(
        matches!(board.link, LinkKind::Gdb { address: Some(address), .. } if address == "localhost:3333")
    );
    let error = Board::load("qemu-lm3s6965=localhost:3333", None).unwrap_err();
    assert!(matches!(error, Error::BoardWrong { flaw: BoardFlaw::Address { .. }, .. }), "{error}");
    let error = Board::load("gdb-server=", None).unwrap_err();
    assert!(matches!(error, Error::BoardWrong { flaw: BoardFlaw::Address { .. }, .. }), "{error}");
}

#[test]
fn a_file_in_the_folder_or_at_a_path_is_a_board() {
    let place = tempfile::tempdir().unwrap();
    let mine = text("qemu-lm3s6965").replace("Stellaris", "my own");
    for name in ["mine", "qemu-lm3s6965"] {
        let file = place.path().join(format!("{name}.toml"));
        fs::write(&file, &mine).unwrap();
        let by_path = Board::load(file.to_str().unwrap(), None).unwrap();
        let by_name = Board::load(name, Some(place.path())).unwrap();
        assert_eq!(by_path, by_name);
        assert_eq!(by_name.name, name);
        assert!(by_name.description.contains("my own"), "the folder comes first");
    }
    let names: Vec<String> =
        Board::all(Some(place.path())).unwrap().into_iter().map(|board| board.name).collect();
    assert!(names.is_sorted() && names.contains(&"mine".into()));
    assert_eq!(names.iter().filter(|name| *name == "qemu-lm3s6965").count(), 1);
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
        let error = Board::load(name, None).unwrap_err();
        let Error::UnknownBoard { nearest, known, .. } = &error else { panic!("{error}") };
        assert_eq!(nearest.as_deref(), expected, "{name}");
        assert!(known.contains(&"qemu-mps2-an385".into()));
    }
}

#[test]
fn impossible_memory_is_refused() {
    let good = text("qemu-lm3s6965");
    let flaw = |old: &str, new: &str| {
        assert!(good.contains(old), "{old}");
        match Board::parse("test", &good.replace(old, new)) {
            Err(Error::BoardWrong { flaw, .. }) => flaw,
            outcome => panic!("{new}: {outcome:?}"),
        }
    };
    let ram = "ram = { origin = 0x2000_0000, length = 0xB000 }";
    assert_eq!(flaw(ram, "ram = { origin = 0x2000_0000, length = 0 }"), BoardFlaw::Empty { region: "ram" });
    assert_eq!(
        flaw(ram, "ram = { origin = 0xFFFF_FFFC, length = 5 }"),
        BoardFlaw::Overflow { region: "ram" }
    );
    assert_eq!(
        flaw(ram, "ram = { origin = 0x2000_0002, length = 4 }"),
        BoardFlaw::Alignment { region: "ram" }
    );
    let overlap = |first, second| BoardFlaw::Overlap { first, second };
    assert_eq!(flaw(ram, "ram = { origin = 0x2000_0000, length = 0xC001 }"), overlap("ram", "mailbox"));
    assert_eq!(flaw(ram, "ram = { origin = 0, length = 4 }"), overlap("flash", "ram"));
    let flash = "flash = { origin = 0x0000_0000, length = 0x4_0000 }";
    assert_eq!(flaw(flash, "flash = { origin = 0x2000_F000, length = 4 }"), overlap("flash", "mailbox"));
    let machine = flaw("machine = \"lm3s6965evb\"", "machine = \"a b\"");
    assert_eq!(machine, BoardFlaw::Text { field: "machine", value: "a b".into() });
    assert!(matches!(flaw("lm3s6965evb", "-version"), BoardFlaw::Text { .. }));
    assert!(matches!(flaw("thumbv7m-none-eabi", ""), BoardFlaw::Text { field: "target", .. }));
    let top = good.replace(ram, "ram = { origin = 0xFFFF_FFFC, length = 4 }");
    assert_eq!(Board::parse("test", &top).unwrap().memory.ram.end(), 1 << 32);
}

#[test]
fn unknown_and_missing_fields_are_refused_with_their_name() {
    let good = text("qemu-lm3s6965");
    for (old, new, told) in [
        ("description", "descripton", "descripton"),
        ("[memory]", "[memory]\nrom = 1", "rom"),
        ("origin = 0x2000_0000", "origin = 0x2000_0000, size = 3", "size"),
        ("restart = \"system-reset\"", "restart = \"soft\"", "soft"),
        ("restart = \"system-reset\"", "", "restart"),
        ("kind = \"qemu\"", "kind = \"probe\"", "probe"),
        ("doorbell = \"watchpoint\"", "doorbell = \"bell\"", "bell"),
        ("doorbell", "spare = 1\ndoorbell", "spare"),
        ("0x2000_0000", "0x1_2000_0000", "4831838208"),
        ("0x2000_0000", "-4", "-4"),
    ] {
        assert!(good.contains(old), "{old}");
        let error = Board::parse("test", &good.replacen(old, new, 1)).unwrap_err();
        assert!(matches!(error, Error::BoardSyntax { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}

proptest! {
    /// However a board file is damaged: it is refused, or it describes a possible board.
    #[test]
    fn a_damaged_board_file_is_refused_or_possible(
        board in prop::sample::select(vec!["qemu-lm3s6965", "gdb-server"]),
        mutations in prop::collection::vec(any::<Mutation>(), 1..6),
    ) {
        let bytes = mutated(text(board).into_bytes(), &mutations);
        let Ok(damaged) = String::from_utf8(bytes) else { return Ok(()) };
        if let Ok(board) = Board::parse("test", &damaged) {
            let mut regions = [board.memory.flash, board.memory.ram, board.memory.mailbox];
            regions.sort_by_key(|region| region.origin);
            prop_assert!(regions.iter().all(|region| region.length > 0));
            prop_assert!(regions.windows(2).all(|pair| pair[0].end() <= u64::from(pair[1].origin)));
            prop_assert!(regions[2].end() <= 1 << 32);
        }
    }
}
