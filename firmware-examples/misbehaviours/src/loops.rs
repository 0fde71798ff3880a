//! Loops without an end that are longer than a line.

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

static NOISE: AtomicU32 = AtomicU32::new(1);

/// Several lines, and another way through them now and then.
pub(crate) fn of_several_lines() {
    loop {
        let noise = NOISE.load(Relaxed);
        let bit = noise & 1;
        if bit == 0 {
            NOISE.store(noise >> 1, Relaxed);
        } else {
            NOISE.store((noise >> 1) ^ 0xb400, Relaxed);
        }
    }
}

/// Most of the time is spent in what it calls, which has a loop of its own.
pub(crate) fn with_calls() {
    loop {
        let sum = sum_to(black_box(12));
        NOISE.store(sum, Relaxed);
        NOISE.store(sum_to(black_box(5)), Relaxed);
    }
}

#[inline(never)]
fn sum_to(last: u32) -> u32 {
    let mut sum = 0;
    for number in 0..last {
        sum = black_box(sum + number);
    }
    sum
}
