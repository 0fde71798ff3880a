//! What tasks declare to do with objects: operations, as far as declarations tell them apart.

use crate::id::ObjectId;
use crate::operation::{Command, Operation, Wait};

/// What can be done to an object, as far as footprints tell it apart: with and without waiting is the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Nothing: for a task that declares to do nothing else.
    Nothing,
    /// Takes from a semaphore.
    Take,
    /// Gives to a semaphore.
    Give,
    /// Sends to a queue.
    Send,
    /// Receives from a queue.
    Receive,
    /// Looks at a queue's first message.
    Peek,
    /// Reads a variable.
    Read,
    /// Writes a variable.
    Write,
    /// Locks a mutex.
    Lock,
    /// Unlocks a mutex.
    Unlock,
    /// Commands a timer, or asks for it.
    Command,
    /// Arms an interrupt line.
    Arm,
    /// Masks an interrupt line.
    Mask,
    /// Enters critical sections; of no object.
    Critical,
    /// Reads the tick; of no object.
    Tick,
}

impl Access {
    /// What an operation is, if it has to be declared.
    pub fn of(operation: Operation) -> Option<(Self, ObjectId)> {
        use Operation as O;
        Some(match operation {
            O::Take { semaphore, .. } => (Self::Take, semaphore),
            O::Give { semaphore } => (Self::Give, semaphore),
            O::Send { queue, .. } => (Self::Send, queue),
            O::Receive { queue, .. } => (Self::Receive, queue),
            O::Peek { queue, .. } => (Self::Peek, queue),
            O::Read { variable } => (Self::Read, variable),
            O::Write { variable } => (Self::Write, variable),
            O::Lock { mutex, .. } => (Self::Lock, mutex),
            O::Unlock { mutex } => (Self::Unlock, mutex),
            O::Command { timer, .. } | O::Period { timer, .. } | O::Active { timer } => {
                (Self::Command, timer)
            }
            O::Arm { line } => (Self::Arm, line),
            O::Mask { line } => (Self::Mask, line),
            O::EnterCritical => (Self::Critical, ObjectId::NULL),
            O::Tick => (Self::Tick, ObjectId::NULL),
            _ => return None,
        })
    }

    /// Whether it may ready somebody who waits.
    pub fn may_wake(self) -> bool {
        matches!(
            self,
            Self::Give | Self::Send | Self::Receive | Self::Peek | Self::Unlock | Self::Command | Self::Arm
        )
    }
}

/// Something that a task may do. A task that declares nothing at all may do anything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// The task's place.
    pub task: u8,
    /// The last phase in which it may do so.
    pub until: u8,
    /// What it may do.
    pub access: Access,
    /// To which object.
    pub object: ObjectId,
}

impl Use {
    /// The operations that it stands for.
    pub fn operations(self) -> impl Iterator<Item = Operation> {
        let object = self.object;
        let waiting = move |wait| match self.access {
            Access::Take => Some(Operation::Take { semaphore: object, wait }),
            Access::Send => Some(Operation::Send { queue: object, wait }),
            Access::Receive => Some(Operation::Receive { queue: object, wait }),
            Access::Peek => Some(Operation::Peek { queue: object, wait }),
            Access::Lock => Some(Operation::Lock { mutex: object, wait }),
            _ => None,
        };
        let plain = match self.access {
            Access::Give => Some(Operation::Give { semaphore: object }),
            Access::Read => Some(Operation::Read { variable: object }),
            Access::Write => Some(Operation::Write { variable: object }),
            Access::Unlock => Some(Operation::Unlock { mutex: object }),
            Access::Command => {
                Some(Operation::Command { timer: object, command: Command::Start, wait: Wait::Never })
            }
            Access::Arm => Some(Operation::Arm { line: object }),
            Access::Mask => Some(Operation::Mask { line: object }),
            Access::Critical => Some(Operation::EnterCritical),
            Access::Tick => Some(Operation::Tick),
            _ => None,
        };
        [waiting(Wait::Forever), waiting(Wait::Never), plain].into_iter().flatten()
    }
}
