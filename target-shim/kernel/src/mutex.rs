//! Mutexes: who owns one, and how often. What holding one does to priorities is in `cpu`.

use crate::dependence::{Event, Relation};
use crate::id::TaskId;
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb};

/// A plain mutex that its owner locks again is not served: the owner waits for itself.
pub(crate) fn serves(object: &Object, task: TaskId, operation: Operation) -> bool {
    let own = object.owner == Some(task);
    let recursive = matches!(object.kind, Kind::Mutex { recursive: true });
    match operation.verb {
        Verb::Lock => object.owner.is_none() || recursive && own,
        _ => own,
    }
}

#[inline(always)]
pub(crate) fn apply(object: &mut Object, task: TaskId, operation: Operation) -> Effect {
    if !serves(object, task, operation) {
        return Effect::Refused;
    }
    if operation.verb == Verb::Lock {
        object.owner = Some(task);
        object.level = object.level.saturating_add(1);
    } else {
        object.level -= 1;
        if object.level == 0 {
            object.owner = None;
        }
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

pub(crate) const fn awaits(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Lock => Some(Awaits::Ownership),
        _ => None,
    }
}

pub(crate) const fn brings(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::Unlock => Some(Awaits::Ownership),
        _ => None,
    }
}

/// Only the last unlock of several gives it back.
pub(crate) fn wakes(object: &Object, operation: Operation, _: bool) -> Option<Wakes> {
    brings(operation.verb).filter(|_| object.level == 1).map(Wakes::first)
}

/// Free, or another task's.
pub(crate) fn states(kind: Kind) -> (Kind, u16) {
    (kind, 1)
}

/// Its owner, and how often it was locked.
pub(crate) fn canonical(object: &Object) -> Object {
    *object
}
