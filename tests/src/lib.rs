//! Programs in memory: small ones over the bare kernel, without a target; and what tests of `fw-vs` itself need.
//!
//! Every search is tried here at millions of transitions a second, and what QEMU does is compared with it. What each test file
//! guards is in `tests/README.md`.
#![forbid(unsafe_code)]

pub mod agreement;
mod apart;
pub mod benchmark;
pub mod built;
pub mod campaign;
pub mod case_file;
pub mod cases;
pub mod chance;
pub mod console;
pub mod features;
pub mod flip;
mod footprint;
pub mod generate;
pub mod heart_beat;
pub mod histogram;
pub mod instructions;
mod interpreter;
pub mod judge;
pub mod meddle;
pub mod memory;
pub mod mischief;
pub mod outcome;
pub mod program;
pub mod rule;
pub mod target;
pub mod terminal;
pub mod ticks;
pub mod voice_storage;
mod wide;

pub use memory::{Memory, Wrong};
pub use program::Program;

/// Whether tests are to take the time that it takes to look at everything.
pub fn full() -> bool {
    std::env::var_os("FWVS_FULL").is_some()
}
