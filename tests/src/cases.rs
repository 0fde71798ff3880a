//! What FreeRTOS does, case by case: a small program, the rules it runs by, and every outcome that it can have.
//!
//! Expected outcomes were derived by hand from what the FreeRTOS kernel V11 does; none was copied from a run. An outcome
//! is what the tasks announce, in the order in which they do: `a1 b0` says that the first list announced 1 and then the
//! second one 0. `D` is the timer daemon, so whatever a callback announces. At the end stands what was found, if
//! anything was: `!deadlock`.
//!
//! Left for later, with the objects themselves: overwriting and resetting queues, queue sets, notifications, event groups,
//! suspending and resuming, deleting and creating at run time, suspending the scheduler, setting priorities, the heap.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fwvs_explore::{Completion, Counts, End, Limits, Rung, explore};
use fwvs_kernel::{Clock, Operation, Rules, Schedule};
use fwvs_program::{FOREVER, Instruction, ObjectSpec, RoleSpec};

use crate::judge::Judge;
use crate::memory::Wrong;
use crate::program::Program;

/// A fact about FreeRTOS.
#[derive(Clone, Debug)]
pub struct Case {
    /// The fact.
    pub name: &'static str,
    /// What shows it.
    pub program: Program,
    /// Every outcome that it can have.
    pub expected: &'static [&'static str],
}

/// Everything that a search found, one outcome a path.
///
/// # Panics
/// If the search does not end by itself.
pub fn outcomes<S: Judge>(case: &Case, system: &mut S, rung: Rung) -> Result<BTreeSet<String>, S::Error> {
    let names = names(&case.program);
    let mut outcomes = BTreeSet::new();
    let mut look = |system: &S, end: End, _: &Counts| {
        if end != End::Asleep {
            outcomes.insert(outcome(&names, system, end));
        }
        ControlFlow::Continue(())
    };
    let (completion, _) = explore(system, &mut *rung.reduction::<S>(), Limits::default(), &mut look)?;
    assert_eq!(completion, Completion::Exhausted, "{}", case.name);
    Ok(outcomes)
}

/// The same without the order between tasks: all that a reduction has to keep.
pub fn by_task<'a>(outcomes: impl IntoIterator<Item = &'a str>) -> BTreeSet<Vec<&'a str>> {
    let sorted = |outcome: &'a str| {
        let mut words: Vec<&str> = outcome.split_whitespace().collect();
        words.sort_by_key(|word| word.chars().next());
        words
    };
    outcomes.into_iter().map(sorted).collect()
}

fn outcome<S: Judge>(names: &[char], system: &S, end: End) -> String {
    let mut words = Vec::new();
    for at in 0..system.length() {
        let task = system.task(system.taken(at));
        let event = system.pending(at, task).expect("what was taken was pending");
        if let Operation::Event { value, .. } = event.operation {
            words.push(format!("{}{value}", names[task]));
        }
    }
    let named = |what: &str, task: usize| format!("!{what} {}", names[task]);
    match (system.judge(), end) {
        (Some(Wrong::Deadlock), _) => words.push("!deadlock".to_owned()),
        (Some(Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_))), _) => words.push("!cycle".to_owned()),
        (Some(Wrong::Kernel(wrong)), _) => {
            let text = format!("{wrong:?}");
            let what = text.split('(').next().unwrap_or_default();
            words.push(named(what, usize::from(wrong.task().0.nth)));
        }
        (Some(Wrong::Assertion { task }), _) => words.push(named("assertion", task)),
        (Some(Wrong::Crash { task }), _) => words.push(named("crash", task)),
        (None, End::Budget) => words.push("!bounded".to_owned()),
        (None, End::Finished) => {}
        (None, end) => panic!("a case does not end by {end:?}"),
    }
    words.join(" ")
}

/// What each task of the kernel is called, in the order in which a program's are created.
fn names(program: &Program) -> Vec<char> {
    let letter = |list: usize| char::from(b'a' + list as u8);
    let is_task = |list: &usize| matches!(program.role(*list), RoleSpec::Task { .. } | RoleSpec::Environment);
    let (tasks, others): (Vec<usize>, Vec<usize>) = (0..program.tasks.len()).partition(is_task);
    let mut names = Vec::new();
    for list in others {
        if let RoleSpec::Timer { .. } = program.role(list)
            && !names.contains(&'D')
        {
            names.push('D');
        }
        names.push(letter(list));
    }
    names.into_iter().chain(tasks.into_iter().map(letter)).collect()
}

