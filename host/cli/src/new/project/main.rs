//! A sensor and a logger on one bus, and a bug: the README says how to find it.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Mutex, Queue, Stack, Task, check, delay, event, param};

static STACKS: [Stack<512>; 2] = [const { Stack::new() }; 2];

/// Creates everything, before any task runs.
fn setup() {
    // Another number with `--set readings=4`.
    let readings = param!("readings", 3, 1..=9) as u32;
    let samples = Queue::<u32, 1>::new("samples");
    let bus = Mutex::new("bus");

    // Reads the sensor over the bus, and hands on what it read.
    Task::new("sensor", &STACKS[0]).priority(2).start(move || {
        for reading in 0..readings {
            delay(10);
            bus.lock();
            event!("read", reading);
            samples.send(reading);
            bus.unlock();
        }
    });

    // Writes each sample to the flash, which is on the same bus.
    Task::new("logger", &STACKS[1]).priority(1).start(move || {
        for expected in 0..readings {
            let sample = samples.receive();
            bus.lock();
            event!("logged", sample);
            bus.unlock();
            check!(sample == expected);
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
