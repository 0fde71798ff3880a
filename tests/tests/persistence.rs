//! What a persistent set leaves out makes no difference to it: checked by doing all that it leaves out, in random states of
//! random programs.
//!
//! Sharper than comparing whole searches, where what one set loses another path may find, and blind to what only a search
//! does wrong.

use fwvs_explore::Precision;
use fwvs_kernel::Transition;
use fwvs_search::{Rule, TaskSet};
use fwvs_tests::generate::Dice;
use fwvs_tests::{Memory, Program, Wrong, full};

const PRECISIONS: [Precision; 3] = [Precision::Task, Precision::State, Precision::Runtime];

/// States that are looked at for each set, at most.
const STATES: usize = 200;

fn enabled(memory: &Memory) -> Vec<Transition> {
    memory.kernel(0).enabled().collect()
}

fn has(set: TaskSet, transition: &Transition) -> bool {
    set.contains(usize::from(transition.task.0.index))
}

/// Why it makes a difference whether `own`, of a set, comes before `other`, which is not, or after it.
fn differs(memory: &Memory, own: Transition, other: Transition) -> Option<&'static str> {
    let (after_own, after_other) = (memory.after(own), memory.after(other));
    if after_own.wrong().is_some() {
        return Some("what ends the path leaves somebody out");
    }
    if !after_own.kernel(0).is_enabled(other) {
        return Some("the set keeps another from going on");
    }
    let last_other = after_own.after(other);
    if after_other.wrong().is_some() {
        // Found whether the set goes first or not: then it may.
        return (last_other.wrong() != after_other.wrong()).then_some("the set hides what is wrong");
    }
    if !after_other.kernel(0).is_enabled(own) {
        return Some("another keeps the set from going on");
    }
    let last_own = after_other.after(own);
    let same = last_own.wrong() == last_other.wrong()
        && last_own.final_state() == last_other.final_state()
        && last_own.kernel(0).is_like(last_other.kernel(0));
    (!same).then_some("the order makes a difference")
}

/// Whether `transition` is of somebody who is stuck for ever, whoever of the set goes first.
fn is_stuck(memory: &Memory, own: &[Transition], transition: Transition) -> bool {
    let stuck = |memory: &Memory| {
        let cycle = |wrong| matches!(wrong, Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_)));
        memory.kernel(0).is_enabled(transition) && memory.after(transition).wrong().is_some_and(cycle)
    };
    stuck(memory) && own.iter().all(|own| stuck(&memory.after(*own)))
}

/// What difference those make who are not in the set, going on alone from the initial state.
fn difference(memory: &Memory, set: TaskSet) -> Option<&'static str> {
    let own: Vec<Transition> = enabled(memory).into_iter().filter(|one| has(set, one)).collect();
    let mut left = vec![memory.clone()];
    for _ in 0..STATES {
        let state = left.pop()?;
        let (mine, others): (Vec<_>, Vec<_>) = enabled(&state).into_iter().partition(|one| has(set, one));
        if own.iter().any(|one| !mine.contains(one)) {
            return Some("another keeps the set from going on");
        }
        if mine.iter().any(|one| !own.contains(one) && !is_stuck(&state, &own, *one)) {
            return Some("another lets somebody of the set go on");
        }
        for other in others {
            if let Some(why) = own.iter().find_map(|own| differs(&state, *own, other)) {
                return Some(why);
            }
            left.extend(Some(state.after(other)).filter(|next| next.wrong().is_none()));
        }
    }
    None
}

/// Looks at the sets of every state of a random path, and says what is wrong with one of them.
fn check(memory: Memory, dice: &mut Dice, sets: &mut u64) -> Option<&'static str> {
    let mut memory = memory;
    loop {
        let transitions = enabled(&memory);
        if transitions.is_empty() || memory.wrong().is_some() {
            return None;
        }
        let next = transitions[dice.roll(transitions.len() as u64) as usize];
        for precision in PRECISIONS {
            let set = memory.persistent_set(precision, usize::from(next.task.0.index));
            if transitions.iter().all(|one| has(set, one)) {
                continue;
            }
            assert!(transitions.iter().any(|one| has(set, one)), "somebody of a set can go on");
            *sets += 1;
            if let Some(why) = difference(&memory, set) {
                return Some(why);
            }
        }
        memory = memory.after(next);
    }
}

#[test]
fn what_a_set_leaves_out_makes_no_difference_to_it() {
    let (mut sets, programs) = (0, if full() { 50_000 } else { 2_000 });
    for seed in 0..programs {
        for program in [Program::random_apart(seed), Program::random_rtos(seed)] {
            let found = check(Memory::new(&program), &mut Dice::new(seed), &mut sets);
            assert_eq!(found, None, "seed {seed}: {program:?}");
        }
    }
    println!("{sets} sets that leave somebody out");
    assert!(sets > programs * 4, "only {sets} sets leave somebody out");
}

/// Rules that no random program needs for its sets to be persistent. `persistent_rtos` says why.
const REDUNDANT: [Rule; 9] = [
    Rule::Readies,
    Rule::ExpireExpire,
    Rule::ExpireCommand,
    Rule::ServeCommand,
    Rule::CommandServe,
    Rule::CommandExpire,
    Rule::CommandCommand,
    Rule::Own,
    Rule::UndeclaredOwn,
];

#[test]
fn without_a_rule_some_set_is_not_persistent() {
    let is_missed = |rule: &Rule| {
        (0..6_000).any(|seed| {
            let program = Program::random_apart(seed);
            let memory = Memory::without_footprint_rule(&program, *rule);
            check(memory, &mut Dice::new(seed), &mut 0).is_some()
        })
    };
    // That nothing misses a rule takes longest to see.
    let asked = Rule::ALL.into_iter().filter(|rule| full() || !REDUNDANT.contains(rule));
    let unnoticed: Vec<Rule> = asked.filter(|rule| !is_missed(rule)).collect();
    let expected = if full() { &REDUNDANT[..] } else { &[] };
    assert_eq!(unnoticed, expected, "rules that no set needs");
}
