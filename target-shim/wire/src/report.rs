//! Target to host: why the core stopped, and what went wrong.

use fwvs_search::Stop;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::value::Value;

/// What stands before the records in the mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Report {
    /// [`StopCode`].
    pub stop: u32,
    /// Transitions taken since the restart. Kept up to date while the core runs.
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
    /// Of which path all this is: [`Orders::path`](crate::Orders::path), as soon as what was there before is gone. A core that is
    /// halted before leaves the report of another path.
    pub path: u16,
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
        path: 0,
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
    /// An assertion does not hold; the incident has the sides of a comparison.
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

impl From<Stop> for StopCode {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::End => Self::End,
            Stop::Asked => Self::Asked,
            Stop::Depth => Self::Depth,
            Stop::Asleep => Self::Asleep,
            Stop::NotEnabled => Self::NotEnabled,
            Stop::Wrong(_) => Self::Wrong,
        }
    }
}

/// What went wrong, where the reason alone does not say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Incident {
    /// How much of `text` counts.
    pub text_length: u32,
    /// How much of that is the place of a panic; the message follows.
    pub place_length: u32,
    /// [`room`] that ran out, or [`misuse`]; of a panic, 0 or [`misuse::NOT_STARTED`].
    pub code: u32,
    /// The numbers that a misuse is about, or how much room there was.
    pub numbers: [u32; 2],
    /// What a misuse is about: where in the image its name is, how long that is, and the number behind it, as in a
    /// [`Creation`](crate::Creation).
    pub name: u32,
    /// See `name`.
    pub name_length: u16,
    /// See `name`.
    pub index: u16,
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
    /// Of a check that compares: what its left and its right side were.
    pub sides: [Value; 2],
    /// A panic's place and message.
    pub text: [u8; Incident::TEXT],
}

impl Incident {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();
    /// How much text fits.
    pub const TEXT: usize = 196;
    /// Nothing went wrong.
    pub const NONE: Self = Self {
        text_length: 0,
        place_length: 0,
        code: 0,
        numbers: [0; 2],
        name: 0,
        name_length: 0,
        index: 0,
        pc: 0,
        lr: 0,
        cfsr: 0,
        hfsr: 0,
        address: 0,
        sides: [Value::UNKNOWN; 2],
        text: [0; Self::TEXT],
    };
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
    /// A semaphore's initial level above its maximum, or no maximum at all: these two numbers.
    pub const BAD_SEMAPHORE: u32 = 5;
    /// A stack too small to hold a task: its bytes, and how many there have to be.
    pub const SMALL_STACK: u32 = 6;
    /// The shim was used before it was started.
    pub const NOT_STARTED: u32 = 7;
    /// A null handle: of something that was not created yet.
    pub const NULL_HANDLE: u32 = 8;
    /// A queue without room, or with more than its type has: its messages, and how many there can be.
    pub const BAD_QUEUE: u32 = 9;
    /// No room for timer commands, or too much: their number, and how many there can be.
    pub const BAD_COMMANDS: u32 = 10;
    /// The timer daemon was declared when it was there already.
    pub const SECOND_DAEMON: u32 = 11;
    /// A task on the stack of another: that one's number.
    pub const SHARED_STACK: u32 = 12;
    /// The firmware started again by itself, in the middle of a path.
    pub const RESTARTED: u32 = 13;
}
