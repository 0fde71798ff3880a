//! A watchdog that trips although everybody is well.
//!
//! The sampler checks in more often than the monitor looks. But before its first check-in it waits for its sensor to say
//! that it is ready, which takes as long as it takes, and the monitor looks from the start. With `fixed=1` the monitor
//! begins with the first check-in.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Interrupt, Semaphore, Stack, Task, check, delay, param, shared};

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];
// The sampler has something to do, so it has to check in.
shared!(static SAMPLING: bool = true);

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let ready = Semaphore::binary("ready", 0);
    let started = Semaphore::binary("started", 0);
    let check_in = Semaphore::binary("check-in", 0);
    Interrupt::new("sensor", &STACKS[0]).times(1).armed().handler(move || {
        ready.give();
    });

    Task::new("sampler", &STACKS[1]).priority(2).start(move || {
        ready.take();
        check_in.give();
        started.give();
        for _ in 0..2 {
            delay(60);
            check_in.give();
        }
        SAMPLING.write(false);
    });

    Task::new("monitor", &STACKS[2]).priority(1).start(move || {
        if fixed {
            started.take();
        }
        for _ in 0..2 {
            delay(100);
            if !SAMPLING.read() {
                break;
            }
            let sampler_is_alive = check_in.try_take();
            check!(sampler_is_alive);
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
