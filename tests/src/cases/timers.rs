//! Software timers and their daemon.

use fwvs_kernel::Rules;

use super::Case;
use super::vocabulary::{
    BUSY, CALM, SAY, TICK, TIMELESS, TOKEN, case, change_period, delay, delay_until, is_active, periodic,
    start, stop, take, take_for, task, timer, try_take,
};

/// The daemon's priority is 3, and two commands fit into its queue.
pub(super) fn timers() -> Vec<Case> {
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
        // Where it does not, the daemon had looked for commands already, and then had to let the first task go first.
        case(
            "a_stop_that_the_daemon_sees_first_cancels_an_expired_timer",
            BUSY,
            &[],
            [task(4, [start(1), delay(1), TICK, SAY, stop(1)]), timer(2, [SAY])],
            &["a1", "a1 D0", "a2", "a2 D0"],
        ),
        // The callback comes first where a tick has come between the start and the delay.
        case(
            "a_timer_may_be_called_though_it_was_active_when_it_was_stopped",
            BUSY,
            &[],
            [task(4, [start(1), delay(2), is_active(1), SAY, stop(1)]), timer(2, [SAY]), task(5, [delay(1)])],
            &["D0 a0", "a0 D0", "a1", "a1 D0"],
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
        // Where the daemon is late, two periods have passed by then.
        case(
            "a_periodic_timer_that_is_behind_is_called_for_every_period_before_its_own_stop",
            BUSY,
            &[],
            [task(1, [start(1), delay(2)]), periodic(1, [stop(1), SAY])],
            &["D0", "D0 D0"],
        ),
        case(
            "with_a_free_clock_a_periodic_timer_may_be_behind",
            Rules { expiries: 2, ..TIMELESS },
            &[],
            [task(1, [start(1)]), periodic(1, [stop(1), SAY])],
            &["D0", "D0 D0"],
        ),
        case(
            "a_periodic_timer_whose_start_is_overdue_is_called_for_every_period",
            BUSY,
            &[],
            [task(4, [start(1), stop(1), TICK, SAY]), periodic(1, [SAY]), task(5, [delay(2)])],
            &["a0", "a0 D0 D0", "a2", "a2 D0 D0"],
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
            "a_callback_that_would_wait_is_found_without_priorities_too",
            Rules::FREE,
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
