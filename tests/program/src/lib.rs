//! A small operation list that means the same on the target and in memory.
//!
//! The firmware example `program` interprets it with real RTOS objects; the in-memory system of the tests interprets
//! it over the bare kernel. Both use the code here, so that a difference between them is a difference below.
//!
//! Encoding, in bytes: number of objects, number of tasks; three bytes an object (kind, initial level, size); then
//! for each task its number of instructions and four bytes an instruction.
#![no_std]
#![forbid(unsafe_code)]

mod instruction;
mod run;

pub use instruction::{Instruction, Malformed, ObjectSpec, Reader, Test};
pub use run::{Local, Request};

/// How many bytes a program may have on the target.
pub const CAPACITY: usize = 512;
/// How many objects.
pub const OBJECTS: usize = 8;
/// How many tasks.
pub const TASKS: usize = 8;
