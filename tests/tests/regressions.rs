//! Small systems on which plausible shortcuts of the search went wrong.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fwvs_explore::{Counts, End, Limits, Policy, Rung, explore};
use fwvs_kernel::{Boxed, Clock, Kernel, NoBodies, Operation, Position, Rules, Schedule, Transition};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};
use fwvs_tests::agreement::{Difference, LIMITS, POLICIES, difference, reference, reference_within};
use fwvs_tests::outcome::{Outcome, outcome};
use fwvs_tests::{Memory, Program, Wrong, full};

fn agrees(program: &Program) {
    let reference = reference(program).expect("few enough paths");
    for rung in Rung::ALL {
        for policy in [Policy::Fair, Policy::First] {
            let found = difference(&reference, &mut Memory::new(program), rung, policy);
            assert_eq!(found, None, "{rung:?}, {policy:?}");
        }
    }
}

/// The same for programs with more than tasks and plain objects. Wakeup trees may begin runs in vain there.
fn agrees_but_for_footprints(program: &Program) {
    let reference = reference(program).expect("few enough paths");
    for rung in [Rung::Sleep, Rung::Source, Rung::Optimal] {
        for policy in [Policy::Fair, Policy::First] {
            let found = difference(&reference, &mut Memory::new(program), rung, policy);
            assert!(matches!(found, None | Some(Difference::InVain(_))), "{rung:?}, {policy:?}: {found:?}");
        }
    }
}

/// The trace in which they eat in the order 2, 0, 1 goes missing first.
#[test]
fn three_philosophers_have_seven_traces() {
    let program = Program::philosophers(3, false);
    assert_eq!(reference(&program).map(|reference| reference.traces.len()), Some(7));
    agrees(&program);
}

/// Races with an operation that is blocked, and with more than the latest event.
#[test]
fn a_blocked_take_races_with_more_than_the_latest_event() {
    let take = |object| Instruction::Take { object };
    agrees(&Program {
        objects: vec![
            ObjectSpec::Semaphore { level: 1, max: 255 },
            ObjectSpec::Semaphore { level: 2, max: 255 },
        ],
        tasks: vec![vec![take(0), Instruction::Give { object: 0 }], vec![take(1)], vec![take(1), take(0)]],
        ..Program::default()
    });
}

/// On one processor the ready set is an object too: that the low task goes on at all depends on where the high one is, and
/// what the environment takes in between decides what the low one finds.
#[test]
fn the_environment_takes_what_a_preempted_task_wanted() {
    let take = |object| Instruction::Take { object };
    for (low, high) in [(1, 2), (1, 1)] {
        for clock in [Clock::Free, Clock::Ordered, Clock::Idle] {
            agrees_but_for_footprints(&Program {
                objects: vec![
                    ObjectSpec::Semaphore { level: 1, max: 255 },
                    ObjectSpec::Semaphore { level: 0, max: 255 },
                    ObjectSpec::Shared,
                ],
                tasks: vec![
                    vec![take(0), Instruction::Write { object: 2, value: 1, add: false }],
                    vec![Instruction::Give { object: 1 }],
                    vec![take(0)],
                ],
                roles: vec![
                    RoleSpec::Task { priority: low },
                    RoleSpec::Task { priority: high },
                    RoleSpec::Environment,
                ],
                rules: Rules { schedule: Schedule::Priority, clock, ..Rules::FREE },
            });
        }
    }
}

/// An expiry that waits until everybody else is idle, and a unit that comes before they are: the take that is served does
/// not depend on them, the one that expires does.
#[test]
fn an_expiry_races_with_what_comes_before_everybody_is_idle() {
    agrees_but_for_footprints(&Program {
        objects: vec![ObjectSpec::Semaphore { level: 0, max: 255 }],
        tasks: vec![
            vec![Instruction::Event; 3],
            vec![Instruction::TakeFor { object: 0, ticks: 2 }],
            vec![Instruction::Give { object: 0 }],
        ],
        roles: vec![
            RoleSpec::Task { priority: 1 },
            RoleSpec::Task { priority: 2 },
            RoleSpec::Interrupt { times: 1, armed: true },
        ],
        rules: Rules { clock: Clock::Idle, ..Rules::FREE },
    });
}

