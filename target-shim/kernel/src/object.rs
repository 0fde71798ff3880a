//! The shared objects: what all have in common. What each kind means is in a file of its own; this one finds the right file.
//!
//! A kind's file says when an operation is served (`serves`) and what it changes (`apply`); which two of them do not commute, in
//! the present state (`dependent`) and in every state (`relation`); what a task that waits with an operation awaits (`awaits`),
//! who may bring that (`brings`), and which of those in line an operation wakes (`wakes`); which states there are to try
//! (`states`); and what of an object counts to the state of the system (`canonical`).

use crate::dependence::{Event, Relation};
use crate::id::{ObjectId, TaskId};
use crate::operation::{Operation, Subject, Verb};
use crate::{commands, line, mutex, queue, semaphore, shared, timer};

/// Calls a function of the file of a kind of object.
macro_rules! by_kind {
    ($kind:expr, $function:ident $arguments:tt) => {
        match $kind {
            Kind::Semaphore { .. } => semaphore::$function $arguments,
            Kind::Queue { .. } => queue::$function $arguments,
            Kind::Shared => shared::$function $arguments,
            Kind::Mutex { .. } => mutex::$function $arguments,
            Kind::Timer { .. } => timer::$function $arguments,
            Kind::Line { .. } => line::$function $arguments,
            Kind::Commands { .. } => commands::$function $arguments,
        }
    };
}

/// Calls a function of the file of the kind of object that an operation works on.
macro_rules! by_subject {
    ($subject:expr, $otherwise:expr, $function:ident $arguments:tt) => {
        match $subject {
            Subject::Semaphore => semaphore::$function $arguments,
            Subject::Queue => queue::$function $arguments,
            Subject::Shared => shared::$function $arguments,
            Subject::Mutex => mutex::$function $arguments,
            Subject::Timer => timer::$function $arguments,
            Subject::Line => line::$function $arguments,
            Subject::Commands => commands::$function $arguments,
            Subject::Text | Subject::Nothing => $otherwise,
        }
    };
}

/// What an object is, with the sizes it was created with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Kind {
    /// Binary for `max == 1`, counting otherwise; `u16::MAX` stands for no maximum.
    Semaphore { max: u16 },
    /// A bounded first-in first-out queue.
    Queue { capacity: u16 },
    /// A variable whose accesses the firmware declared visible.
    Shared,
    /// A lock with an owner, whose holder inherits the priority of those who wait.
    Mutex { recursive: bool },
    /// Expires some time after it is started: once, or again and again.
    Timer { reload: bool },
    /// An interrupt line; fires at most so often, `u16::MAX` for as often as the rules allow.
    Line { limit: u16 },
    /// The timer daemon's queue of commands.
    Commands { capacity: u16 },
}

impl Kind {
    /// A kind that is like this one, and how high its level goes: every state that there is to try.
    pub(crate) fn states(self) -> (Self, u16) {
        by_kind!(self, states(self))
    }

    /// What an operation works on that knows this kind of object.
    pub const fn subject(self) -> Subject {
        match self {
            Self::Semaphore { .. } => Subject::Semaphore,
            Self::Queue { .. } => Subject::Queue,
            Self::Shared => Subject::Shared,
            Self::Mutex { .. } => Subject::Mutex,
            Self::Timer { .. } => Subject::Timer,
            Self::Line { .. } => Subject::Line,
            Self::Commands { .. } => Subject::Commands,
        }
    }
}

/// What a task awaits that waits for an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Awaits {
    /// A unit of a semaphore.
    Unit,
    /// To own a mutex.
    Ownership,
    /// A message in a queue.
    Message,
    /// Room in a queue.
    Room,
    /// Room among the timer daemon's commands, whichever timer the command is for.
    RoomForCommand,
    /// A command, or a timer that has expired.
    Work,
}

impl Awaits {
    /// Whether those who await it of different objects stand in different lines.
    pub const fn is_of_one_object(self) -> bool {
        !matches!(self, Self::RoomForCommand | Self::Work)
    }
}

/// Some of those who stand in line for something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wakes {
    /// What they await.
    pub(crate) awaits: Awaits,
    /// So many of them, or all if they are fewer, the first ones first.
    pub(crate) most: usize,
}

impl Wakes {
    /// The first in line.
    pub(crate) const fn first(awaits: Awaits) -> Self {
        Self { awaits, most: 1 }
    }
}

