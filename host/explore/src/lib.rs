//! Which transition next.
//!
//! State-less search: the system is restarted for each path and told what to do by a script. This crate knows no
//! RTOS, no links and no files; a [`System`] is anything that can run a path and say what was possible on the way.
//!
//! | file | idea |
//! |---|---|
//! | [`system`] | the seam: what the search needs to know of a system |
//! | [`explorer`] | the one loop: plan, run, count, observe |
//! | [`none`] | no reduction: every interleaving, the reference for all others |
#![forbid(unsafe_code)]

pub mod explorer;
pub mod none;
pub mod system;

pub use explorer::{Completion, Counts, Limits, Observer, Reduction, explore};
pub use none::Exhaustive;
pub use system::{End, Plan, Relation, System};
