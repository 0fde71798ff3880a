//! The shared objects. What each kind means is in its own file; this one finds the right file.

use crate::id::{Id, ObjectId, TaskId};
use crate::operation::{Operation, Subject, Verb};
use crate::{mutex, queue, semaphore, shared, timer};

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

/// One object and its present state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its name.
    pub id: ObjectId,
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
        id: ObjectId(Id { creator: 0, nth: 0 }),
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
            Kind::Semaphore { max } => semaphore::serves(self, max, operation),
            Kind::Queue { capacity } => queue::serves(self, capacity, operation),
            Kind::Mutex { recursive } => mutex::serves(self, recursive, task, operation),
            Kind::Shared | Kind::Timer { .. } | Kind::Line { .. } => true,
            Kind::Commands { .. } => self.level > 0,
        }
    }

    /// Carries out an `operation` of that task that is served, or that is refused.
    #[inline(always)]
    pub(crate) fn apply(&mut self, task: TaskId, operation: Operation) -> Effect {
        match self.kind {
            Kind::Semaphore { max } => semaphore::apply(self, max, operation),
            Kind::Queue { capacity } => queue::apply(self, capacity, operation),
            Kind::Mutex { recursive } => mutex::apply(self, recursive, task, operation),
            Kind::Line { .. } => {
                match operation.verb {
                    Verb::Arm => self.level = 1,
                    Verb::Mask => self.level = 0,
                    Verb::Fire => self.times = self.times.saturating_add(1),
                    _ => {}
                }
                Effect::Served
            }
            Kind::Shared | Kind::Timer { .. } | Kind::Commands { .. } => Effect::Served,
        }
    }

    /// Whether two operations of different tasks on this object fail to commute in its present state, nobody waiting.
    pub(crate) fn dependent(&self, a: Operation, b: Operation) -> bool {
        match self.kind {
            Kind::Semaphore { max } => semaphore::dependent(self, max, a, b),
            Kind::Queue { capacity } => queue::dependent(self, capacity, a, b),
            Kind::Shared => shared::dependent(a, b),
            Kind::Timer { .. } => timer::dependent(a, b),
            Kind::Mutex { .. } | Kind::Line { .. } | Kind::Commands { .. } => true,
        }
    }
}
