//! For people: prints events to standard output, and keeps the progress line out of the way.

use std::io::{self, Stdout, Write};

use anstream::AutoStream;
use anstyle::Style;
use comfy_table::Table;
use fwvs_foreign::styled;
use fwvs_scenario::{Declared, Finding, RunEvent, Started};

use crate::reporter::Reporter;
use crate::status::StatusLine;
use crate::words::{count, counted, plain, wrap};
use crate::{finding, progress, summary};

/// Width where nobody knows better.
const WIDTH: u16 = 80;
/// Text for less would have more line ends than words.
const NARROWEST: u16 = 40;

/// Prints events as they happen.
#[derive(Debug)]
pub struct TextReporter<W> {
    out: W,
    width: usize,
    status: StatusLine,
}

impl TextReporter<AutoStream<Stdout>> {
    /// To standard output, in colour if it is a terminal and NO_COLOR is not set; progress to standard error if
    /// that is a terminal.
    pub fn stdout() -> Self {
        let width = Table::new().width().unwrap_or(WIDTH).clamp(NARROWEST, 120);
        Self { out: anstream::stdout(), width: width.into(), status: StatusLine::stderr() }
    }
}

impl<W: Write> TextReporter<W> {
    /// Says on the progress line what the run is for.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        self.status.label(label);
        self
    }

    /// To wherever, with escape sequences for colour and without a progress line.
    pub fn new(out: W, width: usize) -> Self {
        Self { out, width, status: StatusLine::hidden() }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Tasks that wait where others could go on: shown like a finding, and not called one.
    pub fn waiting(&mut self, finding: &Finding) -> io::Result<()> {
        self.print(&format!("{}\n", finding::headed("waiting", finding, self.width)))
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        self.status.clear();
        self.out.write_all(styled(text).as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Reporter for TextReporter<W> {
    fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        match event {
            RunEvent::Started(started) => self.print(&started_text(started, self.width)),
            RunEvent::Progress(progress) => {
                self.status.show(&progress::line(progress));
                Ok(())
            }
            RunEvent::Finding(finding) => self.print(&format!("{}\n", finding::text(finding, self.width))),
            RunEvent::Notice { message } => {
                const LABEL: Style = Style::new().bold();
                let text = wrap(&format!("note: {}", plain(message)), self.width, 2);
                self.print(&format!("{LABEL}note{LABEL:#}{}\n", &text["note".len()..]))
            }
            RunEvent::Summary(summary) => self.print(&summary::text(summary, self.width)),
        }
    }
}

/// What runs, where and how.
fn started_text(started: &Started, width: usize) -> String {
    let values = started
        .parameters
        .iter()
        .map(|(name, value)| format!(", {}={}", plain(name), plain(&value.to_string())));
    let line = format!(
        "{} on {}: {}, schedule {}{}, reduction {}, depth {}{}",
        plain(&started.firmware),
        plain(&started.board),
        declared(started),
        plain(&started.schedule),
        // Nobody is surprised by a clock that lets everything happen; by a stricter one, maybe.
        if started.time == "free" { String::new() } else { format!(", time {}", plain(&started.time)) },
        plain(&started.reduction),
        count(started.depth),
        values.collect::<String>(),
    );
    format!("{}\n\n", wrap(&line, width, 2))
}

/// Tasks and objects, kind by kind.
fn declared(started: &Started) -> String {
    let one = |declared: &Declared| {
        let (one, many) = declared.kind.words();
        format!("{} {}", count(declared.number), if declared.number == 1 { one } else { many })
    };
    match started.declared.is_empty() {
        true => counted(0, "task"),
        false => started.declared.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}
