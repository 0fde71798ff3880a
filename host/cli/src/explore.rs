//! `fw-vs explore`: wires search, clock, Ctrl-C and reporters together.
//!
//! The search runs on a thread of its own, pinned beside its emulator. What it reports comes through a channel, so
//! that the terminal, the run directory and Ctrl-C never make it wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_scenario::{RunEvent, Verdict};
use tokio::sync::mpsc;

use crate::COULD_NOT_RUN;
use crate::options::{Accept, Explore, Format};
use crate::run::Run;

pub(crate) fn explore(options: &Explore) -> Result<u8> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, events) = mpsc::unbounded_channel();
    let run = Run::new(options, Arc::clone(&stop), sender)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(wire(options, run, stop, events))
}

async fn wire(
    options: &Explore,
    run: Run,
    stop: Arc<AtomicBool>,
    mut events: mpsc::UnboundedReceiver<RunEvent>,
) -> Result<u8> {
    let search = tokio::task::spawn_blocking(move || run.search());
    let mut reporter: Box<dyn Reporter> = match options.format {
        Format::Text => Box::new(TextReporter::stdout()),
        Format::Json => Box::new(JsonReporter::stdout()),
    };
    let mut verdict = None;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => {
                    if let RunEvent::Summary(summary) = &event {
                        verdict = Some(summary.verdict);
                    }
                    if reporter.event(&event).is_err() {
                        // Nobody reads any more: what is found is in the run directory all the same.
                        stop.store(true, Ordering::Relaxed);
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
    Ok(match verdict {
        Some(Verdict::Bounded) if options.accept == Some(Accept::Bounded) => 0,
        Some(verdict) => verdict.exit_code(),
        None => COULD_NOT_RUN,
    })
}
