//! For scripts: one JSON object a line, the last one is the summary.

use std::io::{self, Write};

use fwvs_scenario::RunEvent;

use crate::reporter::Reporter;

/// Writes one object a line, each as soon as it happens.
#[derive(Debug)]
pub struct JsonReporter<W> {
    out: W,
}

impl JsonReporter<io::Stdout> {
    /// To standard output.
    pub fn stdout() -> Self {
        Self::new(io::stdout())
    }
}

impl<W: Write> JsonReporter<W> {
    /// To wherever.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Reporter for JsonReporter<W> {
    fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        let mut line = event.to_json();
        line.push('\n');
        self.out.write_all(line.as_bytes())?;
        self.out.flush()
    }
}
