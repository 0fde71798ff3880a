//! `fw-vs explore`: wires search, clock, Ctrl-C and reporters together.
//!
//! The search runs on a thread of its own, pinned beside its emulator. What it reports comes through a channel, so
//! that the terminal, the run directory and Ctrl-C never make it wait.

use std::io::IsTerminal;
use std::sync::Arc;
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
use crate::say::forgive;
use crate::stop::{Reason, Stop};

/// Signals that come closer together than this are one.
const TWICE: Duration = Duration::from_millis(300);
/// As shells tell of a program that Ctrl-C ended.
const INTERRUPTED_TWICE: i32 = 130;

pub(crate) fn explore(options: &Explore) -> Result<u8> {
    let mut reporter: Box<dyn Reporter> = match options.format {
        Format::Text => Box::new(TextReporter::stdout()),
        Format::Json => Box::new(JsonReporter::stdout()),
    };
    let stop = Arc::new(Stop::default());
    let runtime = runtime()?;
    let (run, events) = prepare(options, &stop)?;
    stop_on_signals(&runtime, &stop)?;
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
    stop: &Arc<Stop>,
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

/// From now on Ctrl-C, and whatever else ends programs kindly, sets `stop` instead of ending the program. Somebody listens all
/// the time: one that comes between two runs, or while something is being printed, counts like any other. A second one ends the
/// program at once: what was told is in the run directory.
pub(crate) fn stop_on_signals(runtime: &Runtime, stop: &Arc<Stop>) -> Result<()> {
    let _inside = runtime.enter();
    let kinds = [
        (SignalKind::interrupt(), Reason::CtrlC),
        (SignalKind::terminate(), Reason::Terminated),
        (SignalKind::hangup(), Reason::HungUp),
    ];
    for (kind, reason) in kinds {
        let mut signals = signal(kind).context("cannot listen for signals")?;
        let stop = Arc::clone(stop);
        runtime.spawn(async move {
            let mut first: Option<Instant> = None;
            while signals.recv().await.is_some() {
                // Some send a signal to a process and to its group: that is one.
                if first.is_some_and(|first| first.elapsed() >= TWICE) {
                    // The progress line stays as it is, and whatever comes next begins below it.
                    if std::io::stderr().is_terminal() {
                        eprintln!();
                    }
                    std::process::exit(INTERRUPTED_TWICE);
                }
                first.get_or_insert_with(Instant::now);
                stop.because(reason);
            }
        });
    }
    Ok(())
}

/// Runs to the end, or until `stop` is set. Returns the summary, if the run came to one.
pub(crate) async fn supervise(
    run: Run,
    stop: &Stop,
    mut events: mpsc::UnboundedReceiver<RunEvent>,
    reporter: &mut dyn Reporter,
) -> Result<Option<Summary>> {
    let search = tokio::task::spawn_blocking(move || run.search());
    let (mut summary, mut printed) = (None, Ok(()));
    while let Some(event) = events.recv().await {
        if let Err(error) = reporter.event(&event) {
            // What is found is in the run directory all the same.
            stop.because(Reason::NobodyReads);
            printed = printed.and(Err(error));
        }
        if let RunEvent::Summary(last) = event {
            summary = Some(last);
        }
    }
    search.await.context("the search ended by force")??;
    forgive(printed)?;
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    /// A study lasts for many runs: Ctrl-C must count when none is under way.
    #[test]
    fn ctrl_c_counts_between_two_runs() {
        let (runtime, stop) = (runtime().unwrap(), Arc::new(Stop::default()));
        stop_on_signals(&runtime, &stop).unwrap();
        kill_process(getpid(), Signal::INT).unwrap();
        let begin = Instant::now();
        while stop.reason().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(30), "nobody listened");
            std::thread::yield_now();
        }
    }
}