const fn priorities(clock: Clock) -> Rules {
    Rules { schedule: Schedule::Priority, clock, ..Rules::FREE }
}

/// Time passes only when there is nothing else to do: one order of things, mostly.
const CALM: Rules = priorities(Clock::Idle);
/// Time passes at any moment.
const BUSY: Rules = priorities(Clock::Ordered);
/// Nobody knows what time it is.
const TIMELESS: Rules = priorities(Clock::Free);

const TOKEN: ObjectSpec = ObjectSpec::Semaphore { level: 0, max: 1 };
const QUEUE: ObjectSpec = ObjectSpec::Queue { capacity: 4 };
const MUTEX: ObjectSpec = ObjectSpec::Mutex { recursive: false };
const RECURSIVE: ObjectSpec = ObjectSpec::Mutex { recursive: true };

type List = (RoleSpec, Vec<Instruction>);

fn task<const N: usize>(priority: u8, code: [Instruction; N]) -> List {
    (RoleSpec::Task { priority }, code.to_vec())
}

/// A handler whose line fires once, at any moment.
fn handler<const N: usize>(code: [Instruction; N]) -> List {
    (RoleSpec::Interrupt { times: 1, armed: true }, code.to_vec())
}

fn timer<const N: usize>(period: u8, code: [Instruction; N]) -> List {
    (RoleSpec::Timer { period, reload: false }, code.to_vec())
}

fn periodic<const N: usize>(period: u8, code: [Instruction; N]) -> List {
    (RoleSpec::Timer { period, reload: true }, code.to_vec())
}

fn case(
    name: &'static str,
    rules: Rules,
    objects: &[ObjectSpec],
    lists: impl IntoIterator<Item = List>,
    expected: &'static [&'static str],
) -> Case {
    let (roles, tasks) = lists.into_iter().unzip();
    Case { name, program: Program { objects: objects.to_vec(), tasks, roles, rules }, expected }
}

// Short names for what programs do; the number is the object's place.

const SAY: Instruction = Instruction::Event;
const TICK: Instruction = Instruction::Tick;
const ENTER: Instruction = Instruction::EnterCritical;
const EXIT: Instruction = Instruction::ExitCritical;
const YIELD: Instruction = Instruction::Yield;

const fn take(object: u8) -> Instruction {
    Instruction::Take { object }
}
const fn try_take(object: u8) -> Instruction {
    Instruction::TryTake { object }
}
const fn take_for(object: u8, ticks: u8) -> Instruction {
    Instruction::TakeFor { object, ticks }
}
const fn give(object: u8) -> Instruction {
    Instruction::Give { object }
}
const fn send(object: u8, value: u8) -> Instruction {
    Instruction::Send { object, value, add: false }
}
const fn try_send(object: u8, value: u8) -> Instruction {
    Instruction::TrySend { object, value, add: false }
}
const fn send_for(object: u8, value: u8, ticks: u8) -> Instruction {
    Instruction::SendFor { object, value, ticks }
}
const fn receive(object: u8) -> Instruction {
    Instruction::Receive { object }
}
const fn try_receive(object: u8) -> Instruction {
    Instruction::TryReceive { object }
}
const fn receive_for(object: u8, ticks: u8) -> Instruction {
    Instruction::ReceiveFor { object, ticks }
}
const fn peek(object: u8) -> Instruction {
    Instruction::Peek { object }
}
const fn lock(object: u8) -> Instruction {
    Instruction::Lock { object }
}
const fn try_lock(object: u8) -> Instruction {
    Instruction::TryLock { object }
}
const fn lock_for(object: u8, ticks: u8) -> Instruction {
    Instruction::LockFor { object, ticks }
}
const fn unlock(object: u8) -> Instruction {
    Instruction::Unlock { object }
}
const fn delay(ticks: u8) -> Instruction {
    Instruction::Delay { ticks }
}
const fn delay_until(tick: u8) -> Instruction {
    Instruction::DelayUntil { tick }
}
const fn start(list: u8) -> Instruction {
    Instruction::StartTimer { list }
}
const fn stop(list: u8) -> Instruction {
    Instruction::StopTimer { list }
}
const fn change_period(list: u8, period: u8) -> Instruction {
    Instruction::ChangePeriod { list, period }
}
const fn is_active(list: u8) -> Instruction {
    Instruction::IsActive { list }
}

