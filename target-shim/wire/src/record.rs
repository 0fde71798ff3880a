//! Target to host: one transition, and the operation its task arrived at.
//!
//! A record is half filled when the transition is taken (who, which alternative, what came of it) and completed when
//! the task arrives at its next operation (which, on what, with what, from where). The operation that was taken is
//! the one of the task's record before. After a crash the last record is the half-filled one: it names the task.

use fwvs_kernel::{Command, ObjectId, Operation, TaskId, Transition, Wait};
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
const LOCK: u8 = 12;
const UNLOCK: u8 = 13;
const DELAY: u8 = 14;
const DELAY_UNTIL: u8 = 15;
const TICK: u8 = 16;
const ENTER_CRITICAL: u8 = 17;
const EXIT_CRITICAL: u8 = 18;
const YIELD: u8 = 19;
const START_TIMER: u8 = 20;
const STOP_TIMER: u8 = 21;
const RESET_TIMER: u8 = 22;
const CHANGE_PERIOD: u8 = 23;
const ACTIVE: u8 = 24;
const ARM: u8 = 25;
const MASK: u8 = 26;
const FIRE: u8 = 27;
const RETURN: u8 = 28;
const EXPIRE: u8 = 29;
const SERVE: u8 = 30;
const START: u8 = 31;
const RESUME: u8 = 32;
const PASS: u8 = 33;
/// The task has not gone on: it waits, was preempted, or has no code to run.
const STAYS: u8 = 0xff;

