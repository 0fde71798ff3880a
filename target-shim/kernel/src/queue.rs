//! Bounded first-in first-out queues. Where the messages themselves are is not known here: only slots are.
//!
//! Receivers wait for a message in one line, senders for room in another.

use crate::dependence::{Event, Relation};
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb, Wait};

fn capacity(object: &Object) -> u16 {
    if let Kind::Queue { capacity } = object.kind { capacity } else { 1 }
}

pub(crate) fn serves(object: &Object, operation: Operation) -> bool {
    match operation.verb {
        Verb::Send => object.level < capacity(object),
        _ => object.level > 0,
    }
}

#[inline(always)]
pub(crate) fn apply(object: &mut Object, operation: Operation) -> Effect {
    let capacity = capacity(object);
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
fn sent(object: &Object) -> u32 {
    object.received.wrapping_add(u32::from(object.level))
}

fn slot(serial: u32, capacity: u16) -> u16 {
    (serial % u32::from(capacity)) as u16
}

/// Which message an operation is about, counted from the first one ever, and how many fit.
pub(crate) fn serial(object: &Object, operation: Operation) -> (u32, u16) {
    match operation.verb {
        Verb::Send => (sent(object), capacity(object)),
        Verb::Receive | Verb::Peek => (object.received, capacity(object)),
        _ => (0, 0),
    }
}

/// In the present state. Two senders never commute (the order of messages differs), nor do two receivers.
pub(crate) fn dependent(object: &Object, a: Operation, b: Operation) -> bool {
    use Verb::{Peek, Receive, Send};
    let empty = object.level == 0;
    let full = object.level == capacity(object);
    match (a.verb, b.verb) {
        (Peek, Peek) => false,
        (Peek, Send) | (Send, Peek) => empty,
        (Send, Receive) | (Receive, Send) => empty || full,
        _ => true,
    }
}

/// In every state. Message k is received after it was sent, and slot k is free after message k - capacity was received: a
/// blocking operation cannot come earlier than that, and otherwise they commute.
pub(crate) fn relation(earlier: &Event, later: &Event) -> Relation {
    use Verb::{Peek, Receive, Send};
    let for_ever = |event: &Event| event.operation.wait() == Wait::Forever;
    match (earlier.operation.verb, later.operation.verb) {
        (Peek, Peek) => Relation::Independent,
        (Send, Receive) if for_ever(earlier) && for_ever(later) => {
            later.edge_if(later.serial == earlier.serial)
        }
        (Receive, Send) if for_ever(earlier) && for_ever(later) => {
            later.edge_if(later.serial == earlier.serial.wrapping_add(u32::from(earlier.capacity)))
        }
        // A blocking peek at message k needs that it was sent, and does not mind what is or is not sent after it.
        (Send, Peek) if for_ever(later) => later.edge_if(later.serial == earlier.serial),
        (Peek, Send) if for_ever(earlier) => Relation::Independent,
        _ => Relation::Race,
    }
}

pub(crate) const fn awaits(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Receive | Verb::Peek => Some(Awaits::Message),
        Verb::Send => Some(Awaits::Room),
        _ => None,
    }
}

pub(crate) const fn brings(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Send => Some(Awaits::Message),
        Verb::Receive => Some(Awaits::Room),
        _ => None,
    }
}

/// A message that is only looked at is there for the next one too, but a handler tells nobody.
pub(crate) fn wakes(_: &Object, operation: Operation, in_handler: bool) -> Option<Wakes> {
    match operation.verb {
        Verb::Peek if in_handler => None,
        Verb::Peek => Some(Wakes::first(Awaits::Message)),
        verb => brings(verb).map(Wakes::first),
    }
}

/// A large one is like one with room for four.
pub(crate) fn states(kind: Kind) -> (Kind, u16) {
    match kind {
        Kind::Queue { capacity } => (Kind::Queue { capacity: capacity.min(4) }, capacity.min(4)),
        _ => (kind, 0),
    }
}

/// How many messages there are; in which slots they are makes no difference.
pub(crate) fn canonical(object: &Object) -> Object {
    Object { received: 0, ..*object }
}
