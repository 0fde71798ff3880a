//! What is wrong with a board, with what a person can do about it.

use std::io;
use std::path::{Path, PathBuf};

use fwvs_foreign::{plain, shown};

/// A board cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No board of that name.
    #[error(
        "there is no board {name:?}; known are: {}\n\
         hint: {}`fw-vs boards` tells more about them; a path to a .toml file is a board, too",
        plain(&known.join(", ")),
        nearest.as_ref().map(|nearest| format!("did you mean {}? ", plain(nearest))).unwrap_or_default()
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// All names.
        known: Vec<String>,
        /// The most similar name, if there is a similar one.
        nearest: Option<String>,
    },

    /// A board file that cannot be read.
    #[error("cannot read the board file {}: {source}\nhint: check the path and its permissions", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// A file that is no board description.
    #[error(
        "board {} is not understood: {}\nhint: compare {} with boards/qemu-lm3s6965.toml",
        plain(board),
        syntax(reason),
        named(file.as_deref())
    )]
    Syntax {
        /// The board.
        board: String,
        /// Its file, if it is one of the user's.
        file: Option<PathBuf>,
        /// Where and why.
        reason: Box<toml::de::Error>,
    },

    /// A board description that cannot be true.
    #[error(
        "board {} is wrong: {flaw}\nhint: compare {} with the memory map of the chip",
        plain(board),
        named(file.as_deref())
    )]
    Wrong {
        /// The board.
        board: String,
        /// Its file, if it is one of the user's.
        file: Option<PathBuf>,
        /// What cannot be true.
        flaw: Flaw,
    },

    /// The board file of a gdb server names no address, and none was given.
    #[error(
        "board {0} has no address\nhint: say where the gdb server listens: --board {0}=localhost:1234",
        plain(board)
    )]
    NoAddress {
        /// The board.
        board: String,
    },
}

/// What cannot be true in a board description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// A memory region of no bytes.
    #[error("{region} has no bytes")]
    Empty {
        /// Which one.
        region: &'static str,
    },
    /// A memory region that goes beyond the last address.
    #[error("{region} goes beyond the end of memory")]
    Overflow {
        /// Which one.
        region: &'static str,
    },
    /// Two regions that share bytes.
    #[error("{first} and {second} overlap")]
    Overlap {
        /// One of them.
        first: &'static str,
        /// The other one.
        second: &'static str,
    },
    /// A region that starts in a place where it cannot.
    #[error("{region} does not start at a multiple of {boundary}")]
    Alignment {
        /// Which one.
        region: &'static str,
        /// What has to divide its first address.
        boundary: u32,
    },
    /// A text that must not be empty, or must not contain what it contains.
    #[error("{field} is {value:?}, which is no {field}")]
    Text {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
    },
    /// An address was given to a board that is not reached by one.
    #[error("it takes no address, {address:?} was given")]
    Address {
        /// The address.
        address: String,
    },
}

/// What the parser says: its sentence on one line, whatever it quotes, behind the line of the file.
fn syntax(error: &toml::de::Error) -> String {
    let sentence = error.message();
    error.to_string().trim_end().replace(sentence, &plain(sentence))
}

/// The file by its path, where the user has one.
fn named(file: Option<&Path>) -> String {
    file.map_or("it".to_owned(), |file| shown(file).to_string())
}