/// Out of the critical section, which it does not obey, the environment's take is served; it might have expired before.
#[test]
fn a_timeout_races_with_a_critical_section_that_shuts_out_only_its_expiry() {
    agrees_but_for_footprints(&Program {
        objects: vec![ObjectSpec::Semaphore { level: 0, max: 1 }],
        tasks: vec![
            vec![Instruction::EnterCritical, Instruction::Give { object: 0 }],
            vec![Instruction::TakeFor { object: 0, ticks: 2 }],
        ],
        roles: vec![RoleSpec::Task { priority: 2 }, RoleSpec::Environment],
        rules: Rules { schedule: Schedule::Priority, ..Rules::FREE },
    });
}

/// The receive is served where the send comes first. Without it, it expires, and whoever reads the tick can tell, although
/// it cannot tell a receive that is served.
#[test]
fn a_timeout_that_did_not_come_races_with_who_reads_the_tick_after_it() {
    agrees_but_for_footprints(&Program {
        objects: vec![ObjectSpec::Queue { capacity: 2 }],
        tasks: vec![
            vec![Instruction::Event, Instruction::Event, Instruction::Tick],
            vec![Instruction::Event, Instruction::TrySend { object: 0, value: 2, add: false }],
            vec![Instruction::ReceiveFor { object: 0, ticks: 1 }],
        ],
        ..Program::default()
    });
}

/// Who arrives at the lock of a mutex whose holder has ended is stuck; whether it is depends on who came first.
#[test]
fn a_mutex_that_is_never_given_back_hides_no_other_finding() {
    let lock = Instruction::Lock { object: 0 };
    for schedule in [Schedule::Priority, Schedule::Free] {
        agrees_but_for_footprints(&Program {
            objects: vec![ObjectSpec::Mutex { recursive: true }],
            tasks: vec![vec![Instruction::EnterCritical, lock], vec![lock]],
            roles: vec![RoleSpec::Task { priority: 3 }, RoleSpec::Environment],
            rules: Rules { schedule, clock: Clock::Ordered, ..Rules::FREE },
        });
    }
}

/// An unlock that is refused becomes wrong once somebody has locked, and then depends on everything.
#[test]
fn an_operation_that_becomes_wrong_is_tried_against_what_it_did_not_depend_on() {
    let unlock = Instruction::Unlock { object: 0 };
    agrees_but_for_footprints(&Program {
        objects: vec![ObjectSpec::Mutex { recursive: false }],
        tasks: vec![
            vec![Instruction::TryLock { object: 0 }],
            vec![unlock; 2],
            vec![Instruction::LockFor { object: 0, ticks: 1 }],
        ],
        roles: vec![RoleSpec::Task { priority: 1 }, RoleSpec::Task { priority: 1 }, RoleSpec::Environment],
        rules: Rules { schedule: Schedule::Priority, expiries: 1, ..Rules::FREE },
    });
}

/// One alternative of a toss is asleep, the other is not: a race with the toss means both.
#[test]
fn an_alternative_that_is_awake_is_run_where_another_one_sleeps() {
    agrees_but_for_footprints(&Program {
        objects: Vec::new(),
        tasks: vec![
            vec![Instruction::Event, Instruction::Event, Instruction::StartTimer { list: 2 }],
            vec![Instruction::Event, Instruction::Toss { bound: 1 }],
            Vec::new(),
        ],
        roles: vec![
            RoleSpec::Task { priority: 1 },
            RoleSpec::Task { priority: 1 },
            RoleSpec::Timer { period: 1, reload: false },
        ],
        rules: Rules { expiries: 2, until: 5, ..Rules::FREE },
    });
}

