//! What the kernel itself finds wrong with a step.

use crate::id::TaskId;

/// Something that no firmware should do, or a state that no firmware should come to. It ends the path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Wrong {
    /// Tasks wait for each other's mutexes, or for one whose holder has ended, without end; this one is among them.
    /// Also one that waited for itself for a while, with a priority that others lent it.
    Cycle(TaskId),
    /// Something did not fit that was declared always to fit.
    NeverFull(TaskId),
    /// Unlocks a mutex that it does not own.
    NotOwner(TaskId),
    /// Would block in an interrupt handler.
    BlocksInHandler(TaskId),
    /// Would block in the callback of a timer, and with it all other timers.
    BlocksInCallback(TaskId),
    /// Would block inside a critical section.
    BlocksInCritical(TaskId),
    /// Uses a mutex in an interrupt handler.
    MutexInHandler(TaskId),
    /// Ends a critical section that it is not in.
    NotInCritical(TaskId),
    /// Ends inside a critical section, or its interrupt handler does.
    EndsInCritical(TaskId),
    /// No room for a timer command.
    CommandsFull(TaskId),
}

impl Wrong {
    /// Who did it.
    pub fn task(self) -> TaskId {
        match self {
            Self::Cycle(task)
            | Self::NeverFull(task)
            | Self::NotOwner(task)
            | Self::BlocksInHandler(task)
            | Self::BlocksInCallback(task)
            | Self::BlocksInCritical(task)
            | Self::MutexInHandler(task)
            | Self::NotInCritical(task)
            | Self::EndsInCritical(task)
            | Self::CommandsFull(task) => task,
        }
    }
}
