//! The shared objects. What each kind means is in its own file; this one finds the right file.

use crate::id::ObjectId;
use crate::operation::Operation;
use crate::{queue, semaphore, shared};

/// What an object is, with the sizes it was created with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Kind {
    /// Binary for `max == 1`, counting otherwise; `u16::MAX` stands for no maximum.
    Semaphore { max: u16 },
    /// A bounded first-in first-out queue.
    Queue { capacity: u16 },
    /// A variable whose accesses the firmware declared visible.
    Shared,
}

/// One object and its present state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its name.
    pub id: ObjectId,
    /// What it is.
    pub kind: Kind,
    /// Units of a semaphore, messages in a queue; unused by a shared variable.
    pub level: u16,
    pub(crate) received: u32,
}

/// What an operation did to its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Not served: nothing changed.
    Refused,
    /// Served, no message moves.
    Served,
    /// Served; the task's message goes into this slot.
    Into(u16),
    /// Served; this slot's message goes to the task.
    From(u16),
}

impl Object {
    /// A new object.
    pub fn new(id: ObjectId, kind: Kind, level: u16) -> Self {
        Self { id, kind, level, received: 0 }
    }

    /// Messages ever received from a queue; modulo the capacity, the slot of the oldest one.
    pub fn received(&self) -> u32 {
        self.received
    }

    /// Whether `operation` is one that this kind of object knows.
    pub(crate) fn accepts(&self, operation: Operation) -> bool {
        match self.kind {
            Kind::Semaphore { .. } => matches!(operation, Operation::Take { .. } | Operation::Give { .. }),
            Kind::Queue { .. } => {
                matches!(
                    operation,
                    Operation::Send { .. } | Operation::Receive { .. } | Operation::Peek { .. }
                )
            }
            Kind::Shared => matches!(operation, Operation::Read { .. } | Operation::Write { .. }),
        }
    }

    /// Whether `operation` can be a transition now.
    pub(crate) fn enables(&self, operation: Operation) -> bool {
        match self.kind {
            Kind::Semaphore { .. } => semaphore::enabled(self, operation),
            Kind::Queue { capacity } => queue::enabled(self, capacity, operation),
            Kind::Shared => true,
        }
    }

    /// Carries out an enabled `operation`.
    pub(crate) fn apply(&mut self, operation: Operation) -> Effect {
        match self.kind {
            Kind::Semaphore { max } => semaphore::apply(self, max, operation),
            Kind::Queue { capacity } => queue::apply(self, capacity, operation),
            Kind::Shared => Effect::Served,
        }
    }

    /// Whether two operations of different tasks on this object fail to commute in its present state.
    pub(crate) fn dependent(&self, a: Operation, b: Operation) -> bool {
        match self.kind {
            Kind::Semaphore { max } => semaphore::dependent(self, max, a, b),
            Kind::Queue { capacity } => queue::dependent(self, capacity, a, b),
            Kind::Shared => shared::dependent(a, b),
        }
    }
}
