//! What host and target say to each other.
//!
//! The firmware's ELF carries a [`Description`] that says where everything is. The host writes [`Orders`] (the
//! decisions it already knows, and what to do when they run out), resumes the core, and reads a [`Report`] with one
//! [`Record`] a transition when the doorbell rings. All numbers are little-endian, as both sides are.
//!
//! | file | idea |
//! |---|---|
//! | [`description`] | what the ELF says: version, places, capacities, parameters |
//! | [`orders`] | host to target: script, sleep set, policy, bounds |
//! | [`record`] | target to host: one transition, and the operation its task arrived at |
//! | [`setup`] | target to host: the tasks and objects that exist before the first transition |
//! | [`report`] | target to host: why the core stopped, and what went wrong |
//! | [`value`] | target to host: what a side of a failed comparison was |
#![no_std]
#![forbid(unsafe_code)]

pub mod description;
pub mod orders;
pub mod record;
pub mod report;
pub mod setup;
pub mod value;

pub use description::{Description, MAGIC, ParameterDescription, VERSION};
pub use orders::{Decision, Orders};
pub use record::{Malformed, Record};
pub use report::{Incident, Report, StopCode, misuse, room};
pub use setup::{Creation, Particulars, Use, What};

const _: () = assert!(cfg!(target_endian = "little"), "the mailbox is little-endian");

/// One more word into a running digest: how host and target compare what they did not send.
pub const fn mix(digest: u32, word: u32) -> u32 {
    (digest.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b1)
}

/// A task name as two bytes of a record.
const fn id_bytes(slot: fwvs_kernel::Slot) -> [u8; 2] {
    [slot.mark, slot.index]
}

const fn id_from(bytes: [u8; 2]) -> fwvs_kernel::Slot {
    fwvs_kernel::Slot { mark: bytes[0], index: bytes[1] }
}
