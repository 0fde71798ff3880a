//! Every rung against every interleaving, on random small programs with priorities, mutexes, timers, interrupts and
//! clocks.

use std::thread;

use fwvs_explore::{Policy, Rung};
use fwvs_kernel::dependence::Touches;
use fwvs_kernel::{Rules, Schedule};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};
use fwvs_tests::agreement::{Comparison, Difference, LIMITS, difference, reference_within};
use fwvs_tests::flip::Form;
use fwvs_tests::outcome::Outcome;
use fwvs_tests::rule::{Row, Rule};
use fwvs_tests::{Memory, Program, features, full};

const RUNGS: &[Rung] = &[Rung::Sleep, Rung::Source, Rung::Optimal];

#[test]
fn every_rung_finds_what_every_interleaving_finds_where_tasks_share_little() {
    let seen = Comparison {
        generate: Program::random_apart,
        seeds: if full() { 20_000 } else { 1_000 },
        paths: 2_000,
        rungs: RUNGS,
        excused: features::excused,
        features: features::of,
    }
    .run();
    seen.enough("finds a deadlock", 5);
    seen.enough("finds a failed assertion", 5);
    seen.enough("several traces", 2);
    seen.enough("the same in every state", 20);
}

#[test]
fn every_rung_finds_what_every_interleaving_finds() {
    let seen = Comparison {
        generate: Program::random_rtos,
        seeds: if full() { 24_000 } else { 2_400 },
        paths: LIMITS.paths,
        rungs: RUNGS,
        excused: features::excused,
        features: features::of,
    }
    .run();
    seen.enough("the same in every state", 200);
    seen.enough("finds a deadlock", 5);
    seen.enough("finds nobody who can go on", 8);
    seen.enough("finds a failed assertion", 5);
    seen.enough("several traces", 2);
    for what in ["schedule free", "schedule priority", "clock free", "clock ordered", "clock idle"] {
        seen.enough(what, 4);
    }
    for what in ["environment", "an interrupt", "a timer", "a semaphore", "a queue", "a variable", "a mutex"]
    {
        seen.enough(what, 8);
    }
    for what in ["a horizon", "a path that a budget cuts", "finds Cycle"] {
        seen.enough(what, 20);
    }
    let rare = [
        "NotOwner",
        "BlocksInHandler",
        "BlocksInCritical",
        "EndsInCritical",
        "NotInCritical",
        "MutexInHandler",
    ];
    for wrong in rare {
        seen.enough(&format!("finds {wrong}"), 200);
    }
}

/// Rules that make no difference, whatever the program:
///
/// - two who make others ready from off the processor do so in any order, unless one fires, which keeps others from
///   firing; sleep sets only ever compare what is enabled;
/// - whoever acts on an object that somebody waits in line for makes somebody ready, or the object is empty or full: so
///   that is known of whom the clock takes out of a line, too;
/// - that an operation waits or is wrong without what it needs shows in what its task would do instead;
/// - of two tasks that unlock a mutex at most one owns it, and the other one is refused before and after, or ends the path;
/// - a timer that has expired is still active, until the daemon has seen it.
fn is_redundant(form: Form, rule: Rule) -> bool {
    match rule {
        Rule::Pair(Touches::LEAVES, _) => true,
        Rule::Pair(one, other) => form == Form::InState && one == Touches::READY && other == Touches::READY,
        Rule::Line | Rule::Anyway => true,
        Rule::Rows(one, other) => {
            matches!((one, other), (Row::Unlock, Row::Unlock) | (Row::Active, Row::Expire))
        }
        Rule::Alone | Rule::Ends => false,
    }
}

/// Programs that need a rule which few random ones need: two handlers, somebody who arms and somebody who masks, somebody
/// who starts a timer and somebody who asks, somebody who stops one that may have expired.
fn directed() -> Vec<Program> {
    let write = |value| vec![Instruction::Write { object: 0, value, add: false }];
    let handler = RoleSpec::Interrupt { times: 1, armed: true };
    let timer = RoleSpec::Timer { period: 1, reload: false };
    let task = RoleSpec::Task { priority: 1 };
    let program = |tasks: Vec<Vec<Instruction>>, roles: Vec<RoleSpec>, schedule| Program {
        objects: vec![ObjectSpec::Shared],
        tasks,
        roles,
        rules: Rules { schedule, expiries: 1, ..Rules::FREE },
    };
    let mut all = Vec::new();
    for schedule in [Schedule::Free, Schedule::Priority] {
        all.push(program(vec![write(1), write(2)], vec![handler, handler], schedule));
        let switch = vec![
            vec![Instruction::Arm { list: 2 }],
            vec![Instruction::Mask { list: 2 }],
            vec![Instruction::Event],
        ];
        let never_fires = RoleSpec::Interrupt { times: 0, armed: true };
        all.push(program(switch, vec![task, task, never_fires], schedule));
        let ask = vec![
            vec![Instruction::StartTimer { list: 2 }],
            vec![Instruction::IsActive { list: 2 }, Instruction::Assert { test: Test::Is(1) }],
            vec![Instruction::Event],
        ];
        all.push(program(ask, vec![task, task, timer], schedule));
        let stop = |list| {
            vec![
                Instruction::StartTimer { list },
                Instruction::Event,
                Instruction::StopTimer { list },
                Instruction::Event,
            ]
        };
        all.push(program(vec![stop(1), write(1)], vec![task, timer], schedule));
        all.push(program(vec![write(1), stop(0)], vec![timer, task], schedule));
    }
    all
}

/// Whether some program loses something without the rule.
fn is_noticed(form: Form, rule: Rule, references: &[(Program, Outcome)]) -> bool {
    let rung = match form {
        Form::InState => Rung::Sleep,
        Form::Always => Rung::Source,
    };
    let loses = |policy, (program, reference): &(Program, Outcome)| {
        let mut memory = Memory::without_rule(program, form, rule);
        matches!(difference(reference, &mut memory, rung, policy), Some(Difference::Lost(_)))
    };
    // What sleeps when depends on who goes first.
    [Policy::Fair, Policy::Stay].into_iter().any(|policy| references.iter().any(|one| loses(policy, one)))
}

#[test]
fn every_rule_of_the_dependency_table_is_needed() {
    let references: Vec<_> = directed()
        .into_iter()
        .chain((0..6_000).map(Program::random_rtos))
        .filter_map(|program| reference_within(&program, 300).map(|reference| (program, reference)))
        .collect();
    let rules: Vec<(Form, Rule)> = [Form::InState, Form::Always]
        .into_iter()
        .flat_map(|form| Rule::all().into_iter().map(move |rule| (form, rule)))
        .collect();
    let half = |place: usize| {
        let mine = rules.iter().skip(place).step_by(2).copied();
        mine.filter(|(form, rule)| !is_noticed(*form, *rule, &references)).collect::<Vec<_>>()
    };
    let mut unnoticed = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut unnoticed = half(0);
        unnoticed.extend(other.join().expect("a search without a rule still ends"));
        unnoticed
    });
    unnoticed.sort_by_key(|one| rules.iter().position(|other| one == other));
    let redundant: Vec<_> = rules.iter().copied().filter(|(form, rule)| is_redundant(*form, *rule)).collect();
    assert_eq!(unnoticed, redundant, "rules that no program needs");
}
