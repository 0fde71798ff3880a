//! A line on standard error that says how far a run is, and is gone when the run is over.
//!
//! The cursor stays right behind the text, with room for what the terminal echoes: `^C` is then taken away with the line, and
//! never pushes it up to where nobody takes it away.

use std::io::{self, IsTerminal, Write};

use crate::words::plain;

/// What a terminal echoes of a key that ends programs, and the column that makes it go on to the next line.
const ECHO: usize = 4;
/// Back to the first column, and everything to the right of it away.
const CLEAR: &str = "\r\x1b[K";

/// The line. Where nobody watches it is never shown.
#[derive(Debug)]
pub(crate) struct StatusLine {
    watched: bool,
    label: String,
    shown: bool,
}

impl StatusLine {
    /// On standard error, if that is a terminal that can take a line back.
    pub(crate) fn stderr() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        Self { watched: io::stderr().is_terminal() && !dumb, label: String::new(), shown: false }
    }

    /// Nowhere.
    pub(crate) fn hidden() -> Self {
        Self { watched: false, label: String::new(), shown: false }
    }

    /// Begins with that from now on.
    pub(crate) fn label(&mut self, label: &str) {
        self.label = format!("{}: ", plain(label));
    }

    /// Shows a text instead of the one before. What does not fit is left out.
    pub(crate) fn show(&mut self, text: &str) {
        if self.watched {
            let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
            let line = cut(&format!("{}{text}", self.label), usize::from(width).saturating_sub(ECHO));
            self.write(&format!("{CLEAR}{line}"));
            self.shown = true;
        }
    }

    /// Takes it away.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            self.write(CLEAR);
        }
    }

    /// Nobody is told if this fails: it is of no use to anybody who cannot see it.
    fn write(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The beginning of a text, as much as fits.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(std::iter::once('…').take(width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_and_says_so() {
        assert_eq!(["abc", "abcd", "ä…bc", ""].map(|text| cut(text, 3)), ["abc", "ab…", "ä……", ""]);
        assert_eq!([cut("abc", 1), cut("abc", 0)], ["…", ""]);
    }
}
