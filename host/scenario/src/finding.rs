//! What went wrong, the steps to it, and where every task stands.

use std::fmt;
use std::path::PathBuf;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// What sort of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// Nothing can go on and some task should.
    Deadlock,
    /// An assertion does not hold, or a panic.
    Assertion,
    /// A fault exception, a lockup, a stack overflow.
    Crash,
    /// A task runs on and on without a visible operation.
    Divergence,
    /// A task has been held for too many states in a row.
    Livelock,
    /// An operation came out as the firmware said it never would.
    Unexpected,
}

impl FindingKind {
    /// Whether the path could have gone on: what would have come after such a finding is not known.
    pub const fn cuts_path(self) -> bool {
        !matches!(self, Self::Deadlock)
    }

    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Deadlock, Self::Assertion, Self::Crash, Self::Divergence, Self::Livelock, Self::Unexpected];

    /// The word for it, in JSON as in text.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Assertion => "assertion",
            Self::Crash => "crash",
            Self::Divergence => "divergence",
            Self::Livelock => "livelock",
            Self::Unexpected => "unexpected",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// One transition of a path, in words.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Who.
    pub task: String,
    /// Did what: "take".
    pub operation: String,
    /// On what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The value of a toss, or which way an operation goes that has several; nothing where it goes the first or only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<u16>,
    /// What came of it where that is not plain: "not served".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Of a tick that has come: who waited for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub due: Vec<String>,
    /// Whether the task is still at the operation afterwards, and its next step goes on with it: it waits, or its time is up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
    /// How full the object is afterwards, where that means something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// What tick it is afterwards, where time matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<u32>,
    /// Where in the source: "src/main.rs:31".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Step {
    /// Whether it is the same decision, wherever the source line went and whatever came of it.
    pub fn same_decision(&self, other: &Self) -> bool {
        (&self.task, &self.operation, &self.object, self.alternative)
            == (&other.task, &other.operation, &other.object, other.alternative)
    }
}

/// How full a queue is, or how many units a semaphore has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// How many there are.
    pub level: u16,
    /// How many there can be; nothing where there is no end to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u16>,
}

impl fmt::Display for Fill {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            Some(most) => write!(formatter, "{}/{most}", self.level),
            None => write!(formatter, "now {}", self.level),
        }
    }
}

/// A task's priority, where there are priorities; higher numbers go first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priority {
    /// Its own.
    pub own: u8,
    /// What it runs with: its own, or that of somebody who waits for a mutex that it holds.
    pub now: u8,
}

impl fmt::Display for Priority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { own, now } = self;
        if own == now { write!(formatter, "{own}") } else { write!(formatter, "{own}, raised to {now}") }
    }
}

/// Where a task stands when the path ends.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Who.
    pub task: String,
    /// With which priority; nothing where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// At what: "take fork 1", "ended", "running".
    pub waits: String,
    /// How full that is, if it waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// What it holds: mutexes, and semaphores that are used like them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
    /// Where in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// Something went wrong, and this is how.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Finding {
    /// What sort of thing.
    pub kind: FindingKind,
    /// One sentence that names tasks and objects.
    pub message: String,
    /// How it came about.
    pub steps: Vec<Step>,
    /// Where every task stands.
    pub standing: Vec<Standing>,
    /// The file that makes it happen again.
    #[serde(default)]
    pub scenario: Option<PathBuf>,
    /// How often it was seen so far, in other interleavings too.
    #[serde(default = "once")]
    pub count: u64,
}

pub(crate) const fn once() -> u64 {
    1
}

impl Finding {
    /// How many transitions lead to it.
    pub fn depth(&self) -> u64 {
        self.steps.len() as u64
    }
}

impl Serialize for Finding {
    /// By hand, so that the depth is there for scripts without being a field that could be wrong.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Finding", 7)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("message", &self.message)?;
        fields.serialize_field("depth", &self.depth())?;
        fields.serialize_field("count", &self.count)?;
        fields.serialize_field("scenario", &self.scenario.as_ref().map(|path| path.to_string_lossy()))?;
        fields.serialize_field("steps", &self.steps)?;
        fields.serialize_field("standing", &self.standing)?;
        fields.end()
    }
}