/// One task uses up the whole depth, and a reduction that sees no race never runs the other: that must show.
#[test]
fn a_depth_bound_that_cuts_is_counted() {
    let program = Program {
        objects: Vec::new(),
        tasks: vec![vec![Instruction::Event; 5], vec![Instruction::Assert { test: Test::IsNot(0) }]],
        ..Program::default()
    };
    let run = |rung: Rung, depth| {
        let mut memory = Memory::new(&program);
        let mut observe = |_: &Memory, _: End, _: &Counts| ControlFlow::Continue(());
        let limits = Limits { depth, policy: Policy::First, ..LIMITS };
        let Ok((_, counts)) = explore(&mut memory, &mut *rung.reduction(), limits, &mut observe);
        counts.depth_cuts
    };
    for rung in Rung::ALL {
        assert!(run(rung, 5) > 0, "{rung:?} must say that the depth bound cut something");
        assert_eq!(run(rung, 6), 0, "{rung:?}");
    }
}

/// Sleep sets hold pairs of task and alternative; a task that is scheduled is scheduled with all its alternatives.
#[test]
fn every_alternative_of_a_toss_is_run_wherever_its_task_is_scheduled() {
    let (toss, write) =
        (Instruction::Toss { bound: 2 }, Instruction::Write { object: 0, value: 0, add: true });
    let read = [Instruction::Read { object: 0 }, Instruction::Assert { test: Test::IsNot(2) }];
    let objects = vec![ObjectSpec::Shared];
    agrees(&Program {
        objects: objects.clone(),
        tasks: vec![vec![toss, write], read.to_vec()],
        ..Program::default()
    });
    agrees(&Program {
        objects: objects.clone(),
        tasks: vec![vec![toss, write], vec![toss, write], read.to_vec()],
        ..Program::default()
    });
    agrees(&Program {
        objects,
        tasks: vec![vec![write, toss], vec![toss, write, toss], read.to_vec()],
        ..Program::default()
    });
}

/// A failing assertion ends the path, so it must be tried against everything else that was possible.
#[test]
fn a_failing_assertion_hides_no_other_finding() {
    let fails = Instruction::Assert { test: Test::IsNot(0) };
    agrees(&Program {
        objects: vec![ObjectSpec::Semaphore { level: 1, max: 1 }],
        tasks: vec![
            vec![fails],
            vec![Instruction::Take { object: 0 }, fails],
            vec![Instruction::Take { object: 0 }, Instruction::Event, Instruction::Take { object: 0 }],
        ],
        ..Program::default()
    });
}

/// Messages are happens-before edges, not races: one path, however long the queue.
#[test]
fn a_producer_and_a_consumer_have_one_trace() {
    let program = Program {
        objects: vec![ObjectSpec::Queue { capacity: 2 }],
        tasks: vec![
            vec![Instruction::Send { object: 0, value: 1, add: false }; 6],
            vec![Instruction::Receive { object: 0 }; 6],
        ],
        ..Program::default()
    };
    for rung in [Rung::Source, Rung::Optimal] {
        let found = outcome(&mut Memory::new(&program), &mut *rung.reduction(), LIMITS);
        let counts = found.expect("few paths").counts;
        assert_eq!((counts.paths, counts.transitions, counts.sleep_blocked), (1, 12, 0), "{rung:?}");
    }
    agrees(&program);
}

/// What was wrong, whoever else stood where: a crash is the same one wherever others are when it happens.
fn findings(program: &Program, rung: Rung, policy: Policy) -> BTreeSet<(Option<Wrong>, u64)> {
    let limits = Limits { policy, ..LIMITS };
    let outcome =
        outcome(&mut Memory::new(program), &mut *rung.reduction(), limits).expect("few enough paths");
    outcome.findings.into_iter().filter(|(wrong, _)| wrong.is_some()).collect()
}

