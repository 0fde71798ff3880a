//! The end of a run: the verdict, which bounds cut what, and what it all rests on.

use fwvs_explore::{Completion, Counts, Stage};
use fwvs_kernel::{Clock, Role};
use fwvs_scenario::number::{count, counted};
use fwvs_scenario::{FindingKind, FindingSummary, RunEvent, Summary, Verdict, Within};

use super::budgets::Budgets;
use super::{STARTED_OVER, Watch};
use crate::error::Error;
use crate::job::{Job, Search};
use crate::named::Named;
use crate::target::AnySession;
use crate::without_effect::notes;
use crate::world::World;

/// What to do where findings have no source lines.
pub const NO_LINES: &str = "no source lines are known, for the firmware has no debug information: set `debug = 2` in the \
     profile it is built with";

impl Watch<'_> {
    /// Tells the verdict.
    pub(crate) fn finish(
        mut self,
        session: &AnySession,
        completion: Completion,
        counts: &Counts,
    ) -> Result<Summary, Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let job = &self.run.job;
        // A search by stages cuts at all of them but the last.
        let (last, counts) = (counts, &(self.earlier + *counts));
        let unfinished = self.stage.filter(|_| completion != Completion::Exhausted);
        let reached = unfinished.map(|stage| reached(Stage::all(job.depth).take(stage)));
        let mut bounds_hit: Vec<String> = self.cut.take().into_iter().chain(reached).collect();
        if completion == Completion::Paths {
            bounds_hit.push(format!("{} were run, and there are more", counted(counts.paths, "path")));
        }
        // Iterative deepening cuts at every depth but the last, and says itself how far it came.
        if last.depth_cuts > 0 && job.search != Search::Shortest && unfinished.is_none() {
            let (cuts, paths) = (count(last.depth_cuts), count(last.paths));
            bounds_hit.push(format!("--depth {} cut {cuts} of {paths} paths", job.depth));
        }
        let budgets = Budgets::new(&job.world, session.roster().kernel(), self.cuts, self.ended_by);
        bounds_hit.extend(budgets.unasked(counts.paths));
        if let Some(states) = job.world.livelock
            && self.findings.iter().any(|finding| finding.kind == FindingKind::Livelock)
        {
            bounds_hit.push(format!(
                "--livelock {states} ended paths at the livelock, whatever comes later on them"
            ));
        }
        let bound = job.delays.map(|bound| ("delays", bound));
        let bound = bound.or(job.preemptions.map(|bound| ("preemptions", bound)));
        if let Some((kind, bound)) = bound.filter(|_| counts.bound_cuts > 0) {
            bounds_hit.push(format!("--{kind} {bound} left out {} ways to go on", count(counts.bound_cuts)));
        }
        if job.search.by_chance() && bounds_hit.is_empty() {
            bounds_hit.push("paths by chance prove nothing".to_owned());
        }
        let times = match session.respawns() {
            0 => None,
            1 => Some("once".to_owned()),
            times => Some(format!("{} times", count(times.into()))),
        };
        if let Some(times) = times {
            let message = format!("the target died and was started again {times}");
            self.tell(RunEvent::Notice { message })?;
        }
        if session.doubts() > 0 {
            let paths = count(session.doubts().into());
            let message = format!(
                "what the target told of {paths} of the paths made no sense; it did when they were run again"
            );
            self.tell(RunEvent::Notice { message })?;
        }
        let tasks = session.roster().tasks();
        let idle = |((task, ran), known): ((&String, &bool), &fwvs_kernel::Task)| {
            let never = match known.role {
                // Where nobody has to wait for a processor, a task without operations has ended at once.
                Role::Firmware | Role::Environment if known.has_ended() => return None,
                Role::Firmware | Role::Environment => "ran",
                Role::Interrupt { .. } => "fired",
                Role::Timer { .. } => "expired",
                // Nothing to call, nothing to run: its timers say so, and whoever waits for time.
                Role::Daemon | Role::Clock => return None,
            };
            (!ran).then(|| format!("{task} never {never}"))
        };
        let roles = session.roster().kernel().tasks();
        let mut vacuous: Vec<String> = tasks.iter().zip(&self.ran).zip(roles).filter_map(idle).collect();
        if !roles.iter().any(|task| matches!(task.role, Role::Firmware | Role::Environment)) {
            vacuous.push("there are no tasks".to_owned());
        }
        // Where nothing ran to its end, nobody knows what the firmware has.
        let known = counts.paths > 0 && self.findings.iter().all(|finding| !finding.steps.is_empty());
        let mut notes = match known {
            true => notes(&job.world, session, self.timed),
            false => Vec::new(),
        };
        notes.extend((counts.started_over > 0).then(|| STARTED_OVER.to_owned()));
        let found = !self.findings.is_empty();
        if found && !session.knows_lines() {
            notes.push(NO_LINES.to_owned());
        }
        let waiting = self.save_standstills(session)?;
        let mut within = budgets.within();
        within.extend(never_reached(job, counts));
        let summary = Summary {
            verdict: Verdict::of(self.findings.len(), bounds_hit.len(), &within),
            paths: counts.paths,
            transitions: counts.transitions,
            replayed_transitions: counts.replayed,
            sleep_blocked: counts.sleep_blocked,
            depth_cuts: if job.search == Search::Shortest { 0 } else { last.depth_cuts },
            findings: self.findings.iter().map(FindingSummary::from).collect(),
            toss_sequences: self.tosses.len() as u64,
            assumptions: if found { Vec::new() } else { assumptions(&job.world) },
            vacuous,
            bounds_hit,
            within,
            waiting,
            notes,
            seconds: self.seconds(),
            board: self.run.target.board.name.clone(),
            firmware: self.run.target.firmware.name().to_owned(),
            firmware_sha256: self.run.target.firmware.sha256().to_owned(),
            schedule: session.roster().schedule().name().to_owned(),
            time: job.world.clock.name().to_owned(),
            reduction: job.reduction_name(self.stage.is_none()).to_owned(),
            workers: 1,
        };
        self.directory.save_summary(&summary)?;
        self.tell(RunEvent::Summary(summary.clone()))?;
        Ok(summary)
    }
}

