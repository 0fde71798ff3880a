//! What tasks declare to do with objects: operations, as far as declarations tell them apart.

use crate::id::ObjectId;
use crate::operation::{Operation, Verb, Wait, Waits};

/// Something that a task may do. A task that declares nothing at all may do anything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// The task's place.
    pub task: u8,
    /// The last phase in which it may do so.
    pub until: u8,
    /// What it may do, as [`Verb::access`] has it; `None` for a task that declares to do nothing else.
    pub access: Option<Verb>,
    /// To which object; [`ObjectId::NULL`] for what is done to none.
    pub object: ObjectId,
}

impl Use {
    /// What an operation has to be declared as, and of which object, if it has to be.
    pub fn of(operation: Operation) -> Option<(Verb, ObjectId)> {
        Some((operation.verb.access()?, operation.subject))
    }

    /// The operations that it stands for: with and without waiting.
    pub fn operations(self) -> impl Iterator<Item = Operation> {
        let waits: &[Wait] = match self.access.map(Verb::waits) {
            Some(Waits::AsLong) => &[Wait::Forever, Wait::Never],
            Some(_) => &[Wait::Never],
            None => &[],
        };
        let operation = move |wait: &Wait| Operation::from_parts(self.access?, self.object, 0, *wait);
        waits.iter().filter_map(operation)
    }

    /// Whether it may ready somebody who waits.
    pub fn may_wake(self) -> bool {
        // A message that is only looked at is there for the next one too, and an armed line can fire.
        let wakes = |verb: Verb| verb.brings().is_some() || matches!(verb, Verb::Peek | Verb::Arm);
        self.access.is_some_and(wakes)
    }
}
