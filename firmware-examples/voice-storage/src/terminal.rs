//! The terminal process: gets a trunk to the storage equipment, has the caller's wishes carried out, gives the trunk back.
//!
//! Whatever it waits for is supervised by a timer, whose callback sends a message like anybody else. So a message of a
//! timer can lie in the inbox behind one that made it pointless: an answer, a hang-up, a claim.

use fwvs::{Timer, Use, check, phase};

use crate::messages::{Free, Heard, Operation, Order, Progress, Queues, Ticket};

/// What it is about, in this order; its footprint shrinks from one to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// It waits for the equipment to have the trunk.
    Seizing = 0,
    /// The caller is connected.
    Serving,
    /// It gives the trunk back.
    Releasing,
    /// The equipment knows; maintenance and the caller are told.
    Telling,
    /// It waits until the equipment has let go.
    Released,
    /// There is only the bill left.
    Charging,
    Over,
}

/// What is around it, and how careful it is.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Believes every message of a timer.
    pub credulous: bool,
    /// Somebody writes the bill.
    pub charges: bool,
    /// Somebody wants to know when the trunk is free.
    pub maintained: bool,
}

/// The terminal process.
pub struct Terminal {
    queues: Queues,
    /// Runs while an answer is awaited.
    answer: Timer,
    /// Runs while an operation is.
    operation: Timer,
    setting: Setting,
    stage: Stage,
    /// Whether an operation is under way.
    busy: bool,
    operations: u8,
}

impl Terminal {
    pub fn new(queues: Queues, answer: Timer, operation: Timer, setting: Setting) -> Self {
        Self { queues, answer, operation, setting, stage: Stage::Seizing, busy: false, operations: 0 }
    }

    /// All that it may do, and until when.
    pub fn footprint(&self) -> [Use; 7] {
        let Queues { inbox, orders, progress, trunk, tickets } = self.queues;
        [
            inbox.receiving().until(Stage::Released as u8),
            orders.sending().until(Stage::Releasing as u8),
            progress.sending().until(Stage::Telling as u8),
            trunk.sending().until(Stage::Telling as u8),
            tickets.sending().until(Stage::Charging as u8),
            self.answer.commanding().until(Stage::Seizing as u8),
            self.operation.commanding().until(Stage::Serving as u8),
        ]
    }

    pub fn run(mut self) {
        self.queues.orders.send(Order::Seize);
        self.answer.start();
        loop {
            match self.queues.inbox.receive() {
                Heard::Seized if self.stage == Stage::Seizing => self.connect(),
                Heard::Wish(operation) if self.stage == Stage::Serving => self.begin(operation),
                Heard::Done if self.stage == Stage::Serving => self.finish(),
                Heard::HungUp | Heard::Claim if self.stage <= Stage::Serving => self.give_up(),
                Heard::NoAnswer if self.stage == Stage::Seizing => self.give_up(),
                Heard::TooLong if self.busy => self.give_up(),
                Heard::NoAnswer | Heard::TooLong if self.setting.credulous => self.give_up(),
                Heard::Idle => break,
                // It came too late, and is about what is over.
                _ => {}
            }
        }
        self.enter(Stage::Charging);
        if self.setting.charges {
            self.queues.tickets.send(Ticket { operations: self.operations });
        }
        self.enter(Stage::Over);
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        phase(stage as u8);
    }

    fn connect(&mut self) {
        self.answer.stop();
        self.enter(Stage::Serving);
        self.queues.progress.send(Progress::Connected);
    }

    fn begin(&mut self, operation: Operation) {
        self.queues.orders.send(Order::Do(operation));
        self.operation.start();
        self.busy = true;
    }

    fn finish(&mut self) {
        self.operation.stop();
        self.busy = false;
        self.operations += 1;
        self.queues.progress.send(Progress::Finished);
    }

    /// Stops what runs, and gives the trunk back, to the equipment and to maintenance.
    fn give_up(&mut self) {
        let trunk_is_held = self.stage <= Stage::Serving;
        if !trunk_is_held {
            // By now it may be somebody else's.
            check!(trunk_is_held);
        }
        match self.stage {
            Stage::Seizing => self.answer.stop(),
            Stage::Serving if self.busy => self.operation.stop(),
            _ => {}
        }
        self.busy = false;
        self.enter(Stage::Releasing);
        self.queues.orders.send(Order::Release);
        self.enter(Stage::Telling);
        if self.setting.maintained {
            self.queues.trunk.send(Free);
        }
        self.queues.progress.send(Progress::Failed);
        self.enter(Stage::Released);
    }
}
