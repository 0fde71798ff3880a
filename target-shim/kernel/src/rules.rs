//! By which rules tasks share the processor, and how time passes.

/// How tasks share the processor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Schedule {
    /// Every task is its own processor; what cannot go on is disabled.
    #[default]
    Free,
    /// One processor, fixed priorities, preemption by strictly higher ones; what cannot go on blocks.
    Priority,
}

/// How time passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Clock {
    /// Whatever waits for time may be done waiting at any moment.
    #[default]
    Free,
    /// Only the earliest deadline may pass, at any moment; with priorities all those of one tick at once. Between deadlines
    /// no time passes: a task that computes so long that its next delay begins ticks later is not looked at.
    Ordered,
    /// Only the earliest deadline may pass, and only when no task can go on, or for others of the same tick.
    Idle,
}

/// Schedule, clock, and bounds inside the system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// How tasks share the processor.
    pub schedule: Schedule,
    /// How time passes.
    pub clock: Clock,
    /// How often each interrupt line may fire that declares no number itself.
    pub interrupts: u16,
    /// How often each timer may expire, and how often each task's delays and timeouts may.
    pub expiries: u16,
    /// The last tick that may come.
    pub until: u32,
}

impl Rules {
    /// The free schedule, the free clock, no bounds.
    pub const FREE: Self = Self {
        schedule: Schedule::Free,
        clock: Clock::Free,
        interrupts: u16::MAX,
        expiries: u16::MAX,
        until: u32::MAX,
    };

    /// Whether the deadlines of one tick pass together, as a transition of the clock: those of the processor's tasks and of
    /// timers.
    #[inline]
    pub const fn has_clock(&self) -> bool {
        matches!(self.schedule, Schedule::Priority) && !matches!(self.clock, Clock::Free)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::FREE
    }
}

impl Schedule {
    /// As it stands in the mailbox.
    pub const fn code(self) -> u8 {
        match self {
            Self::Free => 1,
            Self::Priority => 2,
        }
    }

    /// The schedule of that code.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Free),
            2 => Some(Self::Priority),
            _ => None,
        }
    }
}

impl Clock {
    /// As it stands in the mailbox.
    pub const fn code(self) -> u8 {
        match self {
            Self::Free => 0,
            Self::Ordered => 1,
            Self::Idle => 2,
        }
    }

    /// The clock of that code.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Free),
            1 => Some(Self::Ordered),
            2 => Some(Self::Idle),
            _ => None,
        }
    }
}
