//! The file that makes a finding happen again: which firmware, on which board, which decisions, what comes of it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use fwvs_foreign::file;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::finding::{Finding, FindingKind, Step};
use crate::value::Value;
use crate::{atomic, layout};

/// The format that is written, and the only one that is read.
pub const FORMAT: u32 = 1;

/// Nobody's scenario is longer; a file that is was given by mistake.
const LONGEST_FILE: u64 = 1 << 28;

/// One path through a firmware, and what is found at its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// [`FORMAT`].
    pub format: u32,
    /// Which firmware.
    pub firmware: FirmwareReference,
    /// The board it was found on; others may do.
    pub board: String,
    /// How tasks shared the processor.
    pub schedule: String,
    /// How time passed.
    #[serde(default = "free")]
    pub time: String,
    /// How often each line could fire that has no limit of its own; nothing for as often as it likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<u16>,
    /// How often each timer, and each task's waits, could expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiries: Option<u16>,
    /// The last tick that could come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_tick: Option<u32>,
    /// For how many states on end a task could be kept waiting; nothing for as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub livelock: Option<u32>,
    /// For how many milliseconds a task could run without an operation; nothing where that was not written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence_ms: Option<u64>,
    /// How many transitions a path could have.
    pub depth: u64,
    /// Parameters that were set.
    pub parameters: BTreeMap<String, Value>,
    /// What was decided at every step; empty if the set-up phase already goes wrong.
    pub decisions: Vec<Step>,
    /// What is found at the end.
    pub finding: Cause,
    /// Where the path could have gone on at that end, and it is no finding in the strict sense: how it stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstill: Option<Standstill>,
}

/// Tasks that only wait for each other, where others could go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standstill {
    /// The tasks.
    pub tasks: Vec<String>,
    /// The others.
    pub still: Vec<String>,
}

/// The clock of scenarios that do not say.
fn free() -> String {
    "free".to_owned()
}

/// Which firmware a scenario is for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmwareReference {
    /// Where it was.
    #[serde(serialize_with = "crate::path::serialize")]
    pub path: PathBuf,
    /// The example's name, if it is one of ours: found again wherever the examples are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// Which build.
    pub sha256: String,
}

/// The finding a scenario leads to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// What sort of thing.
    pub kind: FindingKind,
    /// One sentence.
    pub message: String,
}

impl From<&Finding> for Cause {
    fn from(finding: &Finding) -> Self {
        Self { kind: finding.kind, message: finding.message.clone() }
    }
}

impl Scenario {
    /// Reads a scenario file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let bytes = file::read(path, LONGEST_FILE).map_err(|reason| match reason.kind() {
            io::ErrorKind::NotFound => Error::NoSuchFile { path: path.into() },
            _ => Error::Unreadable { path: path.into(), reason },
        })?;
        Self::parse(&bytes, path)
    }

    /// Reads a scenario that is already in memory; `path` is what errors call it.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        /// All that other formats are sure to have.
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let explained = |error: serde_json::Error| explain(&error, path);
        let Format { format } = serde_json::from_slice(bytes).map_err(explained)?;
        if format != u64::from(FORMAT) {
            return Err(Error::OtherFormat { path: path.into(), found: format });
        }
        let scenario: Self = serde_json::from_slice(bytes).map_err(explained)?;
        match scenario.sense() {
            None => Ok(scenario),
            Some(what) => Err(Error::Senseless { path: path.into(), what }),
        }
    }

    /// The file's contents: small, and one decision a line, so that two scenarios can be compared.
    pub fn to_json(&self) -> String {
        layout::one_entry_a_line(self)
    }

    /// Writes the file, all of it or nothing.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        atomic::write(path, self.to_json().as_bytes())
    }

    /// What makes no sense, if anything.
    fn sense(&self) -> Option<String> {
        let digest = &self.firmware.sha256;
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(format!("firmware.sha256 is not 64 hexadecimal digits: {digest:?}"));
        }
        if self.firmware.path.as_os_str().is_empty() && self.firmware.example.is_none() {
            return Some("firmware.path is empty".into());
        }
        let nameless = |step: &Step| step.task.is_empty() || step.operation.is_empty();
        let place = self.decisions.iter().position(nameless)?;
        Some(format!("decision {} names no task or no operation", place + 1))
    }
}

/// What the parser's error means for the file.
fn explain(error: &serde_json::Error, path: &Path) -> Error {
    use serde_json::error::Category;
    let path = path.to_path_buf();
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default().to_owned();
    match error.classify() {
        Category::Eof => Error::CutOff { path, line, column },
        Category::Syntax | Category::Io => Error::NotJson { path, line, column, what },
        Category::Data => Error::Field { path, line, column, what },
    }
}
