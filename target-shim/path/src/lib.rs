//! The nouns of a path, for host and target: what to run, how it goes on, how it ended, and how two of its events stand to
//! each other.
//!
//! Only words and what follows from them alone. What operations mean, and how a search chooses, is for others.
//!
//! | file | idea |
//! |---|---|
//! | [`place`] | a place in code, as a path comes to it |
//! | [`plan`] | what to run: script, sleepers, bounds |
//! | [`policy`] | how a path goes on once the script has run out |
//! | [`end`] | how a path ended |
//! | [`relation`] | how a later event stands to an earlier one |
#![no_std]
#![forbid(unsafe_code)]

pub mod end;
pub mod place;
pub mod plan;
pub mod policy;
pub mod relation;

pub use end::End;
pub use place::Place;
pub use plan::{Plan, Precision, Waking};
pub use policy::Policy;
pub use relation::Relation;
