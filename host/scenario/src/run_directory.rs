//! Where a run leaves what it found: `events.jsonl`, `scenario-<n>.json`, `summary.json`.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fwvs_foreign::file;
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::atomic::{self, UNFINISHED};
use crate::error::Error;
use crate::event::RunEvent;
use crate::finding::Finding;
use crate::scenario::Scenario;
use crate::summary::Summary;

/// Holds the directories of runs that were not told where to go.
pub const RUNS: &str = "fw-vs-runs";

const EVENTS: &str = "events.jsonl";
const SUMMARY: &str = "summary.json";
const CHECKPOINT: &str = "checkpoint";
/// No checkpoint is longer; a file that is was put there by mistake.
const LONGEST_CHECKPOINT: u64 = 1 << 30;
/// No list of events is longer, however long the run was.
const LONGEST_EVENTS: u64 = 1 << 30;
/// What the line with a checkpoint's format begins with, before the number.
const FORMAT_LINE: &str = "format ";
/// The format of checkpoints that do not say which they have.
const UNSTAMPED: u64 = 1;
/// No summary is longer.
const LONGEST_SUMMARY: u64 = 1 << 28;
/// How long a digest is.
const DIGEST: usize = 64;

/// A directory that one run writes to.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    events: File,
    scenarios: u64,
    /// Whether results of an earlier run were taken away.
    replaced: bool,
}

impl RunDirectory {
    /// A new directory below [`RUNS`], named after the time and the firmware.
    pub fn create(firmware: &str) -> Result<Self, Error> {
        Self::create_below(Path::new(RUNS), firmware)
    }

    /// The same below another directory.
    pub fn create_below(runs: &Path, firmware: &str) -> Result<Self, Error> {
        let time = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S");
        let name = format!("{time}-{}", tame(firmware));
        fs::create_dir_all(runs).map_err(|reason| Error::Unwritable { path: runs.into(), reason })?;
        let mut number = 1_u32;
        loop {
            // Two runs may start in the same second: whoever makes the directory has it.
            let path = runs.join(if number == 1 { name.clone() } else { format!("{name}-{number}") });
            match fs::create_dir(&path) {
                Ok(()) => return Self::open(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(reason) => return Err(Error::Unwritable { path, reason }),
            }
        }
    }

    /// The directory the user named. What an earlier run left there is replaced; anything else is left alone.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let failed = |reason| Error::Unwritable { path: path.into(), reason };
        fs::create_dir_all(path).map_err(failed)?;
        let empty = fs::read_dir(path).map_err(failed)?.next().is_none();
        if !empty && !is_ours(path) {
            return Err(Error::NotOurs { path: path.into() });
        }
        Self::open(path.into())
    }

    fn open(path: PathBuf) -> Result<Self, Error> {
        let events = path.join(EVENTS);
        let failed = |reason| Error::Unwritable { path: events.clone(), reason };
        let file = file::append(&events).map_err(failed)?;
        // Locked before anything is taken away, and for as long as the run lasts.
        lock(&file, &path).map_err(|error| error.unwrap_or_else(failed))?;
        file.set_len(0).map_err(failed)?;
        let unwritable = |reason| Error::Unwritable { path: path.clone(), reason };
        let replaced = take_away(&path, is_result).map_err(unwritable)?;
        Ok(Self { path, events: file, scenarios: 0, replaced })
    }

    /// The directory of a run that was stopped or killed, to go on with it. What it has told stays; a last line that
    /// was cut in the middle goes.
    pub fn reopen(path: &Path) -> Result<Self, Error> {
        if !is_ours(path) {
            return Err(Error::NoRun { path: path.into() });
        }
        let events = path.join(EVENTS);
        let failed = |reason| Error::Unwritable { path: events.clone(), reason };
        let file = file::append_existing(&events).map_err(failed)?;
        lock(&file, path).map_err(|error| error.unwrap_or_else(failed))?;
        file.set_len(whole_lines(&events).map_err(failed)?).map_err(failed)?;
        // Whoever was killed while a file was being written has left its beginning.
        take_away(path, is_unfinished).map_err(|reason| Error::Unwritable { path: path.into(), reason })?;
        Ok(Self { path: path.into(), events: file, scenarios: 0, replaced: false })
    }

