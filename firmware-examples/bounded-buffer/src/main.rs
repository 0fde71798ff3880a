//! A bounded buffer with two producers and one consumer, and a lost update.
//!
//! Semaphores count the free and the filled slots, so the buffer never overflows. But who fills which slot is decided
//! by reading `TAIL` and writing it back: if the second producer comes in between, both fill the same slot and an
//! item is lost. With `fixed=1` the producers hold a lock while they do it.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{Semaphore, Stack, Task, check, param, shared};

const SLOTS: usize = 2;

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];
static BUFFER: [AtomicU32; SLOTS] = [const { AtomicU32::new(0) }; SLOTS];
shared!(static TAIL: usize = 0);

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let free = Semaphore::counting("free", SLOTS as u16, SLOTS as u16);
    let filled = Semaphore::counting("filled", 0, SLOTS as u16);
    let lock = Semaphore::binary("lock", 1);

    for producer in 0..2u8 {
        let item = u32::from(producer) + 1;
        Task::new(("producer", producer), &STACKS[usize::from(producer)]).start(move || {
            free.take();
            if fixed {
                lock.take();
            }
            let slot = TAIL.read();
            BUFFER[slot].store(item, Relaxed);
            TAIL.write((slot + 1) % SLOTS);
            if fixed {
                lock.give();
            }
            filled.give();
        });
    }

    Task::new("consumer", &STACKS[2]).start(move || {
        let mut sum = 0;
        for slot in &BUFFER {
            filled.take();
            sum += slot.load(Relaxed);
            free.give();
        }
        check!(sum == 3);
    });
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
