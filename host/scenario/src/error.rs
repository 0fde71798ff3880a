//! What can be wrong with scenario files and run directories.

use std::io;
use std::path::{Path, PathBuf};

use fwvs_foreign::{plain, shown};

use crate::scenario::FORMAT;

/// What failed, with which file, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing is there.
    #[error(
        "no scenario file at {}\nhint: fw-vs explore writes one for every finding, below its run directory",
        shown(path)
    )]
    NoSuchFile {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A directory, a device, or something that may not be read.
    #[error(
        "cannot read {}: {reason}\nhint: give the path of one scenario file, such as fw-vs-runs/…/scenario-1.json",
        shown(path)
    )]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        reason: io::Error,
    },
    /// The file ends too early.
    #[error(
        "the scenario {} is cut off at line {line}, column {column}\nhint: take a complete copy, or explore again to write it anew",
        shown(path)
    )]
    CutOff {
        /// Which file.
        path: PathBuf,
        /// Where it ends.
        line: usize,
        /// Where it ends.
        column: usize,
    },
    /// No JSON at all, or broken by hand.
    #[error(
        "the scenario {} is not JSON at line {line}, column {column}: {}\nhint: a scenario file is the JSON object that fw-vs explore writes",
        shown(path),
        plain(what)
    )]
    NotJson {
        /// Which file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Where.
        column: usize,
        /// What the parser says.
        what: String,
    },
    /// JSON, but not what a scenario says.
    #[error(
        "the scenario {} has a wrong field at line {line}, column {column}: {}\nhint: compare it with a scenario that fw-vs explore has just written",
        shown(path),
        plain(what)
    )]
    Field {
        /// Which file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Where.
        column: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Every field is there, but one of them makes no sense.
    #[error(
        "the scenario {} makes no sense: {}\nhint: compare it with a scenario that fw-vs explore has just written",
        shown(path),
        plain(what)
    )]
    Senseless {
        /// Which file.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// Written by another version.
    #[error(
        "the scenario {} has format {found}, this fw-vs reads format {FORMAT}\nhint: replay it with the fw-vs that wrote it, or explore again",
        shown(path)
    )]
    OtherFormat {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
    /// A file could not be written.
    #[error("cannot write {}: {reason}\nhint: {}", shown(path), way_out(path, reason))]
    Unwritable {
        /// Which file or directory.
        path: PathBuf,
        /// Why.
        #[source]
        reason: io::Error,
    },
    /// `--resume` names a directory that has no run to go on with.
    #[error(
        "there is no run to go on with in {}\nhint: give the directory of an explore run that was stopped or killed; \
         runs with --search shortest cannot be resumed",
        shown(path)
    )]
    NoRun {
        /// Which directory.
        path: PathBuf,
    },
    /// A checkpoint that cannot be read.
    #[error("cannot go on with {}: {reason}\nhint: was it written by another version of fw-vs?", shown(path))]
    Checkpoint {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: serde_json::Error,
    },
    /// A checkpoint of another version.
    #[error(
        "{} was written by {} version of fw-vs: it has format {found}, and this one goes on with format {format}\n\
         hint: go on with the fw-vs that wrote it, or start a new run",
        shown(path),
        if *found < u64::from(*format) { "an older" } else { "a newer" }
    )]
    OtherCheckpoint {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The one that is read.
        format: u32,
    },
    /// A checkpoint that is not as it was written.
    #[error(
        "{} was changed or damaged since it was written, or another version of fw-vs wrote it\nhint: start a new run",
        shown(path)
    )]
    DamagedCheckpoint {
        /// Which file.
        path: PathBuf,
    },
    /// A checkpoint that is not a file, or may not be read.
    #[error("cannot go on with {}: {reason}\nhint: check its permissions, or start a new run", shown(path))]
    UnreadableCheckpoint {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        reason: io::Error,
    },
    /// A list of events that is not text, or may not be read.
    #[error("cannot go on with {}: {reason}\nhint: check its permissions, or start a new run", shown(path))]
    UnreadableEvents {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        reason: io::Error,
    },
    /// `--out` names a directory with something else in it.
    #[error(
        "the directory {} is not empty and no earlier run wrote it\nhint: choose a new directory with --out",
        shown(path)
    )]
    NotOurs {
        /// Which directory.
        path: PathBuf,
    },
    /// `--out` names a directory that another run is writing to.
    #[error(
        "another run is writing to {}\nhint: wait for it, or choose another directory with --out",
        shown(path)
    )]
    InUse {
        /// Which directory.
        path: PathBuf,
    },
}

/// What to do about something that cannot be written.
fn way_out(path: &Path, reason: &io::Error) -> &'static str {
    match reason.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free some space, or choose another place with --out"
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "--out takes a directory; choose another name"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a place with --out where you may write"
        }
        // Some file systems have only what they have.
        io::ErrorKind::NotFound if path.parent().is_some_and(Path::is_dir) => {
            "nothing can be made there; choose another place with --out"
        }
        io::ErrorKind::NotFound => "the run directory is gone; choose another place with --out",
        _ => "choose another place with --out",
    }
}
