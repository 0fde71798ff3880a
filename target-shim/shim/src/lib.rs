//! The target shim: firmware tasks, held at every RTOS operation until the host lets one go.
//!
//! A firmware creates its objects and tasks in a set-up function and hands over with [`start`]:
//!
//! ```no_run
//! use fwvs::{Queue, Semaphore, Stack, Task, check};
//!
//! static STACKS: [Stack<512>; 2] = [const { Stack::new() }; 2];
//!
//! fn setup() {
//!     let inbox = Queue::<u32, 4>::new("inbox");
//!     let done = Semaphore::binary("done", 0);
//!     Task::new("producer", &STACKS[0]).start(move || {
//!         inbox.send(7);
//!         done.take();
//!     });
//!     Task::new("consumer", &STACKS[1]).start(move || {
//!         check!(inbox.receive() == 7);
//!         done.give();
//!     });
//! }
//!
//! fn main() -> ! {
//!     fwvs::start(setup)
//! }
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `gate` | the loop that holds tasks: choose, take, switch, record |
//! | `mailbox` | the memory that host and target share |
//! | `memory` | where the kernel's tasks and objects live |
//! | `task` | tasks, their stacks and guards |
//! | `objects` | handles of semaphores, queues and shared variables |
//! | `mutex` | handles of mutexes |
//! | `timer` | software timers, and the daemon that calls their callbacks |
//! | `interrupt` | interrupt lines and their handlers |
//! | `time` | delays, ticks, critical sections |
//! | `choices` | toss, check, event |
//! | `comparison` | the two sides of a comparison in a check |
//! | `parameter` | numbers that the host can set without a rebuild |
//! | `fault` | what ends a path by force: faults, overflows, misuse |
//! | `arch` | the few instructions that Rust cannot write |
#![no_std]
#![cfg_attr(not(target_arch = "arm"), expect(dead_code, reason = "what only assembly calls"))]

mod arch;
mod choices;
mod comparison;
mod fault;
mod gate;
mod interrupt;
mod mailbox;
mod memory;
mod mutex;
mod objects;
#[cfg(all(feature = "panic-handler", target_os = "none"))]
mod panic;
mod parameter;
mod start;
mod task;
mod time;
mod timer;

pub use choices::toss;
pub use interrupt::{Interrupt, Line};
pub use mutex::Mutex;
pub use objects::{Name, Queue, Semaphore, Shared, Variable};
pub use start::{start, start_rtos};
pub use task::{Stack, Task, Use, phase};
pub use time::{critical, delay, delay_until, enter_critical, exit_critical, tick, yield_now};
pub use timer::{Timer, callbacks_may, daemon};

/// What the macros of this crate expand to; not for direct use.
#[doc(hidden)]
pub mod expansion {
    pub use crate::choices::{NameEntry, check, event};
    pub use crate::comparison::{Other, Side, compare};
    pub use crate::objects::SharedEntry;
    pub use crate::parameter::{Descriptor, Value};
}
