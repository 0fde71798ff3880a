//! What a run says last: verdict, counts, assumptions.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, FindingKind};
use crate::number::{count, counted};

/// What a run amounts to. A run that could not run has no summary.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything was explored and nothing was found, as far as the assumptions hold.
    Complete,
    /// The same, of what the bounds inside the system allow that the user set.
    CompleteWithinBounds,
    /// Something was found.
    Found,
    /// Nothing was found, but not everything was explored.
    Bounded,
}

impl Verdict {
    /// What the process says to the shell.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Complete | Self::CompleteWithinBounds => 0,
            Self::Found => 1,
            Self::Bounded => 3,
        }
    }

    /// The verdict of a run with these results: a finding outweighs a bound, a bound outweighs silence. A bound inside the
    /// system that somebody asked for is part of the question, and `within` has those.
    pub fn of(findings: usize, bounds_hit: usize, within: &[Within]) -> Self {
        match (findings, bounds_hit) {
            (0, 0) if within.iter().any(|bound| bound.reached) => Self::CompleteWithinBounds,
            (0, 0) => Self::Complete,
            (0, _) => Self::Bounded,
            _ => Self::Found,
        }
    }
}

/// A bound that is part of what was asked: what it keeps from happening is not missing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Within {
    /// As an option: "--until-tick 10".
    pub bound: String,
    /// What it lets happen: "up to tick 10".
    pub lets: String,
    /// Whether it kept anything from happening.
    pub reached: bool,
    /// How many paths it ended.
    pub ended: u64,
}

impl Within {
    /// What the bound came to, in a run of so many paths.
    pub fn effect(&self, paths: u64) -> String {
        let Self { bound, reached, ended, .. } = self;
        match (reached, ended) {
            (false, _) => format!("{bound} was never reached"),
            (true, 0) => format!("{bound} held back what could have come on the way"),
            (true, _) => {
                format!(
                    "{bound} ended {} of {} that could have gone on",
                    count(*ended),
                    counted(paths, "path")
                )
            }
        }
    }
}

/// Tasks that only waited for each other at the end of paths that could have gone on. No finding: whether somebody would ever
/// have helped them was not looked into.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiting {
    /// Who waits for what, in one sentence.
    pub message: String,
    /// Who.
    pub tasks: Vec<String>,
    /// Who could still go on, and what each of these is: "tick (timer)".
    pub still: Vec<String>,
    /// Where tasks go on that may do anything: what nobody was ever seen to do, such as "make room in samples". That says less
    /// than where nobody is left who could help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
    /// Those of `still` that nobody has seen do anything, such as a line that never fired: they may be the ones who help, so
    /// that says less too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_seen: Vec<String>,
    /// How many paths ended so.
    pub paths: u64,
    /// How many transitions lead there, on the shortest of these.
    pub depth: u64,
    /// The file that goes there again.
    #[serde(serialize_with = "crate::path::optional::serialize")]
    pub scenario: Option<PathBuf>,
}

/// A finding in the summary: enough to go and look.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingSummary {
    /// What sort of thing.
    pub kind: FindingKind,
    /// One sentence.
    pub message: String,
    /// How many transitions lead to it.
    pub depth: u64,
    /// How many paths ended with it.
    #[serde(default = "crate::finding::once")]
    pub count: u64,
    /// The file that makes it happen again.
    #[serde(serialize_with = "crate::path::optional::serialize")]
    pub scenario: Option<PathBuf>,
}

impl From<&Finding> for FindingSummary {
    fn from(finding: &Finding) -> Self {
        Self {
            kind: finding.kind,
            message: finding.message.clone(),
            depth: finding.depth(),
            count: finding.count,
            scenario: finding.scenario.clone(),
        }
    }
}

/// The last line of a run. Scripts rely on the names; the order is that of the documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// What it amounts to.
    pub verdict: Verdict,
    /// Paths explored to their end.
    pub paths: u64,
    /// Edges of the explored tree, each counted once.
    pub transitions: u64,
    /// Transitions taken again to come back to a branch.
    pub replayed_transitions: u64,
    /// Paths given up because another path covers whatever was enabled.
    pub sleep_blocked: u64,
    /// Paths cut by the depth bound.
    pub depth_cuts: u64,
    /// What was found.
    pub findings: Vec<FindingSummary>,
    /// Different sequences of toss values among the paths.
    pub toss_sequences: u64,
    /// Tasks that only waited for each other where a path was cut or bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Waiting>,
    /// What must hold for the verdict to mean anything.
    pub assumptions: Vec<String>,
    /// What never happened: a task that never ran, a handler that never fired.
    pub vacuous: Vec<String>,
    /// Which bounds cut something, and how much.
    pub bounds_hit: Vec<String>,
    /// The bounds that the question had, whether or not they came to anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Within>,
    /// What else a reader of the numbers should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The run directory, where something is left to run and was kept to go on with.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "crate::path::optional::serialize"
    )]
    pub resume: Option<PathBuf>,
    /// How long it took.
    pub seconds: f64,
    /// On which board.
    pub board: String,
    /// Which firmware.
    pub firmware: String,
    /// Which build of it.
    pub firmware_sha256: String,
    /// How tasks shared the processor.
    pub schedule: String,
    /// How time passed.
    pub time: String,
    /// What kept equivalent paths from being explored twice.
    pub reduction: String,
    /// How many targets worked at it.
    pub workers: u64,
}
