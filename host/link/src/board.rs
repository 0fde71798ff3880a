//! Board files: which link reaches the board, and which memory it has. Pure data; a new board needs
//! no Rust. The boards that come with the program are part of it, so that it works in any folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use fwvs_foreign::file;
use serde::Deserialize;

use crate::qemu::loaded;
use crate::{BoardFlaw, Doorbell, Error, Gdb, Link, Machine, Options, Pin, Qemu, Supervisor};

/// No board file is longer; a file that is was given by mistake.
const LONGEST_FILE: u64 = 1 << 20;

/// A board that firmware can run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The name of its file, without the extension.
    pub name: String,
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
    /// What host and shim tell each other; outside `ram`, where user code does not come by accident.
    pub mailbox: Region,
}

/// Some memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The first address.
    pub origin: u32,
    /// The number of bytes.
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
    /// By a gdb server that runs already, with the firmware loaded.
    Gdb {
        /// `host:port`, or the path of a socket.
        address: Option<String>,
        /// How the doorbell is noticed.
        doorbell: Doorbell,
        /// The monitor command that halts the core at its reset vector.
        reset: String,
    },
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
struct File {
    description: String,
    target: String,
    memory: Memory,
    link: LinkKind,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../boards/", $name, ".toml")))),*]
    };
}

/// The boards that come with the program, in the order of their names.
const BUILT_IN: &[(&str, &str)] = built_in![
    "gdb-server"
    "qemu-lm3s6965"
    "qemu-mps2-an385"
    "qemu-mps2-an386"
    "qemu-netduinoplus2"
];

impl Board {
    /// The board that a user asks for: a path to a `.toml` file, or a name from the folder of
    /// boards or from those that come with the program. `NAME=ADDRESS` gives a gdb server's address.
    pub fn load(name_or_path: &str, folder: Option<&Path>) -> Result<Self, Error> {
        match name_or_path.split_once('=') {
            Some((name, address)) if !Path::new(name_or_path).exists() => {
                Self::find(name, folder)?.at(address)
            }
            _ => Self::find(name_or_path, folder),
        }
    }

    /// All boards with a name, in its order. A file in the folder replaces what comes with the
    /// program.
    pub fn all(folder: Option<&Path>) -> Result<Vec<Self>, Error> {
        names(folder)?.iter().map(|name| Self::find(name, folder)).collect()
    }

