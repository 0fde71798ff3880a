//! Persistent sets against every interleaving, on random small programs with priorities, mutexes, timers and interrupts.
//!
//! The footprints are read off the instructions, so they are true: whoever a set leaves out must make no difference.

use std::thread;

use fwvs_explore::{Limits, Policy, Precision, Rung};
use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_program::{DECLARED, Instruction, ObjectSpec, RoleSpec, Test};
use fwvs_search::Rule;
use fwvs_tests::agreement::{Comparison, Difference, LIMITS, difference, reference, reference_within};
use fwvs_tests::outcome::{Outcome, outcome};
use fwvs_tests::{Memory, Program, full};

const RUNGS: [Rung; 3] = [
    Rung::Persistent(Precision::Task),
    Rung::Persistent(Precision::State),
    Rung::Persistent(Precision::Runtime),
];

fn transitions(program: &Program, rung: Rung) -> u64 {
    let limits = Limits { paths: u64::MAX, ..LIMITS };
    let outcome = outcome(&mut Memory::new(program), &mut *rung.reduction(), limits);
    outcome.map_or(0, |outcome| outcome.counts.transitions)
}

/// What there is in a program, and what sets make of it.
fn features(program: &Program, reference: &Outcome) -> Vec<String> {
    let mut has = Vec::new();
    let mut also = |what: &str, is: bool| has.extend(is.then(|| what.to_owned()));
    let [task, state, runtime] = RUNGS.map(|rung| transitions(program, rung));
    let environment = program.roles.contains(&RoleSpec::Environment);
    let priorities = program.rules.schedule == Schedule::Priority;
    also("a free clock", program.rules.clock == Clock::Free && program.rules.until == u32::MAX);
    also("something wrong", reference.found(|_| true));
    also("several traces", reference.traces.len() > 1);
    let saved = runtime < transitions(program, Rung::Sleep);
    also("sets that leave somebody out", saved);
    also("sets that leave somebody of a processor out", saved && priorities);
    also("phases that make sets smaller", state < task);
    also("next operations that make sets smaller", runtime < state);
    also("an environment of a processor", environment && priorities);
    also("a task that declares nothing", program.tasks.iter().any(|code| code.len() > DECLARED));
    has
}

const RTOS: Comparison = Comparison {
    generate: Program::random_rtos,
    seeds: 0,
    paths: LIMITS.paths,
    rungs: &RUNGS,
    excused: |_, _| false,
    features,
};

/// Asserts that persistent sets find all there is to be found in a program that once showed that they did not.
fn agree(roles: &[RoleSpec], schedule: Schedule, objects: &[ObjectSpec], tasks: &[&[Instruction]]) {
    let program = Program {
        objects: objects.to_vec(),
        tasks: tasks.iter().map(|code| code.to_vec()).collect(),
        roles: roles.to_vec(),
        rules: Rules { schedule, interrupts: 1, expiries: 2, ..Rules::FREE },
    };
    let reference = reference(&program).expect("few enough paths");
    assert_eq!(RTOS.check(&program, &reference), None, "{program:?}");
}

#[test]
fn who_masks_a_line_minds_its_handler() {
    let roles = [RoleSpec::Task { priority: 1 }, RoleSpec::Interrupt { times: 1, armed: true }];
    agree(&roles, Schedule::Free, &[], &[&[Instruction::Mask { list: 1 }], &[]]);
}

#[test]
fn who_enters_a_critical_section_minds_an_environment_that_waits_for_time() {
    let roles = [RoleSpec::Task { priority: 2 }, RoleSpec::Environment];
    let fails = Instruction::Assert { test: Test::IsNot(0) };
    let tasks: [&[_]; 2] = [&[Instruction::EnterCritical], &[Instruction::Delay { ticks: 3 }, fails]];
    agree(&roles, Schedule::Priority, &[], &tasks);
}

/// Whoever ends in a critical section ends the path, whether or not somebody is about to wait for its mutex.
#[test]
fn who_ends_in_a_critical_section_with_a_mutex_is_found_whoever_waits_for_it() {
    let roles = [RoleSpec::Task { priority: 3 }, RoleSpec::Environment];
    let (take, wait) = (Instruction::TryLock { object: 0 }, Instruction::Lock { object: 0 });
    let tasks: [&[_]; 2] = [&[take, Instruction::EnterCritical], &[wait]];
    agree(&roles, Schedule::Priority, &[ObjectSpec::Mutex { recursive: false }], &tasks);
}

/// Its timeouts are used up, so only the give lets it go on; the write makes a difference to what it reads then.
#[test]
fn who_has_no_expiry_left_waits_for_what_others_give() {
    let roles = [RoleSpec::Task { priority: 1 }; 3];
    let objects = [ObjectSpec::Shared, ObjectSpec::Semaphore { level: 0, max: 1 }];
    let write = Instruction::Write { object: 0, value: 1, add: false };
    let reads = [
        Instruction::Delay { ticks: 1 },
        Instruction::Delay { ticks: 1 },
        Instruction::TakeFor { object: 1, ticks: 1 },
        Instruction::Read { object: 0 },
        Instruction::Assert { test: Test::Is(1) },
    ];
    let tasks: [&[_]; 3] = [&[write], &reads, &[Instruction::Give { object: 1 }]];
    agree(&roles, Schedule::Free, &objects, &tasks);
}

