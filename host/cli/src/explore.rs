//! `fw-vs explore`: wires search, clock, Ctrl-C and reporters together.
//!
//! The search runs on a thread of its own, pinned beside its emulator. What it reports comes through a channel, so
//! that the terminal, the run directory and Ctrl-C never make it wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_scenario::{RunEvent, Summary, Verdict};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::COULD_NOT_RUN;
use crate::options::{Accept, Explore, Format};
use crate::run::Run;

/// Signals that come closer together than this are one.
const TWICE: Duration = Duration::from_millis(300);
/// As shells tell of a program that Ctrl-C ended.
const INTERRUPTED_TWICE: i32 = 130;

pub(crate) fn explore(options: &Explore) -> Result<u8> {
    let mut reporter: Box<dyn Reporter> = match options.format {
        Format::Text => Box::new(TextReporter::stdout()),
        Format::Json => Box::new(JsonReporter::stdout()),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let runtime = runtime()?;
    let (run, events) = prepare(options, &stop)?;
    stop_on_ctrl_c(&runtime, &stop)?;
    let summary = runtime.block_on(supervise(run, &stop, events, &mut *reporter))?;
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

/// From now on Ctrl-C sets `stop` instead of ending the program. Somebody listens all the time: one that comes
/// between two runs, or while something is being printed, counts like any other. A second one ends the program at once:
/// what was told is in the run directory.
pub(crate) fn stop_on_ctrl_c(runtime: &Runtime, stop: &Arc<AtomicBool>) -> Result<()> {
    let _inside = runtime.enter();
    let mut interrupts = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let stop = Arc::clone(stop);
    runtime.spawn(async move {
        let mut first: Option<Instant> = None;
        while interrupts.recv().await.is_some() {
            // Some send a signal to a process and to its group: that is one.
            if first.is_some_and(|first| first.elapsed() >= TWICE) {
                std::process::exit(INTERRUPTED_TWICE);
            }
            first.get_or_insert_with(Instant::now);
            stop.store(true, Ordering::Relaxed);
        }
    });
    Ok(())
}

/// Runs to the end, or until `stop` is set. Returns the summary, if the run came to one.
pub(crate) async fn supervise(
    run: Run,
    stop: &AtomicBool,
    mut events: mpsc::UnboundedReceiver<RunEvent>,
    reporter: &mut dyn Reporter,
) -> Result<Option<Summary>> {
    let search = tokio::task::spawn_blocking(move || run.search());
    let mut summary = None;
    while let Some(event) = events.recv().await {
        if reporter.event(&event).is_err() {
            // Nobody reads any more: what is found is in the run directory all the same.
            stop.store(true, Ordering::Relaxed);
        }
        if let RunEvent::Summary(last) = event {
            summary = Some(last);
        }
    }
    search.await.context("the search ended by force")??;
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    /// A study lasts for many runs: Ctrl-C must count when none is under way.
    #[test]
    fn ctrl_c_counts_between_two_runs() {
        let (runtime, stop) = (runtime().unwrap(), Arc::new(AtomicBool::new(false)));
        stop_on_ctrl_c(&runtime, &stop).unwrap();
        kill_process(getpid(), Signal::INT).unwrap();
        let begin = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            assert!(begin.elapsed() < Duration::from_secs(30), "nobody listened");
            std::thread::yield_now();
        }
    }
}
