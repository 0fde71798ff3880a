//! An interrupt that comes before its queue is there.
//!
//! The start-up enables the receiver of a serial port, and then tells the interrupt handler which queue to use. On the
//! desk nobody types so early. A byte that comes in between is sent to a queue that the handler does not know yet. With
//! `fixed=1` these two are the other way around.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Interrupt, Queue, Semaphore, Stack, Task, event, param, shared};

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];
// What the interrupt handler sends to.
shared!(static RECEIVED: Queue<u8, 4> = Queue::null());

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let received = Queue::<u8, 4>::never_full("received");
    let started = Semaphore::binary("started", 0);
    let uart = Interrupt::new("UART", &STACKS[0]).times(2).handler(|| {
        let _ = RECEIVED.read().try_send(b'x');
    });

    Task::new("start-up", &STACKS[1]).priority(2).start(move || {
        if fixed {
            RECEIVED.write(received);
        }
        uart.arm();
        if !fixed {
            RECEIVED.write(received);
        }
        started.give();
    });

    Task::new("console", &STACKS[2]).priority(1).start(move || {
        started.take();
        for _ in 0..2 {
            event!("key", received.receive());
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
