//! Two tasks send a number back and forth over two queues. There is nothing to find, and fw-vs says so.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Queue, Stack, Task, check, event, param};

static STACKS: [Stack<512>; 2] = [const { Stack::new() }; 2];

fn setup() {
    let rounds = param!("rounds", 3, 1..=100);
    let there = Queue::<i32, 1>::new("there");
    let back = Queue::<i32, 1>::new("back");

    Task::new("ping", &STACKS[0]).start(move || {
        for round in 0..rounds {
            there.send(round);
            check!(back.receive() == round + 1);
        }
        event!("rounds played", rounds);
    });

    Task::new("pong", &STACKS[1]).start(move || {
        for _ in 0..rounds {
            back.send(there.receive() + 1);
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
