//! The visible operations a task can be held at.

use crate::id::ObjectId;

/// What a task does when the operation cannot be served at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Wait {
    /// It is held until it can.
    Forever,
    /// It goes on with "not served".
    Never,
}

/// One visible operation with every argument that is not a message body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Operation {
    /// Takes one unit from a semaphore.
    Take { semaphore: ObjectId, wait: Wait },
    /// Returns one unit; at the maximum nothing changes and the outcome is "not served".
    Give { semaphore: ObjectId },
    /// Appends a message.
    Send { queue: ObjectId, wait: Wait },
    /// Removes the oldest message.
    Receive { queue: ObjectId, wait: Wait },
    /// Copies the oldest message and leaves it there.
    Peek { queue: ObjectId, wait: Wait },
    /// Reads a declared shared variable.
    Read { variable: ObjectId },
    /// Writes a declared shared variable.
    Write { variable: ObjectId },
    /// Chooses one of `0..=bound`; each is an alternative of its own.
    Toss { bound: u16 },
    /// Ends the path with a finding unless it holds; `name` is the place of its text in the table of names.
    Assert { holds: bool, name: u16 },
    /// Says something to whoever watches; `name` is a place in the firmware's table of names.
    Event { name: u16, value: u32 },
    /// The task has ended. Never enabled, so it is never a transition.
    Exit,
}

impl Operation {
    /// The object it works on, if any.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Self::Take { semaphore, .. } | Self::Give { semaphore } => Some(semaphore),
            Self::Send { queue, .. } | Self::Receive { queue, .. } | Self::Peek { queue, .. } => Some(queue),
            Self::Read { variable } | Self::Write { variable } => Some(variable),
            Self::Toss { .. } | Self::Assert { .. } | Self::Event { .. } | Self::Exit => None,
        }
    }

    /// How many alternatives it has when it is enabled.
    pub fn alternatives(self) -> u32 {
        match self {
            Self::Toss { bound } => u32::from(bound) + 1,
            _ => 1,
        }
    }

    /// Whether taking it ends the path with a finding.
    pub fn ends_path(self) -> bool {
        matches!(self, Self::Assert { holds: false, .. })
    }
}
