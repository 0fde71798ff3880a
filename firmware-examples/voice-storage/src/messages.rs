//! What the four processes say to each other, and the queues they say it in.

use fwvs::Queue;

/// To the terminal process, from everybody: it has one inbox, so whoever sends first is heard first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The caller wants the next message played, recorded or erased.
    Wish(Operation),
    /// The caller has hung up.
    HungUp,
    /// The equipment has the trunk.
    Seized,
    /// The equipment is done with an operation.
    Done,
    /// The equipment has let go of the trunk: the last that comes from there.
    Idle,
    /// Maintenance wants the trunk: it seems to be faulty.
    Claim,
    /// The equipment did not answer in time.
    NoAnswer,
    /// An operation takes too long.
    TooLong,
}

/// To the storage equipment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Seize,
    Do(Operation),
    Release,
}

/// What a caller can do with a mailbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Play,
    Record,
    Erase,
}

impl Operation {
    /// Callers go through them in this order.
    pub fn nth(number: u8) -> Self {
        match number % 3 {
            0 => Self::Play,
            1 => Self::Record,
            _ => Self::Erase,
        }
    }
}

/// To the caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The mailbox can be used.
    Connected,
    /// The operation is done.
    Finished,
    /// There is no connection, or not any more.
    Failed,
}

/// To maintenance: nobody uses the trunk any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Free;

/// To the accountant: how many operations to charge for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub operations: u8,
}

/// All queues. Each has room for everything that is ever sent to it: nobody waits for room.
#[derive(Clone, Copy)]
pub struct Queues {
    pub inbox: Queue<Heard, 16>,
    pub orders: Queue<Order, 8>,
    pub progress: Queue<Progress, 8>,
    pub trunk: Queue<Free, 1>,
    pub tickets: Queue<Ticket, 1>,
}

impl Queues {
    pub fn new() -> Self {
        Self {
            inbox: Queue::new("inbox"),
            orders: Queue::new("orders"),
            progress: Queue::new("progress"),
            trunk: Queue::new("trunk"),
            tickets: Queue::new("tickets"),
        }
    }
}
