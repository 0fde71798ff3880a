//! The timer daemon's queue of commands, as what the daemon and those with a command wait for. What the daemon does with them
//! is in `daemon`.

use crate::dependence::{Event, Relation};
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb};

pub(crate) fn serves(object: &Object, _: Operation) -> bool {
    object.level > 0
}

pub(crate) fn apply(_: &mut Object, _: Operation) -> Effect {
    Effect::Served
}

/// In the present state.
pub(crate) fn dependent(_: &Object, _: Operation, _: Operation) -> bool {
    true
}

/// In every state.
pub(crate) fn relation(_: &Event, _: &Event) -> Relation {
    Relation::Race
}

pub(crate) const fn awaits(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Serve => Some(Awaits::Work),
        _ => None,
    }
}

pub(crate) const fn brings(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Serve => Some(Awaits::RoomForCommand),
        _ => None,
    }
}

/// Whoever waits with a command, if one is taken out.
pub(crate) fn wakes(object: &Object, operation: Operation, _: bool) -> Option<Wakes> {
    brings(operation.verb).filter(|_| object.level > 0).map(Wakes::first)
}

pub(crate) fn states(kind: Kind) -> (Kind, u16) {
    (kind, 0)
}

/// How many commands there are; what they are is the daemon's.
pub(crate) fn canonical(object: &Object) -> Object {
    *object
}
