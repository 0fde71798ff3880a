//! Ticks in which several are due: every rung against every interleaving, and one clock against another.

use std::collections::BTreeSet;

use fwvs_explore::{Precision, Rung};
use fwvs_kernel::Clock;
use fwvs_program::Instruction;
use fwvs_tests::agreement::{Comparison, Difference, reference_within};
use fwvs_tests::outcome::Outcome;
use fwvs_tests::ticks::most_at_once;
use fwvs_tests::{Program, Wrong, full};

fn features(program: &Program, reference: &Outcome) -> Vec<String> {
    let mut has = vec![format!("clock {:?}", program.rules.clock).to_lowercase()];
    let mut also = |what: &str, is: bool| has.extend(is.then(|| what.to_owned()));
    also("several who are due at once", most_at_once(program) > 1);
    also("something wrong", reference.found(|_| true));
    also("several traces", reference.traces.len() > 1);
    also("a path that a budget cuts", reference.counts.budget_cuts > 0);
    has
}

#[test]
fn every_rung_finds_what_every_interleaving_finds() {
    let seen = Comparison {
        generate: Program::random_ticks,
        seeds: if full() { 20_000 } else { 1_000 },
        paths: 2_000,
        rungs: &[Rung::Sleep, Rung::Source, Rung::Optimal, Rung::Persistent(Precision::Runtime)],
        // Priorities let wakeup trees begin runs in vain.
        excused: |_, difference| matches!(difference, Difference::InVain(_)),
        features,
    }
    .run();
    seen.enough("several who are due at once", 4);
    seen.enough("something wrong", 5);
    seen.enough("several traces", 3);
    seen.enough("a path that a budget cuts", 8);
    seen.enough("clock ordered", 3);
    seen.enough("clock idle", 3);
}

/// What is wrong at the ends of all paths.
fn wrong(program: &Program) -> Option<BTreeSet<Wrong>> {
    let reference = reference_within(program, 2_000)?;
    Some(reference.ends.iter().filter_map(|(wrong, _)| *wrong).collect())
}

/// Nobody sees what tick it is: with a free clock every expiry is one.
fn without_ticks(mut program: Program) -> Program {
    for instruction in program.tasks.iter_mut().flatten() {
        if *instruction == Instruction::Tick {
            *instruction = Instruction::Yield;
        }
    }
    program
}

/// A clock that leaves time less choice finds less, and nothing else: what the processor does in a tick is one of the things
/// that it might do if every deadline passed when it liked.
#[test]
fn what_a_narrower_clock_finds_a_wider_one_finds() {
    let (mut compared, mut fewer) = (0, 0);
    for seed in 0..if full() { 10_000 } else { 600 } {
        let program = without_ticks(Program::random_ticks(seed));
        let of = |clock| wrong(&program.with_clock(clock));
        let (Some(idle), Some(ordered)) = (of(Clock::Idle), of(Clock::Ordered)) else { continue };
        assert!(idle.is_subset(&ordered), "seed {seed}: {idle:?}, {ordered:?}, {program:?}");
        compared += 1;
        let Some(free) = of(Clock::Free) else { continue };
        assert!(ordered.is_subset(&free), "seed {seed}: {ordered:?}, {free:?}, {program:?}");
        fewer += u32::from(ordered.len() < free.len());
    }
    println!("{compared} compared, {fewer} find fewer");
    assert!(compared > 300 && fewer > 10, "{compared}, {fewer}");
}
