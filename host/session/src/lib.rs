//! Firmware on a target, seen as a [`Runner`](fwvs_explore::Runner): script, resume, trace, kernel.
//!
//! The host replays every record of the target through the same kernel. If the two disagree, somebody wrote over the
//! target's memory, the link lost something, or fw-vs is wrong: that is an error of its own, never a verdict.
//!
//! | file | idea |
//! |---|---|
//! | [`session`] | runs a path, and starts again when the target dies |
//! | [`spin`] | where a task goes round that comes to no operation |
//! | `talk` | orders to the target, reports and records from it |
//! | `agreement` | how a path ended, as both sides see it |
//! | `again` | the same way again, before anything is believed that may be no fault of the firmware |
//! | `mirror` | the path, rebuilt from the records in the host's own kernel |
//! | [`roster`] | who is there: tasks and objects by name, as the set-up announced them |
//! | `scene` | the path that ran last, as something to say words about |
//! | [`finding`] | what is wrong, in words that name tasks, objects and source lines |
//! | [`standstill`] | who waits without a timeout where a path could have gone on |
//! | [`givers`] | who was ever seen to give what others wait for |
//! | `waiting` | who waits for what, and for whom |
//! | `passing` | the clock's transitions, and how they read |
//! | `facts` | the numbers in a finding: how full, who holds what, the tick, the sides of a check |
//! | `footprint` | what tasks declare that they may do |
//! | `runner` | the session as something that runs paths for a search |
#![forbid(unsafe_code)]

mod again;
mod agreement;
mod error;
mod facts;
pub mod finding;
mod footprint;
pub mod givers;
mod mirror;
mod passing;
pub mod roster;
mod runner;
mod scene;
pub mod session;
pub mod spin;
pub mod standstill;
mod talk;
mod waiting;

pub use error::{Difference, Error, Impossible};
pub use finding::Wrong;
pub use givers::Givers;
pub use roster::Roster;
pub use session::{Session, Settings, Shares, States};
pub use spin::Spin;
pub use standstill::{Standstill, Waits, Want};