/// All cases.
pub fn all() -> Vec<Case> {
    let topics = [
        running(),
        timeouts(),
        wake_order(),
        inheritance(),
        misuse(),
        semaphores_and_queues(),
        timers(),
        delays(),
    ];
    topics.into_iter().flatten().chain(interrupts_and_critical_sections()).collect()
}

/// Who runs when: start, end, yield, preemption.
fn running() -> Vec<Case> {
    vec![
        case(
            "equal_priorities_run_in_every_order",
            CALM,
            &[],
            [task(1, [SAY, SAY]), task(1, [SAY, SAY])],
            &["a0 a0 b0 b0", "a0 b0 a0 b0", "a0 b0 b0 a0", "b0 a0 a0 b0", "b0 a0 b0 a0", "b0 b0 a0 a0"],
        ),
        case(
            "a_lower_priority_runs_when_the_higher_one_has_ended",
            CALM,
            &[],
            [task(1, [SAY, SAY]), task(2, [SAY, SAY])],
            &["b0 b0 a0 a0"],
        ),
        case(
            "a_yield_lets_no_lower_priority_go_first",
            CALM,
            &[],
            [task(1, [SAY]), task(2, [YIELD, SAY])],
            &["b0 a0"],
        ),
        case(
            "a_yield_lets_an_equal_priority_go_first_or_not",
            CALM,
            &[],
            [task(1, [YIELD, SAY]), task(1, [SAY])],
            &["a0 b0", "b0 a0"],
        ),
        case(
            "a_woken_task_of_higher_priority_runs_before_give_returns",
            CALM,
            &[TOKEN],
            [task(2, [take(0), SAY]), task(1, [give(0), SAY])],
            &["a0 b1"],
        ),
        case(
            "a_woken_task_of_equal_priority_preempts_nobody_but_may_come_first",
            CALM,
            &[TOKEN],
            [task(1, [take(0), SAY]), task(1, [give(0), SAY])],
            &["a0 b1", "b1 a0"],
        ),
        case(
            "a_woken_task_of_lower_priority_has_to_wait",
            CALM,
            &[TOKEN],
            [task(1, [take(0), SAY]), task(2, [delay(1), give(0), SAY])],
            &["b1 a0"],
        ),
        case(
            "a_woken_sender_of_higher_priority_runs_before_receive_returns",
            CALM,
            &[ObjectSpec::Queue { capacity: 1 }],
            [task(2, [send(0, 5), send(0, 6), SAY]), task(1, [receive(0), SAY])],
            &["a0 b5"],
        ),
    ]
}

fn timeouts() -> Vec<Case> {
    vec![
        case(
            "a_timeout_of_0_returns_at_once",
            CALM,
            &[TOKEN],
            [task(1, [take_for(0, 0), SAY, TICK, SAY])],
            &["a0 a0"],
        ),
        case(
            "a_timed_wait_ends_with_its_time",
            CALM,
            &[TOKEN],
            [task(1, [take_for(0, 3), SAY, TICK, SAY])],
            &["a0 a3"],
        ),
        case(
            "a_timed_wait_that_is_served_ends_then",
            CALM,
            &[QUEUE],
            [task(2, [receive_for(0, 9), SAY, TICK, SAY]), task(1, [delay(4), send(0, 7)])],
            &["a7 a4"],
        ),
        case(
            "the_longest_time_never_ends",
            CALM,
            &[TOKEN],
            [task(1, [take_for(0, FOREVER)])],
            &["!deadlock"],
        ),
        case(
            "an_owner_that_locks_again_for_the_longest_time_waits_for_itself",
            CALM,
            &[MUTEX],
            [task(1, [lock(0), lock_for(0, FOREVER)]), task(0, [SAY])],
            &["!cycle"],
        ),
        // The second one takes what the first one was woken for, before that one runs.
        case(
            "a_faster_task_may_take_what_another_was_woken_for",
            CALM,
            &[TOKEN],
            [task(1, [take(0), SAY]), task(2, [delay(1), give(0), try_take(0), SAY])],
            &["b1 !deadlock"],
        ),
        case(
            "who_was_woken_in_vain_waits_for_the_rest_of_its_time_only",
            CALM,
            &[TOKEN],
            [task(1, [take_for(0, 5), SAY, TICK, SAY]), task(2, [delay(2), give(0), try_take(0), SAY])],
            &["b1 a0 a5"],
        ),
        // Where the second one reads tick 2, the first one's time was over before it was given anything.
        case(
            "when_time_is_over_what_was_waited_for_is_looked_at_once_more",
            BUSY,
            &[TOKEN],
            [task(1, [take_for(0, 2), SAY]), task(2, [delay(1), TICK, SAY, give(0), SAY])],
            &["b1 b1 a1", "b2 b1 a1"],
        ),
        case(
            "a_sender_gives_up_when_its_time_is_over",
            CALM,
            &[ObjectSpec::Queue { capacity: 1 }],
            [task(1, [send(0, 1), send_for(0, 2, 3), SAY, TICK, SAY, try_receive(0), SAY])],
            &["a0 a3 a1"],
        ),
        case(
            "with_a_free_clock_a_timeout_may_come_before_or_after_what_is_waited_for",
            TIMELESS,
            &[TOKEN],
            [task(2, [take_for(0, 9), SAY]), task(1, [give(0)])],
            &["a0", "a1"],
        ),
    ]
}

