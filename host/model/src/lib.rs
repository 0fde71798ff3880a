//! The states of a path, one kernel each, and what a search may ask about them.
//!
//! A [`Trace`] says what happened on a path: which transitions, where tasks arrived, how it ended. It is a value, which can be
//! sent and stored. A [`Model`] has the kernel's states over a trace and answers everything about them; it replays what it was
//! not in before, and a runner that goes through the states anyway builds them up in a model of its own.
//!
//! | file | idea |
//! |---|---|
//! | [`trace`] | what happened on a path |
//! | [`model`] | the states over it, and how they come about |
//! | [`names`] | names of tasks, the same in every interleaving, and in which slots they are |
//! | `answers` | what a search asks: enabled, pending, dependent, what would come of another order |
//! | [`omission`] | what a test leaves out of what the kernel says |
#![forbid(unsafe_code)]

mod answers;
pub mod model;
pub mod names;
pub mod omission;
pub mod trace;

pub use model::{Contradiction, Model, Start};
pub use names::{Name, Names, Occupants};
pub use omission::{Nothing, Omission};
pub use trace::{Arrived, Change, Found, Step, Trace};
