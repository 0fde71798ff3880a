//! What a runner can do beyond running paths: single steps, steps back, and telling states apart; and what a trace is good for
//! where it was not recorded.

use std::collections::HashSet;

use fwvs_explore::{End, Limits, Model as _, Policy, Runner};
use fwvs_kernel::Transition;
use fwvs_model::{Contradiction, Model};
use fwvs_path::{Place, Plan};
use fwvs_tests::agreement::reference_within;
use fwvs_tests::memory::Wrong;
use fwvs_tests::outcome::Outcome;
use fwvs_tests::{Memory, Program, full};

/// Searches of more paths than this are left out.
const MOST_PATHS: u64 = 3_000;

/// Every interleaving, edge by edge, without running anything twice. Does not go on from a state in `seen`, if that is asked for.
/// Says how many paths came to an end.
fn by_edges(memory: &mut Memory, outcome: &mut Outcome, seen: &mut Option<HashSet<Vec<u8>>>) -> u64 {
    let here = memory.telling_apart().expect("states of a program in memory can be told apart").canonical();
    if seen.as_mut().is_some_and(|seen| !seen.insert(here)) {
        return 0;
    }
    let mut paths = 0;
    for transition in memory.model().last().enabled().collect::<Vec<Transition>>() {
        let stepping = memory.stepping().expect("a program in memory can take steps");
        let Ok(end) = stepping.step(transition);
        if end == End::Asked {
            paths += by_edges(memory, outcome, seen);
        } else {
            outcome.look(memory, end);
            paths += 1;
        }
        assert!(memory.taking_back().expect("and take them back").take_back());
    }
    paths
}

fn programs() -> impl Iterator<Item = Program> {
    let many = if full() { 3_000 } else { 150 };
    let philosophers = (2..=3).map(|count| Program::philosophers(count, false));
    let random = (0..many).map(Program::random);
    philosophers.chain(random).chain((0..many).map(Program::random_rtos))
}

/// What [`Outcome`] has of what was found, whatever the paths.
fn found(outcome: &Outcome) -> Vec<(Option<Wrong>, u64)> {
    outcome.ends.iter().copied().collect()
}

#[test]
fn every_interleaving_by_single_steps_and_steps_back() {
    let mut compared = 0;
    for program in programs() {
        let Some(reference) = reference_within(&program, MOST_PATHS) else { continue };
        let (mut memory, mut outcome) = (Memory::new(&program), Outcome::default());
        if memory.model().last().enabled().next().is_none() {
            continue;
        }
        let paths = by_edges(&mut memory, &mut outcome, &mut None);
        assert_eq!((paths, found(&outcome)), (reference.counts.paths, found(&reference)), "{program:?}");
        assert_eq!(outcome.traces, reference.traces, "{program:?}");
        assert!(
            !memory.taking_back().expect("it can").take_back(),
            "there is nothing before the initial state"
        );
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn from_a_state_that_was_seen_before_nothing_new_is_found() {
    let (mut paths, mut fewer) = (0, 0);
    for program in programs() {
        let Some(reference) = reference_within(&program, MOST_PATHS) else { continue };
        let (mut memory, mut outcome) = (Memory::new(&program), Outcome::default());
        if memory.model().last().enabled().next().is_none() {
            continue;
        }
        let with_states = by_edges(&mut memory, &mut outcome, &mut Some(HashSet::new()));
        assert_eq!(found(&outcome), found(&reference), "{program:?}");
        (paths, fewer) = (paths + reference.counts.paths, fewer + with_states);
    }
    assert!(fewer * 4 < paths, "{fewer} of {paths}");
}

#[test]
fn a_step_that_is_not_enabled_is_not_taken() {
    let mut memory = Memory::new(&Program::philosophers(2, false));
    let Some(first) = memory.model().last().enabled().next() else { panic!("somebody can go on") };
    let none = Transition { alternative: 7, ..first };
    let before = memory.telling_apart().expect("it can").fingerprint();
    assert_eq!(memory.stepping().expect("it can").step(none), Ok(End::NotEnabled));
    assert_eq!(memory.telling_apart().expect("it can").fingerprint(), before);
    assert_eq!(memory.stepping().expect("it can").step(first), Ok(End::Asked));
    assert_ne!(memory.telling_apart().expect("it can").fingerprint(), before);
}

/// As on another machine: only the initial state is known there, and the trace arrives.
#[test]
fn a_trace_leads_a_model_of_its_own_through_the_states() {
    for program in programs() {
        let mut memory = Memory::new(&program);
        let start = memory.model().start_at(0);
        let mut elsewhere: Model<Wrong> = Model::new(start);
        for seed in 0..5 {
            let Limits { depth, .. } = Limits::default();
            let plan = Plan::new(&[], Policy::Random { seed }, depth as u32);
            let Ok(trace) = memory.run(&plan);
            let trace = trace.clone();
            elsewhere.follow(trace.clone()).expect("it is the system's own");
            assert_eq!(elsewhere.trace(), memory.model().trace());
            for at in 0..=trace.steps.len() {
                assert!(elsewhere.kernel(at).is_like(memory.kernel(at)), "after {at} steps: {program:?}");
                assert_eq!(elsewhere.held_back(at, &[]), memory.model().held_back(at, &[]));
            }
            // A trace that was changed on its way is noticed.
            let Some(at) = trace.steps.len().checked_sub(1) else { continue };
            let mut wrong = trace.clone();
            wrong.steps[at].taken.served = !wrong.steps[at].taken.served;
            assert_eq!(elsewhere.follow(wrong), Err(Contradiction { at }));
        }
    }
}

#[test]
fn a_place_in_code_is_found_on_a_trace() {
    let mut memory = Memory::new(&Program::philosophers(3, false));
    let Ok(trace) = memory.run(&Plan::new(&[], Policy::Stay, 1000));
    let task = trace.steps[0].transition.task;
    // Programs in memory have no addresses: every operation is called from the same one.
    let first = trace.find(task, Place { pc: 0, pass: 1 });
    let third = trace.find(task, Place { pc: 0, pass: 3 }).expect("three operations at least");
    assert_eq!(first, Some(0));
    assert_eq!(trace.place(third), Place { pc: 0, pass: 3 });
    assert_eq!(trace.find(task, Place { pc: 4, pass: 1 }), None);
    let script: Vec<Transition> = trace.script().take(third).collect();
    let Ok(there) = memory.run(&Plan::follow(&script));
    assert_eq!((there.end, there.steps.len()), (End::Asked, third));
}
