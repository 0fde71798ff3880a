//! Delays, ticks, critical sections.

use fwvs_kernel::Operation;

use crate::gate::operate;

/// Waits for so many ticks; 0 only lets others of the same priority go first.
#[inline(always)]
pub fn delay(ticks: u32) {
    operate(Operation::delay(ticks), core::ptr::null_mut());
}

/// Waits until `period` ticks after `previous`, which becomes that tick: for loops with a steady period. False, and no
/// wait, if that tick has passed already.
///
/// ```no_run
/// let mut previous = fwvs::tick();
/// loop {
///     fwvs::delay_until(&mut previous, 10);
/// }
/// ```
#[inline(always)]
pub fn delay_until(previous: &mut u32, period: u32) -> bool {
    let tick = previous.wrapping_add(period);
    *previous = tick;
    operate(Operation::delay_until(tick), core::ptr::null_mut()).served
}

/// What tick it is.
#[inline(always)]
pub fn tick() -> u32 {
    operate(Operation::tick(), core::ptr::null_mut()).tick
}

/// Lets others of the same priority go first.
#[inline(always)]
pub fn yield_now() {
    operate(Operation::yield_now(), core::ptr::null_mut());
}

/// No interrupt, no timer and nobody else of the firmware comes in between until the matching [`exit_critical`]. Nests.
#[inline(always)]
pub fn enter_critical() {
    operate(Operation::enter_critical(), core::ptr::null_mut());
}

/// Ends what [`enter_critical`] began.
#[inline(always)]
pub fn exit_critical() {
    operate(Operation::exit_critical(), core::ptr::null_mut());
}

/// Runs `body` in a critical section.
///
/// ```no_run
/// # fwvs::shared!(static LEVEL: u32 = 0);
/// fwvs::critical(|| LEVEL.write(LEVEL.read() + 1));
/// ```
#[inline(always)]
pub fn critical<T>(body: impl FnOnce() -> T) -> T {
    enter_critical();
    let value = body();
    exit_critical();
    value
}
