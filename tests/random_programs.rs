//! Every rung against every interleaving, on random small programs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use fwvs_explore::{Policy, Rung};
use fwvs_tests::agreement::{Difference, difference, reference, shrink};
use fwvs_tests::flip::{Flip, Form, Row};
use fwvs_tests::{Memory, Program, Wrong};

/// What the generator made.
#[derive(Clone, Copy, Default, Debug)]
struct Mix {
    programs: u64,
    too_large: u64,
    deadlock: u64,
    assertion: u64,
    several_traces: u64,
    /// Programs with up to 1, 10, 100, 1,000, 10,000 paths, and more.
    paths: [u64; 6],
    traces: [u64; 6],
}

fn bucket(count: u64) -> usize {
    (0..5).find(|power| count <= 10_u64.pow(*power)).unwrap_or(5) as usize
}

fn programs() -> u64 {
    if std::env::var_os("FWVS_FULL").is_some() { 20_000 } else { 2_000 }
}

fn check(program: &Program, mix: &mut Mix) -> Option<(Rung, Policy, Difference)> {
    let Some(reference) = reference(program) else {
        mix.too_large += 1;
        return None;
    };
    mix.programs += 1;
    mix.deadlock += u64::from(reference.found(|wrong| wrong == Wrong::Deadlock));
    mix.assertion += u64::from(reference.found(|wrong| matches!(wrong, Wrong::Assertion { .. })));
    mix.several_traces += u64::from(reference.traces.len() > 1);
    mix.paths[bucket(reference.counts.paths)] += 1;
    mix.traces[bucket(reference.traces.len() as u64)] += 1;
    for rung in Rung::ALL {
        for policy in [Policy::Fair, Policy::First] {
            if let Some(difference) = difference(&reference, &mut Memory::new(program), rung, policy) {
                return Some((rung, policy, difference));
            }
        }
    }
    None
}

#[test]
fn every_rung_finds_what_every_interleaving_finds() {
    let (next, wanted) = (AtomicU64::new(0), programs());
    let worker = || {
        let mut mix = Mix::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let program = Program::random(seed);
            if seed >= wanted + wanted / 10 {
                return mix;
            }
            if let Some((rung, policy, found)) = check(&program, &mut mix) {
                let fails = |candidate: &Program| {
                    reference(candidate).is_some_and(|reference| {
                        difference(&reference, &mut Memory::new(candidate), rung, policy).is_some()
                    })
                };
                let small = shrink(&program, fails);
                panic!("seed {seed}, {rung:?}, {policy:?}: {found:?}, for example on {small:?}");
            }
        }
    };
    let mixes: Vec<Mix> = thread::scope(|scope| {
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.into_iter().map(|worker| worker.join().expect("every program agrees")).collect()
    });
    let mut mix = Mix::default();
    for one in mixes {
        mix.programs += one.programs;
        mix.too_large += one.too_large;
        mix.deadlock += one.deadlock;
        mix.assertion += one.assertion;
        mix.several_traces += one.several_traces;
        for power in 0..6 {
            mix.paths[power] += one.paths[power];
            mix.traces[power] += one.traces[power];
        }
    }
    println!("{mix:#?}");
    assert!(mix.programs >= wanted, "too few programs are small enough: {mix:?}");
    assert!(mix.deadlock * 5 >= mix.programs, "too few programs deadlock: {mix:?}");
    assert!(mix.assertion * 5 >= mix.programs, "too few programs fail an assertion: {mix:?}");
    assert!(mix.several_traces * 2 >= mix.programs, "too few programs have several traces: {mix:?}");
}

/// Entries that make no difference, whatever the program. Sleep sets only ever compare transitions that are enabled:
///
/// - a blocking send and a blocking receive or peek depend on each other when the queue is empty or full, and then one
///   of them is not enabled;
/// - a take that sleeps while another one takes the last unit cannot be taken anyway, and the give that brings a unit
///   wakes it up.
const REDUNDANT: [(Form, Row, Row); 4] = [
    (Form::InState, Row::Take, Row::Take),
    (Form::InState, Row::Send, Row::Receive),
    (Form::InState, Row::Send, Row::Peek),
    (Form::InState, Row::TrySend, Row::Peek),
];

#[test]
fn every_entry_of_the_dependency_table_is_needed() {
    let wanted = programs().min(4_000);
    let references: Vec<_> = (0..wanted)
        .map(Program::random)
        .filter_map(|program| reference(&program).map(|reference| (program, reference)))
        .filter(|(_, reference)| reference.counts.paths <= 2_000)
        .collect();
    let unnoticed = |flip: &Flip| {
        let rung = match flip.form {
            Form::InState => Rung::Sleep,
            Form::Always => Rung::Source,
        };
        !references.iter().any(|(program, reference)| {
            let mut memory = Memory::flipped(program, *flip);
            let difference = difference(reference, &mut memory, rung, Policy::Fair);
            matches!(difference, Some(Difference::Lost(_)))
        })
    };
    let entry = |flip: Flip| (flip.form, flip.rows.0, flip.rows.1);
    let unnoticed: Vec<_> = Flip::all().into_iter().filter(unnoticed).map(entry).collect();
    assert_eq!(unnoticed, REDUNDANT, "entries that no program needs");
}
