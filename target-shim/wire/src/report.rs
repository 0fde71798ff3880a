//! Target to host: why the core stopped, and what went wrong.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What stands before the records in the mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Report {
    /// [`StopCode`].
    pub stop: u32,
    /// Transitions taken since the restart.
    pub transitions: u32,
    /// Digest of the set-up entries.
    pub setup: u32,
    /// Digest of every complete record since the restart, read by the host or not.
    pub trace: u32,
    /// Digest of the kernel's state.
    pub kernel: u32,
    /// How many 16-byte places of the trace are filled. Kept up to date while the core runs.
    pub filled: u16,
    /// How many set-up entries are filled. Kept up to date while the core runs.
    pub creations: u16,
    /// Who runs: two bytes of a task's name; `[0, 0]` if no task does. Kept up to date while the core runs.
    pub running: [u8; 2],
    /// Always 0.
    pub spare: u16,
}

impl Report {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();
    /// Before the first stop.
    pub const NONE: Self = Self {
        stop: 0,
        transitions: 0,
        setup: 0,
        trace: 0,
        kernel: 0,
        filled: 0,
        creations: 0,
        running: [0; 2],
        spare: 0,
    };
}

macro_rules! stop_codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal),+ $(,)?) => {
        /// Why the core stopped.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u32)]
        pub enum StopCode { $($(#[doc = $doc])+ $name = $code),+ }

        impl StopCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The reason of that code.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)+
                    _ => None,
                }
            }
        }
    };
}

stop_codes! {
    /// No transition is enabled.
    End = 1,
    /// The script has run out.
    Asked = 2,
    /// As deep as was allowed.
    Depth = 3,
    /// Everything that is enabled is asleep.
    Asleep = 4,
    /// The script's decision is not enabled.
    NotEnabled = 5,
    /// An assertion does not hold.
    Assertion = 6,
    /// A panic; the incident has its text.
    Panic = 7,
    /// A task ran over the end of its stack.
    StackOverflow = 8,
    /// More was created than there is room for; the incident says of what.
    Full = 9,
    /// An operation that makes no sense; the incident says why.
    Misuse = 10,
    /// A fault exception; the incident has the registers.
    Fault = 11,
    /// The trace is full: read it and resume.
    Drain = 12,
    /// The script goes on: write more of it and resume.
    Refill = 13,
    /// The orders make no sense.
    BadOrders = 14,
    /// The kernel found something wrong with the last step; the host's kernel knows what.
    Wrong = 15,
}

/// What went wrong, where the reason alone does not say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Incident {
    /// How much of `text` counts.
    pub text_length: u32,
    /// [`room`] that ran out, or [`misuse`].
    pub code: u32,
    /// Where it happened.
    pub pc: u32,
    /// Where that was called from.
    pub lr: u32,
    /// Configurable fault status.
    pub cfsr: u32,
    /// Hard fault status.
    pub hfsr: u32,
    /// The address that faulted, if `cfsr` says that there is one.
    pub address: u32,
    /// A panic's message.
    pub text: [u8; Incident::TEXT],
}

impl Incident {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();
    /// How much text fits.
    pub const TEXT: usize = 196;
    /// Nothing went wrong.
    pub const NONE: Self =
        Self { text_length: 0, code: 0, pc: 0, lr: 0, cfsr: 0, hfsr: 0, address: 0, text: [0; Self::TEXT] };
}

/// Which room ran out.
pub mod room {
    /// Tasks.
    pub const TASKS: u32 = 1;
    /// Objects.
    pub const OBJECTS: u32 = 2;
    /// Bytes for messages and shared variables.
    pub const MESSAGES: u32 = 3;
    /// Set-up entries.
    pub const CREATIONS: u32 = 4;
}

/// Which misuse.
pub mod misuse {
    /// A handle of no object.
    pub const UNKNOWN_OBJECT: u32 = 1;
    /// A handle of another kind of object.
    pub const WRONG_KIND: u32 = 2;
    /// Something was created while tasks ran.
    pub const LATE_CREATION: u32 = 3;
    /// An operation in the set-up phase or in a handler, where nothing can be held.
    pub const NO_TASK: u32 = 4;
    /// A semaphore's initial level above its maximum, or a queue without room.
    pub const BAD_SIZE: u32 = 5;
    /// Something was created before the shim was started.
    pub const NOT_STARTED: u32 = 7;
    /// A null handle: of something that was not created yet.
    pub const NULL_HANDLE: u32 = 8;
    /// A stack too small to hold a task.
    pub const SMALL_STACK: u32 = 6;
}