    /// Goes on numbering scenarios after the first `count`.
    pub fn has_scenarios(&mut self, count: u64) {
        self.scenarios = count;
    }

    /// Whether an earlier run had left results here, which are gone.
    pub fn replaced(&self) -> bool {
        self.replaced
    }

    /// Whether there is something to go on with.
    pub fn has_checkpoint(&self) -> bool {
        self.path.join(CHECKPOINT).is_file()
    }

    /// Nothing is left to run.
    pub fn remove_checkpoint(&self) -> Result<(), Error> {
        let path = self.path.join(CHECKPOINT);
        match fs::remove_file(&path) {
            Err(reason) if reason.kind() != io::ErrorKind::NotFound => {
                Err(Error::Unwritable { path, reason })
            }
            _ => Ok(()),
        }
    }

    /// What a run came to that left nothing to go on with: it ran everything, or could not be put aside.
    pub fn nothing_left(path: &Path) -> Option<Summary> {
        if path.join(CHECKPOINT).exists() {
            return None;
        }
        let text = file::read(&path.join(SUMMARY), LONGEST_SUMMARY).ok()?;
        match serde_json::from_slice(&text).ok()? {
            RunEvent::Summary(summary) => Some(summary),
            _ => None,
        }
    }

    /// Writes what a later run needs to go on with this one, in the format of that number.
    pub fn save_checkpoint(&self, format: u32, checkpoint: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_vec(checkpoint).expect("a checkpoint has string keys and no failing parts");
        let stamped = [FORMAT_LINE.as_bytes(), format.to_string().as_bytes(), b"\n", &text].concat();
        let whole = [digest(&stamped).as_bytes(), b"\n", &stamped].concat();
        atomic::write(&self.path.join(CHECKPOINT), &whole)
    }

    /// Reads what [`RunDirectory::save_checkpoint`] wrote in that format.
    pub fn load_checkpoint<T: DeserializeOwned>(path: &Path, format: u32) -> Result<T, Error> {
        let file = path.join(CHECKPOINT);
        let text = match file::read(&file, LONGEST_CHECKPOINT) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NoRun { path: path.into() });
            }
            Err(reason) => return Err(Error::UnreadableCheckpoint { path: file, reason }),
        };
        Self::parse_checkpoint(&text, &file, format)
    }

    /// Reads a checkpoint that is already in memory; `path` is what errors call it.
    pub fn parse_checkpoint<T: DeserializeOwned>(bytes: &[u8], path: &Path, format: u32) -> Result<T, Error> {
        // The digest tells damage. Who makes a checkpoint by hand can make the digest too.
        let whole = match bytes.split_first_chunk::<DIGEST>() {
            Some((stands, [b'\n', whole @ ..])) if digest(whole).as_bytes() == stands => whole,
            _ => return Err(Error::DamagedCheckpoint { path: path.into() }),
        };
        let (found, text) = stamp(whole);
        if found != u64::from(format) {
            return Err(Error::OtherCheckpoint { path: path.into(), found, format });
        }
        serde_json::from_slice(text).map_err(|reason| Error::Checkpoint { path: path.into(), reason })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an event. It has left the process when this returns, so a killed run loses nothing it reported.
    pub fn append(&mut self, event: &RunEvent) -> Result<(), Error> {
        let mut line = event.to_json();
        line.push('\n');
        self.events
            .write_all(line.as_bytes())
            .map_err(|reason| Error::Unwritable { path: self.path.join(EVENTS), reason })
    }

    /// The findings in the list of events, in the order in which they were told.
    pub fn findings(&self) -> Result<Vec<Finding>, Error> {
        let path = self.path.join(EVENTS);
        let lines = file::open(&path).map(|file| BufReader::new(file.take(LONGEST_EVENTS)).lines());
        let mut findings = Vec::new();
        let unreadable = |reason| Error::UnreadableEvents { path: path.clone(), reason };
        for line in lines.map_err(unreadable)? {
            // What is no event was put there by somebody else.
            if let Ok(RunEvent::Finding(finding)) = serde_json::from_str(&line.map_err(unreadable)?) {
                findings.push(finding);
            }
        }
        Ok(findings)
    }

    /// Writes the next scenario file and says where it is.
    pub fn save_scenario(&mut self, scenario: &Scenario) -> Result<PathBuf, Error> {
        let path = self.path.join(format!("scenario-{}.json", self.scenarios + 1));
        scenario.save(&path)?;
        self.scenarios += 1;
        Ok(path)
    }

    /// Writes the summary: the same object as the last event.
    pub fn save_summary(&self, summary: &Summary) -> Result<PathBuf, Error> {
        let path = self.path.join(SUMMARY);
        let text = crate::layout::one_entry_a_line(&RunEvent::Summary(summary.clone()));
        atomic::write(&path, text.as_bytes())?;
        Ok(path)
    }
}

