//! What to run: a script, and what holds once it has run out.

use crate::policy::Policy;

/// What to run. `T` is a transition: a task, and one of its alternatives.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a, T> {
    /// The decisions, from the initial state on.
    pub script: &'a [T],
    /// How many of the decisions are those of the path before, so that nobody has to be told again what came of them.
    pub same: usize,
    /// Transitions not to take in the state after the script; they wake up when something they depend on is taken.
    pub asleep: &'a [T],
    /// How they wake up.
    pub waking: Waking,
    /// Whether only tasks of persistent sets go on after the script, and how precise their footprints are then.
    pub footprints: Option<Precision>,
    /// How the path goes on after the script.
    pub policy: Policy,
    /// How many transitions a path may have.
    pub depth: u32,
}

impl<'a, T> Plan<'a, T> {
    /// The script, told from the beginning, and then on by the policy with nothing asleep.
    pub const fn new(script: &'a [T], policy: Policy, depth: u32) -> Self {
        Self { script, same: 0, asleep: &[], waking: Waking::InState, footprints: None, policy, depth }
    }

    /// The script and no further.
    pub const fn follow(script: &'a [T]) -> Self {
        Self::new(script, Policy::Ask, u32::MAX)
    }
}

/// When a sleeping transition wakes up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Waking {
    /// When it does not commute, in the present state, with what is taken.
    InState,
    /// When there is any state in which the two do not commute.
    ///
    /// Reductions that follow happens-before need this one: a transition that sleeps longer than happens-before
    /// allows hides races.
    Always,
}

/// How precisely footprints are known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Precision {
    /// All that a task may ever do.
    Task,
    /// What a task may do from its present phase on.
    State,
    /// What a task may do from its present phase on, and what it does next is exactly the operation it is held at.
    Runtime,
}