    /// A board from the text of its file.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let File { description, target, memory, link } = toml::from_str(text)
            .map_err(|reason| Error::BoardSyntax { board: name.into(), reason: Box::new(reason) })?;
        let board = Self { name: name.into(), description, target, memory, link };
        board.flaw().map_or(Ok(()), |flaw| Err(board.wrong(flaw)))?;
        Ok(board)
    }

    /// The same board behind another address.
    pub fn at(mut self, new: &str) -> Result<Self, Error> {
        match &mut self.link {
            LinkKind::Gdb { address, .. } if !new.is_empty() => *address = Some(new.into()),
            _ => {
                return Err(self.wrong(BoardFlaw::Address { address: new.into() }));
            }
        }
        Ok(self)
    }

    /// A link to the board, halted at the firmware's reset vector.
    pub fn open(
        &self,
        firmware: &Path,
        pin: Pin,
        supervisor: Supervisor,
    ) -> Result<Box<dyn Link + Send>, Error> {
        match &self.link {
            LinkKind::Qemu { .. } => {
                let machine = self.machine().unwrap_or_else(|| unreachable!("it is a QEMU board"));
                Ok(Box::new(Qemu::supervised(&machine, firmware, pin, supervisor)?))
            }
            LinkKind::Gdb { address, doorbell, reset } => {
                pin.pin_this_thread()?;
                let address = address.as_ref().ok_or_else(|| self.no_address())?;
                let loaded = loaded(firmware)?;
                let options = Options {
                    reset: reset.clone(),
                    doorbell: *doorbell,
                    loaded: Some(loaded),
                    ..Options::default()
                };
                let mut link = Gdb::connect(address, options)?;
                if let Some(brake) = supervisor.brake {
                    link.heed(brake);
                }
                link.reset()?;
                Ok(Box::new(link))
            }
        }
    }

    /// The machine of a QEMU board.
    pub fn machine(&self) -> Option<Machine> {
        match &self.link {
            LinkKind::Qemu { machine, doorbell, restart: Restart::SystemReset } => {
                Some(Machine { doorbell: *doorbell, ..Machine::new(machine) })
            }
            LinkKind::Gdb { .. } => None,
        }
    }

    /// Whether it is known where the board is; the error says how to tell.
    pub fn has_address(&self) -> Result<(), Error> {
        match &self.link {
            LinkKind::Gdb { address: None, .. } => Err(self.no_address()),
            LinkKind::Gdb { .. } | LinkKind::Qemu { .. } => Ok(()),
        }
    }

    /// Whether the board can be used right now; the error says why not.
    pub fn availability(&self) -> Result<(), Error> {
        match (&self.link, self.machine()) {
            (LinkKind::Gdb { address, doorbell, reset }, _) => {
                let address = address.as_ref().ok_or_else(|| self.no_address())?;
                let options = Options { reset: reset.clone(), doorbell: *doorbell, ..Options::default() };
                Gdb::connect(address, options).map(drop)
            }
            (LinkKind::Qemu { .. }, machine) => machine.as_ref().map_or(Ok(()), is_known),
        }
    }

    fn find(name: &str, folder: Option<&Path>) -> Result<Self, Error> {
        if name.ends_with(".toml") {
            return Self::read(Path::new(name));
        }
        if let Some(file) = folder.map(|folder| folder.join(format!("{name}.toml")))
            && file.exists()
        {
            return Self::read(&file);
        }
        match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            Some((_, text)) => Self::parse(name, text),
            None => {
                let known = names(folder)?;
                Err(Error::UnknownBoard { name: name.into(), nearest: nearest(name, &known), known })
            }
        }
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let text = file::read_text(path, LONGEST_FILE)
            .map_err(|source| Error::BoardRead { path: path.into(), source })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&name, &text)
    }

    fn flaw(&self) -> Option<BoardFlaw> {
        let Memory { flash, ram, mailbox } = self.memory;
        let regions = [("flash", flash), ("ram", ram), ("mailbox", mailbox)];
        let alone = regions.iter().find_map(|&(region, Region { origin, length })| {
            let end = u64::from(origin) + u64::from(length);
            (length == 0)
                .then_some(BoardFlaw::Empty { region })
                .or((end > 1 << 32).then_some(BoardFlaw::Overflow { region }))
                .or((origin % 4 != 0).then_some(BoardFlaw::Alignment { region }))
        });
        let pairs = [(0, 1), (0, 2), (1, 2)].map(|(first, second)| (regions[first], regions[second]));
        let together = pairs.iter().find_map(|&((first, a), (second, b))| {
            let apart = a.end() <= u64::from(b.origin) || b.end() <= u64::from(a.origin);
            (!apart).then_some(BoardFlaw::Overlap { first, second })
        });
        let mut texts = vec![("name", &self.name), ("target", &self.target)];
        if let LinkKind::Qemu { machine, .. } = &self.link {
            texts.push(("machine", machine));
        }
        // They become arguments and file names.
        let is_word = |text: &str| {
            !text.is_empty()
                && !text.starts_with('-')
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        let text = texts.into_iter().find(|(_, value)| !is_word(value));
        let text = text.map(|(field, value)| BoardFlaw::Text { field, value: value.clone() });
        alone.or(together).or(text)
    }

    fn wrong(&self, flaw: BoardFlaw) -> Error {
        Error::BoardWrong { board: self.name.clone(), flaw }
    }

    fn no_address(&self) -> Error {
        Error::NoAddress { board: self.name.clone() }
    }
}

impl Region {
    /// The address behind the last byte; of the topmost region it has 33 bits.
    pub fn end(&self) -> u64 {
        u64::from(self.origin) + u64::from(self.length)
    }
}

/// Whether QEMU is there and has the machine.
fn is_known(machine: &Machine) -> Result<(), Error> {
    let program = &machine.program;
    let listing =
        Command::new(program).args(["-M", "help"]).output().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Missing { program: program.clone() },
            _ => Error::Start { program: program.clone(), source },
        })?;
    let text = String::from_utf8_lossy(&listing.stdout);
    let mut names = text.lines().filter_map(|line| line.split_whitespace().next());
    if names.any(|name| name == machine.machine) {
        return Ok(());
    }
    Err(Error::UnknownMachine { program: program.clone(), machine: machine.machine.clone() })
}

/// All names, in order.
fn names(folder: Option<&Path>) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).into()).collect();
    if let Some(folder) = folder {
        let cannot_read = |source| Error::BoardRead { path: folder.into(), source };
        for entry in fs::read_dir(folder).map_err(cannot_read)? {
            let path = entry.map_err(cannot_read)?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// The most similar name, if one can be meant.
fn nearest(name: &str, known: &[String]) -> Option<String> {
    let distances = known.iter().map(|candidate| (distance(name, candidate), candidate));
    let (steps, candidate) = distances.min()?;
    let is_part = |part: &&String| name.len() >= 3 && part.contains(name);
    if steps <= name.len() / 3 { Some(candidate) } else { known.iter().find(is_part) }.cloned()
}

/// How many characters must be inserted, removed or replaced (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}
