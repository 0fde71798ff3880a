//! Context switch, doorbell and fault entry for ARMv7-M.
//!
//! The scheduler runs on the main stack, tasks on the process stack. A switch pushes the callee-saved registers and
//! the return address on the stack it leaves, so that RAM alone is the whole state of whoever does not run. Where floats
//! are passed in registers, so are s16 to s31 and the rounding mode; start-up code has switched the unit on there.

use core::arch::{asm, global_asm, naked_asm};

use cortex_m::peripheral::SCB;

use crate::gate::Request;
use crate::objects::SharedEntry;
use crate::parameter::Descriptor;

/// What a frame is: where r4 to r11 begin, where the return address is, and how long it is, in words.
#[cfg(not(target_abi = "eabihf"))]
mod frame {
    pub(crate) const REGISTERS: usize = 0;
    pub(crate) const RETURN: usize = 8;
    pub(crate) const FRAME: usize = 9;

    macro_rules! push_frame {
        () => {
            "push {{r4-r11, lr}}"
        };
    }
    macro_rules! pop_frame {
        () => {
            "pop {{r4-r11, pc}}"
        };
    }
    pub(super) use {pop_frame, push_frame};
}

/// The same with floating point: FPSCR below the rest, s16 to s31 above it. The caller has saved the other registers.
#[cfg(target_abi = "eabihf")]
mod frame {
    pub(crate) const REGISTERS: usize = 1;
    pub(crate) const RETURN: usize = 9;
    pub(crate) const FRAME: usize = 26;

    // The first instruction makes the core note in CONTROL that there are floats: CONTROL is to be read after it, for
    // whoever writes it back without that bit loses FPSCR. To the assembler, naked functions are on no known core.
    macro_rules! push_frame {
        () => {
            ".fpu fpv4-sp-d16\nvpush {{s16-s31}}\nvmrs r3, fpscr\npush {{r3-r11, lr}}"
        };
    }
    macro_rules! pop_frame {
        () => {
            "pop {{r3-r11, lr}}\nvmsr fpscr, r3\nvpop {{s16-s31}}\nbx lr"
        };
    }
    pub(super) use {pop_frame, push_frame};
}

pub(crate) use frame::{FRAME, REGISTERS, RETURN};
use frame::{pop_frame, push_frame};

/// From a task to the scheduler: [`switch_to`] returns there with the request and the task's stack pointer.
///
/// Outside of a task (set-up, exception handler) nothing can be held, so that is a finding of its own.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn gate(request: *mut Request) {
    naked_asm!(
        "mrs r2, control",
        "tst r2, #2",
        "beq 1f",
        push_frame!(),
        "mov r1, sp",
        "mrs r2, control",
        "bic r2, r2, #2",
        "msr control, r2",
        "isb",
        pop_frame!(),
        "1: mov r0, lr",
        "b {no_task}",
        no_task = sym crate::fault::operation_without_task,
    )
}

/// No instruction, but something that a compiler moves nowhere: calls of [`gate`] at the ends of several branches stay several
/// calls. As one, they would be at no line of the source.
#[inline(always)]
pub(crate) fn keep_apart() {
    // SAFETY: there is nothing in it.
    unsafe { asm!("// {}", label {}, options(nomem, nostack, preserves_flags)) };
}

/// From the scheduler to a task held at `stack`; returns when the task comes to its next gate, with the request in
/// the low and the stack pointer in the high half.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch_to(stack: *mut u32) -> u64 {
    naked_asm!(
        push_frame!(),
        "msr psp, r0",
        "mrs r2, control",
        "orr r2, r2, #2",
        "msr control, r2",
        "isb",
        pop_frame!(),
    )
}

/// Where a new task begins: r4 points to its closure, r5 to the function that calls it.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn task_entry() {
    naked_asm!("mov r0, r4", "blx r5", "b {exit}", exit = sym crate::task::exit)
}

/// Writes `value` to every word from `begin` to `end`: 32 at a time and then eight, for every path starts with this.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn fill(begin: *mut u32, end: *mut u32, value: u32) {
    naked_asm!(
        "push {{r4-r9, lr}}",
        "mov r3, r2",
        "mov r4, r2",
        "mov r5, r2",
        "mov r6, r2",
        "mov r7, r2",
        "mov r8, r2",
        "mov r9, r2",
        "subs lr, r1, r0",
        "subs lr, lr, #128",
        "blt 2f",
        "1: stmia r0!, {{r2-r9}}",
        "stmia r0!, {{r2-r9}}",
        "stmia r0!, {{r2-r9}}",
        "stmia r0!, {{r2-r9}}",
        "subs lr, lr, #128",
        "bge 1b",
        "2: adds lr, lr, #96",
        "blt 4f",
        "3: stmia r0!, {{r2-r9}}",
        "subs lr, lr, #32",
        "bge 3b",
        "4: cmp r0, r1",
        "bhs 5f",
        "str r2, [r0], #4",
        "b 4b",
        "5: pop {{r4-r9, pc}}",
    )
}

