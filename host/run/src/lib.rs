//! One exploration of one firmware: what to explore, what was seen, what the verdict is.
//!
//! A program makes a [`Job`], checks it by [`Run::new`], and hears of everything by [`Run::supervise`]. What is printed, and how
//! a user says what to explore, is others' business; so is what a path is.
//!
//! | file | idea |
//! |---|---|
//! | [`job`] | what to explore, as plain data |
//! | [`world`] | schedule, clock, and bounds inside the system |
//! | [`named`] | choices by their names |
//! | [`until`] | what ends a run that is not done |
//! | [`wanted`] | which findings somebody is after |
//! | [`stop`] | a run is to end, and why |
//! | [`target`] | a firmware on a board, checked and ready |
//! | [`run`] | opens the target, picks the search, drives it |
//! | `watch` | looks at every path: findings, progress, checkpoints, the verdict |
//! | `without_effect` | what was asked for and made no difference |
//! | [`error`] | what keeps a run from a verdict |
#![forbid(unsafe_code)]

pub mod error;
pub mod job;
pub mod named;
pub mod run;
pub mod stop;
pub mod target;
pub mod until;
pub mod wanted;
mod watch;
mod without_effect;
pub mod world;

pub use error::Error;
pub use job::{DIVERGENCE, Job, Search};
pub use run::Run;
pub use stop::{Reason, Stop};
pub use target::{AnySession, Target};
pub use until::Until;
pub use wanted::Wanted;
pub use watch::{Checkpoint, NO_LINES};
pub use world::World;
