//! Whom the terminal process deals with: the environment. Each makes its choices, and each ends.

use fwvs::{Use, check, phase, toss};

use crate::messages::{Heard, Operation, Order, Progress, Queues};

/// The originating process: a caller who wants so many operations, and may hang up at any time.
pub struct Caller {
    pub queues: Queues,
    pub operations: u8,
    /// May hang up before all is done.
    pub impatient: bool,
}

impl Caller {
    const LEAVING: u8 = 1;
    const GONE: u8 = 2;

    /// All that it may do, and until when.
    pub fn footprint(&self) -> [Use; 2] {
        let Queues { inbox, progress, .. } = self.queues;
        [progress.receiving().until(0), inbox.sending().until(Self::LEAVING)]
    }

    pub fn run(self) {
        for number in 0..=self.operations {
            let leaves = self.impatient && toss(1) == 1;
            if leaves || self.queues.progress.receive() == Progress::Failed || number == self.operations {
                break;
            }
            self.queues.inbox.send(Heard::Wish(Operation::nth(number)));
        }
        phase(Self::LEAVING);
        self.queues.inbox.send(Heard::HungUp);
        phase(Self::GONE);
    }
}

/// The storage equipment: takes its time, and may not answer at all.
pub struct Equipment {
    pub queues: Queues,
    /// May not hear that it is seized.
    pub deaf: bool,
}

impl Equipment {
    const RELEASED: u8 = 1;
    const IDLE: u8 = 2;

    /// All that it may do, and until when.
    pub fn footprint(&self) -> [Use; 2] {
        let Queues { inbox, orders, .. } = self.queues;
        [orders.receiving().until(0), inbox.sending().until(Self::RELEASED)]
    }

    pub fn run(self) {
        let mut seized = false;
        loop {
            match self.queues.orders.receive() {
                Order::Seize => {
                    seized = !(self.deaf && toss(1) == 1);
                    if seized {
                        self.queues.inbox.send(Heard::Seized);
                    }
                }
                Order::Do(_) => {
                    if !seized {
                        check!(seized);
                    }
                    self.queues.inbox.send(Heard::Done);
                }
                Order::Release => break,
            }
        }
        phase(Self::RELEASED);
        self.queues.inbox.send(Heard::Idle);
        phase(Self::IDLE);
    }
}

/// The maintenance subsystem: may find the trunk faulty, and then waits until it has it.
pub struct Maintenance {
    pub queues: Queues,
}

impl Maintenance {
    const CLAIMED: u8 = 1;
    const CONTENT: u8 = 2;

    /// All that it may do, and until when.
    pub fn footprint(&self) -> [Use; 2] {
        let Queues { inbox, trunk, .. } = self.queues;
        [inbox.sending().until(0), trunk.receiving().until(Self::CLAIMED)]
    }

    pub fn run(self) {
        let faulty = toss(1) == 1;
        if faulty {
            self.queues.inbox.send(Heard::Claim);
            phase(Self::CLAIMED);
            self.queues.trunk.receive();
        }
        phase(Self::CONTENT);
    }
}