fn wake_order() -> Vec<Case> {
    vec![
        case(
            "a_waiter_of_higher_priority_is_woken_first",
            CALM,
            &[QUEUE],
            [
                task(1, [receive(0), SAY]),
                task(2, [delay(1), receive(0), SAY]),
                task(0, [delay(2), send(0, 1), send(0, 2)]),
            ],
            &["b1 a2"],
        ),
        case(
            "of_equal_waiters_the_first_to_come_is_woken_first",
            CALM,
            &[QUEUE],
            [
                task(1, [delay(1), receive(0), SAY]),
                task(1, [receive(0), SAY]),
                task(0, [delay(2), send(0, 1), send(0, 2)]),
            ],
            &["b1 a2"],
        ),
        case(
            "an_item_wakes_one_waiter",
            CALM,
            &[QUEUE],
            [task(1, [receive(0), SAY]), task(1, [receive(0), SAY]), task(0, [send(0, 7)])],
            &["a7 !deadlock", "b7 !deadlock"],
        ),
        // The first task waits behind the second one; then it inherits a higher priority.
        case(
            "a_waiter_that_inherits_a_priority_keeps_its_place",
            CALM,
            &[QUEUE, MUTEX],
            [
                task(1, [lock(1), receive(0), SAY, unlock(1)]),
                task(2, [delay(1), receive(0), SAY]),
                task(4, [delay(2), lock(1), SAY]),
                task(0, [delay(3), send(0, 1), send(0, 2)]),
            ],
            &["b1 a2 c0"],
        ),
        // The same, but the second task comes later than the inheritance, and then stands behind it.
        case(
            "who_comes_to_wait_stands_behind_a_waiter_that_inherited_a_higher_priority",
            CALM,
            &[QUEUE, MUTEX],
            [
                task(1, [lock(1), receive(0), SAY, unlock(1)]),
                task(2, [delay(2), receive(0), SAY]),
                task(4, [delay(1), lock(1), SAY]),
                task(0, [delay(3), send(0, 1), send(0, 2)]),
            ],
            &["a1 c0 b2"],
        ),
    ]
}