/// Nobody can know that an operation is the last one before a crash; still no other finding may hide behind it.
#[test]
fn a_crash_hides_no_other_finding() {
    let program = Program::crash_and_assertion();
    let reference = findings(&program, Rung::None, Policy::Fair);
    assert_eq!(reference.len(), 2, "the crash and the assertion");
    for rung in Rung::ALL {
        for policy in [Policy::Fair, Policy::First] {
            assert_eq!(findings(&program, rung, policy), reference, "{rung:?}, {policy:?}");
        }
    }
}

/// The same for random programs that crash somewhere. Wakeup trees would lose some here: what is planned behind an
/// operation is planned in the belief that it is not the last.
#[test]
fn crashes_at_random_hide_no_other_finding() {
    let (mut compared, mut several) = (0, 0);
    for seed in 0..if full() { 6_000 } else { 600 } {
        let Some(program) = Program::random_with_crash(seed) else { continue };
        if reference(&program).is_none() {
            continue;
        }
        let reference = findings(&program, Rung::None, Policy::Fair);
        compared += 1;
        several += u32::from(reference.len() > 1);
        for rung in Rung::ALL {
            for policy in [Policy::Fair, Policy::First] {
                assert_eq!(findings(&program, rung, policy), reference, "seed {seed}, {rung:?}, {policy:?}");
            }
        }
    }
    assert!(compared > 300 && several > 60, "{several} of {compared} had several findings");
}

/// The first task holds one mutex or two when the third one gives up waiting for the first of them, and falls back or not.
#[test]
fn who_gives_up_waiting_for_a_mutex_races_with_whatever_else_its_holder_locks() {
    let (lock, unlock) = (|object| Instruction::Lock { object }, |object| Instruction::Unlock { object });
    let program = Program {
        objects: vec![ObjectSpec::Mutex { recursive: false }; 2],
        tasks: vec![
            vec![lock(0), lock(1), unlock(1)],
            vec![Instruction::Delay { ticks: 2 }],
            vec![Instruction::Delay { ticks: 4 }, Instruction::LockFor { object: 0, ticks: 1 }, unlock(0)],
        ],
        roles: vec![
            RoleSpec::Task { priority: 3 },
            RoleSpec::Task { priority: 4 },
            RoleSpec::Task { priority: 5 },
        ],
        rules: Rules { schedule: Schedule::Priority, ..Rules::FREE },
    };
    agrees_but_for_footprints(&program);
}

/// A queue with room for one message, of which it is declared that it is never full, and two messages.
fn two_messages(rules: Rules) -> Program {
    let send = |value| Instruction::SendFor { object: 0, value, ticks: 2 };
    Program {
        objects: vec![ObjectSpec::Queue { capacity: 1 }],
        tasks: vec![vec![send(1), send(2)], vec![Instruction::Receive { object: 0 }]],
        roles: vec![RoleSpec::Task { priority: 1 }; 2],
        rules,
    }
}

/// Giving up after a while is giving up.
#[test]
fn a_timed_send_that_expires_on_what_is_never_full_is_found() {
    for schedule in [Schedule::Free, Schedule::Priority] {
        for clock in [Clock::Free, Clock::Ordered, Clock::Idle] {
            let program = two_messages(Rules { schedule, clock, ..Rules::FREE });
            let never_full = |wrong| matches!(wrong, Wrong::Kernel(fwvs_kernel::Wrong::NeverFull(_)));
            // With the idle clock there is always time to receive.
            let found = agrees_never_full(&program).expect("few paths").found(never_full);
            assert_eq!(found, clock != Clock::Idle, "{schedule:?}, {clock:?}");
            assert!(!reference(&program).expect("few paths").found(never_full), "nothing is declared");
        }
    }
}

/// What every interleaving finds, and every reduction, where semaphores and queues are never full; `None` if there are too
/// many.
fn agrees_never_full(program: &Program) -> Option<Outcome> {
    let program = program.clone().never_full();
    let reference = reference_within(&program, 2_000)?;
    for rung in Rung::ALL {
        for policy in POLICIES {
            let found = difference(&reference, &mut Memory::new(&program), rung, policy);
            assert!(
                matches!(found, None | Some(Difference::InVain(_))),
                "{rung:?}, {policy:?}: {found:?}, {program:?}"
            );
        }
    }
    Some(reference)
}

