//! The memory that host and target share, and the description that tells the host where it is.
//!
//! It is outside the firmware's RAM and survives a reset, so nothing in it may be trusted before it is written.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use fwvs_wire::{Decision, Description, Incident, MAGIC, Orders, Record, Report, VERSION};

/// Decisions that fit, script and sleep set together, with two for each entry of the sleep set.
pub(crate) const DECISIONS: usize = 512;
/// Entries that a sleep set can have.
pub(crate) const ASLEEP: usize = 128;
/// Records that fit before the host must read them.
pub(crate) const RECORDS: usize = 256;
/// Set-up entries that fit: creations, footprints and first arrivals.
pub(crate) const CREATIONS: usize = 128;
/// Tasks that fit, interrupt handlers and timers among them.
pub(crate) const TASKS: usize = 20;
/// The same and the clock, which is there or not as the host wishes.
pub(crate) const ROOM: usize = TASKS + 1;
/// Objects that fit.
pub(crate) const OBJECTS: usize = 32;
/// System exceptions and 112 interrupts.
pub(crate) const VECTORS: usize = 128;

/// Everything that is not in the firmware's own RAM. The doorbell shares its page with what is rarely touched: a
/// watched page is slow.
#[repr(C, align(1024))]
pub(crate) struct Mailbox {
    pub(crate) vectors: [u32; VECTORS],
    pub(crate) doorbell: u32,
    pub(crate) incident: Incident,
    spare: [u32; 60],
    pub(crate) setup: [[u32; 4]; CREATIONS],
    pub(crate) orders: Orders,
    pub(crate) decisions: [Decision; DECISIONS],
    pub(crate) report: Report,
    pub(crate) trace: [[u32; 4]; RECORDS],
}

const _: () = assert!(core::mem::offset_of!(Mailbox, setup) == 1024, "the watched page is the first");
const _: () = assert!(size_of::<Record>() == 16);

/// A mailbox in memory that nobody initialises.
#[repr(transparent)]
pub(crate) struct Placed(UnsafeCell<MaybeUninit<Mailbox>>);

// SAFETY: there is one core, and tasks switch only at gates; every access goes through raw pointers.
unsafe impl Sync for Placed {}

#[cfg_attr(target_os = "none", unsafe(link_section = ".fwvs_mailbox.mailbox"))]
static MAILBOX: Placed = Placed(UnsafeCell::new(MaybeUninit::uninit()));

/// The mailbox. Its contents are whatever host and shim wrote there.
pub(crate) const fn mailbox() -> *mut Mailbox {
    MAILBOX.0.get().cast()
}

/// A description with addresses that the linker fills in.
#[repr(transparent)]
pub(crate) struct Linked(Description<*const u8>);

// SAFETY: the pointers are only read as numbers, by the host, out of the ELF.
unsafe impl Sync for Linked {}

#[used]
#[cfg_attr(target_os = "none", unsafe(link_section = "fwvs_description"))]
static DESCRIPTION: Linked = {
    let mailbox = mailbox();
    // SAFETY: field addresses of a static; nothing is read.
    unsafe {
        Linked(Description {
            magic: MAGIC,
            version: VERSION,
            doorbell: (&raw const (*mailbox).doorbell).cast(),
            store: &raw const crate::arch::STORE,
            orders: (&raw const (*mailbox).orders).cast(),
            decisions: DECISIONS as u32,
            report: (&raw const (*mailbox).report).cast(),
            records: RECORDS as u32,
            setup: (&raw const (*mailbox).setup).cast(),
            creations: CREATIONS as u32,
            incident: (&raw const (*mailbox).incident).cast(),
            tasks: ROOM as u32,
            objects: OBJECTS as u32,
        })
    }
};

/// Reads the description, so that no linker can think that nobody needs it.
pub(crate) fn version() -> u32 {
    // SAFETY: a valid static; volatile so that the read stays.
    unsafe { (&raw const DESCRIPTION.0.version).read_volatile() }
}

/// Stops the core until the host resumes it.
pub(crate) fn ring() {
    // SAFETY: the doorbell is a word of the mailbox; everything written before is in memory when it rings.
    unsafe {
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
        crate::arch::ring(&raw mut (*mailbox()).doorbell);
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    }
}
