//! The seam to what answers for the states of a path.
//!
//! A path of n transitions goes through n + 1 states, numbered from 0. After a run, every state of the path can be
//! asked about until the next run.

use std::fmt::Debug;
use std::hash::Hash;

use fwvs_path::{End, Precision, Relation};

use crate::held_back::Bounds;

/// A step of a sequence that is made of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Replay<T> {
    /// What was taken in that state of the path.
    Again(usize),
    /// Something that was not taken; its task takes nothing more after it.
    Instead(T),
}

/// Answers everything about the states of a path.
pub trait Model {
    /// One thing that can happen: a task goes on with one of its alternatives.
    type Transition: Copy + Ord + Hash + Debug;
    /// What a task does, or is about to do, as far as others can tell.
    type Event: Clone + PartialEq + Debug;
    /// What happened on the path, as a value.
    type Trace: Clone + Send;

    /// What happened on the path.
    fn trace(&self) -> &Self::Trace;

    /// How it ended.
    fn end(&self) -> End;

    /// How many transitions the path has.
    fn length(&self) -> usize;

    /// The transition taken in state `at`, for `at < length()`.
    fn taken(&self, at: usize) -> Self::Transition;

    /// What was enabled in state `at`, in an order that is a function of the state alone.
    fn enabled(&self, at: usize) -> impl Iterator<Item = Self::Transition> + '_;

    /// Whether two transitions that tasks are held at in state `at` fail to commute there.
    fn dependent(&self, at: usize, a: Self::Transition, b: Self::Transition) -> bool;

    /// Whether a transition that is enabled in state `at` is its task going on by itself, and nothing that comes from
    /// outside: time that passes, an interrupt that fires.
    fn by_itself(&self, at: usize, transition: Self::Transition) -> bool;

    /// How many tasks there are.
    fn tasks(&self) -> usize;

    /// Whose transition it is, a number below [`Model::tasks`], the same on every path.
    fn task(&self, transition: Self::Transition) -> usize;

    /// Every alternative that an event has in some state.
    fn alternatives(&self, event: &Self::Event) -> impl Iterator<Item = Self::Transition>;

    /// What a task is held at in state `at`, enabled or not; `None` if it has ended.
    fn pending(&self, at: usize, task: usize) -> Option<Self::Event>;

    /// How `later` stands to `earlier`, wherever on a path they are.
    fn relation(&self, earlier: &Self::Event, later: &Self::Event) -> Relation;

    /// What `event` would be if its task, held at it, took it after the first `at` transitions of the path and those at
    /// the places `then`, which do not need what came in between; `None` if it could not be taken there.
    fn if_taken(&self, at: usize, then: &[usize], event: &Self::Event) -> Option<Self::Event>;

    /// The events that `steps` would be after the first `at` transitions of the path; as many as can be taken.
    fn replay(&self, at: usize, steps: &[Replay<Self::Transition>]) -> Vec<Self::Event>;

    /// An event that stands to every other one at least as `event` does, in whatever state its task takes it.
    fn widest(&self, event: &Self::Event) -> Self::Event;

    /// Whether an event stands to every other one as it does wherever its task takes it, in any state.
    fn is_settled(&self, event: &Self::Event) -> bool;

    /// Whether `event`, or what its task would do instead, comes about by time passing, which others can hold up, or notice,
    /// that the event as it is does not depend on.
    fn by_time(&self, event: &Self::Event) -> bool;

    /// Whether two transitions that tasks are held at in state `at` fail to commute there or elsewhere.
    fn related(&self, at: usize, taken: Self::Transition, other: Self::Transition) -> bool {
        let (task, bystander) = (self.task(taken), self.task(other));
        task == bystander
            || match (self.pending(at, task), self.pending(at, bystander)) {
                (Some(event), Some(pending)) => self.relation(&event, &pending) != Relation::Independent,
                _ => true,
            }
    }

    /// Which bounds inside the system, and nothing else, keep somebody from going on after the first `at` transitions of the
    /// path and those at the places `then`, which do not need what came in between; whatever others can do there.
    fn held_back(&self, at: usize, then: &[usize]) -> Bounds {
        let _ = (at, then);
        Bounds::NONE
    }

    /// Which bounds inside the system may hold back what a task is held at in state `at`, whatever else keeps it from going on
    /// or lets it.
    fn exhausted(&self, at: usize, task: usize) -> Bounds {
        let _ = (at, task);
        Bounds::NONE
    }

    /// Whether the path ended with the transition taken in state `at` by force, such as a crash, which nobody could know
    /// before. Its event, from then on, commutes with nothing.
    fn fatal(&self, at: usize) -> bool {
        let _ = at;
        false
    }

    /// The tasks of the smallest persistent set in state `at`; among several, one that has the task that was taken there.
    /// Everybody, where nobody knows what tasks may do.
    fn persistent(&self, precision: Precision, at: usize) -> Vec<usize> {
        let _ = (precision, at);
        (0..self.tasks()).collect()
    }

    /// Whether the transition taken in state `at` did something that its task's footprint does not have.
    fn undeclared(&self, at: usize) -> bool {
        let _ = at;
        false
    }
}
