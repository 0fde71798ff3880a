//! What a board file says. Pure data; a new board needs no Rust.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Error, Flaw};

/// A board that firmware can run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The name of its file, without the extension.
    pub name: String,
    /// The file that it was read from; `None` if it comes with fw-vs.
    pub file: Option<PathBuf>,
    /// One line for people.
    pub description: String,
    /// The Rust target that firmware for it is compiled for.
    pub target: String,
    /// The memory map.
    pub memory: Memory,
    /// How it is reached.
    pub link: LinkKind,
}

/// The memory map of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Code and constants.
    pub flash: Region,
    /// The firmware's variables and stacks.
    pub ram: Region,
    /// What host and shim tell each other; outside `ram`, so that user code cannot reach it by accident.
    pub mailbox: Region,
}

/// A range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The first address.
    pub origin: u32,
    /// The number of bytes; never zero.
    pub length: u32,
}

/// How a board is reached.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LinkKind {
    /// By a QEMU of our own.
    Qemu {
        /// QEMU's name for the board.
        machine: String,
        /// How the doorbell is noticed.
        doorbell: Doorbell,
        /// How a path begins.
        restart: Restart,
    },
    /// By a gdb server that runs already.
    Gdb {
        /// `host:port`, or the path of a socket.
        address: Option<String>,
        /// How the doorbell is noticed.
        doorbell: Doorbell,
        /// The monitor command that halts the core at its reset vector.
        reset: String,
        /// Whether the firmware is to be written into the memory of the board; if not, somebody has loaded it already.
        #[serde(default)]
        program: bool,
    },
}

/// How the doorbell is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doorbell {
    /// A write watchpoint on the doorbell word. In QEMU far cheaper than a breakpoint.
    Watchpoint,
    /// A breakpoint on the store instruction.
    Breakpoint,
}

/// How a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// With a reset of the whole machine.
    SystemReset,
}

/// A board file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    description: String,
    target: String,
    memory: Memory,
    link: LinkKind,
}

impl Board {
    /// A board from the text of its file. It is complete, and possible: whatever it lacks or cannot be is the error.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        Self::of_file(name, None, text)
    }

    pub(crate) fn of_file(name: &str, file: Option<&Path>, text: &str) -> Result<Self, Error> {
        let file = file.map(Path::to_owned);
        let written = toml::from_str(text).map_err(|reason| Error::Syntax {
            board: name.into(),
            file: file.clone(),
            reason: Box::new(reason),
        })?;
        let Written { description, target, memory, link } = written;
        let board = Self { name: name.into(), file, description, target, memory, link };
        board.flaw().map_or(Ok(()), |flaw| Err(board.wrong(flaw)))?;
        Ok(board)
    }

    /// This board behind another address.
    pub fn at(mut self, new: &str) -> Result<Self, Error> {
        match &mut self.link {
            LinkKind::Gdb { address, .. } if !new.is_empty() => *address = Some(new.into()),
            _ => return Err(self.wrong(Flaw::Address { address: new.into() })),
        }
        Ok(self)
    }

    /// Whether it is known where the board is; the error says how to tell.
    pub fn has_address(&self) -> Result<(), Error> {
        match &self.link {
            LinkKind::Gdb { address: None, .. } => Err(Error::NoAddress { board: self.name.clone() }),
            LinkKind::Gdb { .. } | LinkKind::Qemu { .. } => Ok(()),
        }
    }

    fn wrong(&self, flaw: Flaw) -> Error {
        Error::Wrong { board: self.name.clone(), file: self.file.clone(), flaw }
    }
}

impl Region {
    /// The address behind the last byte; of the topmost region it has 33 bits.
    pub fn end(&self) -> u64 {
        u64::from(self.origin) + u64::from(self.length)
    }
}
