//! Files and texts that somebody else made.
//!
//! A path that a user gives may lead to a pipe, a device or a file without end; a name in a firmware, a board or a scenario
//! may carry escape sequences. Whoever reads the one or shows the other does it with the functions here.
//!
//! | file | idea |
//! |---|---|
//! | [`mod@file`] | opens regular files only, never waits, never reads without a limit |
//! | [`text`] | makes what would steer a terminal visible |
//! | `shell` | a path as a shell reads it back |
#![forbid(unsafe_code)]

pub mod file;
mod shell;
pub mod text;

pub use shell::shell;
pub use text::{harmless, plain, shown, styled};
