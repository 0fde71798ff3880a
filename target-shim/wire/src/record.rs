//! Target to host: one transition, and the operation its task arrived at.
//!
//! A record is half filled when the transition is taken (who, which alternative, what came of it) and completed when
//! the task arrives at its next operation (which, on what, with what, from where). The operation that was taken is
//! the one of the task's record before. After a crash the last record is the half-filled one: it names the task.

use fwvs_kernel::{ObjectId, Operation, TaskId, Transition, Wait};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::{id_bytes, id_from, mix};

/// One transition; 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Record {
    /// Who.
    pub task: [u8; 2],
    /// Which alternative it took.
    pub alternative: u16,
    /// The object's level after it, or the toss's value.
    pub level: u16,
    /// Code of the operation the task then arrived at.
    pub operation: u8,
    /// [`COMPLETE`], [`REFUSED`], [`WIDE`], and above them the phase that the task is in.
    pub flags: u8,
    /// The object of that operation; of an event or an assertion, its name's place.
    pub object: [u8; 2],
    /// Its argument, or the low half of it.
    pub argument: u16,
    /// Where in the firmware it was called from.
    pub pc: u32,
}

/// The task has arrived: the second half counts.
pub const COMPLETE: u8 = 1;
/// The transition was not served.
pub const REFUSED: u8 = 2;
/// The argument goes on in the next 16 bytes.
pub const WIDE: u8 = 4;
/// Where the phase begins.
const PHASE: u32 = 3;
/// The last phase there is.
pub const LAST_PHASE: u8 = 0xff >> PHASE;

/// What is wrong with a record that came back from a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// No such operation.
    Operation(u8),
    /// Flags that the operation cannot have.
    Flags(u8),
    /// An argument that the operation cannot have.
    Argument(u16),
}

const TAKE: u8 = 1;
const GIVE: u8 = 2;
const SEND: u8 = 3;
const RECEIVE: u8 = 4;
const PEEK: u8 = 5;
const READ: u8 = 6;
const WRITE: u8 = 7;
const TOSS: u8 = 8;
const ASSERT: u8 = 9;
const EVENT: u8 = 10;
const EXIT: u8 = 11;

/// The waiting operations' argument.
const FOREVER: u16 = 0xffff;

impl Record {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();

    /// Room that no record uses.
    pub const NONE: Self = Self {
        task: [0; 2],
        alternative: 0,
        level: 0,
        operation: 0,
        flags: 0,
        object: [0; 2],
        argument: 0,
        pc: 0,
    };

    /// The first half: a transition was taken.
    pub fn taken(transition: Transition, level: u16, served: bool) -> Self {
        Self {
            task: id_bytes(transition.task.0),
            alternative: transition.alternative,
            level,
            flags: if served { 0 } else { REFUSED },
            ..Self::NONE
        }
    }

    /// The second half: the task arrived. What does not fit is returned, for the 16 bytes that follow.
    pub fn arrived(&mut self, operation: Operation, pc: u32) -> Option<u32> {
        let object = operation.object().map_or([0, 0], |object| id_bytes(object.0));
        let waiting = |wait| match wait {
            Wait::Forever => FOREVER,
            Wait::Never => 0,
        };
        let (code, object, argument) = match operation {
            Operation::Take { wait, .. } => (TAKE, object, waiting(wait)),
            Operation::Give { .. } => (GIVE, object, 0),
            Operation::Send { wait, .. } => (SEND, object, waiting(wait)),
            Operation::Receive { wait, .. } => (RECEIVE, object, waiting(wait)),
            Operation::Peek { wait, .. } => (PEEK, object, waiting(wait)),
            Operation::Read { .. } => (READ, object, 0),
            Operation::Write { .. } => (WRITE, object, 0),
            Operation::Toss { bound } => (TOSS, object, bound),
            Operation::Assert { holds, name } => (ASSERT, name.to_le_bytes(), u16::from(holds)),
            Operation::Event { name, value } => (EVENT, name.to_le_bytes(), value as u16),
            Operation::Exit => (EXIT, object, 0),
        };
        (self.operation, self.object, self.argument, self.pc) = (code, object, argument, pc);
        self.flags |= COMPLETE;
        match operation {
            Operation::Event { value, .. } if value > 0xffff => {
                self.flags |= WIDE;
                Some(value)
            }
            _ => None,
        }
    }

    /// The task has arrived in that phase; later ones than the last count as the last.
    pub fn in_phase(&mut self, phase: u8) {
        self.flags |= phase.min(LAST_PHASE) << PHASE;
    }

    /// The phase the task is in.
    pub fn phase(&self) -> u8 {
        self.flags >> PHASE
    }

    /// The transition.
    pub fn transition(&self) -> Transition {
        Transition { task: TaskId(id_from(self.task)), alternative: self.alternative }
    }

    /// Whether the transition was served.
    pub fn served(&self) -> bool {
        self.flags & REFUSED == 0
    }

    /// Whether the task has arrived.
    pub fn complete(&self) -> bool {
        self.flags & COMPLETE != 0
    }

    /// Whether the argument goes on in the next 16 bytes.
    pub fn wide(&self) -> bool {
        self.flags & WIDE != 0
    }

    /// The operation of a complete record; `wide` is the first word of the next 16 bytes.
    pub fn operation(&self, wide: u32) -> Result<Operation, Malformed> {
        if self.wide() && self.operation != EVENT {
            return Err(Malformed::Flags(self.flags));
        }
        let object = ObjectId(id_from(self.object));
        let wait = || match self.argument {
            FOREVER => Ok(Wait::Forever),
            0 => Ok(Wait::Never),
            other => Err(Malformed::Argument(other)),
        };
        let nothing = |operation| match self.argument {
            0 => Ok(operation),
            other => Err(Malformed::Argument(other)),
        };
        match self.operation {
            TAKE => Ok(Operation::Take { semaphore: object, wait: wait()? }),
            GIVE => nothing(Operation::Give { semaphore: object }),
            SEND => Ok(Operation::Send { queue: object, wait: wait()? }),
            RECEIVE => Ok(Operation::Receive { queue: object, wait: wait()? }),
            PEEK => Ok(Operation::Peek { queue: object, wait: wait()? }),
            READ => nothing(Operation::Read { variable: object }),
            WRITE => nothing(Operation::Write { variable: object }),
            TOSS => Ok(Operation::Toss { bound: self.argument }),
            ASSERT => match self.argument {
                0 | 1 => {
                    Ok(Operation::Assert { holds: self.argument == 1, name: u16::from_le_bytes(self.object) })
                }
                other => Err(Malformed::Argument(other)),
            },
            EVENT => {
                let value = if self.wide() { wide } else { u32::from(self.argument) };
                Ok(Operation::Event { name: u16::from_le_bytes(self.object), value })
            }
            EXIT => nothing(Operation::Exit),
            other => Err(Malformed::Operation(other)),
        }
    }

    /// As four words, in memory order.
    pub fn words(&self) -> [u32; 4] {
        zerocopy::transmute!(*self)
    }

    /// A record, complete or not, into a running digest.
    pub fn digest(&self, digest: u32, wide: Option<u32>) -> u32 {
        let digest = self.words().into_iter().fold(digest, mix);
        wide.map_or(digest, |wide| mix(digest, wide))
    }
}