/// In each, somebody of a priority in between becomes ready, and how high the holder's priority is then decides who speaks
/// first.
fn inheritance() -> Vec<Case> {
    vec![
        case(
            "a_holder_inherits_the_priority_of_who_waits",
            CALM,
            &[MUTEX, TOKEN, TOKEN],
            [
                task(1, [lock(0), give(1), give(2), SAY, unlock(0)]),
                task(2, [take(2), SAY]),
                task(3, [take(1), lock(0), SAY]),
            ],
            &["a1 c0 b0"],
        ),
        case(
            "a_try_lends_no_priority",
            CALM,
            &[MUTEX, TOKEN, TOKEN],
            [
                task(1, [lock(0), give(1), give(2), SAY, unlock(0)]),
                task(2, [take(2), SAY]),
                task(3, [take(1), try_lock(0), SAY]),
            ],
            &["c0 b0 a1"],
        ),
        case(
            "a_lock_with_a_timeout_of_0_lends_no_priority",
            CALM,
            &[MUTEX, TOKEN, TOKEN],
            [
                task(1, [lock(0), give(1), give(2), SAY, unlock(0)]),
                task(2, [take(2), SAY]),
                task(3, [take(1), lock_for(0, 0), SAY]),
            ],
            &["c0 b0 a1"],
        ),
        // The holder of the second mutex inherits, and not who holds what that one waits for.
        case(
            "a_priority_is_lent_one_step_far",
            CALM,
            &[MUTEX, MUTEX, TOKEN],
            [
                task(1, [lock(0), delay(5), give(2), SAY, unlock(0)]),
                task(2, [lock(1), delay(1), lock(0), unlock(0), unlock(1)]),
                task(4, [delay(2), lock(1), SAY]),
                task(3, [take(2), SAY]),
            ],
            &["d0 a1 c0"],
        ),
        case(
            "the_holder_drops_back_when_its_last_mutex_is_given",
            CALM,
            &[MUTEX, TOKEN, TOKEN, MUTEX],
            [
                task(1, [lock(0), lock(3), give(1), unlock(0), give(2), SAY, unlock(3)]),
                task(2, [take(2), SAY]),
                task(3, [take(1), lock(0), SAY]),
            ],
            &["a1 c0 b0", "c0 a1 b0"],
        ),
        case(
            "the_holder_falls_back_when_a_waiter_gives_up",
            CALM,
            &[MUTEX, TOKEN],
            [
                task(1, [lock(0), delay(10), give(1), SAY, unlock(0)]),
                task(3, [take(1), SAY]),
                task(4, [delay(2), lock_for(0, 3), SAY]),
            ],
            &["c0 b0 a1"],
        ),
        case(
            "the_holder_keeps_an_inherited_priority_while_the_waiter_waits",
            CALM,
            &[MUTEX, TOKEN],
            [
                task(1, [lock(0), delay(10), give(1), SAY, unlock(0)]),
                task(3, [take(1), SAY]),
                task(4, [delay(2), lock_for(0, 30), SAY]),
            ],
            &["a1 c1 b0"],
        ),
        case(
            "the_holder_falls_back_to_the_next_waiter_s_priority",
            CALM,
            &[MUTEX, TOKEN],
            [
                task(1, [lock(0), delay(10), give(1), SAY, unlock(0)]),
                task(3, [delay(1), lock(0), SAY]),
                task(2, [take(1), SAY]),
                task(4, [delay(2), lock_for(0, 3), SAY]),
            ],
            &["d0 a1 b0 c0"],
        ),
        // The second waiter in line has inherited a higher priority than the first one has.
        case(
            "the_next_waiter_is_the_first_in_line",
            CALM,
            &[MUTEX, MUTEX, TOKEN],
            [
                task(1, [lock(0), delay(10), give(2), SAY, unlock(0)]),
                task(3, [delay(1), lock(0), unlock(0)]),
                task(2, [lock(1), delay(2), lock(0), unlock(0), unlock(1)]),
                task(5, [delay(3), lock(1), unlock(1)]),
                task(6, [delay(4), lock_for(0, 3), SAY]),
                task(4, [take(2), SAY]),
            ],
            &["e0 f0 a1"],
        ),
        case(
            "who_holds_another_mutex_too_does_not_fall_back_when_a_waiter_gives_up",
            CALM,
            &[MUTEX, TOKEN, MUTEX],
            [
                task(1, [lock(0), lock(2), delay(10), give(1), SAY, unlock(2), unlock(0)]),
                task(3, [take(1), SAY]),
                task(4, [delay(2), lock_for(0, 3), SAY]),
            ],
            &["c0 a1 b0"],
        ),
        // It has the priority that it inherited for a mutex that it has given already.
        case(
            "a_waiter_that_lent_nothing_takes_nothing_back",
            CALM,
            &[MUTEX, MUTEX, TOKEN],
            [
                task(2, [lock(0), lock(1), delay(2), unlock(1), delay(10), give(2), SAY, unlock(0)]),
                task(1, [delay(3), lock_for(0, 3), SAY]),
                task(3, [take(2), SAY]),
                task(4, [delay(1), lock(1), unlock(1)]),
            ],
            &["b0 a1 c0"],
        ),
    ]
}

