//! Ticks in which several are due: every rung against every interleaving, and one clock against another.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fwvs_explore::{Counts, End, Limits, Model, Precision, Rung, Runner, explore};
use fwvs_kernel::{Boxed, Clock, Kernel, Kind, Rules, Standing, timer};
use fwvs_program::Instruction;
use fwvs_tests::agreement::{Comparison, Difference, LIMITS, reference_within};
use fwvs_tests::outcome::Outcome;
use fwvs_tests::ticks::most_at_once;
use fwvs_tests::{Memory, Program, Wrong, full};

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

/// Whether somebody still waits for a tick that has come, with an expiry left.
fn is_late(kernel: &Kernel<Boxed>) -> bool {
    let has_come = |tick: u32| tick <= kernel.now();
    let on_processor = |task: &&fwvs_kernel::Task| task.role != fwvs_kernel::Role::Environment;
    let late =
        |task: &fwvs_kernel::Task| task.standing == Standing::Waiting && task.deadline.is_some_and(has_come);
    kernel.tasks().iter().filter(on_processor).any(late)
        || kernel.objects().iter().any(|object| {
            matches!(object.kind, Kind::Timer { .. })
                && object.level == timer::RUNNING
                && object.times < kernel.rules().expiries
                && has_come(object.deadline)
        })
}

/// Whatever is due in a tick is so when the tick comes, or at once if it becomes due later: nobody goes first who could not on
/// a processor. Timers that reload while their daemon is late are those that might be forgotten.
#[test]
fn nobody_of_the_processor_waits_for_a_tick_that_has_come() {
    let mut states = 0;
    for seed in 0..if full() { 10_000 } else { 1_000 } {
        let program = Program::random_ticks(seed);
        let rules = Rules { expiries: 4, clock: Clock::Ordered, ..program.rules };
        let program = Program { rules, ..program };
        let mut look = |memory: &Memory, _: End, _: &Counts| {
            for at in 0..=memory.model().length() {
                states += 1;
                assert!(!is_late(memory.kernel(at)), "seed {seed}, after {at} steps: {program:?}");
            }
            ControlFlow::Continue(())
        };
        let limits = Limits { paths: 200, ..LIMITS };
        let Ok(_) = explore(&mut Memory::new(&program), &mut *Rung::Sleep.reduction(), limits, &mut look);
    }
    assert!(states > 100_000, "{states}");
}
