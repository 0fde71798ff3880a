//! The end of a run: the verdict, which bounds cut what, and what it all rests on. Nothing here asks a target or a clock: whoever
//! has a job, a tally and the facts has the verdict.

use fwvs_explore::{Completion, Counts};
use fwvs_kernel::{Clock, Role};
use fwvs_scenario::number::{count, counted};
use fwvs_scenario::{FindingKind, FindingSummary, Summary, Verdict, Waiting, Within};

use crate::budgets::Budgets;
use crate::facts::Facts;
use crate::job::{Bound, Job, Search};
use crate::named::Named;
use crate::stages::Stages;
use crate::tally::Tally;
use crate::without_effect::notes;
use crate::world::World;

/// What to do where findings have no source lines.
pub const NO_LINES: &str = "no source lines are known, for the firmware has no debug information: set `debug = 2` in the \
     profile it is built with";

/// What a search does that finds out that it may have left out too much.
pub(crate) const STARTED_OVER: &str = "a path ended by force, behind which --reduction optimal could miss something: the search started \
     over with --reduction source and kept what was found";

/// How a run ended.
pub(crate) struct End {
    pub(crate) completion: Completion,
    /// What the search came to; of a search by stages, the last of them.
    pub(crate) counts: Counts,
    pub(crate) stages: Stages,
    /// What ended the search, if it did not end by itself.
    pub(crate) cut: Option<String>,
    /// Tasks that only waited for each other where paths were cut, with their scenarios.
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) seconds: f64,
}

/// The verdict, and all that belongs to it.
pub(crate) fn verdict(job: &Job, tally: &Tally, end: End, facts: &Facts) -> Summary {
    let counts = end.stages.earlier + end.counts;
    let found = tally.findings.all();
    let budgets = Budgets::new(&job.world, facts, tally.cuts, tally.ended_by);
    let mut bounds_hit = cut_the_search(job, &end, &counts);
    bounds_hit.extend(budgets.unasked(counts.paths));
    if let Some(states) = job.world.livelock
        && found.iter().any(|finding| finding.kind == FindingKind::Livelock)
    {
        bounds_hit
            .push(format!("--livelock {states} ended paths at the livelock, whatever comes later on them"));
    }
    if let Some((_, kind, bound)) = job.bound.map(Bound::parts).filter(|_| counts.bound_cuts > 0) {
        bounds_hit.push(format!("--{kind} {bound} left out {} ways to go on", count(counts.bound_cuts)));
    }
    if job.search.by_chance() && bounds_hit.is_empty() {
        bounds_hit.push("paths by chance prove nothing".to_owned());
    }
    // Where nothing ran to its end, nobody knows what the firmware has.
    let known = counts.paths > 0 && found.iter().all(|finding| !finding.steps.is_empty());
    let mut notes = if known { notes(&job.world, facts, tally.timed) } else { Vec::new() };
    notes.extend((counts.started_over > 0).then(|| STARTED_OVER.to_owned()));
    notes.extend((!found.is_empty() && !facts.knows_lines).then(|| NO_LINES.to_owned()));
    notes.extend(tally.standstills.untold());
    let mut within = budgets.within();
    within.extend(never_reached(job, &counts));
    Summary {
        verdict: Verdict::of(found.len(), bounds_hit.len(), &within),
        paths: counts.paths,
        transitions: counts.transitions,
        replayed_transitions: counts.replayed,
        sleep_blocked: counts.sleep_blocked,
        depth_cuts: if job.search == Search::Shortest { 0 } else { end.counts.depth_cuts },
        findings: found.iter().map(FindingSummary::from).collect(),
        toss_sequences: tally.tosses.len() as u64,
        assumptions: if found.is_empty() { assumptions(&job.world, tally.reads_tick) } else { Vec::new() },
        vacuous: vacuous(facts, &tally.ran),
        bounds_hit,
        within,
        waiting: end.waiting,
        notes,
        resume: None,
        seconds: end.seconds,
        board: facts.board.clone(),
        firmware: facts.firmware.clone(),
        firmware_sha256: facts.firmware_sha256.clone(),
        schedule: facts.schedule.name().to_owned(),
        time: job.world.clock.name().to_owned(),
        reduction: job.reduction_name(end.stages.at.is_none()).to_owned(),
        workers: 1,
    }
}

