//! Binary and counting semaphores. Takers wait for a unit in one line, and a give wakes the first of them.

use crate::dependence::{Event, Relation};
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb, Wait};

fn max(object: &Object) -> u16 {
    if let Kind::Semaphore { max } = object.kind { max } else { 0 }
}

pub(crate) fn serves(object: &Object, operation: Operation) -> bool {
    match operation.verb {
        Verb::Take => object.level > 0,
        _ => object.level < max(object),
    }
}

#[inline(always)]
pub(crate) fn apply(object: &mut Object, operation: Operation) -> Effect {
    match operation.verb {
        Verb::Take if object.level > 0 => object.level -= 1,
        Verb::Give if object.level < max(object) => object.level += 1,
        _ => return Effect::Refused,
    }
    Effect::Served
}

/// In the present state. A give at the maximum is refused, so near the maximum gives stop commuting too.
pub(crate) fn dependent(object: &Object, a: Operation, b: Operation) -> bool {
    use Verb::{Give, Take};
    let level = u32::from(object.level);
    let max = u32::from(max(object));
    match (a.verb, b.verb) {
        (Take, Take) if (a.wait(), b.wait()) == (Wait::Never, Wait::Never) => level == 1,
        (Take, Take) => level < 2,
        (Take, Give) | (Give, Take) => level == 0 || level == max,
        (Give, Give) => level + 2 > max,
        _ => true,
    }
}

/// In every state.
pub(crate) fn relation(_: &Event, _: &Event) -> Relation {
    Relation::Race
}

pub(crate) const fn awaits(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Take => Some(Awaits::Unit),
        _ => None,
    }
}

pub(crate) const fn brings(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Give => Some(Awaits::Unit),
        _ => None,
    }
}

pub(crate) fn wakes(_: &Object, operation: Operation, _: bool) -> Option<Wakes> {
    brings(operation.verb).map(Wakes::first)
}

/// One without a maximum, and a large one, is like one with room for four.
pub(crate) fn states(kind: Kind) -> (Kind, u16) {
    match kind {
        Kind::Semaphore { max: u16::MAX } => (kind, 4),
        Kind::Semaphore { max } => (Kind::Semaphore { max: max.min(4) }, max.min(4)),
        _ => (kind, 0),
    }
}

/// Its units.
pub(crate) fn canonical(object: &Object) -> Object {
    *object
}