/// The give is wrong on the first path, and so stands to everything as it does at worst; once the unit is taken it is not.
#[test]
fn what_is_wrong_in_one_state_may_be_right_in_another_one() {
    let write = |value| Instruction::Write { object: 1, value, add: false };
    let program = Program {
        objects: vec![ObjectSpec::NeverFullSemaphore { level: 1, max: 1 }, ObjectSpec::Shared],
        tasks: vec![
            vec![Instruction::Give { object: 0 }],
            vec![Instruction::TryTake { object: 0 }, write(1)],
            vec![write(2)],
        ],
        ..Program::default()
    };
    let reference = reference(&program).expect("few enough paths");
    for rung in Rung::ALL {
        for policy in POLICIES {
            let found = difference(&reference, &mut Memory::new(&program), rung, policy);
            assert!(matches!(found, None | Some(Difference::InVain(_))), "{rung:?}, {policy:?}: {found:?}");
        }
    }
}

#[test]
fn what_is_never_full_hides_no_other_finding() {
    let mut compared = 0;
    for seed in 0..if std::env::var_os("FWVS_FULL").is_some() { 10_000 } else { 500 } {
        compared += u32::from(agrees_never_full(&Program::random_rtos(seed)).is_some());
    }
    assert!(compared > 300, "{compared} were small enough");
}

/// The tick wraps around; whoever waits for more than half of that must not seem to be late.
#[test]
fn a_very_long_delay_does_not_end_before_a_short_one() {
    for clock in [Clock::Ordered, Clock::Idle] {
        let mut kernel = Kernel::new(Boxed::new(3, 0));
        kernel.set_rules(Rules { schedule: Schedule::Priority, clock, ..Rules::FREE });
        let [long, short] = [(), ()].map(|()| kernel.create_task(Position::PLAIN).expect("there is room"));
        for (task, ticks) in [(long, 3_000_000_000), (short, 1)] {
            kernel.arrive(task, Operation::delay(ticks)).expect("it needs no object");
            kernel.take(Transition { task, alternative: 0 }, &mut NoBodies);
        }
        let time = kernel.create_task(Position::CLOCK).expect("there is room");
        kernel.arrive(time, Operation::pass()).expect("it needs no object");
        let enabled: Vec<Transition> = kernel.enabled().collect();
        assert_eq!(enabled, [Transition { task: time, alternative: 0 }], "{clock:?}");
        assert_eq!(kernel.due_next().collect::<Vec<_>>(), [1], "{clock:?}: the short one alone");
    }
}

/// The daemon is above the task, and both are due in the same tick: the callback writes before the task reads. Where every
/// deadline passed alone, the task could go first.
#[test]
fn a_callback_of_the_same_tick_comes_before_a_task_below_the_daemon() {
    let program = |clock| Program {
        objects: vec![ObjectSpec::Shared],
        tasks: vec![
            vec![
                Instruction::StartTimer { list: 1 },
                Instruction::Delay { ticks: 2 },
                Instruction::Read { object: 0 },
                Instruction::Assert { test: Test::Is(1) },
            ],
            vec![Instruction::Write { object: 0, value: 1, add: false }],
        ],
        roles: vec![RoleSpec::Task { priority: 1 }, RoleSpec::Timer { period: 2, reload: false }],
        rules: Rules { schedule: Schedule::Priority, clock, ..Rules::FREE },
    };
    for clock in [Clock::Free, Clock::Ordered, Clock::Idle] {
        let program = program(clock);
        let fails = reference(&program)
            .expect("few enough paths")
            .found(|wrong| matches!(wrong, Wrong::Assertion { .. }));
        assert_eq!(fails, clock == Clock::Free, "{clock:?}");
        agrees_but_for_footprints(&program);
    }
}
