//! A small operation list that means the same on the target and in memory.
//!
//! The firmware example `program` interprets it with real RTOS objects; the in-memory system of the tests interprets
//! it over the bare kernel. Both use the code here, so that a difference between them is a difference below.
//!
//! Encoding, in bytes: number of objects, number of tasks; three bytes an object (kind, initial level, size); then
//! for each task two bytes for what it is, its number of instructions, and four bytes an instruction. Interrupt handlers
//! and the callbacks of timers are lists of instructions like tasks.
#![no_std]
#![forbid(unsafe_code)]

mod instruction;
mod run;

pub use instruction::{Instruction, List, Malformed, ObjectSpec, Reader, RoleSpec, Test};
pub use run::{Local, Request};

/// The ticks of a timed wait.
pub fn ticks(ticks: u8) -> u32 {
    if ticks == FOREVER { u32::MAX } else { u32::from(ticks) }
}

/// How often an interrupt line may fire.
pub fn times(times: u8) -> u16 {
    if times == UNLIMITED { u16::MAX } else { u16::from(times) }
}

/// How many bytes a program may have on the target.
pub const CAPACITY: usize = 512;
/// How many objects.
pub const OBJECTS: usize = 8;
/// How many tasks, handlers and callbacks.
pub const TASKS: usize = 8;
/// Tasks, handlers and callbacks with more instructions declare no footprints: the set-up has no room for so many entries.
pub const DECLARED: usize = 12;
/// A wait of so many ticks is one of the longest time there is, which never ends.
pub const FOREVER: u8 = 255;
/// An interrupt line that fires so often declares no number itself.
pub const UNLIMITED: u8 = 255;
/// The timer daemon's priority.
pub const DAEMON: u8 = 3;
/// How many commands can wait for it.
pub const COMMANDS: u8 = 2;