/// What else is to be told at the end: what became of the target.
pub(crate) fn notices(facts: &Facts) -> Vec<String> {
    let times = match facts.respawns {
        0 => None,
        1 => Some("once".to_owned()),
        times => Some(format!("{} times", count(times.into()))),
    };
    let died = times.map(|times| format!("the target died and was started again {times}"));
    let doubted = (facts.doubts > 0).then(|| {
        let paths = count(facts.doubts.into());
        format!("what the target told of {paths} of the paths made no sense; it did when they were run again")
    });
    died.into_iter().chain(doubted).collect()
}

/// What kept the search from running all paths: the user, a bound on paths, time or depth.
fn cut_the_search(job: &Job, end: &End, counts: &Counts) -> Vec<String> {
    // A search by stages cuts at all of them but the last.
    let unfinished = end.completion != Completion::Exhausted && end.stages.at.is_some();
    let reached = end.stages.reached(job.depth).filter(|_| unfinished);
    let mut bounds: Vec<String> = end.cut.iter().cloned().chain(reached).collect();
    if end.completion == Completion::Paths {
        bounds.push(format!("{} were run, and there are more", counted(counts.paths, "path")));
    }
    // Iterative deepening cuts at every depth but the last, and says itself how far it came.
    if end.counts.depth_cuts > 0 && job.search != Search::Shortest && !unfinished {
        let (cuts, paths) = (count(end.counts.depth_cuts), count(end.counts.paths));
        bounds.push(format!("--depth {} cut {cuts} of {paths} paths", job.depth));
    }
    bounds
}

/// A bound on delays or preemptions that left out nothing.
fn never_reached(job: &Job, counts: &Counts) -> Option<Within> {
    let (_, kind, bound) = job.bound?.parts();
    let lets = format!("with at most {bound} {kind}");
    let within = Within { bound: format!("--{kind} {bound}"), lets, reached: false, ended: 0 };
    (counts.bound_cuts == 0).then_some(within)
}

/// What never happened, though the firmware has it.
fn vacuous(facts: &Facts, ran: &[bool]) -> Vec<String> {
    let idle = facts.actors.iter().zip(ran).filter(|(_, ran)| !**ran).filter_map(|(actor, _)| {
        let never = match actor.role {
            // Where nobody has to wait for a processor, a task without operations has ended at once.
            Role::Firmware | Role::Environment if actor.has_ended => return None,
            Role::Firmware | Role::Environment => "ran",
            Role::Interrupt { .. } => "fired",
            Role::Timer { .. } => "expired",
            // Nothing to call, nothing to run: its timers say so, and whoever waits for time.
            Role::Daemon | Role::Clock => return None,
        };
        Some(format!("{} never {never}", actor.name))
    });
    let is_task = |role: Role| matches!(role, Role::Firmware | Role::Environment);
    let nobody = !facts.actors.iter().any(|actor| is_task(actor.role));
    idle.chain(nobody.then(|| "there are no tasks".to_owned())).collect()
}

/// What a clean verdict rests on. With a free clock `reads_tick` makes a difference: deadlines pass in every order, but not so
/// many ticks later.
fn assumptions(world: &World, reads_tick: bool) -> Vec<String> {
    let mut assumptions = vec![
        "tasks share memory only under a lock, or hand it over by an RTOS object".to_owned(),
        "a task is preempted at its operations, not in the code between them".to_owned(),
    ];
    let clock = match world.clock {
        Clock::Free => reads_tick.then_some(
            "no task goes by what tick it is: every wait that expires counts as one tick, however long it was (--time free)",
        ),
        Clock::Ordered => Some(
            "the clock moves only when a deadline passes: between two of them code takes no time (--time ordered)",
        ),
        Clock::Idle => Some("time passes only when no task can go on: code takes no time (--time idle)"),
    };
    assumptions.extend(clock.map(str::to_owned));
    if let Some(states) = world.livelock {
        assumptions.push(format!(
            "nobody waits for more than {states} states on paths that were left out (--livelock is seen, never ruled out)"
        ));
    }
    assumptions
}

