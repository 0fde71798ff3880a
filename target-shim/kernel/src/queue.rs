//! Bounded first-in first-out queues. Where the messages themselves are is not known here: only slots are.

use crate::object::{Effect, Object};
use crate::operation::{Operation, Verb};

pub(crate) fn serves(object: &Object, capacity: u16, operation: Operation) -> bool {
    match operation.verb {
        Verb::Send => object.level < capacity,
        _ => object.level > 0,
    }
}

pub(crate) fn apply(object: &mut Object, capacity: u16, operation: Operation) -> Effect {
    match operation.verb {
        Verb::Send if object.level < capacity => {
            let slot = slot(sent(object), capacity);
            object.level += 1;
            Effect::Into(slot)
        }
        Verb::Receive if object.level > 0 => {
            let slot = slot(object.received, capacity);
            object.received = object.received.wrapping_add(1);
            object.level -= 1;
            Effect::From(slot)
        }
        Verb::Peek if object.level > 0 => Effect::From(slot(object.received, capacity)),
        _ => Effect::Refused,
    }
}

/// Messages ever sent.
pub(crate) fn sent(object: &Object) -> u32 {
    object.received.wrapping_add(u32::from(object.level))
}

fn slot(serial: u32, capacity: u16) -> u16 {
    (serial % u32::from(capacity)) as u16
}

/// In the present state. Two senders never commute (the order of messages differs), nor do two receivers.
pub(crate) fn dependent(object: &Object, capacity: u16, a: Operation, b: Operation) -> bool {
    use Verb::{Peek, Receive, Send};
    let empty = object.level == 0;
    let full = object.level == capacity;
    match (a.verb, b.verb) {
        (Peek, Peek) => false,
        (Peek, Send) | (Send, Peek) => empty,
        (Send, Receive) | (Receive, Send) => empty || full,
        _ => true,
    }
}
