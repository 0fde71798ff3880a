//! Target to host: the tasks and objects that exist before the first transition.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use fwvs_kernel::{Id, Kind, ObjectId, Operation, Wait};

/// What was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A task.
    Task,
    /// An object.
    Object(Kind),
}

/// One creation; 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Creation {
    /// 1 task, 2 semaphore, 3 queue, 4 shared variable; 5 stands for a [`Use`].
    pub what: u8,
    /// The creator.
    pub creator: u8,
    /// The creator's how-manieth task, or object.
    pub nth: u8,
    /// Its number in a family of one name ("fork 2"); [`Creation::ALONE`] if there is no family.
    pub index: u8,
    /// Where in the image its name is: an address that is the same in every interleaving.
    pub name: u32,
    /// How long its name is.
    pub name_length: u16,
    /// Initial units of a semaphore.
    pub level: u16,
    /// Maximum of a semaphore, capacity of a queue.
    pub size: u16,
    /// Always 0.
    pub spare: u16,
}

impl Creation {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();
    /// The index of what is not one of many.
    pub const ALONE: u8 = 0xff;

    /// Code and size of what is created.
    pub const fn encode(what: What) -> (u8, u16) {
        match what {
            What::Task => (1, 0),
            What::Object(Kind::Semaphore { max }) => (2, max),
            What::Object(Kind::Queue { capacity }) => (3, capacity),
            What::Object(Kind::Shared) => (4, 0),
        }
    }

    /// What was created, if the code is one and the size makes sense.
    pub const fn what(&self) -> Option<What> {
        match (self.what, self.size) {
            (1, _) => Some(What::Task),
            (2, max) if max > 0 && self.level <= max => Some(What::Object(Kind::Semaphore { max })),
            (3, capacity) if capacity > 0 => Some(What::Object(Kind::Queue { capacity })),
            (4, _) => Some(What::Object(Kind::Shared)),
            _ => None,
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
    /// 0 none; 1 take, 2 give, 3 send, 4 receive, 5 peek, 6 read, 7 write.
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
    pub const fn new(operation: u8, object: ObjectId, until: u8) -> Self {
        let object = [object.0.creator, object.0.nth];
        Self { what: Self::WHAT, task: 0, operation, until, object, spare: 0, more: [0; 2] }
    }

    /// The operations that it stands for: with and without waiting, where there are both.
    pub fn operations(&self) -> impl Iterator<Item = Operation> + use<> {
        let object = ObjectId(Id { creator: self.object[0], nth: self.object[1] });
        let code = self.operation;
        let waiting = move |wait| match code {
            1 => Some(Operation::Take { semaphore: object, wait }),
            3 => Some(Operation::Send { queue: object, wait }),
            4 => Some(Operation::Receive { queue: object, wait }),
            5 => Some(Operation::Peek { queue: object, wait }),
            _ => None,
        };
        let plain = match code {
            2 => Some(Operation::Give { semaphore: object }),
            6 => Some(Operation::Read { variable: object }),
            7 => Some(Operation::Write { variable: object }),
            _ => None,
        };
        [waiting(Wait::Forever), waiting(Wait::Never), plain].into_iter().flatten()
    }

    /// As four words, in memory order.
    pub fn words(&self) -> [u32; 4] {
        zerocopy::transmute!(*self)
    }
}
