//! For people: prints events to standard output, and keeps the progress line out of the way.

use std::io::{self, Stdout, Write};

use anstream::AutoStream;
use anstyle::Style;
use comfy_table::Table;
use fwvs_scenario::{RunEvent, Started};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::reporter::Reporter;
use crate::words::{count, counted, plain, wrap};
use crate::{finding, progress, summary};

/// Width where nobody knows better.
const WIDTH: u16 = 80;

/// Prints events as they happen.
#[derive(Debug)]
pub struct TextReporter<W> {
    out: W,
    width: usize,
    progress: ProgressBar,
}

impl TextReporter<AutoStream<Stdout>> {
    /// To standard output, in colour if it is a terminal and NO_COLOR is not set; progress to standard error if
    /// that is a terminal.
    pub fn stdout() -> Self {
        let width = Table::new().width().unwrap_or(WIDTH).clamp(60, 120);
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{prefix}{wide_msg}").expect("the template is a constant");
        Self { out: anstream::stdout(), width: width.into(), progress: bar.with_style(style) }
    }
}

impl<W: Write> TextReporter<W> {
    /// Says on the progress line what the run is for.
    #[must_use]
    pub fn labelled(self, label: &str) -> Self {
        self.progress.set_prefix(format!("{}: ", plain(label)));
        self
    }

    /// To wherever, with escape sequences for colour and without a progress line.
    pub fn new(out: W, width: usize) -> Self {
        Self { out, width, progress: ProgressBar::hidden() }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        let out = &mut self.out;
        self.progress.suspend(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }
}

impl<W: Write> Reporter for TextReporter<W> {
    fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        match event {
            RunEvent::Started(started) => self.print(&started_text(started, self.width)),
            RunEvent::Progress(progress) => {
                self.progress.set_message(progress::line(progress));
                Ok(())
            }
            RunEvent::Finding(finding) => self.print(&format!("{}\n", finding::text(finding, self.width))),
            RunEvent::Notice { message } => {
                const LABEL: Style = Style::new().bold();
                let text = wrap(&format!("note: {}", plain(message)), self.width, 2);
                self.print(&format!("{LABEL}note{LABEL:#}{}\n", &text["note".len()..]))
            }
            RunEvent::Summary(summary) => {
                self.progress.finish_and_clear();
                self.print(&summary::text(summary, self.width))
            }
        }
    }
}

/// What runs, where and how.
fn started_text(started: &Started, width: usize) -> String {
    let values = started.parameters.iter().map(|(name, value)| format!(", {}={}", plain(name), plain(value)));
    let line = format!(
        "{} on {}: {}, {}, schedule {}{}, reduction {}, depth {}{}",
        plain(&started.firmware),
        plain(&started.board),
        counted(started.tasks.len() as u64, "task"),
        counted(started.objects.len() as u64, "object"),
        plain(&started.schedule),
        // Nobody is surprised by a clock that lets everything happen; by a stricter one, maybe.
        if started.time == "free" { String::new() } else { format!(", time {}", plain(&started.time)) },
        plain(&started.reduction),
        count(started.depth),
        values.collect::<String>(),
    );
    format!("{}\n\n", wrap(&line, width, 2))
}
