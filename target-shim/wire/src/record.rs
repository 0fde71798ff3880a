//! Target to host: one transition, and the operation its task arrived at.
//!
//! A record is half filled when the transition is taken (who, which alternative, what came of it) and completed when
//! the task arrives at its next operation (which, on what, with what, from where). The operation that was taken is
//! the one of the task's record before. After a crash the last record is the half-filled one: it names the task.

use fwvs_kernel::operation::{Argument, Waits};
use fwvs_kernel::{ObjectId, Operation, TaskId, Transition, Verb, Wait};
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
        let Operation { verb, options: _, subject, argument: number, ticks: _ } = operation;
        let (argument, wide) = match coding(verb) {
            Coding::Wait => waiting(operation.wait()),
            Coding::Wide => (0, Some(number)),
            Coding::Wider => (number as u16, (number > 0xffff).then_some(number)),
            Coding::Narrow => (number as u16, None),
        };
        self.object = id_bytes(subject.0);
        (self.operation, self.argument, self.pc) = (verb as u8, argument, pc);
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
        let verb = Verb::from_code(self.operation).ok_or(Malformed::Operation(self.operation))?;
        let waits = coding(verb) == Coding::Wait;
        let (wide_if_long, always_wide) = match coding(verb) {
            Coding::Wait => (self.argument == LONG, false),
            Coding::Wide => (true, true),
            Coding::Wider => (true, false),
            Coding::Narrow => (false, false),
        };
        if self.wide() && !wide_if_long || !self.wide() && always_wide {
            return Err(Malformed::Flags(self.flags));
        }
        let malformed = Malformed::Argument(self.argument);
        let (argument, wait) = match (self.argument, self.wide()) {
            (FOREVER, _) if waits => (0, Wait::Forever),
            (LONG, false) if waits => return Err(malformed),
            (LONG, true) if waits => (0, Wait::for_ticks(wide)),
            (ticks, _) if waits => (0, Wait::for_ticks(u32::from(ticks))),
            (low, true) if always_wide && low != 0 => return Err(malformed),
            (_, true) => (wide, Wait::Never),
            (argument, false) => (u32::from(argument), Wait::Never),
        };
        Operation::from_parts(verb, ObjectId(id_from(self.object)), argument, wait).ok_or(malformed)
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

/// How the argument of a record is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coding {
    /// How long the operation waits.
    Wait,
    /// Not: the operation's argument is in the word that follows.
    Wide,
    /// The operation's argument, or its low half if there is a word that follows.
    Wider,
    /// The operation's argument.
    Narrow,
}

/// How the argument of a record of that operation is used: one look into a table, for the target's sake.
#[inline(always)]
fn coding(verb: Verb) -> Coding {
    const CODES: usize = Verb::ALL[Verb::ALL.len() - 1] as usize + 1;
    static CODINGS: [Coding; CODES] = {
        let (mut codings, mut place) = ([Coding::Narrow; CODES], 0);
        while place < Verb::ALL.len() {
            let verb = Verb::ALL[place];
            codings[verb as usize] = match (verb.waits(), verb.argument()) {
                (Waits::AsLong | Waits::ForRoom, _) => Coding::Wait,
                (_, Argument::Ticks | Argument::Tick | Argument::Period) => Coding::Wide,
                (_, Argument::Value) => Coding::Wider,
                (_, Argument::Nothing | Argument::Holds | Argument::Bound) => Coding::Narrow,
            };
            place += 1;
        }
        codings
    };
    CODINGS[verb as usize]
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
