//! `fw-vs explore`: wires run, Ctrl-C and reporters together.
//!
//! The search runs on a thread of its own, pinned beside its emulator. What it reports comes through a channel, so
//! that the terminal, the run directory and Ctrl-C never make it wait.

use std::sync::Arc;

use anyhow::Result;
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_run::{Reason, Run, Stop};
use fwvs_scenario::{RunDirectory, RunEvent, Summary, Verdict};

use crate::job::{job, until};
use crate::options::{Accept, Explore, Format};
use crate::say::forgive;
use crate::signals::stop_on_signals;

pub(crate) fn explore(options: &Explore) -> Result<u8> {
    let mut reporter: Box<dyn Reporter> = match options.format {
        Format::Text => Box::new(TextReporter::stdout()),
        Format::Json => Box::new(JsonReporter::stdout()),
    };
    let ended = options.resume.as_deref().and_then(RunDirectory::nothing_left);
    let verdict = match ended {
        Some(summary) => again(summary, &mut *reporter)?,
        None => {
            let stop = Arc::new(Stop::default());
            let run = prepare(options)?;
            stop_on_signals(&stop)?;
            supervise(run, &stop, &mut *reporter)?.verdict
        }
    };
    Ok(match verdict {
        Verdict::Bounded if options.accept == Some(Accept::Bounded) => 0,
        verdict => verdict.exit_code(),
    })
}

/// Tells once more what a run came to that cannot be gone on with.
fn again(summary: Summary, reporter: &mut dyn Reporter) -> Result<Verdict> {
    let verdict = summary.verdict;
    let message = "that run is over, and nothing is left to go on with; this is what it came to".to_owned();
    let told = [RunEvent::Notice { message }, RunEvent::Summary(summary)];
    forgive(told.iter().try_for_each(|event| reporter.event(event)))?;
    Ok(verdict)
}

/// A run that is checked and not started.
pub(crate) fn prepare(options: &Explore) -> Result<Run> {
    Ok(match &options.resume {
        Some(path) => Run::resume(path, until(options))?,
        None => Run::new(job(options)?, until(options), options.out.clone())?,
    })
}

/// Runs to the end, or until `stop` is set, and tells the reporter.
pub(crate) fn supervise(run: Run, stop: &Arc<Stop>, reporter: &mut dyn Reporter) -> Result<Summary> {
    let mut printed = Ok(());
    let summary = run.supervise(stop, |event| {
        if let Err(error) = reporter.event(&event) {
            // What is found is in the run directory all the same.
            stop.because(Reason::NobodyReads);
            printed = std::mem::replace(&mut printed, Ok(())).and(Err(error));
        }
    })?;
    forgive(printed)?;
    Ok(summary)
}
