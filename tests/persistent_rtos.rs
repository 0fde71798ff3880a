//! Persistent sets against every interleaving, on random small programs with priorities, mutexes, timers and interrupts.
//!
//! The footprints are read off the instructions, so they are true: whoever a set leaves out must make no difference.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use fwvs_explore::{Policy, Precision, Rung};
use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};
use fwvs_tests::agreement::{Difference, LIMITS, difference, reference, shrink};
use fwvs_tests::outcome::{Outcome, outcome};
use fwvs_tests::{Memory, Program};

const RUNGS: [Rung; 3] = [
    Rung::Persistent(Precision::Task),
    Rung::Persistent(Precision::State),
    Rung::Persistent(Precision::Runtime),
];

/// What was compared.
#[derive(Clone, Copy, Default, Debug)]
struct Mix {
    programs: u64,
    /// With more interleavings than are worth their time.
    too_large: u64,
    /// With a clock and a horizon that let sets leave somebody out.
    free_clock: u64,
    finding: u64,
    several_traces: u64,
    /// Where persistent sets save transitions that sleep sets alone would have taken.
    saved: u64,
}

impl Mix {
    fn and(self, other: Self) -> Self {
        Self {
            programs: self.programs + other.programs,
            too_large: self.too_large + other.too_large,
            free_clock: self.free_clock + other.free_clock,
            finding: self.finding + other.finding,
            several_traces: self.several_traces + other.several_traces,
            saved: self.saved + other.saved,
        }
    }
}

fn programs() -> u64 {
    if std::env::var_os("FWVS_FULL").is_some() { 20_000 } else { 2_000 }
}

fn transitions(program: &Program, rung: Rung) -> Option<u64> {
    outcome(&mut Memory::new(program), &mut *rung.reduction::<Memory>(), LIMITS)
        .map(|outcome: Outcome| outcome.counts.transitions)
}

fn check(program: &Program, mix: &mut Mix) -> Option<(Rung, Policy, Difference)> {
    let Some(reference) = reference(program) else {
        mix.too_large += 1;
        return None;
    };
    mix.programs += 1;
    mix.free_clock += u64::from(program.rules.clock == Clock::Free && program.rules.until == u32::MAX);
    mix.finding += u64::from(reference.found(|_| true));
    mix.several_traces += u64::from(reference.traces.len() > 1);
    for rung in RUNGS {
        for policy in [Policy::Fair, Policy::First] {
            if let Some(difference) = difference(&reference, &mut Memory::new(program), rung, policy) {
                return Some((rung, policy, difference));
            }
        }
    }
    mix.saved += u64::from(transitions(program, RUNGS[2]) < transitions(program, Rung::Sleep));
    None
}

/// Asserts that persistent sets find all there is to be found in a program that once showed that they did not.
fn agree(roles: &[RoleSpec], schedule: Schedule, objects: &[ObjectSpec], tasks: &[&[Instruction]]) {
    let program = Program {
        objects: objects.to_vec(),
        tasks: tasks.iter().map(|code| code.to_vec()).collect(),
        roles: roles.to_vec(),
        rules: Rules { schedule, interrupts: 1, expiries: 2, ..Rules::FREE },
    };
    let found = check(&program, &mut Mix::default());
    assert_eq!(found, None, "{program:?}");
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
    let (next, wanted) = (AtomicU64::new(0), programs());
    let worker = || {
        let mut mix = Mix::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= wanted + wanted / 5 {
                return mix;
            }
            let program = Program::random_rtos(seed);
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
    let mix = mixes.into_iter().fold(Mix::default(), Mix::and);
    println!("{mix:#?}");
    assert!(mix.programs >= wanted, "too few programs are small enough: {mix:?}");
    assert!(mix.free_clock * 5 >= mix.programs, "too few programs have a free clock: {mix:?}");
    assert!(mix.finding * 5 >= mix.programs, "too few programs have something wrong: {mix:?}");
    assert!(mix.several_traces * 2 >= mix.programs, "too few programs have several traces: {mix:?}");
    assert!(mix.saved * 20 >= mix.programs, "too few sets leave somebody out: {mix:?}");
}
