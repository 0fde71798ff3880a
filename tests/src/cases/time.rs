//! Waits that end by time: timeouts and delays.

use fwvs_program::{FOREVER, ObjectSpec};

use super::Case;
use super::vocabulary::{
    BUSY, CALM, MUTEX, QUEUE, SAY, TICK, TIMELESS, TOKEN, case, delay, delay_until, give, lock, lock_for,
    receive_for, send, send_for, take, take_for, task, try_receive, try_take,
};

pub(super) fn timeouts() -> Vec<Case> {
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

pub(super) fn delays() -> Vec<Case> {
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
        case(
            "those_whose_time_comes_in_the_same_tick_take_turns",
            CALM,
            &[],
            [task(1, [delay(2), SAY, SAY]), task(1, [delay(2), SAY])],
            &["a0 a0 b0", "a0 b0 a0", "b0 a0 a0"],
        ),
    ]
}