fn misuse() -> Vec<Case> {
    vec![
        case(
            "an_owner_that_locks_again_waits_for_itself",
            CALM,
            &[MUTEX],
            [task(1, [lock(0), lock(0), SAY]), task(0, [SAY])],
            &["!cycle"],
        ),
        case(
            "an_owner_that_locks_again_gives_up_when_its_time_is_over",
            CALM,
            &[MUTEX],
            [task(1, [lock(0), lock_for(0, 3), SAY, TICK, SAY, unlock(0), SAY])],
            &["a0 a3 a1"],
        ),
        case(
            "a_recursive_mutex_is_free_when_given_as_often_as_it_was_locked",
            CALM,
            &[RECURSIVE],
            [
                task(2, [lock(0), lock(0), unlock(0), delay(2), unlock(0), SAY, unlock(0), SAY]),
                task(1, [try_lock(0), SAY, delay(3), try_lock(0), SAY]),
            ],
            &["b0 a1 a0 b1"],
        ),
        case(
            "who_gives_another_s_mutex_is_found",
            CALM,
            &[MUTEX],
            [task(2, [lock(0), delay(1), SAY, unlock(0)]), task(1, [unlock(0), SAY])],
            &["!NotOwner b"],
        ),
        case(
            "a_recursive_mutex_is_given_by_its_holder_only",
            CALM,
            &[RECURSIVE],
            [task(2, [lock(0), delay(1), unlock(0), SAY]), task(1, [unlock(0), SAY])],
            &["b0 a1"],
        ),
        case(
            "a_free_mutex_cannot_be_given",
            CALM,
            &[MUTEX],
            [task(1, [unlock(0), SAY, try_lock(0), SAY])],
            &["a0 a1"],
        ),
        case(
            "the_mutex_of_a_task_that_has_ended_is_not_given_back",
            CALM,
            &[MUTEX],
            [task(2, [lock(0)]), task(1, [lock_for(0, 3), SAY, TICK, SAY])],
            &["b0 b3"],
        ),
        case(
            "who_waits_for_the_mutex_of_a_task_that_has_ended_waits_in_vain",
            CALM,
            &[MUTEX],
            [task(2, [lock(0)]), task(1, [lock(0)]), task(0, [SAY, SAY])],
            &["!cycle"],
        ),
        // The environment waits first; nobody needs to wait in line to be waited for in vain.
        case(
            "a_cycle_with_the_environment_is_found_while_others_run",
            CALM,
            &[MUTEX, MUTEX, TOKEN],
            [
                task(2, [lock(0), take(2), lock(1)]),
                (RoleSpec::Environment, vec![lock(1), give(2), lock(0)]),
                task(1, [SAY]),
            ],
            &["!cycle", "c0 !cycle"],
        ),
    ]
}

fn semaphores_and_queues() -> Vec<Case> {
    vec![
        case(
            "a_full_semaphore_cannot_be_given",
            CALM,
            &[ObjectSpec::Semaphore { level: 1, max: 1 }],
            [task(1, [give(0), SAY, try_take(0), SAY, try_take(0), SAY])],
            &["a0 a1 a0"],
        ),
        case(
            "a_counting_semaphore_can_be_given_up_to_its_maximum",
            CALM,
            &[ObjectSpec::Semaphore { level: 0, max: 2 }],
            [task(1, [give(0), SAY, give(0), SAY, give(0), SAY])],
            &["a1 a1 a0"],
        ),
        case(
            "a_full_queue_takes_no_more",
            CALM,
            &[ObjectSpec::Queue { capacity: 1 }],
            [task(1, [try_send(0, 7), SAY, try_send(0, 8), SAY, try_receive(0), SAY, try_receive(0), SAY])],
            &["a1 a0 a7 a0"],
        ),
        case(
            "a_peek_leaves_the_message_and_wakes_the_next_waiter_too",
            CALM,
            &[QUEUE],
            [
                task(1, [peek(0), SAY]),
                task(2, [peek(0), SAY]),
                task(0, [try_send(0, 7), SAY, try_receive(0), SAY]),
            ],
            &["b7 a7 c1 c7"],
        ),
        case(
            "a_receive_wakes_no_other_receiver",
            CALM,
            &[QUEUE],
            [task(1, [peek(0), SAY]), task(2, [receive(0), SAY]), task(0, [try_send(0, 7), SAY])],
            &["b7 c1 !deadlock"],
        ),
    ]
}

