//! What a run writes down now and then, so that another one can go on with it.

use std::path::Path;
use std::time::{Duration, Instant};

use fwvs_explore::{Counts, Saved};
use fwvs_kernel::{Event, Transition};
use fwvs_scenario::RunDirectory;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::job::Job;
use crate::stages::Stages;
use crate::tally::Tally;

/// The format that is written, and the only one that is read. Whatever changes what a checkpoint means makes another one: a
/// job, a search, a tally, or the keys by which findings are told apart.
pub const FORMAT: u32 = 2;

/// How often a checkpoint is written, at most.
const PAUSE: Duration = Duration::from_secs(1);

/// A search between two paths.
pub(crate) type SavedSearch = Saved<Transition, Event>;

/// Everything that a run needs to go on.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) job: Job,
    pub(crate) firmware_sha256: String,
    /// After how many distinct findings the run was to stop.
    pub(crate) enough: usize,
    pub(crate) search: SavedSearch,
    /// What the search came to; of a search by stages, this stage of it.
    pub(crate) counts: Counts,
    pub(crate) stages: Stages,
    pub(crate) tally: Tally,
    pub(crate) seconds: f64,
}

impl Checkpoint {
    /// What the run in that directory wrote last.
    pub fn load(run: &Path) -> Result<Self, Error> {
        Self::sound(RunDirectory::load_checkpoint(run, FORMAT)?)
    }

    /// Reads what a run wrote, from memory; `path` is what errors call it.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        Self::sound(RunDirectory::parse_checkpoint(bytes, path, FORMAT)?)
    }

    /// Refuses what no run writes and what would lead astray.
    fn sound(self) -> Result<Self, Error> {
        match self.tally.findings.is_sound() && self.stages.is_sound() {
            true => Ok(self),
            false => Err(Error::Contradiction),
        }
    }
}

/// When to write the next checkpoint.
pub(crate) struct Rhythm {
    /// When the last one was written, or the run began; `None` for searches that cannot be put aside.
    last: Option<Instant>,
    pause: Duration,
}

impl Rhythm {
    pub(crate) fn new() -> Self {
        Self { last: Some(Instant::now()), pause: PAUSE }
    }

    /// The search cannot be put aside.
    pub(crate) fn never(&mut self) {
        self.last = None;
    }

    /// Whether there is anything to write.
    pub(crate) fn is_kept(&self) -> bool {
        self.last.is_some()
    }

    /// Whether it is time.
    pub(crate) fn is_due(&self) -> bool {
        self.last.is_some_and(|last| last.elapsed() >= self.pause)
    }

    /// One was written, beginning then.
    pub(crate) fn written(&mut self, begin: Instant) {
        // However much there is to write, the search gets most of the time.
        self.pause = PAUSE.max(begin.elapsed() * 20);
        self.last = Some(Instant::now());
    }
}
