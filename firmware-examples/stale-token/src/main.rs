//! A driver with a timeout, and a completion that comes a moment too late.
//!
//! The driver starts a DMA transfer, waits for the interrupt that says it is complete, and gives up after a while. If the
//! interrupt comes after the driver gave up and before it has switched the interrupt off, the semaphore stays given. The
//! next transfer then seems to be complete as soon as it is started, and the driver reads what the last one left. With
//! `fixed=1` the driver throws such a token away before it starts the next one.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{Interrupt, Line, Semaphore, Stack, Task, check, param, shared};

static STACKS: [Stack<512>; 2] = [const { Stack::new() }; 2];

/// Which transfer the DMA controller works on: one of its registers.
static TRANSFER: AtomicU32 = AtomicU32::new(0);
// Which transfer the buffer is from.
shared!(static BUFFER: u32 = 0);

struct Driver {
    dma: Line,
    complete: Semaphore,
    fixed: bool,
}

impl Driver {
    /// Whether the transfer was complete in time.
    fn transfer(&self, number: u32) -> bool {
        if self.fixed {
            self.complete.try_take();
        }
        TRANSFER.store(number, Relaxed);
        self.dma.arm();
        let complete = self.complete.take_for(10);
        self.dma.mask();
        complete
    }
}

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let complete = Semaphore::binary("complete", 0);
    // The device is slow: it completes one of the two transfers, whichever.
    let dma = Interrupt::new("DMA", &STACKS[0]).times(1).handler(move || {
        BUFFER.write(TRANSFER.load(Relaxed));
        complete.give();
    });

    Task::new("driver", &STACKS[1]).priority(1).start(move || {
        let driver = Driver { dma, complete, fixed };
        for number in 1..=2 {
            if driver.transfer(number) {
                let buffer = BUFFER.read();
                check!(buffer == number);
            }
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