/// The daemon's priority is 3, and two commands fit into its queue.
fn timers() -> Vec<Case> {
    vec![
        case(
            "a_start_takes_effect_when_the_daemon_runs",
            CALM,
            &[],
            [task(4, [start(1), is_active(1), SAY, delay(1), is_active(1), SAY]), timer(3, [TICK, SAY])],
            &["a0 a1 D3"],
        ),
        case(
            "the_daemon_preempts_who_has_a_lower_priority",
            CALM,
            &[],
            [task(2, [start(1), is_active(1), SAY, stop(1), is_active(1), SAY]), timer(3, [SAY])],
            &["a1 a0"],
        ),
        case(
            "a_timer_is_active_until_its_callback_is_called",
            CALM,
            &[],
            [task(1, [start(1), delay(9), is_active(1), SAY]), timer(3, [is_active(1), SAY])],
            &["D0 a0"],
        ),
        case(
            "a_periodic_timer_stays_active",
            Rules { expiries: 1, ..CALM },
            &[],
            [task(1, [start(1)]), periodic(3, [is_active(1), SAY])],
            &["D1 !bounded"],
        ),
        // Where the first task reads tick 2, time has passed before the start, or between the start and the daemon.
        case(
            "a_start_counts_from_the_call",
            BUSY,
            &[],
            [task(4, [start(1), TICK, SAY]), timer(3, [TICK, SAY]), task(5, [delay(2)])],
            &["a0 D3", "a2 D3", "a2 D5"],
        ),
        case(
            "a_changed_period_counts_from_when_the_daemon_sees_it",
            BUSY,
            &[],
            [task(4, [change_period(1, 3), TICK, SAY]), timer(9, [TICK, SAY]), task(5, [delay(2)])],
            &["a0 D3", "a0 D5", "a2 D5"],
        ),
        case(
            "a_stop_that_the_daemon_sees_first_cancels_an_expired_timer",
            BUSY,
            &[],
            [task(4, [start(1), delay(1), TICK, SAY, stop(1)]), timer(2, [SAY])],
            &["a1", "a2"],
        ),
        case(
            "a_stop_that_comes_after_the_callback_is_too_late",
            CALM,
            &[],
            [task(4, [start(1), delay(3), stop(1), SAY]), timer(2, [SAY])],
            &["D0 a0"],
        ),
        // Both commands wait for the daemon. Where time has passed by then, the start is already overdue.
        case(
            "a_start_that_is_overdue_when_the_daemon_sees_it_is_called_before_the_next_command",
            BUSY,
            &[],
            [task(4, [start(1), stop(1), TICK, SAY]), timer(2, [TICK, SAY]), task(5, [delay(2)])],
            &["a0", "a0 D2", "a2", "a2 D2"],
        ),
        case(
            "with_a_free_clock_a_start_may_be_overdue_when_the_daemon_sees_it",
            TIMELESS,
            &[],
            [task(4, [start(1), stop(1), SAY]), timer(2, [SAY])],
            &["a0", "a0 D0"],
        ),
        case(
            "a_periodic_timer_counts_from_when_it_expired",
            Rules { expiries: 2, ..BUSY },
            &[],
            [
                task(5, [start(2), delay_until(4)]),
                // Above the daemon: the first callback comes late where this one reads the tick late.
                task(4, [delay_until(2), TICK, SAY]),
                periodic(3, [TICK, SAY]),
            ],
            &[
                "b2 D3 D6 !bounded",
                "b2 D4 D6 !bounded",
                "b2 D6 D6 !bounded",
                "b3 D3 D6 !bounded",
                "b3 D4 D6 !bounded",
                "b3 D6 D6 !bounded",
                "b4 D4 D6 !bounded",
                "b4 D6 D6 !bounded",
            ],
        ),
        case(
            "the_command_queue_can_be_full",
            CALM,
            &[],
            [task(4, [start(1), start(1), SAY, start(1)]), timer(3, [SAY])],
            &["a0 !CommandsFull a"],
        ),
        case(
            "a_callback_that_would_wait_is_found",
            CALM,
            &[TOKEN],
            [task(1, [start(1)]), timer(3, [SAY, take(0)])],
            &["D0 !BlocksInCallback D"],
        ),
        case(
            "a_callback_may_try",
            CALM,
            &[TOKEN],
            [task(1, [start(1)]), timer(3, [try_take(0), SAY, take_for(0, 0), SAY])],
            &["D0 D0"],
        ),
    ]
}

