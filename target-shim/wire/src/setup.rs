//! Target to host: the tasks and objects that exist before the first transition.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use fwvs_kernel::{Kind, ObjectId, Position, Role, Schedule, Slot, Verb};

/// What was created, or said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A task, an interrupt handler, the timer daemon, or a timer or the clock as one that can go on.
    Task(Position),
    /// An object.
    Object(Particulars),
    /// The schedule that is followed.
    Schedule(Schedule),
}

/// An object that is created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Particulars {
    /// What it is.
    pub kind: Kind,
    /// Its level at first.
    pub level: u16,
    /// Whether it is a finding that something does not fit.
    pub never_full: bool,
    /// A timer's period.
    pub period: u32,
}

impl Particulars {
    /// An object of that kind, empty.
    pub const fn new(kind: Kind) -> Self {
        Self { kind, level: 0, never_full: false, period: 0 }
    }
}

/// One creation; 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Creation {
    /// 1 task, 2 semaphore, 3 queue, 4 shared variable, 6 mutex, 7 timer, 8 interrupt line, 9 timer commands, 10
    /// schedule; 5 stands for a [`Use`].
    pub what: u8,
    /// The creator.
    pub creator: u8,
    /// Which of the creator's tasks, or objects, counted from 0.
    pub nth: u8,
    /// Its number in a family of one name ("fork 2"); 0 if there is no family.
    pub index: u8,
    /// Where in the image its name is: an address that is the same in every interleaving.
    pub name: u32,
    /// How long its name is, and [`Creation::NUMBERED`] if `index` belongs to it.
    pub name_length: u16,
    /// Initial units of a semaphore; whether a timer reloads; whether a line is armed; of a task, its role, and 256 for
    /// one that may wait for ever; a schedule.
    pub level: u16,
    /// Maximum of a semaphore, capacity of a queue, limit of a line; 1 for a recursive mutex; low half of a timer's
    /// period; priority of a task.
    pub size: u16,
    /// 1 for what is never full; high half of a timer's period; the line or timer that a task belongs to.
    pub spare: u16,
}

impl Creation {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();
    /// The flag of what is one of many.
    pub const NUMBERED: u16 = 1 << 15;
    /// A task that may wait for ever.
    const SERVER: u16 = 256;

    /// Of something without a name.
    pub const fn new(what: What) -> Self {
        let (code, level, size, spare) = match what {
            What::Task(Position { role, priority, server }) => {
                let (code, object) = match role {
                    Role::Firmware => (0, 0),
                    Role::Environment => (1, 0),
                    Role::Interrupt { line } => (2, line.0.index),
                    Role::Daemon => (3, 0),
                    Role::Timer { timer } => (4, timer.0.index),
                    Role::Clock => (5, 0),
                };
                (1, if server { code | Self::SERVER } else { code }, priority as u16, object as u16)
            }
            What::Object(Particulars { kind, level, never_full, period }) => match kind {
                Kind::Semaphore { max } => (2, level, max, never_full as u16),
                Kind::Queue { capacity } => (3, level, capacity, never_full as u16),
                Kind::Shared => (4, 0, 0, 0),
                Kind::Mutex { recursive } => (6, 0, recursive as u16, 0),
                Kind::Timer { reload } => (7, reload as u16, period as u16, (period >> 16) as u16),
                Kind::Line { limit } => (8, level, limit, 0),
                Kind::Commands { capacity } => (9, 0, capacity, 0),
            },
            What::Schedule(schedule) => (10, schedule.code() as u16, 0, 0),
        };
        Self {
            what: code,
            creator: Slot::MARK,
            nth: 0,
            index: 0,
            name: 0,
            name_length: 0,
            level,
            size,
            spare,
        }
    }

    /// What was created, if the code is one and the numbers make sense.
    pub const fn what(&self) -> Option<What> {
        let Self { level, size, spare, .. } = *self;
        match self.what {
            1 => {
                let object = ObjectId::setup(spare as u8);
                let role = match level & !Self::SERVER {
                    0 => Role::Firmware,
                    1 => Role::Environment,
                    2 => Role::Interrupt { line: object },
                    3 => Role::Daemon,
                    4 => Role::Timer { timer: object },
                    5 => Role::Clock,
                    _ => return None,
                };
                let server = level & Self::SERVER != 0;
                Some(What::Task(Position { role, priority: size as u8, server }))
            }
            10 => match Schedule::from_code(level as u8) {
                Some(schedule) => Some(What::Schedule(schedule)),
                None => None,
            },
            _ => {
                let kind = match (self.what, size) {
                    (2, max) if max > 0 && level <= max => Kind::Semaphore { max },
                    (3, capacity) if capacity > 0 => Kind::Queue { capacity },
                    (4, _) => Kind::Shared,
                    (6, 0 | 1) => Kind::Mutex { recursive: size == 1 },
                    (7, _) if level <= 1 => Kind::Timer { reload: level == 1 },
                    (8, limit) if level <= 1 => Kind::Line { limit },
                    (9, capacity) if capacity > 0 => Kind::Commands { capacity },
                    _ => return None,
                };
                let timer = self.what == 7;
                Some(What::Object(Particulars {
                    kind,
                    level: if timer { 0 } else { level },
                    never_full: !timer && spare == 1,
                    period: if timer { size as u32 | (spare as u32) << 16 } else { 0 },
                }))
            }
        }
    }

    /// As four words, in memory order.
    pub fn words(&self) -> [u32; 4] {
        zerocopy::transmute!(*self)
    }
}

/// What a task may do, as the firmware declares it; 16 bytes. One that names no operation says that whatever is not
/// declared is not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Use {
    /// [`Use::WHAT`].
    pub what: u8,
    /// The task's number.
    pub task: u8,
    /// The code of an operation that stands for what it may do, see [`Verb::access`]; 0 for none.
    pub operation: u8,
    /// The last phase in which it may do so.
    pub until: u8,
    /// On which object.
    pub object: [u8; 2],
    /// Always 0.
    pub spare: u16,
    /// Always 0.
    pub more: [u32; 2],
}

impl Use {
    /// Tells it from a [`Creation`].
    pub const WHAT: u8 = 5;

    /// A task may do this, up to and including a phase.
    pub const fn new(access: Option<Verb>, object: ObjectId, until: u8) -> Self {
        let operation = match access {
            Some(verb) => verb as u8,
            None => 0,
        };
        let object = [object.0.mark, object.0.index];
        Self { what: Self::WHAT, task: 0, operation, until, object, spare: 0, more: [0; 2] }
    }

    /// What it says, if the operation is one.
    pub const fn declared(&self) -> Option<fwvs_kernel::Use> {
        let access = match (self.operation, Verb::from_code(self.operation)) {
            (0, _) => None,
            (_, Some(verb)) if matches!(verb.access(), Some(access) if access as u8 == verb as u8) => {
                Some(verb)
            }
            _ => return None,
        };
        let object = ObjectId(Slot { mark: self.object[0], index: self.object[1] });
        Some(fwvs_kernel::Use { task: self.task, until: self.until, access, object })
    }

    /// As four words, in memory order.
    pub fn words(&self) -> [u32; 4] {
        zerocopy::transmute!(*self)
    }
}