#[cfg(test)]
mod tests {
    use fwvs_explore::Rung;
    use fwvs_kernel::{Cuts, ObjectId, Schedule};
    use fwvs_scenario::{Finding, Step};

    use super::*;
    use crate::facts::Actor;

    fn actor(name: &str, role: Role) -> Actor {
        Actor { name: name.to_owned(), role, has_ended: false }
    }

    /// A task, and a line that does not say how often it fires.
    fn facts() -> Facts {
        Facts {
            firmware: "x".to_owned(),
            firmware_sha256: "0".repeat(64),
            board: "b".to_owned(),
            schedule: Schedule::Free,
            actors: vec![
                actor("sender", Role::Firmware),
                actor("uart", Role::Interrupt { line: ObjectId::setup(0) }),
            ],
            lines: vec![u16::MAX],
            knows_lines: true,
            respawns: 0,
            doubts: 0,
        }
    }

    /// Everybody ran.
    fn tally() -> Tally {
        Tally { ran: vec![true, true], ..Tally::default() }
    }

    /// Everything was run: ten paths.
    fn end() -> End {
        End {
            completion: Completion::Exhausted,
            counts: Counts { paths: 10, transitions: 40, ..Counts::default() },
            stages: Stages::default(),
            cut: None,
            waiting: Vec::new(),
            seconds: 0.5,
        }
    }

    fn job() -> Job {
        Job::new("x.elf", "b")
    }

    fn found(kind: FindingKind) -> Tally {
        let mut tally = tally();
        let finding = Finding {
            kind,
            message: "it waits".to_owned(),
            steps: vec![Step::default()],
            standing: Vec::new(),
            scenario: None,
            count: 1,
        };
        tally.findings.add(1, finding);
        tally
    }

    #[test]
    fn what_was_run_to_its_end_and_found_nothing_is_complete() {
        let summary = verdict(&job(), &tally(), end(), &facts());
        assert_eq!((summary.verdict, summary.paths, summary.transitions), (Verdict::Complete, 10, 40));
        assert_eq!((summary.bounds_hit.len(), summary.assumptions.len()), (0, 2));
        assert_eq!((summary.schedule.as_str(), summary.time.as_str()), ("free", "free"));
        assert_eq!(summary.reduction, "source");
    }

    #[test]
    fn whoever_reads_a_clock_that_counts_expiries_is_told_so() {
        let reads = Tally { reads_tick: true, ..tally() };
        let rests = |clock: Clock| {
            let mut job = job();
            job.world.clock = clock;
            verdict(&job, &reads, end(), &facts()).assumptions[2..].join("; ")
        };
        assert!(rests(Clock::Free).contains("counts as one tick"));
        assert!(!rests(Clock::Ordered).contains("counts as one tick"));
    }

    #[test]
    fn a_finding_is_the_verdict_and_rests_on_nothing() {
        let summary = verdict(&job(), &found(FindingKind::Deadlock), end(), &facts());
        assert_eq!((summary.verdict, summary.findings.len()), (Verdict::Found, 1));
        assert!(summary.assumptions.is_empty() && summary.notes.is_empty());
        let blind = Facts { knows_lines: false, ..facts() };
        assert_eq!(verdict(&job(), &found(FindingKind::Deadlock), end(), &blind).notes, [NO_LINES]);
    }

