//! A check that fails, in one form at a time, chosen by the parameter `case`; see the README for the list.
//!
//! Case 0 has the same forms, and all of them hold.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use fwvs::{Queue, Stack, Task, check, param, shared};

static STACKS: [Stack<1024>; 2] = [const { Stack::new() }; 2];

shared!(static LEVEL: u32 = 0);

static mut COUNT: u32 = 3;

/// Compared as what it is, and as a number.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    Off,
    On = 4,
}

/// Its level is at no address that could be borrowed.
#[repr(C, packed)]
struct Message {
    _kind: u8,
    level: u32,
}

/// How often it was asked.
struct Counter(u32);

impl Counter {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

fn generic<T: From<u8>>(value: u8) -> T {
    black_box(value).into()
}

fn setup() {
    let case = param!("case", 0, 0..=24);
    let inbox = Queue::<u32, 4>::new("inbox");
    Task::new("sender", &STACKS[0]).start(move || {
        inbox.send(3);
        if case == 24 {
            LEVEL.write(LEVEL.read() + 1);
        }
    });
    Task::new("checker", &STACKS[1]).start(move || {
        match case {
            1 => check!(inbox.receive() == 7),
            0 | 24 => {
                check!(inbox.receive() == 3);
                if case == 24 {
                    // One or two, whoever comes first.
                    LEVEL.write(LEVEL.read() + 1);
                    check!(LEVEL.read() == 0);
                }
                hold();
            }
            _ => fail(case),
        }
    });
}

#[inline(never)]
fn fail(case: i32) {
    let numbers = black_box([1_u16, 2, 3]);
    let message = black_box(Message { _kind: 1, level: 5 });
    let mut counter = Counter(0);
    let (three, flags, on) = (black_box(3_u8), black_box(6_u32), black_box(true));
    let mode = black_box(Mode::On);
    match case {
        2 => check!(black_box(-5_i8) < -6),
        3 => check!(black_box(5_000_000_000_u64) <= 7),
        4 => check!(black_box(false) == on),
        5 => check!(black_box('x') >= 'y'),
        6 => check!(black_box(1.5_f32) > 2.25),
        7 => check!(nothing() == Some(2)),
        8 => check!(numbers.iter().max() != Some(&3)),
        9 => check!(mode == Mode::Off),
        10 => check!(mode as u8 == Mode::Off as u8),
        11 => check!(on && three == 4),
        12 => check!((three == 4)),
        13 => check!(generic::<u32>(3) == 4),
        14 => check!(
            match three {
                3 => 5_u32,
                _ => 4,
            } == 4
        ),
        15 => check!(
            three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                + three
                == 4
        ),
        16 => check!((message.level == 4)),
        17 => check!(counter.next() > counter.next()),
        18 => check!(black_box("off") == "on"),
        19 => check!(flags & 1 == 1),
        20 => check!(numbers.len() > 3,),
        21 => check!(black_box(2.5_f64) < 1.0),
        // SAFETY: within the array.
        22 => check!(unsafe { numbers.as_ptr().add(1).read() } as i32 - 3 == 7),
        _ => check!(!on),
    }
}

/// What has to hold means the same in every form.
#[inline(never)]
fn hold() {
    let (three, flags, on) = (black_box(3_u8), black_box(6_u32), black_box(true));
    let message = black_box(Message { _kind: 1, level: 5 });
    let mut counter = Counter(0);
    check!(counter.next() < counter.next());
    check!(counter.next() == 3);
    check!(on || three == 4);
    check!(on && three == 3 || three == 4);
    check!(!on == (three == 4));
    check!(if on { three == 3 } else { three == 4 });
    check!(flags | 1 == 7);
    check!(flags << 1 == 12);
    check!((message.level == 5));
    check!({ message.level } == 5);
    check!(generic::<u32>(3) == 3);
    check!(matches!(three, 2 | 3) == on);
    check!(nothing().is_none());
    // SAFETY: nobody writes it.
    unsafe { check!(COUNT == 3) };
}

/// An option of which the compiler knows nothing.
fn nothing() -> Option<i32> {
    black_box(None)
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
