//! What RTOS operations mean: when each is enabled, what it changes, and which others it depends on.
//!
//! The crate is compiled twice. Inside the target shim it really runs the firmware's tasks; inside the host it
//! replays what the target recorded, so that both sides agree on the enabled set at every step. It therefore knows
//! nothing of stacks, links, files or text, allocates nothing, and works on storage lent by its user.
//!
//! | file | idea |
//! |---|---|
//! | [`id`] | names of tasks and objects that are the same in every interleaving |
//! | [`operation`] | the visible operations a task can be held at |
//! | [`object`] | the shared objects: dispatch over semaphore, queue and shared variable |
//! | [`storage`] | where tasks and objects live: lent statics on the target, boxes on the host |
//! | [`kernel`] | arrival, enabledness, taking a transition, status |
//! | [`dependence`] | which transitions do not commute |
//! | [`mod@choose`] | what comes next on a path: script, then policy, minus the sleep set |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "boxed")]
extern crate alloc;

pub mod choose;
pub mod dependence;
pub mod id;
pub mod kernel;
pub mod object;
pub mod operation;
mod queue;
mod semaphore;
mod shared;
pub mod storage;

pub use choose::{Depth, Plan, Policy, Stop, Waking, choose, still_asleep};
pub use dependence::{Event, Relation, may_conflict, may_enable, relation};
pub use id::{Id, ObjectId, TaskId};
pub use kernel::{Bodies, Kernel, Misuse, NoBodies, Status, Taken, Transition};
pub use object::{Kind, Object};
pub use operation::{Operation, Wait};
#[cfg(feature = "boxed")]
pub use storage::Boxed;
pub use storage::{Full, Lent, Storage, Task};
