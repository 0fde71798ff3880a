//! `fw-vs explore`: wires search, clock, Ctrl-C and reporters together.
//!
//! The search runs on a thread of its own, pinned beside its emulator. What it reports comes through a channel, so
//! that the terminal, the run directory and Ctrl-C never make it wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_scenario::{RunEvent, Summary, Verdict};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::COULD_NOT_RUN;
use crate::options::{Accept, Explore, Format};
use crate::run::Run;

pub(crate) fn explore(options: &Explore) -> Result<u8> {
    let mut reporter: Box<dyn Reporter> = match options.format {
        Format::Text => Box::new(TextReporter::stdout()),
        Format::Json => Box::new(JsonReporter::stdout()),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (run, events) = prepare(options, &stop)?;
    let summary = runtime()?.block_on(supervise(run, &stop, events, &mut *reporter))?;
    Ok(match summary.map(|summary| summary.verdict) {
        Some(Verdict::Bounded) if options.accept == Some(Accept::Bounded) => 0,
        Some(verdict) => verdict.exit_code(),
        None => COULD_NOT_RUN,
    })
}

/// A run that is checked and not started, and what it will tell. It ends when `stop` is set.
pub(crate) fn prepare(
    options: &Explore,
    stop: &Arc<AtomicBool>,
) -> Result<(Run, mpsc::UnboundedReceiver<RunEvent>)> {
    let (sender, events) = mpsc::unbounded_channel();
    Ok((Run::new(options, Arc::clone(stop), sender)?, events))
}

pub(crate) fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the runtime")
}

/// Runs to the end or to Ctrl-C, which sets `stop`. Returns the summary, if the run came to one.
pub(crate) async fn supervise(
    run: Run,
    stop: &AtomicBool,
    mut events: mpsc::UnboundedReceiver<RunEvent>,
    reporter: &mut dyn Reporter,
) -> Result<Option<Summary>> {
    let search = tokio::task::spawn_blocking(move || run.search());
    let mut summary = None;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => {
                    if reporter.event(&event).is_err() {
                        // Nobody reads any more: what is found is in the run directory all the same.
                        stop.store(true, Ordering::Relaxed);
                    }
                    if let RunEvent::Summary(last) = event {
                        summary = Some(last);
                    }
                }
                None => break,
            },
            signal = tokio::signal::ctrl_c(), if !stop.load(Ordering::Relaxed) => {
                signal.context("cannot listen for Ctrl-C")?;
                stop.store(true, Ordering::Relaxed);
            }
        }
    }
    search.await.context("the search ended by force")??;
    Ok(summary)
}
