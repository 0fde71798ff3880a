//! Who has the processor: start, end, yield, preemption, and who is woken first.

use fwvs_program::ObjectSpec;

use super::Case;
use super::vocabulary::{
    CALM, MUTEX, QUEUE, SAY, TOKEN, YIELD, case, delay, give, lock, receive, send, take, task, unlock,
};

/// Who runs when: start, end, yield, preemption.
pub(super) fn running() -> Vec<Case> {
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

pub(super) fn wake_order() -> Vec<Case> {
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
