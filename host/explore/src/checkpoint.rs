//! A search put aside between two paths, to go on later or elsewhere.
//!
//! Only what cannot be found out by running the next script again is kept: happens-before is not, what sleeps is.
//! Transitions and events are the system's own; it says how they are written down.

use serde::{Deserialize, Serialize};

use crate::subtree::Wish;
use crate::wakeup::Branch;

/// The state of any search of this crate, between two paths.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved<T, E> {
    /// The decisions of the path to run next.
    pub(crate) script: Vec<T>,
    /// How many of them are the same as on the path before.
    pub(crate) same: usize,
    /// Who sleeps after them.
    pub(crate) after: Vec<T>,
    /// What is known of the states on the way.
    pub(crate) states: Vec<SavedState<T, E>>,
    /// What ended a path by force, and in which state it was taken.
    #[serde(default = "Vec::new")]
    pub(crate) fatal: Vec<(usize, T)>,
    /// Above which state it never goes back: a part of another search begins there.
    #[serde(default)]
    pub(crate) floor: usize,
    /// What was handed over from which state, to be run as a search of its own.
    #[serde(default = "Vec::new")]
    pub(crate) handed: Vec<(usize, T)>,
    /// Of that, what was not taken back yet.
    #[serde(default = "Vec::new")]
    pub(crate) out: Vec<(usize, T)>,
    /// Whether the decision above its floor ended a path by force.
    #[serde(default)]
    pub(crate) root_by_force: bool,
    /// What it wants of states above its floor.
    #[serde(default = "Vec::new")]
    pub(crate) wishes: Vec<Wish<T>>,
    /// How many paths a walk has run.
    pub(crate) walked: u32,
    /// How much a bound left out.
    pub(crate) cuts: u64,
    /// Whether it is a search that started over with another reduction.
    #[serde(default)]
    pub(crate) started_over: bool,
    /// Whether some event of a path so far may be something else in another state. One of an older search, which did not
    /// say, may have been.
    #[serde(default = "yes")]
    pub(crate) unsettled: bool,
}

fn yes() -> bool {
    true
}

/// What a search knows of one state; each kind of search uses what it needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>, E: Deserialize<'de>"))]
pub(crate) struct SavedState<T, E> {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) asleep: Vec<T>,
    #[serde(default)]
    pub(crate) arrived: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wanted: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left: Vec<T>,
    #[serde(default)]
    pub(crate) spent: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) branches: Vec<Branch<T, E>>,
}

impl<T, E> Default for Saved<T, E> {
    fn default() -> Self {
        Self {
            script: Vec::new(),
            same: 0,
            after: Vec::new(),
            states: Vec::new(),
            fatal: Vec::new(),
            floor: 0,
            handed: Vec::new(),
            out: Vec::new(),
            root_by_force: false,
            wishes: Vec::new(),
            walked: 0,
            cuts: 0,
            started_over: false,
            unsettled: false,
        }
    }
}

impl<T, E> Default for SavedState<T, E> {
    fn default() -> Self {
        Self {
            asleep: Vec::new(),
            arrived: 0,
            wanted: Vec::new(),
            left: Vec::new(),
            spent: 0,
            branches: Vec::new(),
        }
    }
}

impl<T, E> Saved<T, E> {
    /// At least so many states.
    pub(crate) fn with_states(mut self, count: usize) -> Self {
        let count = count.max(self.states.len());
        self.states.resize_with(count, SavedState::default);
        self
    }
}
