//! Interrupt handlers and critical sections.

use super::Case;
use super::vocabulary::{
    BUSY, CALM, ENTER, EXIT, MUTEX, QUEUE, SAY, TICK, TOKEN, case, delay, give, handler, is_active, peek,
    receive, send, start, take, take_for, task, timer, try_lock, try_peek, try_receive, try_take,
};

pub(super) fn interrupts_and_critical_sections() -> Vec<Case> {
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
            "a_peek_of_a_handler_wakes_nobody",
            CALM,
            &[QUEUE],
            [
                task(1, [receive(0), SAY]),
                task(1, [delay(1), peek(0), SAY]),
                task(0, [delay(2), send(0, 7)]),
                handler([try_peek(0), SAY]),
            ],
            &["a7 d0 !deadlock", "d0 a7 !deadlock", "d7 a7 !deadlock"],
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