fn delays() -> Vec<Case> {
    vec![
        case(
            "a_delay_of_0_only_yields",
            BUSY,
            &[],
            [task(1, [delay(0), TICK, SAY]), task(0, [SAY])],
            &["a0 b0"],
        ),
        case(
            "a_tick_to_come_is_waited_for",
            CALM,
            &[],
            [task(1, [delay(3), delay_until(5), SAY, TICK, SAY])],
            &["a1 a5"],
        ),
        case(
            "overdue_returns_at_once",
            CALM,
            &[],
            [task(1, [delay(3), delay_until(2), SAY, TICK, SAY])],
            &["a0 a3"],
        ),
        case(
            "a_tick_that_has_just_come_is_overdue",
            CALM,
            &[],
            [task(1, [delay(3), delay_until(3), SAY, TICK, SAY])],
            &["a0 a3"],
        ),
        case(
            "with_a_free_clock_overdue_or_not_is_a_choice",
            TIMELESS,
            &[],
            [task(1, [delay_until(5), SAY])],
            &["a0", "a1"],
        ),
        case(
            "the_earlier_deadline_comes_first",
            BUSY,
            &[],
            [task(1, [delay(3), SAY]), task(2, [delay(2), SAY])],
            &["b0 a0"],
        ),
    ]
}

fn interrupts_and_critical_sections() -> Vec<Case> {
    vec![
        case(
            "what_a_handler_wakes_runs_when_the_handler_has_returned",
            CALM,
            &[TOKEN],
            [task(2, [take(0), SAY]), task(1, [SAY]), handler([give(0), SAY])],
            &["b0 c1 a0", "c1 a0 b0"],
        ),
        case(
            "a_handler_is_refused_what_is_not_there",
            CALM,
            &[TOKEN, QUEUE],
            [task(1, []), handler([try_take(0), SAY, try_receive(1), SAY, take_for(0, 0), SAY])],
            &["b0 b0 b0"],
        ),
        case(
            "handlers_do_not_nest",
            CALM,
            &[],
            [task(1, []), handler([SAY, SAY]), handler([SAY, SAY])],
            &["b0 b0 c0 c0", "c0 c0 b0 b0"],
        ),
        case(
            "a_command_of_a_handler_waits_for_the_daemon",
            CALM,
            &[],
            [task(1, []), handler([start(2), is_active(2), SAY]), timer(2, [TICK, SAY])],
            &["b0 D2"],
        ),
        case(
            "a_give_inside_a_critical_section_switches_at_the_outermost_exit",
            CALM,
            &[TOKEN],
            [task(2, [take(0), SAY]), task(1, [ENTER, ENTER, give(0), SAY, EXIT, SAY, EXIT, SAY])],
            &["b1 b1 a0 b1"],
        ),
        case(
            "no_handler_runs_inside_a_critical_section",
            CALM,
            &[],
            [task(1, [ENTER, SAY, SAY, EXIT]), handler([SAY])],
            &["a0 a0 b0", "b0 a0 a0"],
        ),
        case(
            "no_time_passes_inside_a_critical_section",
            BUSY,
            &[],
            [task(1, [ENTER, TICK, SAY, TICK, SAY, EXIT, TICK, SAY]), task(2, [delay(1)])],
            &["a0 a0 a0", "a0 a0 a1", "a1 a1 a1"],
        ),
        case(
            "a_handler_that_would_wait_is_found",
            CALM,
            &[TOKEN],
            [task(1, []), handler([SAY, take_for(0, 2)])],
            &["b0 !BlocksInHandler b"],
        ),
        case(
            "a_mutex_in_a_handler_is_found",
            CALM,
            &[MUTEX],
            [task(1, []), handler([SAY, try_lock(0)])],
            &["b0 !MutexInHandler b"],
        ),
        case(
            "who_would_wait_inside_a_critical_section_is_found",
            CALM,
            &[TOKEN],
            [task(1, [ENTER, try_take(0), SAY, take(0)])],
            &["a0 !BlocksInCritical a"],
        ),
        case(
            "who_ends_inside_a_critical_section_is_found",
            CALM,
            &[],
            [task(1, [ENTER, SAY])],
            &["a0 !EndsInCritical a"],
        ),
        case(
            "an_exit_without_an_enter_is_found",
            CALM,
            &[],
            [task(1, [ENTER, EXIT, SAY, EXIT])],
            &["a0 !NotInCritical a"],
        ),
    ]
}
