//! The part of a board file that a build needs: compilation target and memory map.
//!
//! How to start or reach the board stands in the same file and is left to the host.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::Error;

/// The board that is meant when nobody names one.
pub const DEFAULT_BOARD: &str = "qemu-lm3s6965";

/// The mailbox starts on such a boundary. The shim keeps its RAM copy of the vector table there, and the vector
/// table offset register wants the table aligned to its size, rounded up to a power of two.
const MAILBOX_ALIGNMENT: u32 = 1024;

/// The folder of the board files that come with fw-vs.
pub fn boards_folder() -> PathBuf {
    let this_crate = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = this_crate.ancestors().nth(2).expect("this crate is two folders below the root");
    root.join("boards")
}

/// A board, as far as a build has to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The name of its file without the ending.
    pub name: String,
    /// The file it was read from.
    pub file: PathBuf,
    /// What firmware is linked for; `None` where the file describes a way to reach any core.
    pub layout: Option<Layout>,
}

/// What firmware is linked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The compilation target, in rustc's words.
    pub target: String,
    /// Code and constants.
    pub flash: Region,
    /// Data and stacks of the firmware.
    pub ram: Region,
    /// What host and shim say to each other; no part of `ram`, so that user code cannot reach it by accident.
    pub mailbox: Region,
}

/// A range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub origin: u32,
    /// How many bytes; never zero.
    pub length: u32,
}

impl Region {
    fn last(self) -> u32 {
        self.origin + (self.length - 1)
    }

    fn overlaps(self, other: Region) -> bool {
        self.origin <= other.last() && other.origin <= self.last()
    }
}

impl Board {
    /// Reads the board that `wanted` means: a path if it ends in `.toml`, otherwise a name in the folder `boards`.
    /// A relative path counts from the current folder.
    pub fn find(wanted: &str, boards: &Path) -> Result<Board, Error> {
        let file = if wanted.ends_with(".toml") {
            PathBuf::from(wanted)
        } else {
            let known = known_boards(boards);
            if !known.iter().any(|name| name == wanted) {
                return Err(Error::UnknownBoard { name: wanted.to_owned(), known });
            }
            boards.join(format!("{wanted}.toml"))
        };
        let text = read(&file).map_err(|source| Error::Read { file: file.clone(), source })?;
        Board::parse(&text, &file)
    }

    /// Reads a board from the text of its file; `file` gives the name and is what errors point to.
    pub fn parse(text: &str, file: &Path) -> Result<Board, Error> {
        let contents: toml::Table =
            text.parse().map_err(|source| Error::Syntax { file: file.to_owned(), source })?;
        let reader = Reader { file };
        let layout = match contents.get("memory") {
            Some(memory) => Some(reader.layout(contents.get("target"), memory)?),
            None => None,
        };
        Ok(Board {
            name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            file: file.to_owned(),
            layout,
        })
    }
}

/// No board file is longer; a file that is was given by mistake.
const LONGEST_FILE: u64 = 1 << 20;

/// The text of a regular file: opening a pipe would wait for a writer, and a device may have no end.
fn read(file: &Path) -> io::Result<String> {
    let metadata = fs::metadata(file)?;
    if !metadata.is_file() || metadata.len() > LONGEST_FILE {
        let what = if metadata.is_dir() {
            "it is a directory"
        } else if metadata.is_file() {
            "it is far too long for a board"
        } else {
            "it is not a regular file"
        };
        return Err(io::Error::other(what));
    }
    let mut text = String::new();
    fs::File::open(file)?.take(LONGEST_FILE).read_to_string(&mut text)?;
    Ok(text)
}

/// The names of the boards in a folder, sorted.
fn known_boards(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut names: Vec<String> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// Takes values out of a board file, and knows which file to blame.
struct Reader<'a> {
    file: &'a Path,
}

