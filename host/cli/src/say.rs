//! What is printed outside of a run's events. A closed pipe is no failure, a full disk no panic, and nothing that somebody else
//! wrote steers the terminal: this is the one place of this crate that writes to it.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal, Write};

use anyhow::{Context, Result};
use clap::error::ContextValue;
use fwvs_foreign::text::is_hidden;
use fwvs_foreign::{harmless, plain, styled};

/// Prints a line, as `println!` does. No styles: an escape sequence in it is somebody else's.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::line(format_args!($($text)*)) };
}

/// Prints a line with styles of our own. Names and values in it must have gone through `plain`.
macro_rules! say_styled {
    ($($text:tt)*) => { $crate::say::styled_line(format_args!($($text)*)) };
}

pub(crate) use {say, say_styled};

pub(crate) fn line(text: Arguments<'_>) -> Result<()> {
    let text = text.to_string();
    forgive(writeln!(anstream::stdout(), "{}", harmless(&text)))
}

pub(crate) fn styled_line(text: Arguments<'_>) -> Result<()> {
    let text = text.to_string();
    forgive(writeln!(anstream::stdout(), "{}", styled(&text)))
}

/// Tells something on standard error. Where nobody can read that, nobody can be told so either.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(text));
}

/// Leaves the progress line as it is, if there is one: whatever comes next begins below it.
pub(crate) fn leave_progress_line() {
    if io::stderr().is_terminal() {
        warn("");
    }
}

/// Prints what the command line's parser says: help to standard output, an error to standard error.
pub(crate) fn usage(error: &clap::Error) -> Result<()> {
    let text = error.render().ansi().to_string();
    let text = styled(&text);
    if error.use_stderr() {
        // Where nobody can read what is wrong, the exit code still says that something is.
        let _ = write!(anstream::stderr(), "{text}");
        return Ok(());
    }
    let mut out = anstream::stdout();
    forgive(write!(out, "{text}").and_then(|()| out.flush()))
}

/// Arguments that an error quotes may come from a script of somebody else: in quotes, nothing of them steers the terminal.
pub(crate) fn plain_values(error: &mut clap::Error) {
    let values: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in values {
        let plain = match value {
            ContextValue::String(text) => ContextValue::String(plain(&text).into_owned()),
            ContextValue::Strings(texts) => {
                ContextValue::Strings(texts.iter().map(|text| plain(text).into_owned()).collect())
            }
            // A tip is built from the argument. One that would need changes helps nobody.
            ContextValue::StyledStr(tip) if tip.to_string().contains(is_hidden) => ContextValue::None,
            ContextValue::StyledStrs(tips) if tips.iter().any(|tip| tip.to_string().contains(is_hidden)) => {
                ContextValue::None
            }
            _ => continue,
        };
        error.insert(kind, plain);
    }
}

/// A log line on its way to standard error.
pub(crate) struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(harmless(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Of what came of printing: that nobody reads is the reader's business.
pub(crate) fn forgive(printed: io::Result<()>) -> Result<()> {
    match printed {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
