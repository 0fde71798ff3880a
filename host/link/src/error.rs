//! Everything that can go wrong between host and core, with what a person can do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use fwvs_foreign::{plain, shown};

/// A link failed. What the firmware does wrong is never an error but a [`Stop`](crate::Stop).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The emulator is not installed.
    #[error(
        "cannot start {}: there is no such program\n\
         hint: install it with `apt-get install qemu-system-arm`; `cargo xtask doctor` looks for everything that is needed",
        shown(program)
    )]
    Missing {
        /// The program that was looked for.
        program: PathBuf,
    },

    /// The emulator is there and cannot be started.
    #[error("cannot start {}: {source}\nhint: try `{} --version` by hand", shown(program), shown(program))]
    Start {
        /// The program that was to be started.
        program: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// The emulator ended before it could be talked to.
    #[error("{} ended at its start with {how}, saying:\n{}\nhint: check the machine in the board file, and that the firmware was built for it", shown(program), said.trim_end())]
    ExitedAtStart {
        /// The program.
        program: PathBuf,
        /// How it ended, in words.
        how: String,
        /// The end of what it said.
        said: String,
        /// Whether it ended by itself or by force, and not because it does not understand what is wanted of it.
        by_chance: bool,
    },

    /// The thread or the emulator cannot be bound to a core of this computer.
    #[error(
        "cannot pin to processor core {core}: {source}\nhint: choose a core below the number that `nproc` prints, or do not pin"
    )]
    Pin {
        /// The core that was asked for.
        core: usize,
        /// What the operating system said.
        source: io::Error,
    },

    /// The firmware file cannot be read or is no 32-bit little-endian ELF file.
    #[error(
        "cannot use {} as firmware: {source}\nhint: give the linked ELF file, not a .bin or .hex made from it",
        shown(path)
    )]
    Firmware {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },

    /// Nobody listens at the address.
    #[error(
        "cannot connect to the gdb server at {}: {source}\nhint: start QEMU with -S -gdb tcp::1234, or choose a board with --board",
        plain(address)
    )]
    Connect {
        /// Host and port, or the path of a socket.
        address: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// A board that cannot be used as its file is.
    #[error(transparent)]
    Board(#[from] fwvs_board::Error),

    /// A request stayed without its reply.
    #[error("no answer from {peer} within {} s to: {request}\nhint: see whether it hangs, or was taken over by another debugger", within.as_secs_f32())]
    NoAnswer {
        /// Who was asked.
        peer: String,
        /// What was asked for.
        request: Request,
        /// How long the answer was waited for.
        within: Duration,
    },

    /// The other side closed the connection.
    #[error(
        "{peer} died{}{}\nhint: run again; if it happens at the same place again, the firmware's last steps are the suspect",
        how.as_ref().map(|how| format!(" with {how}")).unwrap_or_default(),
        if said.is_empty() { String::new() } else { format!(", saying:\n{}", said.trim_end()) }
    )]
    Died {
        /// Who died.
        peer: String,
        /// How it ended, in words, where the link can tell.
        how: Option<String>,
        /// The end of what it said, where the link can tell.
        said: String,
    },

    /// The brake was pulled while the core ran. It is halted, and can be used again.
    #[error("the run was interrupted\nhint: run again")]
    Interrupted,

    /// The link was used although an earlier error left it in an unknown state.
    #[error(
        "the conversation with {peer} was given up after an earlier error: {cause}\nhint: the earlier error is what to look into; run again"
    )]
    GivenUp {
        /// Who was talked to.
        peer: String,
        /// The earlier error.
        cause: String,
    },

    /// The connection failed in another way than by being closed.
    #[error("the connection to {peer} failed: {source}\nhint: check the network between here and there")]
    Connection {
        /// Who was talked to.
        peer: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// Bytes that are no packet.
    #[error("{peer} sent a malformed packet: {flaw}\nhint: is it a gdb server that listens there?")]
    Malformed {
        /// Who sent it.
        peer: String,
        /// What is wrong with it.
        flaw: String,
    },

    /// A packet whose checksum is wrong.
    #[error(
        "{peer} sent a damaged packet: {flaw}\nhint: a serial line in between needs a slower speed or flow control"
    )]
    Checksum {
        /// Who sent it.
        peer: String,
        /// Both sums.
        flaw: String,
    },

    /// The server says that our packet arrived damaged.
    #[error(
        "{peer} received a damaged packet and rejected it, maybe: {request}\nhint: a serial line in between needs a slower speed or flow control"
    )]
    Rejected {
        /// Who received it.
        peer: String,
        /// What was waited for.
        request: Request,
    },

    /// An error reply.
    #[error(
        "{peer} refused with {reason}: {request}\nhint: check the address against the memory of the board"
    )]
    Refused {
        /// Who was asked.
        peer: String,
        /// What was asked for.
        request: Request,
        /// What was given as a reason, usually a letter and two digits.
        reason: String,
    },

    /// An empty reply: the server does not know the request.
    #[error(
        "{peer} does not know how to do this: {request}\nhint: see what the server can do, and choose the doorbell and the reset command in the board file accordingly"
    )]
    Unsupported {
        /// Who was asked.
        peer: String,
        /// What was asked for.
        request: Request,
    },

    /// A reply that does not fit the request.
    #[error(
        "{peer} replied \"{reply}\", which is no answer to: {request}\nhint: is another debugger talking to it at the same time?"
    )]
    Unexpected {
        /// Who was asked.
        peer: String,
        /// What was asked for.
        request: Request,
        /// The beginning of the reply.
        reply: String,
    },

    /// A reply with too few or too many bytes.
    #[error(
        "{peer} sent {received} bytes instead of {expected} for: {request}\nhint: check that the whole range exists in the memory of the board"
    )]
    Length {
        /// Who was asked.
        peer: String,
        /// What was asked for.
        request: Request,
        /// How many bytes were asked for.
        expected: usize,
        /// How many came.
        received: usize,
    },

    /// What was written is not there.
    #[error(
        "{peer} took the firmware, but at {address:#010x} there is something else now\n\
         hint: this is memory that has to be erased first, or none: put the firmware there with the tool of the board's maker"
    )]
    NotProgrammed {
        /// Who took it.
        peer: String,
        /// The first byte that differs.
        address: u32,
    },

    /// A range that goes beyond the last address.
    #[error("{length} bytes at {address:#010x} go beyond the end of memory\nhint: addresses have 32 bits")]
    Range {
        /// The first address.
        address: u32,
        /// The number of bytes.
        length: usize,
    },

    /// A machine that the installed QEMU does not have.
    #[error(
        "{} has no machine \"{machine}\"\nhint: `{} -M help` lists those it has",
        shown(program),
        shown(program)
    )]
    UnknownMachine {
        /// The program that was asked.
        program: PathBuf,
        /// What it was asked for.
        machine: String,
    },
}

