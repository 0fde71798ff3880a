//! What is printed outside of a run's events. A closed pipe is no failure, and a full disk no panic.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

/// Prints a line, as `println!` does.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::line(format_args!($($text)*)) };
}
pub(crate) use say;

pub(crate) fn line(text: Arguments<'_>) -> Result<()> {
    forgive(writeln!(anstream::stdout(), "{text}"))
}

/// Of what came of printing: that nobody reads is the reader's business.
pub(crate) fn forgive(printed: io::Result<()>) -> Result<()> {
    match printed {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
