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
//! | `watch` | looks at every path, and tells what is new |
//! | `started` | the first word of a run |
//! | `pace` | how long it has taken, how fast it is, how much is left |
//! | `stages` | how far a search is that goes by stages |
//! | `tally` | what was seen on all paths |
//! | `findings` | distinct findings, each with the shortest way to it |
//! | `standstills` | tasks that only waited for each other where paths were cut |
//! | `recorded` | the scenario of a path |
//! | [`checkpoint`] | what is written down to go on with |
//! | `facts` | what a verdict has to know of firmware and target |
//! | `budgets` | bounds inside the system, and what they came to |
//! | `without_effect` | what was asked for and made no difference |
//! | `verdict` | the last word, from job, tally and facts |
//! | [`error`] | what keeps a run from a verdict |
#![forbid(unsafe_code)]

mod budgets;
pub mod checkpoint;
pub mod error;
mod facts;
mod findings;
pub mod job;
pub mod named;
mod pace;
mod recorded;
pub mod run;
mod stages;
mod standstills;
mod started;
pub mod stop;
mod tally;
pub mod target;
pub mod until;
mod verdict;
pub mod wanted;
mod watch;
mod without_effect;
pub mod world;

pub use checkpoint::Checkpoint;
pub use error::Error;
pub use job::{Bound, DIVERGENCE, Job, Search};
pub use run::Run;
pub use stop::{Reason, Stop};
pub use target::{AnySession, Target};
pub use until::Until;
pub use verdict::NO_LINES;
pub use wanted::Wanted;
pub use world::World;