/// How far a search by stages came, whose paths do not end.
fn reached(done: impl Iterator<Item = Stage>) -> String {
    let each = |stage: Stage| match stage.delays {
        0 => format!("up to {} steps without a delay", count(stage.depth as u64)),
        delays => format!("{} with {delays}", count(stage.depth as u64)),
    };
    let reached: Vec<String> = Stage::reached(done).into_iter().map(each).collect();
    match reached.is_empty() {
        true => "paths do not end, and not even the shortest were all run".to_owned(),
        false => format!("paths do not end; all of them were run {}", reached.join(", ")),
    }
}

/// A bound on delays or preemptions that left out nothing.
fn never_reached(job: &Job, counts: &Counts) -> Option<Within> {
    let bound = job.delays.map(|bound| ("delays", bound));
    let (kind, bound) = bound.or(job.preemptions.map(|bound| ("preemptions", bound)))?;
    let lets = format!("with at most {bound} {kind}");
    let within = Within { bound: format!("--{kind} {bound}"), lets, reached: false, ended: 0 };
    (counts.bound_cuts == 0).then_some(within)
}

/// What a clean verdict rests on with that clock, beside what it always does.
fn assumption(clock: Clock) -> Option<&'static str> {
    match clock {
        Clock::Free => None,
        Clock::Ordered => Some(
            "the clock moves only when a deadline passes: between two of them code takes no time (--time ordered)",
        ),
        Clock::Idle => Some("time passes only when no task can go on: code takes no time (--time idle)"),
    }
}

/// What a clean verdict rests on.
fn assumptions(world: &World) -> Vec<String> {
    let mut assumptions = vec![
        "tasks share memory only under a lock, or hand it over by an RTOS object".to_owned(),
        "a task is preempted at its operations, not in the code between them".to_owned(),
    ];
    assumptions.extend(assumption(world.clock).map(str::to_owned));
    if let Some(states) = world.livelock {
        assumptions.push(format!(
            "nobody waits for more than {states} states on paths that were left out (--livelock is seen, never ruled out)"
        ));
    }
    assumptions
}
