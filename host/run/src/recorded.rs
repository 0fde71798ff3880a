//! What is written down of a path, so that it can be run again.

use fwvs_kernel::Kind;
use fwvs_scenario::scenario::FORMAT;
use fwvs_scenario::{Cause, FirmwareReference, Scenario, Step};

use crate::job::Job;
use crate::named::Named;
use crate::target::{AnySession, Target};

/// The scenario of those decisions, which lead there.
pub(crate) fn recorded(
    job: &Job,
    target: &Target,
    session: &AnySession,
    decisions: Vec<Step>,
    finding: Cause,
) -> Scenario {
    let roster = session.roster();
    let unlimited =
        roster.kernel().objects().iter().any(|object| object.kind == Kind::Line { limit: u16::MAX });
    Scenario {
        format: FORMAT,
        firmware: FirmwareReference {
            path: job.firmware.clone(),
            example: job.example.clone(),
            sha256: target.firmware.sha256().to_owned(),
        },
        board: job.board.clone(),
        schedule: roster.schedule().name().to_owned(),
        time: job.world.clock.name().to_owned(),
        // Where every line says itself how often it fires, the number has no say.
        interrupts: unlimited.then_some(job.world.interrupts()),
        expiries: job.world.expiries,
        until_tick: job.world.until_tick,
        livelock: job.world.livelock,
        divergence_ms: job.divergence.map(|time| u64::try_from(time.as_millis().max(1)).unwrap_or(u64::MAX)),
        depth: job.depth as u64,
        parameters: target.set.clone(),
        decisions,
        finding,
        standstill: None,
    }
}
