//! Stand-ins where there is no Cortex-M: the crate can be compiled, documented and linted, not run.

use crate::gate::Request;

pub(crate) const REGISTERS: usize = 0;
pub(crate) const RETURN: usize = 8;
pub(crate) const FRAME: usize = 9;

const ABSENT: &str = "the shim runs on a Cortex-M only";

pub(crate) unsafe extern "C" fn gate(_: *mut Request) {
    unimplemented!("{ABSENT}")
}

pub(crate) fn keep_apart() {}

pub(crate) unsafe extern "C" fn switch_to(_: *mut u32) -> u64 {
    unimplemented!("{ABSENT}")
}

pub(crate) unsafe extern "C" fn ring(_: *mut u32) {
    unimplemented!("{ABSENT}")
}

pub(crate) unsafe extern "C" fn task_entry() {
    unimplemented!("{ABSENT}")
}

pub(crate) unsafe extern "C" fn fault_entry() {
    unimplemented!("{ABSENT}")
}

pub(crate) static STORE: u8 = 0;

pub(crate) fn memory_to_fill() -> (*mut u32, *mut u32) {
    unimplemented!("{ABSENT}")
}

pub(crate) fn shared_entries() -> &'static [crate::objects::SharedEntry] {
    unimplemented!("{ABSENT}")
}

pub(crate) fn parameters() -> &'static [crate::parameter::Descriptor] {
    unimplemented!("{ABSENT}")
}

pub(crate) fn names() -> usize {
    unimplemented!("{ABSENT}")
}

pub(crate) unsafe fn take_over_vectors(_: *mut u32, _: usize) {
    unimplemented!("{ABSENT}")
}

pub(crate) fn fault_registers() -> (u32, u32, u32) {
    unimplemented!("{ABSENT}")
}

pub(crate) unsafe extern "C" fn fill(_: *mut u32, _: *mut u32, _: u32) {
    unimplemented!("{ABSENT}")
}
