//! Whether a search is complete does not depend on the reduction: a bound inside the system that holds something back in any
//! state that can be reached is seen by every one of them, also where no path goes through that state.

use fwvs_explore::{Bounds, Rung};
use fwvs_kernel::{Clock, Cuts, Rules, Schedule};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test, UNLIMITED};
use fwvs_tests::agreement::{POLICIES, difference, reference};
use fwvs_tests::console::Console;
use fwvs_tests::outcome::Outcome;
use fwvs_tests::{Memory, Program, features};

const EXPIRIES: Cuts = Cuts { interrupts: false, expiries: true, until: false };
const INTERRUPTS: Cuts = Cuts { interrupts: true, expiries: false, until: false };
const UNTIL: Cuts = Cuts { interrupts: false, expiries: false, until: true };

/// What every interleaving finds, and every reduction.
fn all_say(program: &Program, expected: Cuts) -> Outcome {
    let reference = reference(program).expect("few enough paths");
    assert_eq!(Cuts::from_bits(reference.held_back.0), expected, "{program:?}");
    for rung in Rung::ALL {
        for policy in POLICIES {
            let found = difference(&reference, &mut Memory::new(program), rung, policy);
            let found = found.filter(|found| !features::excused(program, found));
            assert_eq!(found, None, "{rung:?}, {policy:?}, {program:?}");
        }
    }
    reference
}

/// The second task has used up its only expiry when it waits for the unit; only if the unit comes late must it wait in vain.
fn late_unit(giver: RoleSpec, schedule: Schedule, expiries: u16) -> Program {
    Program {
        objects: vec![ObjectSpec::Semaphore { level: 0, max: 1 }],
        tasks: vec![
            vec![Instruction::Give { object: 0 }],
            vec![
                Instruction::Delay { ticks: 1 },
                Instruction::TakeFor { object: 0, ticks: 1 },
                Instruction::Assert { test: Test::IsNot(0) },
            ],
        ],
        roles: vec![giver, RoleSpec::Task { priority: 1 }],
        rules: Rules { schedule, expiries, ..Rules::FREE },
    }
}

#[test]
fn a_timeout_that_the_budget_holds_back_where_no_path_goes_is_seen() {
    let task = RoleSpec::Task { priority: 1 };
    for (giver, schedule) in [(task, Schedule::Free), (RoleSpec::Environment, Schedule::Priority)] {
        let bounded = all_say(&late_unit(giver, schedule, 1), EXPIRIES);
        assert!(!bounded.found(|_| true), "nothing is found within the bound");
        let more = all_say(&late_unit(giver, schedule, 2), Cuts::default());
        assert!(more.found(|_| true), "the check fails behind it");
    }
}

/// The line is armed for a moment, which the search may spend in the critical section that keeps it from firing.
#[test]
fn a_line_that_the_budget_holds_back_for_a_moment_is_seen() {
    let program = Program {
        objects: Vec::new(),
        tasks: vec![
            vec![Instruction::EnterCritical, Instruction::ExitCritical],
            vec![Instruction::Arm { list: 2 }, Instruction::Mask { list: 2 }],
            vec![],
        ],
        roles: vec![
            RoleSpec::Task { priority: 1 },
            RoleSpec::Environment,
            RoleSpec::Interrupt { times: UNLIMITED, armed: false },
        ],
        rules: Rules { interrupts: 0, ..Rules::FREE },
    };
    all_say(&program, INTERRUPTS);
}

/// The path ends in the critical section; before it, time would have passed.
#[test]
fn a_delay_beyond_the_horizon_is_seen_beside_a_critical_section_that_never_ends() {
    let program = Program {
        objects: Vec::new(),
        tasks: vec![vec![Instruction::EnterCritical], vec![Instruction::DelayUntil { tick: 3 }]],
        roles: vec![RoleSpec::Task { priority: 4 }, RoleSpec::Environment],
        rules: Rules { schedule: Schedule::Priority, clock: Clock::Ordered, until: 2, ..Rules::FREE },
    };
    all_say(&program, UNTIL);
}

/// Two things keep the timeout from being possible, and neither needs the other: the unit, and the critical section.
#[test]
fn a_timeout_is_seen_that_two_events_keep_away_which_do_not_depend_on_each_other() {
    let program = Program {
        objects: vec![ObjectSpec::Semaphore { level: 0, max: 1 }],
        tasks: vec![
            vec![Instruction::Give { object: 0 }],
            vec![Instruction::EnterCritical],
            vec![
                Instruction::Delay { ticks: 1 },
                Instruction::Event,
                Instruction::TakeFor { object: 0, ticks: 1 },
            ],
        ],
        roles: vec![RoleSpec::Environment, RoleSpec::Task { priority: 1 }, RoleSpec::Environment],
        rules: Rules { expiries: 1, ..Rules::FREE },
    };
    all_say(&program, EXPIRIES);
}

#[test]
fn bounds_are_told_apart_and_put_together() {
    let [one, other] = [INTERRUPTS, UNTIL].map(|cuts| Bounds(cuts.bits()));
    assert_eq!((one | other).without(one), other);
    assert_eq!(Cuts::from_bits((one | other).0), Cuts { expiries: false, ..Cuts::from_bits(7) });
}

/// The two programs with which it was seen first, as firmware.
#[test]
fn no_reduction_says_complete_on_the_target_where_another_one_says_bounded() {
    let console = Console::new();
    let task = RoleSpec::Task { priority: 1 };
    let cases = [(task, Schedule::Free, "free"), (RoleSpec::Environment, Schedule::Priority, "priority")];
    for (giver, schedule, name) in cases {
        let bytes: String =
            late_unit(giver, schedule, 1).encode().iter().map(|byte| format!("{byte:02x}")).collect();
        let set = format!("program={bytes}");
        for reduction in ["none", "sleep", "persistent", "source", "optimal"] {
            let explore = |expiries: &str| {
                let options = ["--example", "program", "--set", &set, "--schedule", name];
                let bounds = ["--expiries", expiries, "--reduction", reduction];
                let explored = console.explore(&[&options[..], &bounds].concat());
                (explored.counts().0.to_owned(), explored.summary()["within"].to_string())
            };
            let (verdict, bounds) = explore("1");
            assert_eq!(verdict, "complete-within-bounds", "{name}, {reduction}");
            assert!(bounds.contains("--expiries 1"), "{name}, {reduction}: {bounds}");
            assert_eq!(explore("2").0, "found", "{name}, {reduction}");
        }
    }
}
