//! A part of a search that somebody else runs: everything below one decision.
//!
//! Whoever runs it starts from a [`Saved`](crate::Saved) search that never goes back above its floor, the decision. Sleep sets see
//! to it that the parts have no path in common: in a part sleeps what is run before it, and where it was handed over, it sleeps in
//! what is run after it, as if one search had run all of them in that order.
//!
//! In one part a search may find out something about states above it: what it wants there, or that its decision ended the path by
//! force, and lets nobody sleep. A part hands that back when it has run all it had. Until then nothing else is begun in the state
//! where it was handed over.

use serde::{Deserialize, Serialize};

/// A race inside a part whose first event is above the part's floor: some task has to go first there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Wish<T> {
    /// In which state.
    pub(crate) state: usize,
    /// The tasks that the turned race could begin with, each with what it takes then if only that will do.
    pub(crate) initials: Vec<(usize, Option<T>)>,
    /// The one to choose, if nobody of them is wanted there yet.
    pub(crate) choice: Option<usize>,
}

/// What a part hands back that has run all it had.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Returned<T> {
    /// In which state it was handed over.
    pub(crate) state: usize,
    /// Below which decision there.
    pub(crate) transition: T,
    /// Whether that decision ended the path by force.
    pub(crate) by_force: bool,
    /// What it wants above its floor.
    pub(crate) wishes: Vec<Wish<T>>,
}
