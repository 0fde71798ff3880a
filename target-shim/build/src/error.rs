//! Why a firmware cannot be linked for the chosen board.

use std::io;
use std::path::PathBuf;

/// Why a firmware cannot be linked for the chosen board. Messages are written for the person who runs the build.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No file of that name in the folder of boards.
    #[error(
        "there is no board called `{name}`\nhint: known boards are {}; or give the path of a .toml file",
        list(known)
    )]
    UnknownBoard {
        /// The name that was asked for.
        name: String,
        /// The boards that do exist, sorted.
        known: Vec<String>,
    },
    /// A board was given by its path, and that file cannot be read.
    #[error("cannot read the board file {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The board file is not TOML.
    #[error("the board file {} is not valid TOML: {source}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// What the parser said.
        source: toml::de::Error,
    },
    /// The board file lacks a value, or it is of the wrong kind.
    #[error("the board file {} needs `{key}`: {expected}", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// The value, as a dotted key.
        key: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// Two regions of the board's memory share addresses.
    #[error("the board file {} lets `{first}` and `{second}` overlap", file.display())]
    Overlap {
        /// The file.
        file: PathBuf,
        /// One region.
        first: &'static str,
        /// The other one.
        second: &'static str,
    },
    /// The board file says how to reach a core, but not what memory it has.
    #[error("the board file {} has no [memory], so nothing can be linked for it", file.display())]
    NoMemory {
        /// The file.
        file: PathBuf,
    },
    /// Cargo builds for a computer instead of a board.
    #[error(
        "firmware cannot be built for {target}\nhint: add --target {board_target}, or let `cargo xtask firmware` build it"
    )]
    NotFirmware {
        /// What cargo builds for.
        target: String,
        /// What the board needs.
        board_target: String,
    },
    /// A linker script cannot be written.
    #[error("cannot write the linker script {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}
