//! Three tasks, one bus, and a lock that does not know who holds it.
//!
//! The bus manager has the highest priority, the weather station the lowest; both use the bus, and lock it with a binary
//! semaphore. If the bus manager comes while the weather station has the bus, it waits, as it must. But then the radio, of
//! middle priority and with no business on the bus, can keep the weather station from going on, and so the bus manager too.
//! With `fixed=1` the lock is a mutex: whoever holds it goes on with the priority of who waits for it.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Mutex, Semaphore, Stack, Task, check, delay, param, shared};

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];
shared!(static BUS_MANAGER_WAITS: bool = false);

#[derive(Clone, Copy)]
enum Bus {
    Semaphore(Semaphore),
    Mutex(Mutex),
}

impl Bus {
    #[inline(always)]
    fn lock(self) {
        match self {
            Self::Semaphore(bus) => bus.take(),
            Self::Mutex(bus) => bus.lock(),
        }
    }

    #[inline(always)]
    fn unlock(self) {
        match self {
            Self::Semaphore(bus) => bus.give(),
            Self::Mutex(bus) => bus.unlock(),
        };
    }
}

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let bus = if fixed { Bus::Mutex(Mutex::new("bus")) } else { Bus::Semaphore(Semaphore::binary("bus", 1)) };

    Task::new("bus manager", &STACKS[0]).priority(3).start(move || {
        delay(10);
        BUS_MANAGER_WAITS.write(true);
        bus.lock();
        BUS_MANAGER_WAITS.write(false);
        bus.unlock();
    });

    Task::new("radio", &STACKS[1]).priority(2).start(|| {
        delay(10);
        let bus_manager_waits = BUS_MANAGER_WAITS.read();
        check!(!bus_manager_waits);
    });

    Task::new("weather station", &STACKS[2]).priority(1).start(move || {
        bus.lock();
        bus.unlock();
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
