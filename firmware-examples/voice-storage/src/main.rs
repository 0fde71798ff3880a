//! A voice storage terminal, after the example of the paper on partial orders of 1996.
//!
//! A terminal process gets a trunk to the storage equipment and has a caller's wishes carried out: play, record, erase.
//! Three partners deal with it and not with each other: the equipment, the caller, and maintenance, which may claim the
//! trunk. The terminal process is the firmware, the partners are its environment, and every one is a processor of its own. All
//! of them end. With `--schedule priority` the terminal process shares a processor with the timer daemon and, with
//! `accountant=1`, with the task that writes the bill.
//!
//! With `credulous=1` the terminal process believes every message of a timer, also one that crossed with a hang-up or a
//! claim, and releases a trunk that it does not hold any more.
#![no_std]
#![no_main]

mod messages;
mod partners;
mod terminal;

use cortex_m_rt::entry;
use fwvs::{Stack, Task, Timer, callbacks_may, param};

use crate::messages::{Heard, Queues};
use crate::partners::{Caller, Equipment, Maintenance};
use crate::terminal::{Setting, Terminal};

static STACKS: [Stack<768>; 5] = [const { Stack::new() }; 5];

/// In ticks, for clocks that keep to them.
const ANSWER: u32 = 20;
const OPERATION: u32 = 50;

fn setup() {
    let operations = param!("operations", 1, 0..=3) as u8;
    let impatient = param!("impatient", 1, 0..=1) == 1;
    let deaf = param!("deaf", 1, 0..=1) == 1;
    let maintained = param!("maintenance", 1, 0..=1) == 1;
    let charges = param!("accountant", 0, 0..=1) == 1;
    let credulous = param!("credulous", 0, 0..=1) == 1;

    let queues = Queues::new();
    let inbox = queues.inbox;
    let answer = Timer::once("answer timer", ANSWER, move || inbox.send(Heard::NoAnswer));
    let operation = Timer::once("operation timer", OPERATION, move || inbox.send(Heard::TooLong));
    callbacks_may(&[inbox.sending()]);

    let terminal = Terminal::new(queues, answer, operation, Setting { credulous, charges, maintained });
    let footprint = terminal.footprint();
    Task::new("terminal", &STACKS[0]).priority(2).may(&footprint).start(move || terminal.run());
    if charges {
        let tickets = queues.tickets;
        let footprint = [tickets.receiving()];
        Task::new("accountant", &STACKS[1]).priority(1).may(&footprint).start(move || {
            tickets.receive();
        });
    }

    let equipment = Equipment { queues, deaf };
    let footprint = equipment.footprint();
    Task::new("equipment", &STACKS[2]).environment().may(&footprint).start(move || equipment.run());
    let caller = Caller { queues, operations, impatient };
    let footprint = caller.footprint();
    Task::new("caller", &STACKS[3]).environment().may(&footprint).start(move || caller.run());
    if maintained {
        let maintenance = Maintenance { queues };
        let footprint = maintenance.footprint();
        Task::new("maintenance", &STACKS[4]).environment().may(&footprint).start(move || maintenance.run());
    }
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
