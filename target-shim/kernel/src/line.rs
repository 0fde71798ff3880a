//! Interrupt lines: armed or masked, and how often each has fired. Who may fire when is in `cpu`.

use crate::dependence::{Event, Relation};
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb};

pub(crate) fn serves(_: &Object, _: Operation) -> bool {
    true
}

#[inline(always)]
pub(crate) fn apply(object: &mut Object, operation: Operation) -> Effect {
    match operation.verb {
        Verb::Arm => object.level = 1,
        Verb::Mask => object.level = 0,
        Verb::Fire => object.times = object.times.saturating_add(1),
        _ => {}
    }
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

/// Whether it is armed, and how often it has fired: its own limit reads that, or the budget.
pub(crate) fn canonical(object: &Object, budget: bool) -> Object {
    let limited = !matches!(object.kind, Kind::Line { limit: u16::MAX }) || budget;
    Object { times: if limited { object.times } else { 0 }, ..*object }
}
