//! What a run reports while it goes on: one JSON object a line in `events.jsonl` and with `--format json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::declared::Declared;
use crate::finding::Finding;
use crate::summary::Summary;
use crate::value::Value;

/// One thing a run has to say, in order: started; progress, findings and notices; the summary.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// What runs, where and how.
    Started(Started),
    /// How far it has come.
    Progress(Progress),
    /// Something went wrong in the firmware.
    Finding(Finding),
    /// Something a person should know, and no finding.
    Notice {
        /// One sentence.
        message: String,
    },
    /// The last word.
    Summary(Summary),
}

/// What runs, where and how.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Started {
    /// Path of the firmware, or the example's name.
    pub firmware: String,
    /// Which build of it.
    pub firmware_sha256: String,
    /// On which board.
    pub board: String,
    /// How tasks share the processor.
    pub schedule: String,
    /// How time passes.
    pub time: String,
    /// What keeps equivalent paths from being explored twice.
    pub reduction: String,
    /// How many transitions a path may have.
    pub depth: u64,
    /// How many targets work at it.
    pub workers: u64,
    /// Value of every parameter the firmware declares.
    pub parameters: BTreeMap<String, Value>,
    /// Names of the tasks, in the order of their creation.
    pub tasks: Vec<String>,
    /// Names of the objects, in the order of their creation.
    pub objects: Vec<String>,
    /// How many there are of each kind that the firmware declares.
    #[serde(default)]
    pub declared: Vec<Declared>,
    /// Where the run leaves its files.
    #[serde(serialize_with = "crate::path::optional::serialize")]
    pub directory: Option<PathBuf>,
}

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Paths explored to their end.
    pub paths: u64,
    /// Edges of the explored tree, each counted once.
    pub transitions: u64,
    /// Transitions taken again to come back to a branch.
    pub replayed_transitions: u64,
    /// How deep the last path went.
    pub depth: u64,
    /// How much was found.
    pub findings: u64,
    /// How long it has taken.
    pub seconds: f64,
    /// Paths a second, lately.
    pub paths_per_second: f64,
    /// Which part is done: between these two, each from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<(f64, f64)>,
    /// How many seconds are left: between these two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<(f64, f64)>,
}

impl RunEvent {
    /// The event as one line of JSON, without the line's end.
    pub fn to_json(&self) -> String {
        crate::json::line(self)
    }
}
