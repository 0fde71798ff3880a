//! Declared shared variables: reads commute, anything with a write does not. Nobody waits for one.

use crate::dependence::{Event, Relation};
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb};

pub(crate) fn serves(_: &Object, _: Operation) -> bool {
    true
}

pub(crate) fn apply(_: &mut Object, _: Operation) -> Effect {
    Effect::Served
}

/// In the present state.
pub(crate) fn dependent(_: &Object, a: Operation, b: Operation) -> bool {
    (a.verb, b.verb) != (Verb::Read, Verb::Read)
}

/// In every state.
pub(crate) fn relation(earlier: &Event, later: &Event) -> Relation {
    match (earlier.operation.verb, later.operation.verb) {
        (Verb::Read, Verb::Read) => Relation::Independent,
        _ => Relation::Race,
    }
}

pub(crate) const fn awaits(_: Verb) -> Option<Awaits> {
    None
}

pub(crate) const fn brings(_: Verb) -> Option<Awaits> {
    None
}

pub(crate) fn wakes(_: &Object, _: Operation, _: bool) -> Option<Wakes> {
    None
}

pub(crate) fn states(kind: Kind) -> (Kind, u16) {
    (kind, 0)
}

/// Its value is the firmware's.
pub(crate) fn canonical(object: &Object) -> Object {
    *object
}
