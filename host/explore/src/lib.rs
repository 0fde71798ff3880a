//! Which transition next.
//!
//! State-less search: the system is restarted for each path and told what to do by a script. This crate knows no
//! RTOS, no links and no files; a [`Runner`] is anything
//! that can run a path, and a [`Model`] says what was possible on the way.
//!
//! | file | idea |
//! |---|---|
//! | [`runner`] | the seam to what runs paths: a plan in, a trace out |
//! | [`model`] | the seam to what answers for the states of a path |
//! | [`explorer`] | the one loop: plan, run, count, observe |
//! | `path` | the path at hand, and what sleeps in each of its states |
//! | `history` | what happened before what on it, and which of it races |
//! | [`held_back`] | what bounds inside the system keep from happening where no path goes |
//! | `reversal` | a race, turned round |
//! | [`ladder`] | the reductions by name |
//! | [`none`] | no reduction: every interleaving, the reference for all others |
//! | [`sleep`] | sleep sets |
//! | [`persistent`] | persistent sets from footprints, and sleep sets |
//! | [`source`] | source sets and sleep sets: only the orders of what races. The default |
//! | [`optimal`] | the same with wakeup trees: each trace once, and nothing else |
//! | `wakeup` | wakeup trees |
//! | `wanted` | who is wanted in each state of the path |
//! | [`bounded`] | few preemptions, few delays |
//! | [`growing`] | more and more delays, longer and longer paths: for systems that do not end |
//! | [`shortest`](mod@shortest) | iterative deepening: the shortest path to a finding |
//! | [`estimate`] | how much of a search is done, while it runs |
//! | [`checkpoint`] | a search put aside, to go on later |
//! | [`fits`](mod@fits) | whether such a search fits what is to go on with it |
//! | `subtree` | a part of a search that somebody else runs |
//! | [`walk`] | one path after the other, by chance |
#![forbid(unsafe_code)]

pub mod bounded;
pub mod checkpoint;
pub mod estimate;
pub mod explorer;
pub mod fits;
pub mod growing;
pub mod held_back;
mod history;
pub mod ladder;
pub mod model;
pub mod none;
pub mod optimal;
mod path;
pub mod persistent;
mod reversal;
pub mod runner;
pub mod shortest;
pub mod sleep;
pub mod source;
mod subtree;
mod wakeup;
pub mod walk;
mod wanted;

pub use bounded::{Bounded, Cost};
pub use checkpoint::Saved;
pub use estimate::{Done, Estimate, Ways};
pub use explorer::{Completion, Counts, Limits, Observer, Reduction, SavedOf, explore, path, resume};
pub use fits::fits;
pub use fwvs_path::{End, Plan, Policy, Precision, Relation, Waking};
pub use growing::Stage;
pub use held_back::Bounds;
pub use ladder::Rung;
pub use model::{Model, Replay};
pub use none::Exhaustive;
pub use optimal::Optimal;
pub use persistent::Persistent;
pub use runner::{Runner, Stepping, TakingBack, TellingApart, TraceOf, TransitionOf};
pub use shortest::{Shortest, shortest};
pub use sleep::Sleep;
pub use source::Source;
pub use subtree::Returned;
pub use walk::{Walk, Walker};
