//! Semaphores and queues that are full, empty, or only looked at.

use fwvs_program::ObjectSpec;

use super::Case;
use super::vocabulary::{CALM, QUEUE, SAY, case, give, peek, receive, task, try_receive, try_send, try_take};

pub(super) fn semaphores_and_queues() -> Vec<Case> {
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
