//! Which transitions do not commute.
//!
//! Two forms. [`Kernel::dependent`] looks at the present state and is what sleep and persistent sets use.
//! [`relation`] compares two events of a path, wherever they stand, and is what happens-before is made of.

use crate::id::{ObjectId, TaskId};
use crate::kernel::{Kernel, Transition};
use crate::object::{Kind, Object};
use crate::operation::{Operation, Wait};
use crate::queue;
use crate::storage::Storage;

impl<S: Storage> Kernel<S> {
    /// Whether two transitions that tasks are held at fail to commute in the present state.
    pub fn dependent(&self, a: Transition, b: Transition) -> bool {
        if a.task == b.task {
            return true;
        }
        let (Some(x), Some(y)) = (self.pending(a.task), self.pending(b.task)) else {
            return true;
        };
        if x.ends_path() || y.ends_path() {
            return true;
        }
        match (x.object(), y.object()) {
            (Some(object), Some(other)) if object == other => {
                self.object_place(object).is_none_or(|place| self.objects()[place].dependent(x, y))
            }
            _ => false,
        }
    }

    /// Whether two transitions that tasks are held at fail to commute in the present state or in any other.
    pub fn related(&self, taken: Transition, other: Transition) -> bool {
        match (self.event(taken.task), self.event(other.task)) {
            (Some(earlier), Some(later)) => relation(&earlier, &later) != Relation::Independent,
            _ => true,
        }
    }

    /// What the task is held at, as an event: the one it becomes if it is taken in the present state.
    pub fn event(&self, task: TaskId) -> Option<Event> {
        self.pending(task).map(|operation| self.event_of(task, operation))
    }

    /// The event that `operation` becomes if `task` takes it in the present state.
    pub fn event_of(&self, task: TaskId, operation: Operation) -> Event {
        let queue = operation
            .object()
            .and_then(|object| self.object_place(object))
            .map(|place| &self.objects()[place]);
        let (serial, capacity) = match (operation, queue.map(|queue| (queue, queue.kind))) {
            (Operation::Send { .. }, Some((queue, Kind::Queue { capacity }))) => {
                (queue::sent(queue), capacity)
            }
            (Operation::Receive { .. } | Operation::Peek { .. }, Some((queue, Kind::Queue { capacity }))) => {
                (queue.received, capacity)
            }
            _ => (0, 0),
        };
        Event { task, operation, serial, capacity }
    }
}

impl<S: Storage> Kernel<S> {
    /// Whether `one` may stand in a relation, [`may_conflict`] or [`may_enable`], to one of the `others`.
    pub fn may_meet(
        &self,
        one: Operation,
        others: impl IntoIterator<Item = Operation>,
        relation: fn(Kind, Operation, Operation) -> bool,
    ) -> bool {
        let Some(object) = one.object() else { return false };
        let Some(place) = self.object_place(object) else { return true };
        let kind = self.objects()[place].kind;
        others.into_iter().any(|other| other.object() == Some(object) && relation(kind, one, other))
    }
}

/// Whether two operations of different tasks on the same object fail to commute in some state in which both can be taken.
pub fn may_conflict(kind: Kind, a: Operation, b: Operation) -> bool {
    objects(kind).any(|object| object.enables(a) && object.enables(b) && object.dependent(a, b))
}

/// Whether there is a state in which `held` cannot be taken, but can after `other` on the same object.
pub fn may_enable(kind: Kind, held: Operation, other: Operation) -> bool {
    objects(kind).any(|mut object| {
        !object.enables(held) && object.enables(other) && {
            object.apply(other);
            object.enables(held)
        }
    })
}

/// An object of that kind at each level. One without a maximum, and a large one, is like one with room for four.
fn objects(kind: Kind) -> impl Iterator<Item = Object> {
    let (kind, highest) = match kind {
        Kind::Semaphore { max: u16::MAX } => (kind, 4),
        Kind::Semaphore { max } => (Kind::Semaphore { max: max.min(4) }, max.min(4)),
        Kind::Queue { capacity } => (Kind::Queue { capacity: capacity.min(4) }, capacity.min(4)),
        Kind::Shared => (kind, 0),
    };
    (0..=highest).map(move |level| Object::new(ObjectId::setup(0), kind, level))
}

/// An operation that was taken on a path, or that a task is held at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// Who.
    pub task: TaskId,
    /// What.
    pub operation: Operation,
    /// For a send, how many messages the queue had been sent before; for a receive or a peek, how many were received;
    /// 0 elsewhere.
    pub serial: u32,
    /// The queue's capacity; 0 elsewhere.
    pub capacity: u16,
}

/// How a later event stands to an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// They commute in every state in which both are enabled.
    Independent,
    /// The later one needs the earlier one: ordered, but no other order is possible.
    Edge,
    /// They do not commute and may come in the other order: a race unless something else orders them.
    Race,
}

/// How `later` stands to `earlier`, in every state: what happens-before and races are made of.
pub fn relation(earlier: &Event, later: &Event) -> Relation {
    use Operation::{Peek, Read, Receive, Send};
    if earlier.task == later.task {
        return Relation::Edge;
    }
    if earlier.operation.ends_path() || later.operation.ends_path() {
        return Relation::Race;
    }
    match (earlier.operation.object(), later.operation.object()) {
        (Some(object), Some(other)) if object == other => {}
        _ => return Relation::Independent,
    }
    match (earlier.operation, later.operation) {
        (Read { .. }, Read { .. }) | (Peek { .. }, Peek { .. }) => Relation::Independent,
        // The first-in first-out row: message k is received after it was sent, and slot k is free after message
        // k - capacity was received. A blocking operation cannot come earlier than that, and otherwise they commute.
        (Send { wait: Wait::Forever, .. }, Receive { wait: Wait::Forever, .. }) => {
            edge_if(later.serial == earlier.serial)
        }
        (Receive { wait: Wait::Forever, .. }, Send { wait: Wait::Forever, .. }) => {
            edge_if(later.serial == earlier.serial.wrapping_add(u32::from(earlier.capacity)))
        }
        // A blocking peek at message k needs that it was sent, and does not mind what is or is not sent after it.
        (Send { .. }, Peek { wait: Wait::Forever, .. }) => edge_if(later.serial == earlier.serial),
        (Peek { wait: Wait::Forever, .. }, Send { .. }) => Relation::Independent,
        _ => Relation::Race,
    }
}

fn edge_if(needs: bool) -> Relation {
    if needs { Relation::Edge } else { Relation::Independent }
}