/// One object and its present state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its slot; [`ObjectId::NULL`] where there is no object.
    pub id: ObjectId,
    /// How many objects had the slot before.
    pub(crate) generation: u16,
    /// What it is.
    pub kind: Kind,
    /// Units of a semaphore, messages or commands in a queue, how often a mutex was locked; of a timer, see
    /// [`timer`](mod@crate::timer); 1 for an armed line. Unused by a shared variable.
    pub level: u16,
    /// Whether it is a finding that something does not fit.
    pub never_full: bool,
    /// Who has the mutex.
    pub owner: Option<TaskId>,
    /// The timer's period.
    pub period: u32,
    /// When the timer expires, or when it did.
    pub deadline: u32,
    /// How often the timer expired, or the line fired.
    pub times: u16,
    pub(crate) received: u32,
}

/// What an operation did to its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Not served: nothing changed.
    Refused,
    /// Served, no message moves.
    Served,
    /// Served; the task's message goes into this slot.
    Into(u16),
    /// Served; this slot's message goes to the task.
    From(u16),
}

impl Object {
    /// A place not in use yet.
    pub const EMPTY: Self = Self {
        id: ObjectId::NULL,
        generation: 0,
        kind: Kind::Shared,
        level: 0,
        never_full: false,
        owner: None,
        period: 0,
        deadline: 0,
        times: 0,
        received: 0,
    };

    /// A new object.
    pub fn new(id: ObjectId, kind: Kind, level: u16) -> Self {
        Self { id, kind, level, ..Self::EMPTY }
    }

    /// Messages ever received from a queue; modulo the capacity, the slot of the oldest one.
    pub fn received(&self) -> u32 {
        self.received
    }

    /// Whether `operation` is one that this kind of object knows.
    pub(crate) fn accepts(&self, operation: Operation) -> bool {
        operation.verb.subject() == self.kind.subject()
    }

    /// Whether `operation` of that task would be served now, rather than wait or be refused.
    pub(crate) fn serves(&self, task: TaskId, operation: Operation) -> bool {
        match self.kind {
            Kind::Semaphore { .. } => semaphore::serves(self, operation),
            Kind::Queue { .. } => queue::serves(self, operation),
            Kind::Mutex { .. } => mutex::serves(self, task, operation),
            Kind::Shared => shared::serves(self, operation),
            Kind::Timer { .. } => timer::serves(self, operation),
            Kind::Line { .. } => line::serves(self, operation),
            Kind::Commands { .. } => commands::serves(self, operation),
        }
    }

    /// Carries out an `operation` of that task that is served, or that is refused.
    #[inline(always)]
    pub(crate) fn apply(&mut self, task: TaskId, operation: Operation) -> Effect {
        match self.kind {
            Kind::Semaphore { .. } => semaphore::apply(self, operation),
            Kind::Queue { .. } => queue::apply(self, operation),
            Kind::Mutex { .. } => mutex::apply(self, task, operation),
            Kind::Shared => shared::apply(self, operation),
            Kind::Timer { .. } => timer::apply(self, operation),
            Kind::Line { .. } => line::apply(self, operation),
            Kind::Commands { .. } => commands::apply(self, operation),
        }
    }

    /// Whether two operations of different tasks on this object fail to commute in its present state, nobody waiting.
    pub(crate) fn dependent(&self, a: Operation, b: Operation) -> bool {
        by_kind!(self.kind, dependent(self, a, b))
    }

    /// Which of those in line for something an operation wakes by being served in the present state; in a handler, if it is
    /// one's.
    #[inline]
    pub(crate) fn wakes(&self, operation: Operation, in_handler: bool) -> Option<Wakes> {
        by_kind!(self.kind, wakes(self, operation, in_handler))
    }

    /// Which message an operation is about, counted from the first one ever, and how many fit; 0 where there are no messages.
    pub(crate) fn serial(&self, operation: Operation) -> (u32, u16) {
        match self.kind {
            Kind::Queue { .. } => queue::serial(self, operation),
            _ => (0, 0),
        }
    }
}

/// How a later event on an object stands to an earlier one on the same object, in every state, nobody waiting.
pub(crate) fn relation(earlier: &Event, later: &Event) -> Relation {
    by_subject!(earlier.operation.verb.subject(), Relation::Race, relation(earlier, later))
}

impl Verb {
    /// What a task awaits that waits with it.
    #[inline]
    pub const fn awaits(self) -> Option<Awaits> {
        by_subject!(self.subject(), None, awaits(self))
    }

    /// What it brings to those who await that.
    #[inline]
    pub const fn brings(self) -> Option<Awaits> {
        by_subject!(self.subject(), None, brings(self))
    }
}
