//! Dining philosophers: N tasks, N forks between them, each task needs two.
//!
//! Everybody reaches for the fork on the left first. If all do so before anyone takes a second fork, nobody ever
//! eats. With `ordered=1` forks are taken in one global order, and that cannot happen.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Semaphore, Stack, Task, param, phase};
use heapless::Vec;

const MOST: usize = 8;

static STACKS: [Stack<384>; MOST] = [const { Stack::new() }; MOST];

fn setup() {
    let count = param!("N", 4, 2..=8) as u8;
    let ordered = param!("ordered", 0, 0..=1) == 1;

    let forks: Vec<Semaphore, MOST> = (0..count).map(|i| Semaphore::binary(("fork", i), 1)).collect();

    for left in 0..count {
        let right = (left + 1) % count;
        let (first, second) = if ordered && right < left { (right, left) } else { (left, right) };
        let (first, second) = (forks[usize::from(first)], forks[usize::from(second)]);
        let taking = [first.taking().until(0), second.taking().until(1)];
        let giving = [first.giving().until(2), second.giving().until(3)];
        let footprint = [taking[0], taking[1], giving[0], giving[1]];
        Task::new(("philosopher", left), &STACKS[usize::from(left)]).may(&footprint).start(move || {
            first.take();
            phase(1);
            second.take();
            phase(2);
            first.give();
            phase(3);
            second.give();
        });
    }
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
