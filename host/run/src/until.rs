//! When a run ends, if not because everything was run.

use std::time::Duration;

use crate::wanted::Wanted;

/// What ends a run. None of it is part of the question: a run that goes on later may have others.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Until {
    /// So many paths were run; by chance, ten thousand unless a time is given.
    pub paths: Option<u64>,
    /// So much time has passed.
    pub time: Option<Duration>,
    /// So many distinct findings; the first one, or as it was when the run was begun.
    pub findings: Option<usize>,
    /// Which findings count for that.
    pub wanted: Wanted,
}
