//! Orders of search: the shortest path, few preemptions, few delays, and chance.

use std::ops::ControlFlow;

use fwvs_explore::{
    Bounded, Completion, Cost, Counts, End, Exhaustive, Limits, Reduction, Shortest, System, Walk, Walker,
    explore, shortest,
};
use fwvs_tests::agreement::{LIMITS, reference};
use fwvs_tests::outcome::outcome;
use fwvs_tests::{Memory, Program, Wrong};

/// Length of the shortest path to a finding, the slow way.
fn shortest_by_trying(program: &Program) -> Option<usize> {
    let mut best: Option<usize> = None;
    let mut observe = |memory: &Memory, end: End, _: &Counts| {
        if end == End::Finding {
            best = Some(best.map_or(memory.length(), |best| best.min(memory.length())));
        }
        ControlFlow::Continue(())
    };
    let Ok((completion, _)) =
        explore(&mut Memory::new(program), &mut Exhaustive::default(), LIMITS, &mut observe);
    if completion == Completion::Exhausted { best } else { None }
}

/// Somebody for whom the first finding is enough.
fn watch() -> impl FnMut(&Memory, End, &Counts) -> ControlFlow<()> {
    |_, end, _| if end == End::Finding { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

#[test]
fn the_shortest_path_is_the_shortest() {
    for count in 2..=6 {
        let mut memory = Memory::new(&Program::philosophers(count, false));
        let Ok((found, _)) = shortest(&mut memory, Limits::default(), &mut watch());
        assert!(matches!(&found, Shortest::Minimal(path) if path.len() == usize::from(count)), "{found:?}");
        assert_eq!(memory.wrong(), Some(Wrong::Deadlock));
    }
    let mut findings = 0;
    for seed in 0..300 {
        let program = Program::random(seed);
        if reference(&program).is_none() {
            continue;
        }
        let Ok((found, _)) = shortest(&mut Memory::new(&program), Limits::default(), &mut watch());
        let length = match found {
            Shortest::Minimal(path) => Some(path.len()),
            Shortest::Nothing => None,
            Shortest::Bounded(depth) => panic!("seed {seed} is not deeper than {depth}"),
        };
        findings += u32::from(length.is_some());
        assert_eq!(length, shortest_by_trying(&program), "seed {seed}");
    }
    assert!(findings > 100, "{findings}");
}

#[test]
fn the_shortest_path_says_when_it_cannot_know() {
    let mut memory = Memory::new(&Program::philosophers(4, false));
    let Ok((found, _)) = shortest(&mut memory, Limits { depth: 3, ..Limits::default() }, &mut watch());
    assert_eq!(found, Shortest::Bounded(3));
}

/// Preemptions of a path, from the definition.
fn preemptions(memory: &Memory) -> usize {
    let task = |at: usize| memory.task(memory.taken(at));
    let preempts = |at: &usize| {
        task(*at) != task(*at - 1) && memory.enabled(*at).any(|other| memory.task(other) == task(*at - 1))
    };
    (1..memory.length()).filter(preempts).count()
}

#[test]
fn a_preemption_bound_runs_every_path_within_it_once() {
    for seed in 0..200 {
        let program = Program::random(seed);
        let mut with = [0_u64; 64];
        let mut observe = |memory: &Memory, _: End, _: &Counts| {
            with[preemptions(memory)] += 1;
            ControlFlow::Continue(())
        };
        let Ok((completion, _)) =
            explore(&mut Memory::new(&program), &mut Exhaustive::default(), LIMITS, &mut observe);
        if completion != Completion::Exhausted {
            continue;
        }
        for bound in 0..4 {
            let mut reduction = Bounded::new(Cost::Preemptions, bound);
            let found = outcome(&mut Memory::new(&program), &mut reduction, LIMITS).expect("fewer paths");
            assert_eq!(found.counts.paths, with[..=bound].iter().sum::<u64>(), "seed {seed}, bound {bound}");
            let all = with[bound + 1..].iter().all(|paths| *paths == 0);
            assert_eq!(found.counts.bound_cuts == 0, all, "seed {seed}, bound {bound}");
        }
    }
}

#[test]
fn delay_bounds_grow_to_every_interleaving() {
    for seed in 0..100 {
        let program = Program::random(seed);
        let Some(reference) = reference(&program) else { continue };
        let mut before = 0;
        for bound in 0..64 {
            let mut reduction = Bounded::new(Cost::Delays, bound);
            let found = outcome(&mut Memory::new(&program), &mut reduction, LIMITS).expect("fewer paths");
            assert!(found.counts.paths >= before && found.ends.is_subset(&reference.ends), "seed {seed}");
            before = found.counts.paths;
            if found.counts.bound_cuts == 0 {
                break;
            }
        }
        assert_eq!(before, reference.counts.paths, "seed {seed}");
    }
}

/// How many paths a walk takes to the deadlock of six philosophers.
fn paths_to_deadlock(walker: Walker, seed: u32) -> u64 {
    let mut observe = |memory: &Memory, _: End, _: &Counts| match memory.wrong() {
        Some(Wrong::Deadlock) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let mut memory = Memory::new(&Program::philosophers(6, false));
    let limits = Limits { paths: 1_000_000, ..Limits::default() };
    let Ok((completion, counts)) = explore(&mut memory, &mut Walk::new(walker, seed), limits, &mut observe);
    assert_eq!(completion, Completion::Stopped, "{walker:?} found nothing");
    counts.paths
}

#[test]
fn walks_find_the_deadlock_of_six_philosophers() {
    let priorities = |changes| Walker::Priorities { changes, length: 24 };
    for walker in [Walker::Random, priorities(5), priorities(10)] {
        let mut paths: Vec<u64> = (1..=31).map(|seed| paths_to_deadlock(walker, seed)).collect();
        paths.sort_unstable();
        println!("{walker:?}: median {} of 31 seeds, from {} to {}", paths[15], paths[0], paths[30]);
        assert_eq!(
            paths_to_deadlock(walker, 7),
            paths_to_deadlock(walker, 7),
            "the same seed, the same paths"
        );
    }
}

#[test]
fn a_random_walk_comes_everywhere() {
    for seed in 0..40 {
        let program = Program::random(seed);
        let Some(reference) = reference(&program).filter(|reference| reference.counts.paths < 50) else {
            continue;
        };
        let mut walk: Box<dyn Reduction<Memory>> = Box::new(Walk::new(Walker::Random, 1));
        let mut ends = std::collections::BTreeSet::new();
        let mut observe = |memory: &Memory, _: End, _: &Counts| {
            ends.insert((0..memory.length()).map(|at| memory.taken(at)).collect::<Vec<_>>());
            ControlFlow::Continue(())
        };
        let limits = Limits { paths: 20_000, ..LIMITS };
        let Ok(_) = explore(&mut Memory::new(&program), &mut *walk, limits, &mut observe);
        assert_eq!(ends.len() as u64, reference.counts.paths, "seed {seed}");
    }
}
