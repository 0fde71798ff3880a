//! What two operations on an object may do to each other in some state of it, whatever its state is now.

use crate::id::{ObjectId, TaskId};
use crate::object::{Kind, Object};
use crate::operation::{Operation, Wait};

/// Two tasks, whoever they are.
const ONE: TaskId = TaskId::setup(0);
const OTHER: TaskId = TaskId::setup(1);

impl Kind {
    /// Whether two operations of different tasks on one object of this kind fail to commute in some state in which both
    /// can be taken.
    pub fn may_conflict(self, a: Operation, b: Operation) -> bool {
        objects(self)
            .any(|object| can_take(&object, ONE, a) && can_take(&object, OTHER, b) && object.dependent(a, b))
    }

    /// Whether there is a state in which `held` cannot be taken, but can after `other` on the same object. A task that waits
    /// for time too cannot go on by it where time does not pass: with no expiries left, or in a critical section of another
    /// task.
    pub fn may_enable(self, held: Operation, other: Operation) -> bool {
        let goes_on = |object: &Object| held.wait() == Wait::Never || object.serves(ONE, held);
        objects(self).any(|mut object| {
            !goes_on(&object) && can_take(&object, OTHER, other) && {
                object.apply(OTHER, other);
                goes_on(&object)
            }
        })
    }
}

/// Whether an operation can be taken where those that cannot be served are disabled.
fn can_take(object: &Object, task: TaskId, operation: Operation) -> bool {
    operation.wait() != Wait::Forever || object.serves(task, operation)
}

/// An object of that kind at each level; if it has an owner, that is the other task.
fn objects(kind: Kind) -> impl Iterator<Item = Object> {
    let (kind, highest) = kind.states();
    (0..=highest).map(move |level| {
        let owner = (matches!(kind, Kind::Mutex { .. }) && level > 0).then_some(OTHER);
        Object { owner, ..Object::new(ObjectId::setup(0), kind, level) }
    })
}
