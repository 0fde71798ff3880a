//! A firmware on a board, checked and ready to run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fwvs_board::{Board, Region};
use fwvs_link::{Claim, Link, Supervisor};
use fwvs_scenario::Value;
use fwvs_session::{Session, Settings};
use fwvs_symbols::{Firmware, MemoryMap};

use crate::error::Error;

/// Everything that has to be right before anything is started.
pub struct Target {
    pub(crate) board: Board,
    pub(crate) firmware: Arc<Firmware>,
    /// Every parameter that the user set.
    pub(crate) set: BTreeMap<String, Value>,
    parameters: Vec<(u32, Vec<u32>)>,
    /// For the search and its emulator, which take turns.
    core: Claim,
}

/// A session over whatever link the board has.
pub type AnySession = Session<Box<dyn Link + Send>>;

impl Target {
    /// Reads and checks firmware, board and parameters. Nothing is started.
    pub fn check(board: &str, firmware: &Path, set: &BTreeMap<String, String>) -> Result<Self, Error> {
        let board = Board::load(board)?;
        let firmware = Firmware::load(firmware)?;
        let memory = &board.memory;
        let range = |region: Region| u64::from(region.origin)..region.end();
        firmware.check_fits(&MemoryMap {
            flash: range(memory.flash),
            ram: range(memory.ram),
            mailbox: range(memory.mailbox),
        })?;
        let mut values: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let mut written = BTreeMap::new();
        for (name, value) in set {
            let parameter = firmware.parameter(name)?;
            let words = parameter.parse(value)?;
            let number = words.first().filter(|_| parameter.is_number());
            let value = number.map_or(value.as_str().into(), |word| i64::from(*word as i32).into());
            written.insert(name.clone(), value);
            values.insert(name, words);
        }
        let parameters = firmware
            .parameters()
            .iter()
            .map(|parameter| {
                let value = values.get(parameter.name.as_str()).cloned();
                (parameter.address, value.unwrap_or_else(|| parameter.default_words()))
            })
            .collect();
        Ok(Self { board, set: written, parameters, firmware: Arc::new(firmware), core: Claim::new() })
    }

    /// The firmware as a file.
    pub fn firmware(&self) -> &Firmware {
        &self.firmware
    }

    /// Starts the board and brings the firmware to its initial state. Pins the calling thread.
    pub fn open(&self, settings: Settings, supervisor: Supervisor) -> Result<AnySession, Error> {
        let link = fwvs_link::open(&self.board, self.firmware.path(), self.core.pin(), supervisor)?;
        Ok(Session::open(link, Arc::clone(&self.firmware), &self.parameters, settings)?)
    }
}

/// The firmware as an absolute path, so that a scenario can be replayed from anywhere.
pub fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