impl Error {
    /// What failed, without the hint and what else was said.
    pub(crate) fn summary(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_owned()
    }

    /// Whether the target is gone, at its start or later, and another one may fare better.
    /// One that does not understand its arguments says so and ends with an exit code of its own.
    pub fn is_death(&self) -> bool {
        matches!(self, Self::ExitedAtStart { by_chance: true, .. } | Self::Died { .. })
    }

    /// Whether the other side understood and answered, so that the conversation can go on.
    pub(crate) fn is_answer(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. }
                | Self::Unsupported { .. }
                | Self::Length { .. }
                | Self::Range { .. }
                | Self::Interrupted
        )
    }
}

/// What the core's side was asked for, in words for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// One of the questions at the start.
    Greeting(&'static str),
    /// Back to the reset vector.
    Reset,
    /// Memory to the host.
    Read {
        /// The first address.
        address: u32,
        /// The number of bytes.
        length: usize,
    },
    /// Memory from the host.
    Write {
        /// The first address.
        address: u32,
        /// The number of bytes.
        length: usize,
    },
    /// All registers.
    Registers,
    /// A register gets another value.
    SetRegister(&'static str),
    /// A write watchpoint.
    Watchpoint(u32),
    /// A breakpoint.
    Breakpoint(u32),
    /// Run.
    Resume,
    /// Execute one instruction.
    Step,
    /// Stop by force.
    Halt,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Greeting(text) => write!(f, "{text}"),
            Self::Reset => write!(f, "reset"),
            Self::Read { address, length } => write!(f, "read {length} bytes at {address:#010x}"),
            Self::Write { address, length } => write!(f, "write {length} bytes at {address:#010x}"),
            Self::Registers => write!(f, "read the registers"),
            Self::SetRegister(name) => write!(f, "set {name}"),
            Self::Watchpoint(address) => write!(f, "watch writes at {address:#010x}"),
            Self::Breakpoint(address) => write!(f, "break at {address:#010x}"),
            Self::Resume => write!(f, "resume"),
            Self::Step => write!(f, "step"),
            Self::Halt => write!(f, "halt"),
        }
    }
}