/// One run a directory.
fn lock(file: &File, path: &Path) -> Result<(), Result<Error, io::Error>> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(()),
        Err(error) if error == rustix::io::Errno::WOULDBLOCK => Err(Ok(Error::InUse { path: path.into() })),
        Err(error) => Err(Err(error.into())),
    }
}

/// Whether an earlier run wrote the directory: its list of events begins like one of ours.
fn is_ours(path: &Path) -> bool {
    let Ok(file) = file::open(&path.join(EVENTS)) else { return false };
    let mut line = String::new();
    match BufReader::new(file.take(1 << 20)).read_line(&mut line) {
        Ok(0) => true,
        Ok(_) => serde_json::from_str::<RunEvent>(&line).is_ok(),
        Err(_) => false,
    }
}

/// How long a file is without a last line that was cut.
fn whole_lines(path: &Path) -> io::Result<u64> {
    const PART: u64 = 1 << 16;
    let file = file::open(path)?;
    let mut end = file.metadata()?.len();
    let mut part = Vec::new();
    while end > 0 {
        let begin = end.saturating_sub(PART);
        part.resize((end - begin) as usize, 0);
        file.read_exact_at(&mut part, begin)?;
        if let Some(last) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + last as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

/// Takes away those files that an earlier run left, and nothing else; says whether there was any. A link goes, and what it
/// leads to stays.
fn take_away(path: &Path, which: fn(&str) -> bool) -> io::Result<bool> {
    let mut any = false;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let kind = entry.file_type()?;
        if name.to_str().is_some_and(which) && (kind.is_file() || kind.is_symlink()) {
            fs::remove_file(entry.path())?;
            any = true;
        }
    }
    Ok(any)
}

/// Whether a run writes files of that name, its list of events aside.
fn is_result(name: &str) -> bool {
    name == SUMMARY || name == CHECKPOINT || is_unfinished(name) || is_scenario(name)
}

/// The name of a scenario's file, without the folders on the way to it. `None` if no run gives a scenario such a name.
pub fn scenario_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str().filter(|name| is_scenario(name))
}

/// Whether a run gives a scenario that name.
fn is_scenario(name: &str) -> bool {
    let number = name.strip_prefix("scenario-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.parse::<u64>().is_ok_and(|parsed| parsed.to_string() == number))
}

/// Whether a run gives files that name until they are complete.
fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(UNFINISHED)
}

/// A firmware's name as part of a directory's.
fn tame(firmware: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' }
    };
    let name: String = firmware.chars().take(60).map(plain).collect();
    if name.is_empty() { "firmware".into() } else { name }
}

/// The format of a checkpoint, and what comes after that.
fn stamp(whole: &[u8]) -> (u64, &[u8]) {
    let line = whole.iter().position(|byte| *byte == b'\n').map(|end| whole.split_at(end));
    let number = line.and_then(|(line, rest)| {
        let number = std::str::from_utf8(line).ok()?.strip_prefix(FORMAT_LINE)?;
        Some((number.parse().ok()?, &rest[1..]))
    });
    number.unwrap_or((UNSTAMPED, whole))
}

/// What a checkpoint begins with: the SHA-256 of the rest, in hexadecimal digits.
fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
