//! A queue that is full, and a lock on the way to emptying it.
//!
//! The sampler scales what it measured with the calibration, which it locks, and sends two samples at a time. The uploader
//! receives a sample, and needs the calibration too. As long as it keeps up, all is well: the queue has room for two. If a
//! sample is left when the next two come, the sampler waits for room with the calibration locked; and if the uploader has
//! just received one, it waits for the calibration. With `fixed=1` the sampler unlocks before it sends.
//!
//! With `lamp=1` a periodic timer blinks a lamp, with `lamp=2` a button does, as often as somebody presses it. Neither has
//! anything to do with samples, but as long as one of them goes on, nobody can say that nothing does.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use fwvs::{Interrupt, Mutex, Queue, Stack, Task, Timer, delay, event, param};

const BURSTS: u32 = 2;
const BURST: u32 = 2;

static STACKS: [Stack<512>; 3] = [const { Stack::new() }; 3];

fn setup() {
    let fixed = param!("fixed", 0, 0..=1) == 1;
    let samples = Queue::<u32, { BURST as usize }>::new("samples");
    let calibration = Mutex::new("calibration");
    let lamp = param!("lamp", 0, 0..=2);
    let blink = if lamp == 1 { Timer::periodic("blink", 70, || event!("blink")) } else { Timer::null() };
    if lamp == 2 {
        Interrupt::new("button", &STACKS[2]).armed().handler(|| event!("blink"));
    }

    Task::new("uploader", &STACKS[0]).priority(1).start(move || {
        for _ in 0..BURSTS * BURST {
            let _sample = samples.receive();
            calibration.lock();
            calibration.unlock();
        }
    });

    Task::new("sampler", &STACKS[1]).priority(2).start(move || {
        if lamp == 1 {
            blink.start();
        }
        for burst in 0..BURSTS {
            delay(100);
            calibration.lock();
            if fixed {
                calibration.unlock();
            }
            for sample in 0..BURST {
                samples.send(burst * BURST + sample);
            }
            if !fixed {
                calibration.unlock();
            }
        }
    });
}

#[entry]
fn main() -> ! {
    fwvs::start_rtos(setup)
}
