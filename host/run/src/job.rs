//! What to explore and how: everything that a run which goes on later must have the same.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use fwvs_explore::{Cost, Rung};
use serde::{Deserialize, Serialize};

use crate::named::{self, Named};
use crate::world::World;

/// How many paths a search by chance runs when nobody says otherwise.
const PATHS_BY_CHANCE: u64 = 10_000;

/// How long a task may run without an operation when nobody says otherwise.
pub const DIVERGENCE: Duration = Duration::from_secs(1);

/// An exploration, apart from when to stop and who listens: plain data, which can be written down and run elsewhere.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The ELF file.
    pub firmware: PathBuf,
    /// The name under which it comes with fw-vs, if it does: what scenarios find it by elsewhere.
    pub example: Option<String>,
    /// The name of a board, or the path of its file.
    pub board: String,
    /// Parameters of the firmware that are not to have their defaults.
    pub parameters: BTreeMap<String, String>,
    /// How the firmware's world behaves.
    pub world: World,
    /// Which interleavings may be left out because others stand for them, if somebody asked for it: else source sets, where
    /// paths end.
    #[serde(with = "named::option")]
    pub reduction: Option<Rung>,
    /// In which order paths are run.
    #[serde(with = "named")]
    pub search: Search,
    /// How often a path of a depth-first search may go another way than by itself.
    pub bound: Option<Bound>,
    /// Chooses the paths of a search by chance.
    pub seed: u32,
    /// How many ordering constraints the bugs have that [`Search::Pct`] is after.
    pub bug_depth: u8,
    /// How many transitions a path may have.
    pub depth: usize,
    /// How long a task may run without an operation, if somebody said so: else [`DIVERGENCE`].
    pub divergence: Option<Duration>,
}

/// In which order paths are run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Search {
    /// Depth-first where paths end, else more and more delays on longer and longer paths.
    #[default]
    Auto,
    /// Depth-first.
    Dfs,
    /// Iterative deepening: the first finding is one of minimal length.
    Shortest,
    /// One path after the other, each at random.
    Random,
    /// Probabilistic concurrency testing: random priorities with few changes.
    Pct,
}

/// How often a path may go another way than by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// A task goes on, time passes or an interrupt fires though another could go on.
    Preemptions(usize),
    /// A task is passed over when it would be its turn.
    Delays(usize),
}

impl Bound {
    /// What is counted, and how many there may be.
    pub(crate) fn parts(self) -> (Cost, &'static str, usize) {
        match self {
            Self::Preemptions(most) => (Cost::Preemptions, "preemptions", most),
            Self::Delays(most) => (Cost::Delays, "delays", most),
        }
    }
}

impl Search {
    /// Whether paths are chosen by chance, so that nothing is ever complete.
    pub fn by_chance(self) -> bool {
        matches!(self, Self::Random | Self::Pct)
    }
}

impl Job {
    /// A firmware on a board, and everything else as it is when nobody says otherwise.
    pub fn new(firmware: impl Into<PathBuf>, board: impl Into<String>) -> Self {
        Self {
            firmware: firmware.into(),
            example: None,
            board: board.into(),
            parameters: BTreeMap::new(),
            world: World::default(),
            reduction: None,
            search: Search::default(),
            bound: None,
            seed: 1,
            bug_depth: 3,
            depth: 1000,
            divergence: None,
        }
    }

    /// How many paths to run at most; `timed` if time is bounded instead.
    pub(crate) fn paths(&self, asked: Option<u64>, timed: bool) -> u64 {
        asked.unwrap_or(if self.search.by_chance() && !timed { PATHS_BY_CHANCE } else { u64::MAX })
    }

    /// The reduction of a depth-first search.
    pub(crate) fn rung(&self) -> Rung {
        self.reduction.unwrap_or_default()
    }

    /// How long a task may run without an operation.
    pub(crate) fn divergence(&self) -> Duration {
        self.divergence.unwrap_or(DIVERGENCE)
    }

    /// The reduction that is really used: bounds and chance go without, and so does the search where paths do not end unless
    /// a depth-first one was asked for.
    pub(crate) fn reduction_name(&self, ends: bool) -> &'static str {
        match self.search {
            Search::Shortest => Rung::Sleep.name(),
            Search::Random | Search::Pct => Rung::None.name(),
            _ if self.bound.is_some() => Rung::None.name(),
            Search::Auto if !ends => Rung::None.name(),
            _ => named::reduction(self.rung()),
        }
    }
}
