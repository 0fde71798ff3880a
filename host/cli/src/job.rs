//! From a command line to a job.

use anyhow::Result;
use fwvs_board::Board;
use fwvs_explore::Rung;
use fwvs_run::{Bound, Job, Until, World};

use crate::options::Explore;
use crate::{applies, examples};

/// What the options ask for, each where it has a say.
pub(crate) fn job(options: &Explore) -> Result<Job> {
    applies::check(options)?;
    // There are no examples for a board that is unknown or nowhere: it should be told as what it is.
    Board::load(&options.board)?.has_address()?;
    let (firmware, example) = match (&options.firmware, &options.example) {
        (Some(path), _) => (path.clone(), None),
        (None, name) => {
            let name = name.as_deref().unwrap_or(examples::DEFAULT);
            (examples::find(name, &options.board)?, Some(name.to_owned()))
        }
    };
    let reduction = match options.reduction {
        Rung::Persistent(_) => Rung::Persistent(options.footprint),
        other => other,
    };
    Ok(Job {
        example,
        parameters: options.parameters.iter().cloned().collect(),
        world: World {
            schedule: options.schedule,
            clock: options.time,
            interrupts: options.interrupts,
            expiries: options.expiries,
            until_tick: options.until_tick,
            livelock: options.livelock,
        },
        reduction: options.given.has("reduction").then_some(reduction),
        search: options.search,
        bound: options.preemptions.map(Bound::Preemptions).or(options.delays.map(Bound::Delays)),
        seed: options.seed,
        bug_depth: options.bug_depth,
        depth: options.depth as usize,
        divergence: options.given.has("divergence").then_some(options.divergence),
        ..Job::new(firmware, options.board.clone())
    })
}

/// What the options say about the end.
pub(crate) fn until(options: &Explore) -> Until {
    Until {
        paths: options.max_paths,
        time: options.max_time,
        findings: options.stop.map(|stop| stop.0),
        ..Until::default()
    }
}