#[test]
fn persistent_sets_find_what_every_interleaving_finds() {
    let seen = Comparison { seeds: if full() { 24_000 } else { 1_200 }, ..RTOS }.run();
    seen.enough("a free clock", 5);
    seen.enough("something wrong", 5);
    seen.enough("several traces", 2);
    seen.enough("sets that leave somebody out", 20);
}

#[test]
fn persistent_sets_find_what_every_interleaving_finds_where_tasks_share_little() {
    let seeds = if full() { 24_000 } else { 1_500 };
    let seen = Comparison { generate: Program::random_apart, seeds, paths: 2_000, ..RTOS }.run();
    seen.enough("something wrong", 3);
    seen.enough("several traces", 2);
    seen.enough("sets that leave somebody out", 2);
    seen.enough("sets that leave somebody of a processor out", 10);
    seen.enough("phases that make sets smaller", 10);
    seen.enough("next operations that make sets smaller", 3);
    seen.enough("an environment of a processor", 8);
    seen.enough("a task that declares nothing", 8);
}

/// Rules that make no difference to what is found, whatever the program:
///
/// - whom a task off the processor readies is held at an operation on the same object, and conflicts; but for two peeks,
///   and then somebody of the same or a higher priority was ready before;
/// - a timer that can expire conflicts with who commands it; one that cannot is in the set because of the daemon, or of who
///   commands it, and either brings the other: the daemon is never kept from its loop, since a callback that would wait ends
///   the path;
/// - which of two timers expired first, the daemon asks when it is done with a callback: they may as well expire then;
/// - a critical section ends, or the path does: what it shuts out may as well come before it;
/// - what a task does next is known in every state: that it may do more only makes sets larger, for those who ask what it
///   costs not to know.
const REDUNDANT: [Rule; 10] = [
    Rule::Readies,
    Rule::ExpireExpire,
    Rule::ExpireCommand,
    Rule::ServeCommand,
    Rule::CommandServe,
    Rule::CommandExpire,
    Rule::CommandCommand,
    Rule::MayCritical,
    Rule::Own,
    Rule::UndeclaredOwn,
];

/// Programs that need a rule which few random ones need.
fn directed() -> Vec<Program> {
    let task = |priority| RoleSpec::Task { priority };
    // Two wait for the message, the one who only looks at it in front; whoever else looks at it wakes the other one.
    let (give, take) = (|object| Instruction::Give { object }, |object| Instruction::Take { object });
    let semaphore = ObjectSpec::Semaphore { level: 0, max: 1 };
    let peek = Program {
        objects: vec![ObjectSpec::Queue { capacity: 1 }, semaphore],
        tasks: vec![
            vec![Instruction::Peek { object: 0 }],
            vec![take(1), Instruction::Receive { object: 0 }],
            vec![give(1), Instruction::Send { object: 0, value: 1, add: false }],
            vec![Instruction::TryPeek { object: 0 }],
        ],
        roles: vec![task(2), task(2), task(1), RoleSpec::Environment],
        rules: Rules { schedule: Schedule::Priority, ..Rules::FREE },
    };
    vec![peek]
}

/// Whether some program loses something without the rule.
fn is_noticed(rule: Rule, references: &[(Program, Outcome)]) -> bool {
    let loses = |rung, policy, (program, reference): &(Program, Outcome)| {
        let mut memory = Memory::without_footprint_rule(program, rule);
        matches!(difference(reference, &mut memory, rung, policy), Some(Difference::Lost(_)))
    };
    // The most precise sets are the smallest; who goes first decides which of several it is.
    [Policy::Fair, Policy::First]
        .into_iter()
        .any(|policy| references.iter().any(|one| loses(RUNGS[2], policy, one)))
}

#[test]
fn every_rule_about_footprints_is_needed() {
    let random = (0..4_000).map(Program::random_apart);
    let references: Vec<_> = directed()
        .into_iter()
        .map(|program| (reference(&program), program))
        .chain(random.map(|program| (reference_within(&program, 300), program)))
        .filter_map(|(reference, program)| Some((program, reference?)))
        .collect();
    let half = |place: usize| {
        let mine = Rule::ALL.into_iter().skip(place).step_by(2);
        mine.filter(|rule| !is_noticed(*rule, &references)).collect::<Vec<_>>()
    };
    let mut unnoticed = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut unnoticed = half(0);
        unnoticed.extend(other.join().expect("a search without a rule still ends"));
        unnoticed
    });
    unnoticed.sort_by_key(|one| Rule::ALL.iter().position(|other| one == other));
    assert_eq!(unnoticed, REDUNDANT, "rules that no program needs");
}
