//! What RTOS operations mean: when each is enabled, what it changes, and which others it depends on.
//!
//! The crate is compiled twice. Inside the target shim it really runs the firmware's tasks; inside the host it
//! replays what the target recorded, so that both sides agree on the enabled set at every step. It therefore knows
//! nothing of stacks, links or files, and of text only the words for operations; it allocates nothing, and works on storage
//! given by its user.
//!
//! | file | idea |
//! |---|---|
//! | [`id`] | slots: where tasks and objects are, and what a name is beside that |
//! | [`rules`] | by which rules tasks share the processor, and how time passes |
//! | [`operation`] | the visible operations a task can be held at |
//! | [`access`] | the operations, as far as a task's declarations tell them apart |
//! | [`task`] | what the kernel knows of tasks, interrupt handlers and timers |
//! | [`object`] | the shared objects: what all have in common, and which file means which kind |
//! | `semaphore`, `queue`, `shared`, `mutex`, [`timer`](mod@timer), `line`, `commands` | an object of that kind by itself: served, changed, dependent, awaited, brought, woken, canonical |
//! | [`storage`] | where tasks and objects live: the shim's memory on the target, boxes on the host |
//! | `prospect` | what would come of an operation: whether its task can go on with it, and how |
//! | [`kernel`] | creation, arrival, who can go on, status |
//! | [`choice`] | an enabled transition, and what will come of it |
//! | [`take`] | taking a transition: what it changes, whom it wakes |
//! | `cpu` | the processor: who runs, who waits in which order, whose priority changes |
//! | `daemon` | what the timer daemon does next: commands, callbacks |
//! | `clock` | time: whose deadline may pass |
//! | [`wrong`] | what the kernel itself finds wrong with a step |
//! | [`dependence`] | which transitions do not commute |
//! | `possible` | what two operations on an object may do to each other in some state of it |
//! | `canonical` | what counts to a state: equality and hash |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "boxed")]
extern crate alloc;

pub mod access;
mod canonical;
pub mod choice;
mod clock;
mod commands;
mod cpu;
mod daemon;
pub mod dependence;
pub mod id;
pub mod kernel;
mod line;
mod mutex;
pub mod object;
pub mod operation;
mod possible;
mod prospect;
mod queue;
pub mod rules;
mod semaphore;
mod shared;
pub mod storage;
pub mod take;
pub mod task;
pub mod timer;
pub mod wrong;

pub use access::Use;
pub use choice::Choice;
pub use dependence::{Event, Relation, relation};
pub use id::{ObjectId, Slot, TaskId};
pub use kernel::{COMMANDS, Cuts, Kernel, Misuse, Status, Transition};
pub use object::{Awaits, Kind, Object};
pub use operation::{Operation, Subject, Verb, Wait};
pub use rules::{Clock, Rules, Schedule};
#[cfg(feature = "boxed")]
pub use storage::Boxed;
pub use storage::{Full, Storage};
pub use take::{Bodies, NoBodies, Taken, Then};
pub use task::{Position, Role, Standing, Task};
pub use wrong::Wrong;
