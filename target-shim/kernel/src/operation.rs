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
    /// It is held until it can, or for so many ticks, and then goes on with "not served".
    Ticks(u32),
}

impl Wait {
    /// So many ticks as an RTOS counts them: the longest time there is never ends.
    pub const fn for_ticks(ticks: u32) -> Self {
        match ticks {
            0 => Self::Never,
            u32::MAX => Self::Forever,
            ticks => Self::Ticks(ticks),
        }
    }
}

/// What is done to a timer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Command {
    /// It expires a period from now, whether it runs or not.
    Start,
    /// It does not expire.
    Stop,
    /// As start.
    Reset,
}

/// One visible operation with every argument that is not a message body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the variant says what its fields are")]
// In a layout of our own, every variant has its object at the same place: it is found without asking which it is.
#[repr(u8)]
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
    /// Becomes the owner of a mutex.
    Lock { mutex: ObjectId, wait: Wait },
    /// Gives a mutex back.
    Unlock { mutex: ObjectId },
    /// Waits for so many ticks; 0 lets others go first.
    Delay { ticks: u32 },
    /// Waits for a tick; "not served" if it has passed already.
    DelayUntil { tick: u32 },
    /// Asks what tick it is.
    Tick,
    /// Nobody else of the firmware goes on until the matching exit.
    EnterCritical,
    /// Ends a critical section.
    ExitCritical,
    /// Lets others of the same priority go first.
    Yield,
    /// Commands a timer; waits where there is no room for the command.
    Command { command: Command, timer: ObjectId, wait: Wait },
    /// Gives a timer another period, and starts it. Apart from the other commands, and without waiting, so that an
    /// operation stays as small as it is.
    Period { timer: ObjectId, period: u32 },
    /// Asks whether a timer runs.
    Active { timer: ObjectId },
    /// Lets an interrupt line fire.
    Arm { line: ObjectId },
    /// Keeps an interrupt line from firing.
    Mask { line: ObjectId },
    /// Where an interrupt handler waits: its line fires.
    Fire { line: ObjectId },
    /// An interrupt handler is done.
    Return { line: ObjectId },
    /// Where a timer waits: it expires.
    Expire { timer: ObjectId },
    /// Where the clock waits: time passes until the next deadline, and everybody goes on whose deadline that is.
    Pass,
    /// Where the timer daemon waits: it carries out a command, or the callback of a timer that has expired.
    Serve { commands: ObjectId },
    /// A task that has not begun yet begins.
    Start,
    /// A task that was preempted inside an operation returns from it.
    Resume,
    /// Chooses one of `0..=bound`; each is an alternative of its own.
    Toss { bound: u16 },
    /// Ends the path with a finding unless it holds; `name` is the place of its text in the table of names.
    Assert { holds: bool, name: u16 },
    /// Says something to whoever watches; `name` is a place in the firmware's table of names.
    Event { name: u16, value: u32 },
    /// The task has ended. In the free schedule never enabled, so never a transition.
    Exit,
}

/// The target copies operations about: they stay small.
const _: () = assert!(size_of::<Operation>() <= 12);

impl Operation {
    /// The object it works on, if any.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Self::Take { semaphore: object, .. }
            | Self::Give { semaphore: object }
            | Self::Send { queue: object, .. }
            | Self::Receive { queue: object, .. }
            | Self::Peek { queue: object, .. }
            | Self::Read { variable: object }
            | Self::Write { variable: object }
            | Self::Lock { mutex: object, .. }
            | Self::Unlock { mutex: object }
            | Self::Command { timer: object, .. }
            | Self::Period { timer: object, .. }
            | Self::Active { timer: object }
            | Self::Expire { timer: object }
            | Self::Arm { line: object }
            | Self::Mask { line: object }
            | Self::Fire { line: object }
            | Self::Return { line: object }
            | Self::Serve { commands: object } => Some(object),
            Self::Delay { .. }
            | Self::DelayUntil { .. }
            | Self::Tick
            | Self::EnterCritical
            | Self::ExitCritical
            | Self::Yield
            | Self::Pass
            | Self::Start
            | Self::Resume
            | Self::Toss { .. }
            | Self::Assert { .. }
            | Self::Event { .. }
            | Self::Exit => None,
        }
    }

    /// How long it waits if it cannot be served.
    pub fn wait(self) -> Wait {
        let wait = match self {
            Self::Take { wait, .. }
            | Self::Send { wait, .. }
            | Self::Receive { wait, .. }
            | Self::Peek { wait, .. }
            | Self::Lock { wait, .. }
            | Self::Command { wait, .. } => wait,
            Self::Delay { ticks } => Wait::Ticks(ticks),
            Self::Serve { .. } => Wait::Forever,
            _ => Wait::Never,
        };
        if wait == Wait::Ticks(0) { Wait::Never } else { wait }
    }

    /// Whether taking it ends the path with a finding.
    pub fn ends_path(self) -> bool {
        matches!(self, Self::Assert { holds: false, .. })
    }
}