    #[test]
    fn whatever_cut_the_search_is_told_and_bounds_the_verdict() {
        let ctrl_c = End { cut: Some("interrupted".to_owned()), completion: Completion::Stopped, ..end() };
        let paths = End { completion: Completion::Paths, ..end() };
        let deep = End { counts: Counts { depth_cuts: 3, ..end().counts }, ..end() };
        let delayed = End { counts: Counts { bound_cuts: 1_000, ..end().counts }, ..end() };
        let stages = Stages { at: Some(1), earlier: Counts { paths: 5, ..Counts::default() } };
        let staged = End { stages, completion: Completion::Paths, ..end() };
        let delays = Job { bound: Some(Bound::Delays(2)), ..job() };
        for (job, end, says) in [
            (job(), ctrl_c, vec!["interrupted"]),
            (job(), paths, vec!["10 paths were run, and there are more"]),
            (job(), deep, vec!["--depth 1000 cut 3 of 10 paths"]),
            (delays, delayed, vec!["--delays 2 left out 1,000 ways to go on"]),
            (Job { search: Search::Pct, ..job() }, end(), vec!["paths by chance prove nothing"]),
            (
                job(),
                staged,
                vec![
                    "paths do not end; all of them were run up to 32 steps without a delay",
                    "15 paths were run, and there are more",
                ],
            ),
        ] {
            let summary = verdict(&job, &tally(), end, &facts());
            assert_eq!(
                (summary.verdict, summary.bounds_hit),
                (Verdict::Bounded, says.iter().map(|bound| (*bound).to_owned()).collect())
            );
        }
    }

    #[test]
    fn a_budget_that_was_asked_for_is_part_of_the_question_and_one_that_was_not_is_a_bound() {
        let cut = Tally { cuts: Cuts { interrupts: true, ..Cuts::default() }, ..tally() };
        let by_default = verdict(&job(), &cut, end(), &facts());
        assert_eq!(by_default.verdict, Verdict::Bounded);
        assert!(by_default.bounds_hit[0].contains("--interrupts 1 (the default)"), "{by_default:?}");
        let mut asked = job();
        asked.world.interrupts = Some(1);
        let asked = verdict(&asked, &cut, end(), &facts());
        assert_eq!((asked.verdict, asked.bounds_hit.len()), (Verdict::CompleteWithinBounds, 0));
        assert!(asked.within[0].reached && asked.within[0].bound == "--interrupts 1", "{asked:?}");
    }

    #[test]
    fn what_never_happened_and_what_made_no_difference_is_told() {
        let idle = Tally { ran: vec![true, false], ..Tally::default() };
        assert_eq!(verdict(&job(), &idle, end(), &facts()).vacuous, ["uart never fired"]);
        let empty = Facts { actors: Vec::new(), lines: Vec::new(), ..facts() };
        let mut job = job();
        (job.world.expiries, job.world.interrupts) = (Some(1), Some(2));
        let summary = verdict(&job, &Tally::default(), end(), &empty);
        assert_eq!(summary.vacuous, ["there are no tasks"]);
        let notes = [
            "--interrupts made no difference: there is no interrupt line",
            "--expiries made no difference: nobody waited for time",
        ];
        assert_eq!(summary.notes, notes);
    }

    #[test]
    fn the_reduction_is_the_one_that_was_really_used() {
        let used = |job: &Job, at| {
            verdict(job, &tally(), End { stages: Stages { at, ..Stages::default() }, ..end() }, &facts())
                .reduction
        };
        let optimal = Job { reduction: Some(Rung::Optimal), ..job() };
        assert_eq!((used(&optimal, None), used(&optimal, Some(0))), ("optimal".into(), "none".into()));
        assert_eq!(used(&Job { search: Search::Shortest, ..job() }, None), "sleep");
        assert_eq!(used(&Job { bound: Some(Bound::Delays(1)), ..optimal }, None), "none");
    }

    #[test]
    fn what_became_of_the_target_is_told() {
        assert!(notices(&facts()).is_empty());
        let notices = notices(&Facts { respawns: 1, doubts: 2, ..facts() });
        assert!(
            notices[0].ends_with("started again once") && notices[1].contains("2 of the paths"),
            "{notices:?}"
        );
    }
}
