//! What every reduction makes of the dining philosophers: the numbers that were published or derived by hand.

use std::ops::ControlFlow;

use fwvs_explore::{
    Completion, Counts, End, Limits, Optimal, Persistent, Policy, Precision, Reduction, Sleep, Source,
    explore,
};
use fwvs_tests::memory::States;
use fwvs_tests::{Memory, Program, Wrong};

fn run(count: u8, policy: Policy, mut reduction: impl Reduction<States>) -> (Counts, u64) {
    let mut deadlocks = 0;
    let mut observe = |memory: &Memory, end: End, _: &Counts| {
        deadlocks += u64::from(end != End::Asleep && memory.wrong() == Some(Wrong::Deadlock));
        ControlFlow::Continue(())
    };
    let mut memory = Memory::new(&Program::philosophers(count, false));
    let Ok((completion, counts)) =
        explore(&mut memory, &mut reduction, Limits { policy, ..Limits::default() }, &mut observe);
    assert_eq!(completion, Completion::Exhausted);
    (counts, deadlocks)
}

#[test]
fn sleep_sets_run_the_published_number_of_transitions() {
    for (count, transitions) in [(2, 17), (3, 97), (4, 489), (5, 2_371), (6, 11_345)] {
        for policy in [Policy::Fair, Policy::First] {
            let (counts, deadlocks) = run(count, policy, Sleep::default());
            assert_eq!(counts.transitions, transitions, "{count} philosophers, {policy:?}");
            assert!(deadlocks > 0);
        }
    }
}

#[test]
fn source_sets_run_each_trace_once() {
    for (count, bound) in [(2, 17), (3, 66), (4, 184), (5, 443), (6, 987)] {
        for policy in [Policy::First, Policy::Fair] {
            let (counts, deadlocks) = run(count, policy, Source::default());
            println!("{count} philosophers, {policy:?}: {counts:?}");
            assert_eq!(counts.sleep_blocked, 0, "{count} philosophers");
            assert_eq!(counts.paths, (1 << count) - 1, "{count} philosophers");
            assert_eq!(deadlocks, 1);
            // A fair path strays further from the one before: as many paths, more transitions.
            let bound = if policy == Policy::First { bound } else { bound * 4 / 3 };
            assert!(counts.transitions <= bound, "{count} philosophers: {}", counts.transitions);
        }
    }
}

/// Transitions of 2 to 6 philosophers. The last row is what was published; the others are what it costs to know less.
const PERSISTENT: [(Precision, [u64; 5]); 3] = [
    (Precision::Task, [17, 97, 472, 1_882, 7_089]),
    (Precision::State, [17, 77, 286, 924, 2_826]),
    (Precision::Runtime, [17, 67, 198, 507, 1_205]),
];

#[test]
fn persistent_sets_run_the_published_number_of_transitions() {
    for (precision, transitions) in PERSISTENT {
        for (count, transitions) in (2..).zip(transitions) {
            for policy in [Policy::First, Policy::Fair] {
                let (counts, deadlocks) = run(count, policy, Persistent::new(precision));
                println!("{count} philosophers, {precision:?}, {policy:?}: {counts:?}");
                assert_eq!((counts.paths, deadlocks), ((1 << count) - 1, 1), "{count} philosophers");
                if policy == Policy::First {
                    assert_eq!(counts.transitions, transitions, "{count} philosophers, {precision:?}");
                }
            }
        }
    }
}

#[test]
fn what_a_footprint_does_not_have_is_noticed() {
    let mut memory = Memory::new(&Program::philosophers(2, false));
    let mut reduction = Persistent::new(Precision::Task);
    let mut observe = |_: &Memory, _: End, _: &Counts| ControlFlow::Continue(());
    let Ok(_) = explore(&mut memory, &mut reduction, Limits::default(), &mut observe);
    assert_eq!(reduction.undeclared(), None);
    memory.hide_footprint(1);
    let mut reduction = Persistent::new(Precision::Task);
    let Ok(_) = explore(&mut memory, &mut reduction, Limits::default(), &mut observe);
    assert_eq!(reduction.undeclared().map(|transition| transition.task.0.index), Some(1));
}

#[test]
fn wakeup_trees_run_each_trace_once() {
    for (place, count) in (2..=10).enumerate() {
        for policy in [Policy::First, Policy::Fair] {
            let (counts, deadlocks) = run(count, policy, Optimal::default());
            println!("{count} philosophers, {policy:?}: {counts:?}");
            assert_eq!((counts.paths, counts.sleep_blocked), ((1 << count) - 1, 0), "{count} philosophers");
            assert_eq!(deadlocks, 1);
            if let (Policy::First, Some(bound)) = (policy, [17, 65, 173, 400, 858].get(place)) {
                assert!(counts.transitions <= *bound, "{count} philosophers: {}", counts.transitions);
            }
        }
    }
}
