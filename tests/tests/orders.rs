//! Orders of search: the shortest path, few preemptions, few delays, and chance.

use std::ops::ControlFlow;

use fwvs_explore::{
    Bounded, Completion, Cost, Counts, End, Exhaustive, Limits, Model, Reduction, Runner, Shortest, Walk,
    Walker, explore, shortest,
};
use fwvs_program::Instruction;
use fwvs_tests::agreement::{LIMITS, reference};
use fwvs_tests::chance::{SEEDS, benchmark, csv, paths_to_deadlock, table};
use fwvs_tests::memory::States;
use fwvs_tests::outcome::outcome;
use fwvs_tests::{Memory, Program, Wrong};

/// Length of the shortest path to a finding, the slow way.
fn shortest_by_trying(program: &Program) -> Option<usize> {
    let mut best: Option<usize> = None;
    let mut observe = |memory: &Memory, end: End, _: &Counts| {
        if end == End::Finding {
            best = Some(best.map_or(memory.model().length(), |best| best.min(memory.model().length())));
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

/// A depth that has a single path would run it however many had been run before.
#[test]
fn the_shortest_path_is_looked_for_with_no_more_paths_than_allowed() {
    let program = Program::philosophers(2, true);
    let paths = |bound: u64| {
        let limits = Limits { paths: bound, ..Limits::default() };
        let Ok((found, counts)) = shortest(&mut Memory::new(&program), limits, &mut watch());
        (found, counts.paths)
    };
    let (found, all) = paths(u64::MAX);
    assert_eq!(found, Shortest::Nothing);
    for bound in 1..all {
        let (found, run) = paths(bound);
        assert!(matches!(found, Shortest::Bounded(_)), "{bound}: {found:?}");
        assert_eq!(run, bound);
    }
}

/// Preemptions of a path, from the definition.
fn preemptions(memory: &Memory) -> usize {
    let task = |at: usize| memory.model().task(memory.model().taken(at));
    let able = |at: usize| memory.model().enabled(at).filter(move |it| memory.model().by_itself(at, *it));
    let switches = |at: usize| {
        at > 0 && task(at) != task(at - 1) && able(at).any(|other| memory.model().task(other) == task(at - 1))
    };
    let disturbs =
        |at: usize| !memory.model().by_itself(at, memory.model().taken(at)) && able(at).next().is_some();
    (0..memory.model().length()).filter(|at| switches(*at) || disturbs(*at)).count()
}

/// Plain ones, and some with priorities, time and interrupts.
fn programs(count: u64) -> impl Iterator<Item = Program> {
    (0..count).flat_map(|seed| [Program::random(seed), Program::random_rtos(seed)])
}

#[test]
fn a_preemption_bound_runs_every_path_within_it_once() {
    for (seed, program) in programs(120).enumerate() {
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
    for (seed, program) in programs(60).enumerate() {
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

/// The path that a system takes when nobody decides anything is the one without delays: time passes, and interrupts fire, only
/// when nobody can go on, and then in turn.
#[test]
fn without_a_delay_nobody_is_disturbed() {
    let mut disturbing = 0;
    for program in programs(300) {
        let mut observe = |memory: &Memory, _: End, counts: &Counts| {
            let one_way = |at: usize| {
                let task = memory.model().task(memory.model().taken(at));
                memory.model().enabled(at).filter(|it| memory.model().task(*it) == task).count() == 1
            };
            for at in 0..memory.model().length() {
                let task = memory.model().task(memory.model().taken(at));
                let able = |it| memory.model().task(it) != task && memory.model().by_itself(at, it);
                let outside = !memory.model().by_itself(at, memory.model().taken(at));
                assert!(!outside || !memory.model().enabled(at).any(able), "{program:?}");
                disturbing += u32::from(outside && memory.model().enabled(at).count() > 1);
            }
            let alone = (0..memory.model().length()).all(one_way);
            assert!(counts.paths == 1 || !alone, "{program:?}");
            ControlFlow::Continue(())
        };
        let mut search = Bounded::new(Cost::Delays, 0);
        let Ok(_) = explore(&mut Memory::new(&program), &mut search, LIMITS, &mut observe);
    }
    assert!(disturbing > 100, "several could have disturbed, {disturbing} times");
}

#[test]
fn walks_find_the_deadlock_of_six_philosophers() {
    let lines = benchmark();
    print!("{}", table(&lines));
    assert_eq!(csv(&lines).lines().count(), 1 + lines.len());
    for line in lines {
        assert_eq!(line.paths.len() as u32, SEEDS);
        assert!(line.median() < 200, "{:?} takes {} paths", line.walker, line.median());
        let again = [(), ()].map(|()| paths_to_deadlock(line.walker, 7));
        assert_eq!(again[0], again[1], "the same seed, the same paths");
    }
}

/// Who goes on, step by step, on the path of a seed.
fn path_with_priorities(program: &Program, seed: u32, changes: u8, length: u16) -> Vec<usize> {
    let mut path = Vec::new();
    let mut observe = |memory: &Memory, _: End, _: &Counts| {
        path = (0..memory.model().length()).map(|at| memory.model().task(memory.model().taken(at))).collect();
        ControlFlow::Break(())
    };
    let mut walk = Walk::new(Walker::Priorities { changes, length }, seed);
    let Ok(_) = explore(&mut Memory::new(program), &mut walk, LIMITS, &mut observe);
    path
}

#[test]
fn at_a_change_of_priorities_whoever_is_about_to_go_on_falls_behind_all_others() {
    const STEPS: usize = 9;
    let program = Program { tasks: vec![vec![Instruction::Event; 3]; 3], ..Program::default() };
    let mut seen = [false; STEPS];
    for seed in 0..200 {
        let order = path_with_priorities(&program, seed, 0, 9);
        assert!(order.is_sorted_by_key(|task| order.iter().position(|other| other == task)), "{order:?}");
        // One change at step k: from there on, who goes on there is the last one.
        let changed = |step: &usize| {
            let (before, after) = order.split_at(*step);
            let (last, others): (Vec<_>, Vec<_>) = after.iter().partition(|task| **task == after[0]);
            [before, &others, &last].concat()
        };
        let path = path_with_priorities(&program, seed, 1, STEPS as u16);
        let step = (0..STEPS).find(|step| changed(step) == path);
        seen[step.unwrap_or_else(|| panic!("seed {seed}: {path:?} is not a change of {order:?}"))] = true;
        // Two in the first state: the first one falls behind, then the second one, further.
        let path = path_with_priorities(&program, seed, 2, 1);
        assert_eq!(path, [&order[6..], &order[..3], &order[3..6]].concat(), "seed {seed}");
    }
    // A change within the last task's steps makes no difference, so it looks like one at the first of them.
    assert_eq!(seen, [true, true, true, true, true, true, true, false, false]);
}

#[test]
fn a_random_walk_comes_everywhere() {
    for seed in 0..40 {
        let program = Program::random(seed);
        let Some(reference) = reference(&program).filter(|reference| reference.counts.paths < 50) else {
            continue;
        };
        let mut walk: Box<dyn Reduction<States>> = Box::new(Walk::new(Walker::Random, 1));
        let mut ends = std::collections::BTreeSet::new();
        let mut observe = |memory: &Memory, _: End, _: &Counts| {
            ends.insert((0..memory.model().length()).map(|at| memory.model().taken(at)).collect::<Vec<_>>());
            ControlFlow::Continue(())
        };
        let limits = Limits { paths: 20_000, ..LIMITS };
        let Ok(_) = explore(&mut Memory::new(&program), &mut *walk, limits, &mut observe);
        assert_eq!(ends.len() as u64, reference.counts.paths, "seed {seed}");
    }
}
