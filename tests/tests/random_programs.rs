//! Every rung against every interleaving, on random small programs.

use fwvs_explore::{Policy, Rung};
use fwvs_tests::agreement::{Comparison, Difference, LIMITS, difference, reference};
use fwvs_tests::flip::{Flip, Form, Row};
use fwvs_tests::histogram::magnitude;
use fwvs_tests::outcome::Outcome;
use fwvs_tests::{Memory, Program, Wrong, full};

fn features(_: &Program, reference: &Outcome) -> Vec<String> {
    let mut has =
        vec![magnitude(reference.counts.paths, "paths"), magnitude(reference.traces.len() as u64, "traces")];
    let mut also = |what: &str, is: bool| has.extend(is.then(|| what.to_owned()));
    also("a deadlock", reference.found(|wrong| wrong == Wrong::Deadlock));
    also("a failed assertion", reference.found(|wrong| matches!(wrong, Wrong::Assertion { .. })));
    also("several traces", reference.traces.len() > 1);
    has
}

#[test]
fn every_rung_finds_what_every_interleaving_finds() {
    let seen = Comparison {
        generate: Program::random,
        seeds: if full() { 22_000 } else { 2_200 },
        paths: LIMITS.paths,
        rungs: &Rung::ALL,
        excused: |_, _| false,
        features,
    }
    .run();
    seen.enough("a deadlock", 5);
    seen.enough("a failed assertion", 5);
    seen.enough("several traces", 2);
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
    let wanted = if full() { 4_000 } else { 2_000 };
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
