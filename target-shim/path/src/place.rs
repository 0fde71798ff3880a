//! A place in code, as a path comes to it.

/// Where in the code a task is: at an instruction, for the n-th time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The address.
    pub pc: u32,
    /// For which time the task is there, from 1.
    pub pass: u32,
}
