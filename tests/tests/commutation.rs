//! What the kernel calls independent commutes: checked in random states of random programs, pair by pair.
//!
//! Faster and sharper than comparing whole searches, and blind to what only a search does wrong.

use fwvs_explore::{Model, Relation, Runner};
use fwvs_kernel::{Event, Transition};
use fwvs_tests::generate::Dice;
use fwvs_tests::{Memory, Program, full};

/// How many states and pairs were looked at.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    states: u64,
    pairs: u64,
    independent_here: u64,
    independent_always: u64,
}

fn enabled(memory: &Memory) -> Vec<Transition> {
    memory.kernel(0).enabled().collect()
}

fn event(memory: &Memory, transition: Transition) -> Event {
    memory.kernel(0).event(transition.task).expect("an enabled task is held at something")
}

fn is_enabled(memory: &Memory, transition: Transition) -> bool {
    memory.wrong().is_none() && memory.kernel(0).is_enabled(transition)
}

/// Why taking `a` and then `b` does not come to the same as `b` and then `a`.
fn differs(memory: &Memory, a: Transition, b: Transition) -> Option<&'static str> {
    let (after_a, after_b) = (memory.after(a), memory.after(b));
    if !is_enabled(&after_a, b) || !is_enabled(&after_b, a) {
        return Some("one keeps the other from going on");
    }
    let (one, other) = (after_a.after(b), after_b.after(a));
    if one.wrong() != other.wrong() {
        Some("something is wrong in one order only")
    } else if one.final_state() != other.final_state() {
        Some("tasks or messages differ")
    } else if !one.kernel(0).is_like(other.kernel(0)) {
        Some("the kernel differs")
    } else if enabled(&one) != enabled(&other) {
        Some("who can go on differs")
    } else {
        None
    }
}

/// What is wrong with what the kernel says of two transitions that are enabled.
fn check_pair(memory: &Memory, a: Transition, b: Transition, seen: &mut Seen) -> Option<&'static str> {
    let kernel = memory.kernel(0);
    seen.pairs += 1;
    let differs = differs(memory, a, b);
    if !kernel.dependent(a, b) {
        seen.independent_here += 1;
        if differs.is_some() {
            return differs;
        }
    }
    if !kernel.related(a, b) {
        seen.independent_always += 1;
        if differs.is_some() {
            return differs;
        }
        if event(&memory.after(a), b) != event(memory, b) {
            return Some("what one is depends on the other");
        }
    }
    None
}

/// What is wrong with what the kernel says of two transitions, the second taken after the first.
fn check_neighbours(memory: &Memory, a: Transition, b: Transition) -> Option<&'static str> {
    let after = memory.after(a);
    let related = memory.model().relation(&event(memory, a), &event(&after, b)) != Relation::Independent;
    if related {
        None
    } else if !memory.kernel(0).is_enabled(b) {
        Some("the second needs the first")
    } else if event(memory, b) != event(&after, b) {
        Some("what the second is depends on the first")
    } else {
        differs(memory, a, b)
    }
}

/// Whether what others are held at is, after a transition too, no more than the kernel says it may be in any state.
fn stays_within_its_widest(memory: &Memory, taken: Transition) -> bool {
    let (kernel, after) = (memory.kernel(0), memory.after(taken));
    let others = kernel.tasks().iter().map(|task| task.id).filter(|task| *task != taken.task);
    let known = others.filter_map(|task| Some((kernel.widest(&kernel.event(task)?), task)));
    known.into_iter().all(|(widest, task)| {
        let Some(event) = after.kernel(0).event(task) else { return true };
        // Whoever is woken, or preempted, is held at something else.
        event.operation != widest.operation
            || event.touches.0 & !widest.touches.0 == 0 && (widest.ends || !event.ends)
    })
}

fn check(seed: u64, program: &Program, mut memory: Memory, seen: &mut Seen) {
    let mut dice = Dice::new(seed);
    while memory.wrong().is_none() {
        let transitions = enabled(&memory);
        if transitions.is_empty() {
            return;
        }
        seen.states += 1;
        for (place, a) in transitions.iter().enumerate() {
            for b in transitions[place + 1..].iter().filter(|b| b.task != a.task) {
                if let Some(why) = check_pair(&memory, *a, *b, seen) {
                    panic!(
                        "seed {seed}: {:?} and {:?}: {why}\n{program:?}",
                        event(&memory, *a),
                        event(&memory, *b)
                    );
                }
            }
            let within = stays_within_its_widest(&memory, *a);
            assert!(
                within,
                "what others may be is more than said, seed {seed}: {:?}\n{program:?}",
                event(&memory, *a)
            );
            let after = memory.after(*a);
            if after.wrong().is_some() {
                continue;
            }
            for b in enabled(&after).into_iter().filter(|b| b.task != a.task) {
                if let Some(why) = check_neighbours(&memory, *a, b) {
                    panic!(
                        "seed {seed}: {:?}, then {:?}: {why}\n{program:?}",
                        event(&memory, *a),
                        event(&after, b)
                    );
                }
            }
        }
        memory = memory.after(transitions[dice.roll(transitions.len() as u64) as usize]);
    }
}

#[test]
fn what_is_independent_commutes() {
    let mut seen = Seen::default();
    for seed in 0..if full() { 200_000 } else { 20_000 } {
        let program = Program::random_rtos(seed);
        check(seed, &program, Memory::new(&program), &mut seen);
        if seed % 4 == 0 {
            let never_full = program.never_full();
            for program in
                [never_full, Program::random(seed), Program::random_apart(seed), Program::random_wide(seed)]
            {
                check(seed, &program, Memory::new(&program), &mut seen);
            }
        }
    }
    println!("{seen:#?}");
    assert!(seen.independent_here * 5 > seen.pairs, "too few pairs are independent: {seen:?}");
    assert!(seen.independent_always * 10 > seen.pairs, "too few pairs are independent: {seen:?}");
}
