//! Mutexes: who owns one, and how often. What holding one does to priorities is in `cpu`.

use crate::id::TaskId;
use crate::object::{Effect, Object};
use crate::operation::{Operation, Verb};

/// A plain mutex that its owner locks again is not served: the owner waits for itself.
pub(crate) fn serves(object: &Object, recursive: bool, task: TaskId, operation: Operation) -> bool {
    let own = object.owner == Some(task);
    match operation.verb {
        Verb::Lock => object.owner.is_none() || recursive && own,
        _ => own,
    }
}

pub(crate) fn apply(object: &mut Object, recursive: bool, task: TaskId, operation: Operation) -> Effect {
    if !serves(object, recursive, task, operation) {
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