impl Reader<'_> {
    fn layout(&self, target: Option<&toml::Value>, memory: &toml::Value) -> Result<Layout, Error> {
        let target = target.and_then(toml::Value::as_str).ok_or_else(|| {
            let expected = "a compilation target such as \"thumbv7m-none-eabi\"";
            self.value("target", expected)
        })?;
        let flash = self.region(memory, "flash")?;
        let ram = self.region(memory, "ram")?;
        let mailbox = self.region(memory, "mailbox")?;
        let pairs = [
            ("flash", flash, "ram", ram),
            ("flash", flash, "mailbox", mailbox),
            ("ram", ram, "mailbox", mailbox),
        ];
        for (first, one, second, other) in pairs {
            if one.overlaps(other) {
                return Err(Error::Overlap { file: self.file.to_owned(), first, second });
            }
        }
        if !mailbox.origin.is_multiple_of(MAILBOX_ALIGNMENT) {
            return Err(self.value("memory.mailbox.origin", "an address that 1024 divides"));
        }
        Ok(Layout { target: target.to_owned(), flash, ram, mailbox })
    }

    fn region(&self, memory: &toml::Value, name: &str) -> Result<Region, Error> {
        let key = format!("memory.{name}");
        let region = memory.get(name).ok_or_else(|| {
            self.value(&key, "a region such as { origin = 0x2000_0000, length = 0x1_0000 }")
        })?;
        let number = |part: &str| {
            let value = region.get(part).and_then(toml::Value::as_integer);
            let expected = "a number of at most 32 bits, not negative";
            value
                .and_then(|value| u32::try_from(value).ok())
                .ok_or_else(|| self.value(&format!("{key}.{part}"), expected))
        };
        let (origin, length) = (number("origin")?, number("length")?);
        if length == 0 || origin.checked_add(length - 1).is_none() {
            let expected = "at least one byte, and none beyond the 32-bit address space";
            return Err(self.value(&format!("{key}.length"), expected));
        }
        Ok(Region { origin, length })
    }

    fn value(&self, key: &str, expected: &'static str) -> Error {
        Error::Value { file: self.file.to_owned(), key: key.to_owned(), expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        target = "thumbv7m-none-eabi"
        [memory]
        flash = { origin = 0x0, length = 0x4_0000 }
        ram = { origin = 0x2000_0000, length = 0xC000 }
        mailbox = { origin = 0x2000_C000, length = 0x4000 }
        [link]
        kind = "qemu"
    "#;

    fn parse(text: &str) -> Result<Board, Error> {
        Board::parse(text, Path::new("some/toy.toml"))
    }

    fn complaint(text: &str) -> String {
        parse(text).expect_err("the text has a mistake").to_string()
    }

    #[test]
    fn a_board_is_named_after_its_file() {
        let board = parse(WHOLE).unwrap();
        assert_eq!(board.name, "toy");
        let layout = board.layout.unwrap();
        assert_eq!(layout.target, "thumbv7m-none-eabi");
        assert_eq!(layout.flash, Region { origin: 0, length: 0x4_0000 });
        assert_eq!(layout.ram, Region { origin: 0x2000_0000, length: 0xC000 });
        assert_eq!(layout.mailbox, Region { origin: 0x2000_C000, length: 0x4000 });
    }

    #[test]
    fn a_board_may_have_no_memory_map() {
        assert_eq!(parse("description = \"any core\"").unwrap().layout, None);
    }

    #[test]
    fn every_board_of_the_repository_can_be_read() {
        let names = known_boards(&boards_folder());
        assert!(names.iter().any(|name| name == DEFAULT_BOARD), "{names:?}");
        for name in names {
            let board = Board::find(&name, &boards_folder()).unwrap();
            assert_eq!(board.name, name);
        }
    }

    #[test]
    fn an_unknown_board_is_answered_with_the_known_ones() {
        let text = Board::find("nowhere", &boards_folder()).expect_err("no such board").to_string();
        assert!(text.starts_with("there is no board called `nowhere`\nhint: known boards are "), "{text}");
        assert!(text.contains(DEFAULT_BOARD), "{text}");
    }

    #[test]
    fn a_path_that_does_not_exist_is_named() {
        let text = Board::find("missing/board.toml", &boards_folder()).expect_err("no such file").to_string();
        assert!(text.starts_with("cannot read the board file missing/board.toml: "), "{text}");
    }

    #[test]
    fn a_missing_region_is_named() {
        let text = complaint(&WHOLE.replace("mailbox =", "letterbox ="));
        assert!(text.starts_with("the board file some/toy.toml needs `memory.mailbox`: a region"), "{text}");
    }

    #[test]
    fn numbers_beyond_the_address_space_are_refused() {
        let text = complaint(&WHOLE.replace("0x2000_C000", "0x1_0000_0000"));
        assert!(text.contains("`memory.mailbox.origin`"), "{text}");
        let text = complaint(&WHOLE.replace("0x2000_C000", "0xFFFF_FC00"));
        assert!(text.contains("`memory.mailbox.length`"), "{text}");
        let text = complaint(&WHOLE.replace("length = 0xC000", "length = 0"));
        assert!(text.contains("`memory.ram.length`"), "{text}");
    }

    #[test]
    fn overlapping_regions_are_refused() {
        let text = complaint(&WHOLE.replace("length = 0xC000", "length = 0xC001"));
        assert_eq!(text, "the board file some/toy.toml lets `ram` and `mailbox` overlap");
    }

    #[test]
    fn a_mailbox_off_the_boundary_is_refused() {
        let text = complaint(&WHOLE.replace("0x2000_C000", "0x2000_C200"));
        assert!(text.contains("`memory.mailbox.origin`: an address that 1024 divides"), "{text}");
    }

    #[test]
    fn a_missing_target_is_named() {
        let text = complaint(&WHOLE.replace("target =", "aim ="));
        assert!(text.starts_with("the board file some/toy.toml needs `target`"), "{text}");
    }
}
