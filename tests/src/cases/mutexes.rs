//! Mutexes: inherited priorities, and what is done with them that should not be.

use fwvs_program::RoleSpec;

use super::Case;
use super::vocabulary::{
    CALM, MUTEX, RECURSIVE, SAY, TICK, TOKEN, case, delay, give, lock, lock_for, take, task, try_lock, unlock,
};

/// In each, somebody of a priority in between becomes ready, and how high the holder's priority is then decides who speaks
/// first.
pub(super) fn inheritance() -> Vec<Case> {
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

pub(super) fn misuse() -> Vec<Case> {
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
