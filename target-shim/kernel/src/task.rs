//! What the kernel knows of whoever can go on: tasks, interrupt handlers, timers.

use crate::id::{ObjectId, TaskId};
use crate::operation::{Operation, Verb};

/// What somebody is, for the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// A task of the firmware.
    Firmware,
    /// A processor of its own in every schedule: a user, a radio, a test driver.
    Environment,
    /// The handler of an interrupt line: above every task, and never two at a time.
    Interrupt {
        /// The line.
        line: ObjectId,
    },
    /// Runs the callbacks of timers.
    Daemon,
    /// A timer: a processor of its own that does nothing but expire. It has no code.
    Timer {
        /// The timer.
        timer: ObjectId,
    },
    /// The clock, where the deadlines of one tick pass together: it has no code, and lets time pass for all whose deadline
    /// comes next. See [`Rules::has_clock`](crate::Rules::has_clock).
    Clock,
}

/// Whether somebody wants to run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Standing {
    /// Yes.
    Ready,
    /// No: waits for the object of its operation, or for time.
    Waiting,
    /// Never again.
    Ended,
}

/// What the kernel knows of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Task {
    /// Its slot; [`TaskId::NULL`] where there is no task.
    pub id: TaskId,
    /// How many tasks had the slot before.
    pub(crate) generation: u16,
    /// The operation it is held at; `None` while it runs or before it first arrived.
    pub pending: Option<Operation>,
    /// What it is.
    pub role: Role,
    /// Whether it may wait for ever without anything being wrong.
    pub server: bool,
    /// Its own priority; higher numbers go first.
    pub base: u8,
    /// Its present priority: its own, or one that it inherited.
    pub priority: u8,
    /// Whether it wants to run.
    pub standing: Standing,
    /// When its wait ends; `None` if it does not wait for time.
    pub deadline: Option<u32>,
    /// Its wait has ended by time: the operation is tried once more.
    pub(crate) expired: bool,
    /// Its place among those who wait for the same; the lowest is woken first.
    pub(crate) in_line: u32,
    /// Its wait for a mutex lent, or could have lent, its priority to the holder: its timeout may take it back.
    pub(crate) lent: bool,
    /// How many mutexes it holds.
    pub(crate) holds: u8,
    /// How often its waits have ended by time.
    pub(crate) expiries: u16,
    /// The step after which it last ran, 0 for never: what the fair policy looks at.
    pub last_run: u32,
    /// How far it is, by its own account: what footprints look at.
    pub phase: u8,
    /// Which change of priorities put it behind all others, from 1; 0 for none: what the policy with priorities looks at.
    pub behind: u8,
}

impl Task {
    /// A place not in use yet.
    pub const EMPTY: Self = Self {
        id: TaskId::NULL,
        generation: 0,
        pending: None,
        role: Role::Firmware,
        server: false,
        base: 0,
        priority: 0,
        standing: Standing::Ready,
        deadline: None,
        expired: false,
        in_line: 0,
        lent: false,
        holds: 0,
        expiries: 0,
        last_run: 0,
        phase: 0,
        behind: 0,
    };

    /// Whether it is held at an operation of that verb.
    pub fn is_at(&self, verb: Verb) -> bool {
        self.pending.is_some_and(|operation| operation.verb == verb)
    }

    /// Whether it does nothing more: it has ended, or is held at its end, which is no transition where every task is its own
    /// processor.
    pub fn has_ended(&self) -> bool {
        self.standing == Standing::Ended || self.is_at(Verb::Exit)
    }

    /// Whether it is a task, not an interrupt line, a timer or the daemon: somebody who should come to an end or go on.
    pub fn should_go_on(&self) -> bool {
        !self.server && matches!(self.role, Role::Firmware | Role::Environment)
    }
}

/// What a task is, for [`Kernel::create_task`](crate::Kernel::create_task).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// What it is.
    pub role: Role,
    /// Its own priority.
    pub priority: u8,
    /// Whether it may wait for ever.
    pub server: bool,
}

impl Position {
    /// A task of the firmware, of the lowest priority.
    pub const PLAIN: Self = Self { role: Role::Firmware, priority: 0, server: false };
    /// The clock.
    pub const CLOCK: Self = Self { role: Role::Clock, ..Self::PLAIN };
}
