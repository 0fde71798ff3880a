//! Bounded first-in first-out queues. Where the messages themselves are is not known here: only slots are.

use crate::object::{Effect, Object};
use crate::operation::{Operation, Wait};

pub(crate) fn enabled(object: &Object, capacity: u16, operation: Operation) -> bool {
    match operation {
        Operation::Send { wait: Wait::Forever, .. } => object.level < capacity,
        Operation::Receive { wait: Wait::Forever, .. } | Operation::Peek { wait: Wait::Forever, .. } => {
            object.level > 0
        }
        _ => true,
    }
}

pub(crate) fn apply(object: &mut Object, capacity: u16, operation: Operation) -> Effect {
    match operation {
        Operation::Send { .. } if object.level < capacity => {
            let slot = (u32::from(object.head) + u32::from(object.level)) % u32::from(capacity);
            object.level += 1;
            Effect::Into(slot as u16)
        }
        Operation::Receive { .. } if object.level > 0 => {
            let slot = object.head;
            object.head = if slot + 1 == capacity { 0 } else { slot + 1 };
            object.level -= 1;
            Effect::From(slot)
        }
        Operation::Peek { .. } if object.level > 0 => Effect::From(object.head),
        _ => Effect::Refused,
    }
}

/// In the present state. Two senders never commute (the order of messages differs), nor do two receivers.
pub(crate) fn dependent(object: &Object, capacity: u16, a: Operation, b: Operation) -> bool {
    use Operation::{Peek, Receive, Send};
    let empty = object.level == 0;
    let full = object.level == capacity;
    match (a, b) {
        (Peek { .. }, Peek { .. }) => false,
        (Peek { .. }, Send { .. }) | (Send { .. }, Peek { .. }) => empty,
        (Send { .. }, Receive { .. }) | (Receive { .. }, Send { .. }) => empty || full,
        _ => true,
    }
}
