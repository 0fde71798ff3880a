//! `fw-vs explore`: wires search, clock, Ctrl-C and reporters together.
//!
//! The search runs on a thread of its own, pinned beside its emulator. What it reports comes through a channel, so
//! that the terminal, the run directory and Ctrl-C never make it wait.

use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::{Context, Result, anyhow};
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_scenario::{RunEvent, Summary, Verdict};

use crate::COULD_NOT_RUN;
use crate::options::{Accept, Explore, Format};
use crate::run::Run;
use crate::say::forgive;
use crate::signals::stop_on_signals;
use crate::stop::{Reason, Stop};

pub(crate) fn explore(options: &Explore) -> Result<u8> {
    let mut reporter: Box<dyn Reporter> = match options.format {
        Format::Text => Box::new(TextReporter::stdout()),
        Format::Json => Box::new(JsonReporter::stdout()),
    };
    let stop = Arc::new(Stop::default());
    let (run, events) = prepare(options, &stop)?;
    stop_on_signals(&stop)?;
    let summary = supervise(run, &stop, events, &mut *reporter)?;
    Ok(match summary.map(|summary| summary.verdict) {
        Some(Verdict::Bounded) if options.accept == Some(Accept::Bounded) => 0,
        Some(verdict) => verdict.exit_code(),
        None => COULD_NOT_RUN,
    })
}

/// A run that is checked and not started, and what it will tell. It ends when `stop` is set.
pub(crate) fn prepare(options: &Explore, stop: &Arc<Stop>) -> Result<(Run, Receiver<RunEvent>)> {
    let (sender, events) = mpsc::channel();
    Ok((Run::new(options, Arc::clone(stop), sender)?, events))
}

/// Runs to the end, or until `stop` is set. Returns the summary, if the run came to one.
pub(crate) fn supervise(
    run: Run,
    stop: &Stop,
    events: Receiver<RunEvent>,
    reporter: &mut dyn Reporter,
) -> Result<Option<Summary>> {
    let search = thread::Builder::new().name("search".into()).spawn(move || run.search());
    let search = search.context("cannot start a thread to search")?;
    let (mut summary, mut printed) = (None, Ok(()));
    // Until the search is over and nobody is left to send anything.
    for event in events {
        if let Err(error) = reporter.event(&event) {
            // What is found is in the run directory all the same.
            stop.because(Reason::NobodyReads);
            printed = printed.and(Err(error));
        }
        if let RunEvent::Summary(last) = event {
            summary = Some(last);
        }
    }
    search.join().map_err(|panic| broken(&*panic))??;
    forgive(printed)?;
    Ok(summary)
}

/// A bug of our own, as it is told.
fn broken(panic: &(dyn Any + Send)) -> anyhow::Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why");
    anyhow!(
        "the search ended by force: {text}\nhint: this is a bug in fw-vs; please report it with the command line"
    )
}
