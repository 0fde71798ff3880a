//! Firmware that goes wrong in one way at a time, chosen by the parameter `case`; see the README for the list.
//!
//! A task called `steady` has nothing to do with it and makes sure that the right one is named.
#![no_std]
#![no_main]

mod loops;
mod rtos;
mod shim;

use core::hint::black_box;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{Queue, Semaphore, Stack, Task, check, event, param, toss};

static STACKS: [Stack<640>; 2] = [const { Stack::new() }; 2];
static EMPTY: [u8; 4] = [1, 2, 3, 4];

/// Which misbehaviour it is to be.
fn case() -> i32 {
    param!("case", 0, 0..=61)
}

/// The stack that `wild` stands on.
fn own_stack() -> &'static Stack<640> {
    &STACKS[1]
}

fn setup() {
    let case = case();
    let gate = Semaphore::binary("gate", 1);
    match case {
        8 => {
            for number in 0..64 {
                Semaphore::binary(("semaphore", number), 0);
            }
        }
        9 => gate.take(),
        12 => {
            Queue::<[u32; 64], 64>::new("huge");
        }
        14 => forever(),
        15 => panic!("no task will ever run"),
        16 => cortex_m::asm::udf(),
        _ => {}
    }
    if let 42..=59 = case {
        shim::setup(case);
    }
    let world = matches!(case, 19..=41).then(|| rtos::setup(case));
    Task::new("steady", &STACKS[0]).start(move || {
        event!("steady");
        gate.take();
        gate.give();
        // Where others wait for ever, it goes on for ever.
        while let 32..=36 = case {
            event!("steady");
        }
    });
    let footprint = [gate.taking(), gate.giving()];
    let declared = if case == 18 { &footprint[..1] } else { &footprint[..] };
    let wild = Task::new("wild", &STACKS[1]).priority(2);
    let wild = if let 19.. = case { wild } else { wild.may(declared) };
    let wild = if case == 37 { wild.server() } else { wild };
    wild.start(move || {
        if let Some(world) = world {
            return rtos::misbehave(case, world);
        }
        if let 42..=59 = case {
            return shim::misbehave(case);
        }
        gate.take();
        misbehave(case);
        gate.give();
    });
}

fn misbehave(case: i32) {
    match case {
        1 => cortex_m::asm::udf(),
        2 => {
            black_box(recurse(black_box(64)));
        }
        3 => {
            let index = black_box(7);
            event!("read", EMPTY[index]);
        }
        4 => forever(),
        5 => uninitialised_stack(),
        6 => counts_restarts(),
        7 => {
            // SAFETY: none at all: that is the misbehaviour. There is no code: zeros, which do nothing, one after the other.
            let nowhere: extern "C" fn() = unsafe { core::mem::transmute(black_box(0x0003_0001_usize)) };
            nowhere();
        }
        10 => {
            Semaphore::binary("late", 1);
        }
        11 => {
            let nobody = unsafe { core::mem::transmute::<[u8; 2], Semaphore>(black_box([0xff, 31])) };
            nobody.take();
        }
        13 => {
            // SAFETY: none at all: that is the misbehaviour. The address lacks the Thumb bit.
            let nowhere: extern "C" fn() = unsafe { core::mem::transmute(black_box(0x0003_0000_usize)) };
            nowhere();
        }
        // SAFETY: none at all: a fault where none can be handled locks the core up.
        17 => unsafe { core::arch::asm!("cpsid f", "udf #0", options(noreturn)) },
        18 => {}
        60 => loops::of_several_lines(),
        61 => loops::with_calls(),
        _ => check!(case == 0),
    }
}

/// Uses more stack than there is.
#[inline(never)]
fn recurse(depth: u32) -> u32 {
    let frame = black_box([depth; 8]);
    if depth == 0 { frame[0] } else { recurse(depth - 1) + frame[7] }
}

/// Never comes to another operation.
fn forever() {
    let counter = AtomicU32::new(0);
    loop {
        counter.fetch_add(1, Relaxed);
    }
}

/// Decides by what happens to be on the stack: the shim's fill makes that the same every time.
#[inline(never)]
fn uninitialised_stack() {
    let garbage = black_box(MaybeUninit::<[u32; 16]>::uninit());
    // SAFETY: none: reading it is the misbehaviour.
    let value = unsafe { garbage.as_ptr().cast::<u32>().add(8).read_volatile() };
    toss((value % 3) as u16);
}

/// Decides by memory that survives a restart and that nobody fills: another decision on every path.
fn counts_restarts() {
    // The last word of the mailbox memory, which nothing else uses.
    let survivor = 0x2000_FFFC as *mut u32;
    // SAFETY: RAM of the board; that it is not ours is the misbehaviour.
    let restarts = unsafe { survivor.read_volatile() };
    // SAFETY: as above.
    unsafe { survivor.write_volatile(restarts.wrapping_add(1)) };
    event!("restarts", restarts);
}

#[entry]
fn main() -> ! {
    shim::before(case());
    fwvs::start(setup)
}