/// The waiting operations' argument.
const FOREVER: u16 = 0xffff;
/// A number of ticks that does not fit: it is in the 16 bytes that follow.
const LONG: u16 = 0xfffe;

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
    #[inline(always)]
    pub fn arrived(&mut self, operation: Operation, pc: u32) -> Option<u32> {
        let (argument, wide) = match operation {
            Operation::Take { wait, .. }
            | Operation::Send { wait, .. }
            | Operation::Receive { wait, .. }
            | Operation::Peek { wait, .. }
            | Operation::Lock { wait, .. }
            | Operation::Command { wait, .. } => waiting(wait),
            Operation::Delay { ticks: wide }
            | Operation::DelayUntil { tick: wide }
            | Operation::Period { period: wide, .. } => (0, Some(wide)),
            Operation::Toss { bound } => (bound, None),
            Operation::Assert { holds, .. } => (u16::from(holds), None),
            Operation::Event { value, .. } => (value as u16, (value > 0xffff).then_some(value)),
            _ => (0, None),
        };
        self.object = match operation {
            Operation::Assert { name, .. } | Operation::Event { name, .. } => name.to_le_bytes(),
            _ => operation.object().map_or([0, 0], |object| id_bytes(object.0)),
        };
        (self.operation, self.argument, self.pc) = (code(operation), argument, pc);
        self.flags |= COMPLETE;
        if wide.is_some() {
            self.flags |= WIDE;
        }
        wide
    }

    /// The second half where the task has not gone on: it is still where it was.
    pub fn stayed(&mut self) {
        self.operation = STAYS;
        self.flags |= COMPLETE;
    }

    /// Whether the task has not gone on.
    pub fn stays(&self) -> bool {
        self.complete() && self.operation == STAYS
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
        let object = ObjectId(id_from(self.object));
        let always_wide = matches!(self.operation, DELAY | DELAY_UNTIL | CHANGE_PERIOD);
        let never_wide = match self.operation {
            TAKE | SEND | RECEIVE | PEEK | LOCK | START_TIMER | STOP_TIMER | RESET_TIMER => {
                self.argument != LONG
            }
            EVENT => false,
            _ => !always_wide,
        };
        if self.wide() && never_wide || !self.wide() && always_wide {
            return Err(Malformed::Flags(self.flags));
        }
        let wait = || match self.argument {
            FOREVER => Ok(Wait::Forever),
            0 => Ok(Wait::Never),
            LONG if !self.wide() => Err(Malformed::Argument(self.argument)),
            LONG => Ok(Wait::Ticks(wide)),
            ticks => Ok(Wait::Ticks(u32::from(ticks))),
        };
        let nothing = |operation| match self.argument {
            0 => Ok(operation),
            other => Err(Malformed::Argument(other)),
        };
        let command = |command| Ok(Operation::Command { timer: object, command, wait: wait()? });
        match self.operation {
            TAKE => Ok(Operation::Take { semaphore: object, wait: wait()? }),
            GIVE => nothing(Operation::Give { semaphore: object }),
            SEND => Ok(Operation::Send { queue: object, wait: wait()? }),
            RECEIVE => Ok(Operation::Receive { queue: object, wait: wait()? }),
            PEEK => Ok(Operation::Peek { queue: object, wait: wait()? }),
            READ => nothing(Operation::Read { variable: object }),
            WRITE => nothing(Operation::Write { variable: object }),
            LOCK => Ok(Operation::Lock { mutex: object, wait: wait()? }),
            UNLOCK => nothing(Operation::Unlock { mutex: object }),
            DELAY => nothing(Operation::Delay { ticks: wide }),
            DELAY_UNTIL => nothing(Operation::DelayUntil { tick: wide }),
            TICK => nothing(Operation::Tick),
            ENTER_CRITICAL => nothing(Operation::EnterCritical),
            EXIT_CRITICAL => nothing(Operation::ExitCritical),
            YIELD => nothing(Operation::Yield),
            START_TIMER => command(Command::Start),
            STOP_TIMER => command(Command::Stop),
            RESET_TIMER => command(Command::Reset),
            CHANGE_PERIOD => nothing(Operation::Period { timer: object, period: wide }),
            ACTIVE => nothing(Operation::Active { timer: object }),
            ARM => nothing(Operation::Arm { line: object }),
            MASK => nothing(Operation::Mask { line: object }),
            FIRE => nothing(Operation::Fire { line: object }),
            RETURN => nothing(Operation::Return { line: object }),
            EXPIRE => nothing(Operation::Expire { timer: object }),
            SERVE => nothing(Operation::Serve { commands: object }),
            START => nothing(Operation::Start),
            RESUME => nothing(Operation::Resume),
            PASS => nothing(Operation::Pass),
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
    #[inline]
    pub fn words(&self) -> [u32; 4] {
        // Put together by hand: so a record that was just made need never have been in memory.
        let both = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
        let [task, object] = [self.task, self.object].map(u16::from_le_bytes);
        let flags = u16::from_le_bytes([self.operation, self.flags]);
        [both(task, self.alternative), both(self.level, flags), both(object, self.argument), self.pc]
    }

    /// A record, complete or not, into a running digest.
    pub fn digest(&self, digest: u32, wide: Option<u32>) -> u32 {
        let digest = self.words().into_iter().fold(digest, mix);
        wide.map_or(digest, |wide| mix(digest, wide))
    }
}

/// An operation's code.
fn code(operation: Operation) -> u8 {
    match operation {
        Operation::Take { .. } => TAKE,
        Operation::Give { .. } => GIVE,
        Operation::Send { .. } => SEND,
        Operation::Receive { .. } => RECEIVE,
        Operation::Peek { .. } => PEEK,
        Operation::Read { .. } => READ,
        Operation::Write { .. } => WRITE,
        Operation::Lock { .. } => LOCK,
        Operation::Unlock { .. } => UNLOCK,
        Operation::Delay { .. } => DELAY,
        Operation::DelayUntil { .. } => DELAY_UNTIL,
        Operation::Tick => TICK,
        Operation::EnterCritical => ENTER_CRITICAL,
        Operation::ExitCritical => EXIT_CRITICAL,
        Operation::Yield => YIELD,
        Operation::Command { command: Command::Start, .. } => START_TIMER,
        Operation::Command { command: Command::Stop, .. } => STOP_TIMER,
        Operation::Command { command: Command::Reset, .. } => RESET_TIMER,
        Operation::Period { .. } => CHANGE_PERIOD,
        Operation::Active { .. } => ACTIVE,
        Operation::Arm { .. } => ARM,
        Operation::Mask { .. } => MASK,
        Operation::Fire { .. } => FIRE,
        Operation::Return { .. } => RETURN,
        Operation::Expire { .. } => EXPIRE,
        Operation::Serve { .. } => SERVE,
        Operation::Start => START,
        Operation::Resume => RESUME,
        Operation::Pass => PASS,
        Operation::Toss { .. } => TOSS,
        Operation::Assert { .. } => ASSERT,
        Operation::Event { .. } => EVENT,
        Operation::Exit => EXIT,
    }
}

/// How long an operation waits, as its argument and what does not fit there.
fn waiting(wait: Wait) -> (u16, Option<u32>) {
    match wait {
        Wait::Forever => (FOREVER, None),
        Wait::Never | Wait::Ticks(0) => (0, None),
        Wait::Ticks(ticks) if ticks < u32::from(LONG) => (ticks as u16, None),
        Wait::Ticks(ticks) => (LONG, Some(ticks)),
    }
}
