//! A counter that two tasks share without a lock.
//!
//! Before reading it and before writing it back, each task logs to a semaphore of its own. Nothing that the two tasks do to RTOS
//! objects ever meets, so a reduction sees no reason to try another order, and misses the lost update. With
//! `declared=1` the accesses are declared, and with `fixed=1` there is a lock.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{Semaphore, Stack, Task, Variable, check, param};

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];
static COUNTER: AtomicU32 = AtomicU32::new(0);

fn setup() {
    let declared = param!("declared", 0, 0..=1) == 1;
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let counter = Variable::new("COUNTER");
    let lock = Semaphore::binary("lock", 1);
    let done = [0, 1].map(|number| Semaphore::binary(("done", number), 0));

    for number in 0..2 {
        let done = done[usize::from(number)];
        let log = Semaphore::counting(("log", number), 0, u16::MAX);
        Task::new(("counter", number), &STACKS[usize::from(number)]).start(move || {
            log.give();
            if fixed {
                lock.take();
            }
            if declared {
                counter.reading();
            }
            let value = COUNTER.load(Relaxed);
            log.give();
            if declared {
                counter.writing();
            }
            COUNTER.store(value + 1, Relaxed);
            if fixed {
                lock.give();
            }
            done.give();
        });
    }

    Task::new("reader", &STACKS[2]).start(move || {
        done[0].take();
        done[1].take();
        check!(COUNTER.load(Relaxed) == 2);
    });
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
