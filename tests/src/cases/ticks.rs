//! Ticks in which several are due: all of them are ready before one of them goes on.

use fwvs_kernel::Rules;

use super::Case;
use super::vocabulary::{
    BUSY, CALM, SAY, TICK, TIMELESS, TOKEN, case, delay, delay_until, environment, give, is_active, periodic,
    start, take_for, task, timer, try_take,
};

pub(super) fn tasks() -> Vec<Case> {
    vec![
        case(
            "all_who_are_due_in_a_tick_are_ready_before_one_of_them_goes_on",
            BUSY,
            &[],
            [task(1, [delay(2), SAY]), task(2, [delay(2), SAY])],
            &["b0 a0"],
        ),
        case(
            "with_a_free_clock_nobody_knows_who_is_due_in_the_same_tick",
            TIMELESS,
            &[],
            [task(1, [delay(2), SAY]), task(2, [delay(2), SAY])],
            &["a0 b0", "b0 a0"],
        ),
        case(
            "a_tick_that_is_waited_for_is_one_with_a_delay_that_ends_in_it",
            CALM,
            &[],
            [task(1, [delay_until(4), SAY]), task(2, [delay(4), SAY])],
            &["b0 a1"],
        ),
        // The timeout takes the first one out of the line, so nobody is woken; but it looks once more when it runs.
        case(
            "what_a_higher_priority_gives_in_the_tick_of_a_timeout_is_not_too_late",
            CALM,
            &[TOKEN],
            [task(1, [take_for(0, 2), SAY]), task(2, [delay(2), give(0), SAY])],
            &["b1 a1"],
        ),
        case(
            "what_a_lower_priority_gives_in_the_tick_of_a_timeout_is_too_late",
            CALM,
            &[TOKEN],
            [task(2, [take_for(0, 2), SAY]), task(1, [delay(2), give(0), SAY])],
            &["a0 b1"],
        ),
        case(
            "who_was_served_before_its_tick_is_not_woken_by_it",
            CALM,
            &[TOKEN],
            [
                task(2, [take_for(0, 3), SAY, delay(9), TICK, SAY]),
                task(1, [delay(1), give(0), delay(2), TICK, SAY]),
            ],
            &["a1 b3 a10"],
        ),
        // Never does the last one say that it is tick 2 while the first one, which is above it, is still to come.
        case(
            "the_environment_acts_in_a_tick_that_has_come_to_the_processor",
            BUSY,
            &[TOKEN],
            [
                task(2, [delay_until(2), try_take(0), SAY]),
                environment([delay(2), give(0)]),
                task(1, [TICK, SAY]),
            ],
            &["c0 a0", "c0 a1", "a0 c0", "a1 c0", "a0 c2", "a1 c2", "a0 c4", "a1 c4"],
        ),
    ]
}

/// The daemon's priority is 3.
pub(super) fn timers() -> Vec<Case> {
    vec![
        case(
            "a_task_above_the_daemon_goes_before_a_callback_of_the_same_tick",
            CALM,
            &[],
            [task(4, [start(1), delay(3), is_active(1), SAY]), timer(3, [SAY])],
            &["a1 D0"],
        ),
        case(
            "a_task_below_the_daemon_goes_after_a_callback_of_the_same_tick",
            CALM,
            &[],
            [task(2, [start(1), delay(3), is_active(1), SAY]), timer(3, [SAY])],
            &["D0 a0"],
        ),
        case(
            "timers_of_the_same_tick_are_called_in_the_order_in_which_they_were_started",
            CALM,
            &[],
            [task(4, [start(2), start(1)]), timer(3, [SAY]), timer(3, [TICK, SAY])],
            &["D3 D0"],
        ),
        // When it reloads it stands behind those that are due in the same tick and were started before.
        case(
            "a_periodic_timer_is_called_after_one_of_the_same_tick_that_has_run_for_longer",
            Rules { expiries: 2, ..CALM },
            &[],
            [task(4, [start(1), start(2)]), periodic(2, [SAY]), timer(4, [TICK, SAY])],
            &["D0 D4 D0 !bounded"],
        ),
        case(
            "a_tick_may_come_while_the_daemon_is_in_a_callback",
            BUSY,
            &[],
            [task(4, [start(1), start(2)]), timer(2, [TICK, SAY, TICK, SAY]), timer(3, [TICK, SAY])],
            &["D2 D2 D3", "D2 D3 D3", "D3 D3 D3"],
        ),
        // Only the first one's budget is used up.
        case(
            "a_tick_is_held_back_if_one_who_is_due_in_it_has_no_expiry_left",
            Rules { expiries: 1, ..CALM },
            &[],
            [task(2, [delay(1), delay(1)]), task(1, [delay(2), SAY])],
            &["!bounded"],
        ),
    ]
}
