//! Misuse of what a firmware is set up with, and what only looks like misuse.

use core::hint::black_box;

use fwvs::{Interrupt, Queue, Semaphore, Stack, Task, Timer, check, daemon, delay, event, yield_now};

static STACKS: [Stack<640>; 2] = [const { Stack::new() }; 2];
static SMALL: Stack<64> = Stack::new();
static MANY: [Stack<256>; 24] = [const { Stack::new() }; 24];

/// What comes before the set-up in that case.
pub(crate) fn before(case: i32) {
    match case {
        45 => panic!("too early for {case}"),
        46 => {
            Timer::once("early", 1, || {});
        }
        47 => event!("early"),
        _ => {}
    }
}

/// What the set-up does from case 42 on, besides `steady` and `wild`.
#[inline(never)]
pub(crate) fn setup(case: i32) {
    let button = |times| Interrupt::new("button", &STACKS[0]).armed().times(times);
    match case {
        42 => {
            button(1).handler(|| check!(is_aligned()));
            Timer::once("alarm", 5, || check!(is_aligned())).start_at_once();
        }
        43 => {
            Task::new("first", &STACKS[0]).start(|| event!("first"));
            Task::new("second", &STACKS[0]).start(|| event!("second"));
        }
        44 => {
            button(0).handler(|| check!(false));
        }
        50 => {
            daemon(3, 4);
            daemon(3, 4);
        }
        51 => {
            Semaphore::binary("units", 3);
        }
        52 => {
            Queue::<u32, 4>::with_capacity(("box", 255), 5);
        }
        53 => Task::new("tiny", &SMALL).start(|| {}),
        54 => {
            for (number, stack) in MANY.iter().enumerate() {
                Task::new(("worker", number as u8), stack).start(|| {});
            }
        }
        55 => {
            button(1).handler(|| delay(0));
        }
        56 => {
            button(1).handler(|| {
                event!("inside");
                yield_now();
            });
        }
        57 => Timer::once("alarm", 5, || delay(0)).start_at_once(),
        59 => Task::new("other", &STACKS[0]).start(|| check!(twice(100.25) == 200.5)),
        _ => {}
    }
}

/// A timer that is started by a task of its own.
trait AtOnce {
    fn start_at_once(self);
}

impl AtOnce for Timer {
    fn start_at_once(self) {
        Task::new("starter", &STACKS[1]).start(move || self.start());
    }
}

/// What `wild` does in that case.
#[inline(never)]
pub(crate) fn misbehave(case: i32) {
    match case {
        42 => check!(is_aligned()),
        48 => Task::new("late", crate::own_stack()).start(|| {}),
        49 => long_panic(),
        58 => {
            event!("before");
            cortex_m::peripheral::SCB::sys_reset()
        }
        59 => check!(twice(1.5) == 3.0),
        _ => event!("nothing"),
    }
}

/// Whether the stack is as the procedure call standard wants it: the compiler counts on it and aligns nothing itself.
#[inline(never)]
fn is_aligned() -> bool {
    let local = black_box(5_u64);
    let address = black_box(&raw const local as usize);
    address.is_multiple_of(8)
}

/// Keeps a float across an operation.
#[inline(never)]
fn twice(value: f32) -> f32 {
    let value = black_box(value);
    event!("between");
    value * 2.0
}

/// Says more than there is room for.
fn long_panic() {
    let dots = [b'.'; 40];
    let dots = core::str::from_utf8(&dots).unwrap_or_default();
    panic!("{dots}{dots}{dots}{dots}{dots}{dots}");
}