// The doorbell. Every register that must survive is on the stack when it rings, and the store is a 16-bit
// instruction with a name, so that a link can break on it or go on behind it.
global_asm!(
    ".section .text.fwvs_ring, \"ax\", %progbits",
    ".balign 4",
    ".thumb_func",
    ".global fwvs_ring",
    ".type fwvs_ring, %function",
    "fwvs_ring:",
    "push {{r4-r11, lr}}",
    ".thumb_func",
    ".global fwvs_store",
    "fwvs_store:",
    "str r0, [r0]",
    "pop {{r4-r11, pc}}",
    ".size fwvs_ring, . - fwvs_ring",
);

unsafe extern "C" {
    #[link_name = "fwvs_ring"]
    pub(crate) fn ring(doorbell: *mut u32);
    #[link_name = "fwvs_store"]
    pub(crate) static STORE: u8;

    static __start_fwvs_shared: u8;
    static __stop_fwvs_shared: u8;
    static __start_fwvs_parameters: u8;
    static __stop_fwvs_parameters: u8;
    static __start_fwvs_names: u8;
    static mut __suninit: u32;
}

/// Every fault comes here: which stack has the frame, then on in Rust.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn fault_entry() {
    naked_asm!(
        "tst lr, #4",
        "ite eq",
        "mrseq r0, msp",
        "mrsne r0, psp",
        "b {fault}",
        fault = sym crate::fault::fault,
    )
}

/// RAM that nobody initialises: from the end of .bss to the main stack's present end, with some room.
pub(crate) fn memory_to_fill() -> (*mut u32, *mut u32) {
    let stack = cortex_m::register::msp::read() - 256;
    (&raw mut __suninit, (stack & !3) as *mut u32)
}

/// The entries between two symbols that the linker script sets.
fn section<T>(start: *const u8, stop: *const u8) -> &'static [T] {
    let length = (stop as usize - start as usize) / size_of::<T>();
    // SAFETY: the macros of this crate put nothing but `T` into the section, and it is constant.
    unsafe { core::slice::from_raw_parts(start.cast(), length) }
}

/// Every declared shared variable.
pub(crate) fn shared_entries() -> &'static [SharedEntry] {
    section(&raw const __start_fwvs_shared, &raw const __stop_fwvs_shared)
}

/// Every declared parameter.
pub(crate) fn parameters() -> &'static [Descriptor] {
    section(&raw const __start_fwvs_parameters, &raw const __stop_fwvs_parameters)
}

/// Where the table of names begins.
pub(crate) fn names() -> usize {
    (&raw const __start_fwvs_names) as usize
}

/// Copies the vector table to `table` and takes over the faults there. The firmware's other handlers stay.
///
/// # Safety
/// `table` must have `length` words and the alignment that VTOR wants, and live for ever.
pub(crate) unsafe fn take_over_vectors(table: *mut u32, length: usize) {
    // SAFETY: the System Control Block is there on every Cortex-M, and nobody else runs yet.
    let scb = unsafe { &*SCB::PTR };
    let original = scb.vtor.read() as *const u32;
    for number in 0..length {
        // SAFETY: the original table is readable; what lies behind its end is copied too but never used.
        unsafe { table.add(number).write_volatile(original.add(number).read_volatile()) };
    }
    for exception in [3, 4, 5, 6] {
        // SAFETY: within the table, by the caller's promise.
        unsafe { table.add(exception).write_volatile(fault_entry as *const () as u32) };
    }
    // SAFETY: as above; the table is complete.
    unsafe { scb.vtor.write(table as u32) };
    cortex_m::asm::dsb();
}

/// Configurable and hard fault status, and the address that faulted.
pub(crate) fn fault_registers() -> (u32, u32, u32) {
    // SAFETY: the System Control Block is there on every Cortex-M; reading has no effect.
    let scb = unsafe { &*SCB::PTR };
    let (cfsr, hfsr) = (scb.cfsr.read(), scb.hfsr.read());
    let bus_address_valid = cfsr & (1 << 15) != 0;
    (cfsr, hfsr, if bus_address_valid { scb.bfar.read() } else { scb.mmfar.read() })
}
