//! What the ELF says: version, places, capacities, parameters.
//!
//! `P` is a pointer on the target, so that the linker fills in addresses, and a `u32` on the host.

use zerocopy::{FromBytes, Immutable, KnownLayout};

/// The first word of a [`Description`], and of [`Orders`](crate::Orders) that were really written: "fwvs".
pub const MAGIC: u32 = u32::from_le_bytes(*b"fwvs");

/// Changes whenever anything in this crate changes its meaning.
pub const VERSION: u32 = 5;

/// The contents of ELF section `fwvs_description`.
#[derive(Clone, Copy, Debug, FromBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Description<P> {
    /// [`MAGIC`].
    pub magic: u32,
    /// [`VERSION`]: never moves, so that other versions can be told.
    pub version: u32,
    /// The word to watch for writes.
    pub doorbell: P,
    /// The 16-bit instruction that writes it; to go on, resume behind it.
    pub store: P,
    /// An [`Orders`](crate::Orders), then `decisions` decisions.
    pub orders: P,
    /// How many decisions there is room for, script and sleep set together.
    pub decisions: u32,
    /// A [`Report`](crate::Report), then `records` records.
    pub report: P,
    /// How many records there is room for.
    pub records: u32,
    /// `creations` entries of 16 bytes: creations, then the record of each task's first arrival.
    pub setup: P,
    /// How many entries there is room for.
    pub creations: u32,
    /// An [`Incident`](crate::Incident).
    pub incident: P,
    /// How many tasks the kernel has room for.
    pub tasks: u32,
    /// How many objects the kernel has room for.
    pub objects: u32,
}

impl Description<u32> {
    /// How long it is in the ELF.
    pub const BYTES: usize = size_of::<Self>();
}

/// One entry of ELF section `fwvs_parameters`.
#[derive(Clone, Copy, Debug, FromBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ParameterDescription<P> {
    /// Where its name is, in the image.
    pub name: P,
    /// How long its name is.
    pub name_length: u32,
    /// Where the host puts its value, outside the image.
    pub value: P,
    /// How many words the value has; one for a number, more for a list of bytes.
    pub words: u32,
    /// The value when nobody says otherwise.
    pub default: i32,
    /// The smallest value that makes sense.
    pub minimum: i32,
    /// The largest.
    pub maximum: i32,
}
