//! Every rung against every interleaving, on random small programs with whatever there is: what is found, and whether and by which
//! bounds a search is not complete.

use fwvs_explore::Rung;
use fwvs_tests::agreement::Comparison;
use fwvs_tests::{Program, features, full};

#[test]
fn every_rung_says_the_same_of_bounds_that_hold_back_much() {
    let seen = Comparison {
        generate: Program::random_bounded,
        seeds: if full() { 20_000 } else { 2_000 },
        paths: 1_000,
        rungs: &Rung::ALL,
        excused: features::excused,
        features: features::of,
    }
    .run();
    seen.enough("nothing is held back", 6);
    for what in ["expiries are held back", "interrupts are held back", "the horizon holds something back"] {
        seen.enough(what, 12);
    }
    seen.enough("several traces", 2);
    seen.enough("finds NeverFull", 12);
}

#[test]
fn every_rung_finds_and_leaves_out_what_every_interleaving_does() {
    let seen = Comparison {
        generate: Program::random_wide,
        seeds: if full() { 20_000 } else { 1_500 },
        paths: 2_000,
        rungs: &Rung::ALL,
        excused: features::excused,
        features: features::of,
    }
    .run();
    seen.enough("several traces", 2);
    seen.enough("nothing is held back", 2);
    for what in ["schedule free", "schedule priority", "clock free", "clock ordered", "clock idle"] {
        seen.enough(what, 5);
    }
    let often = [
        "a task above the daemon",
        "a timer",
        "environment",
        "a semaphore that is never full",
        "an interrupt without a limit",
        "a critical section in another one",
        "asks for the tick",
        "delays until a tick",
        "finds a failed assertion",
        "expiries are held back",
        "interrupts are held back",
    ];
    for what in often {
        seen.enough(what, 12);
    }
    let seldom = [
        "a queue that is never full",
        "a timed peek",
        "a toss in a critical section",
        "a command in a critical section",
        "a command for a timer in a handler or callback",
        "a command for a line in a handler or callback",
        "the horizon holds something back",
        "finds NeverFull",
        "finds a deadlock",
        "a timed wait without an end",
        "a toss of one value",
        "a toss of more than two values",
        "a skip over several instructions",
    ];
    for what in seldom {
        seen.enough(what, 50);
    }
    for wrong in ["BlocksInCallback", "BlocksInCritical", "BlocksInHandler", "CommandsFull", "EndsInCritical"]
    {
        seen.enough(&format!("finds {wrong}"), 500);
    }
}

/// Nobody knows that an operation is the last one before a crash: whatever else goes wrong is still found, with priorities,
/// clocks, handlers and callbacks too.
#[test]
fn every_rung_finds_what_every_interleaving_does_where_something_crashes() {
    let seen = Comparison {
        generate: Program::random_wide_with_crash,
        seeds: if full() { 20_000 } else { 1_000 },
        paths: 2_000,
        rungs: &Rung::ALL,
        excused: features::excused,
        features: features::of,
    }
    .run();
    seen.enough("finds a crash", 3);
    for what in ["schedule free", "schedule priority", "clock free", "clock ordered", "clock idle"] {
        seen.enough(what, 5);
    }
    for what in
        ["finds a failed assertion", "finds a deadlock", "expiries are held back", "interrupts are held back"]
    {
        seen.enough(what, 50);
    }
}
