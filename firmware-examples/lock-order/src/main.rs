//! Two mutexes, locked in two orders.
//!
//! The logger writes records to the flash, which is on the SPI bus: it locks `flash`, then `spi`. The sensor task reads
//! over the same bus and stores what it calibrates: it locks `spi`, then `flash`. If the sensor task comes while the logger
//! has the one and not yet the other, both wait for ever. The lamp goes on blinking, so nothing looks wrong from outside.
//! With `fixed=1` both lock `flash` first. With `endless=1` everybody does its work over and over, as firmware does.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Mutex, Stack, Task, delay, event, param};

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let endless = param!("endless", 0, 0..=1) == 1;
    let flash = Mutex::new("flash");
    let spi = Mutex::new("spi");

    Task::new("sensor", &STACKS[0]).priority(2).start(move || {
        loop {
            delay(10);
            let (first, second) = if fixed { (flash, spi) } else { (spi, flash) };
            first.lock();
            second.lock();
            second.unlock();
            first.unlock();
            if !endless {
                return;
            }
        }
    });

    Task::new("logger", &STACKS[1]).priority(1).start(move || {
        loop {
            flash.lock();
            spi.lock();
            spi.unlock();
            flash.unlock();
            if !endless {
                return;
            }
            delay(7);
        }
    });

    Task::new("lamp", &STACKS[2]).priority(3).start(move || {
        for blink in (0..2).cycle().take(if endless { usize::MAX } else { 2 }) {
            event!("blink", blink);
            delay(500);
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
