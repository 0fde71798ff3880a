//! The seam: what every link can do, and what some can do beyond it. How they do it is left to the links.
//!
//! Nothing here is of one protocol or one kind of target: whatever only a link can understand comes as text for people.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::Error;

/// Asked now and then while a core runs: whether nobody wants to wait for it any longer.
pub type Brake = Arc<dyn Fn() -> bool + Send + Sync>;

/// A core that can be reset, run and looked at.
///
/// Writes and resets may be queued and travel together with the next read, resume or look at the
/// registers; their errors then surface there. They always take effect in the order of the calls.
pub trait Link {
    /// Halts the core at its reset vector. RAM and traps are kept; any state is left, a fault
    /// handler too.
    fn reset(&mut self) -> Result<(), Error>;

    /// Reads memory of the halted core.
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Error>;

    /// Writes memory of the halted core.
    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Error>;

    /// Runs until the doorbell rings, a fault is taken, or the budget is over, which is time of the target's own where the
    /// link can tell it; the core is halted when this returns. After [`Stop::Doorbell`] the next resume goes on behind the doorbell's
    /// store.
    ///
    /// When the brake is on, the core is halted as if the budget were over, and
    /// [`Error::Interrupted`] is the error: nothing is known of what would have come.
    ///
    /// When a queued write was refused, the core is halted again and the refusal is the error.
    fn resume(&mut self, budget: Duration) -> Result<Stop, Error>;

    /// The registers of the halted core; it goes on at their pc.
    fn registers(&mut self) -> Result<Registers, Error>;

    /// What to watch. Called before the first resume, remembered across respawns; a second call
    /// replaces the first.
    fn arm(&mut self, traps: Traps) -> Result<(), Error>;

    /// What can end a resume before its time. Remembered across respawns.
    fn heed(&mut self, brake: Brake);

    /// A fresh target with the same traps and without the contents of RAM, for example after
    /// [`Error::Died`] or [`Stop::Lockup`]. `None` where a link cannot make one.
    fn respawn(&mut self) -> Option<Result<(), Error>>;

    /// Whether budgets are time of the target's own: one that is paused or starved then uses up none.
    fn knows_target_time(&self) -> bool;

    /// Time spent so far.
    fn spent(&self) -> Spent;

    /// Putting firmware into the target. `None` where it is there already, or somebody else puts it there.
    fn program(&mut self) -> Option<&mut dyn Program> {
        None
    }

    /// What a debugger needs. `None` where the core can only run.
    fn debug(&mut self) -> Option<&mut dyn Debug> {
        None
    }
}

/// The ability to put firmware into the target.
pub trait Program {
    /// Writes what the ELF file loads into the halted target, looks whether it is there, and resets the core into it.
    ///
    /// Memory that has to be erased first keeps what it had; that is [`Error::NotProgrammed`].
    fn program(&mut self, firmware: &Path) -> Result<(), Error>;
}

/// The ability to stop at any instruction and to change what the core works with.
pub trait Debug {
    /// Executes one instruction, whether or not there is a breakpoint on it. [`Stop::Doorbell`] if it was the doorbell's store,
    /// which has rung then; `None` otherwise.
    fn step(&mut self) -> Result<Option<Stop>, Error>;

    /// Gives the halted core these registers. It goes on at their pc.
    fn set_registers(&mut self, registers: &Registers) -> Result<(), Error>;

    /// Halts the core in front of the instruction at this address, with [`Stop::Breakpoint`], whenever it comes there; from there
    /// a resume goes on. Kept across resets and respawns. The fault handler's entry and, where the doorbell is a breakpoint,
    /// its store belong to [`Traps`] and should not get one.
    fn set_breakpoint(&mut self, address: u32) -> Result<(), Error>;

    /// Takes a breakpoint away that was set here.
    fn clear_breakpoint(&mut self, address: u32) -> Result<(), Error>;
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn reset(&mut self) -> Result<(), Error> {
        (**self).reset()
    }
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Error> {
        (**self).read(address, bytes)
    }
    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Error> {
        (**self).write(address, bytes)
    }
    fn resume(&mut self, budget: Duration) -> Result<Stop, Error> {
        (**self).resume(budget)
    }
    fn registers(&mut self) -> Result<Registers, Error> {
        (**self).registers()
    }
    fn arm(&mut self, traps: Traps) -> Result<(), Error> {
        (**self).arm(traps)
    }
    fn heed(&mut self, brake: Brake) {
        (**self).heed(brake);
    }
    fn respawn(&mut self) -> Option<Result<(), Error>> {
        (**self).respawn()
    }
    fn knows_target_time(&self) -> bool {
        (**self).knows_target_time()
    }
    fn spent(&self) -> Spent {
        (**self).spent()
    }
    fn program(&mut self) -> Option<&mut dyn Program> {
        (**self).program()
    }
    fn debug(&mut self) -> Option<&mut dyn Debug> {
        (**self).debug()
    }
}

/// Where the core hands over to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traps {
    /// The doorbell: the address of a word that is written only to stop the core.
    pub doorbell: u32,
    /// The address of the 16-bit store instruction that rings it. The core goes on at `store + 2`.
    pub store: u32,
    /// The entry of the HardFault handler, where a fault is to be caught.
    pub fault: Option<u32>,
}

/// Why the core is halted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The doorbell rang.
    Doorbell,
    /// The HardFault handler was entered.
    Fault {
        /// Where the core is halted: the handler's entry. The faulting instruction is in the
        /// exception frame.
        pc: u32,
    },
    /// Neither happened within the budget; the core was halted by force.
    Budget {
        /// The instruction the core would execute next.
        pc: u32,
    },
    /// The core locked up: a fault where none can be handled. The link must be respawned.
    Lockup {
        /// What the link says about it.
        message: String,
    },
    /// It came to a breakpoint that was set with [`Debug`].
    Breakpoint {
        /// The instruction with the breakpoint, which the core would execute next.
        pc: u32,
    },
    /// Something else halted it, for example a breakpoint set by someone else.
    Other {
        /// What the link was told of it.
        cause: String,
        /// The instruction the core would execute next.
        pc: u32,
    },
}

/// The registers of a Cortex-M core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers {
    /// r0 to r15; r13 is the stack pointer in use.
    pub r: [u32; 16],
    /// The program status register.
    pub xpsr: u32,
}

impl Registers {
    /// The stack pointer in use.
    pub fn sp(&self) -> u32 {
        self.r[13]
    }

    /// The link register.
    pub fn lr(&self) -> u32 {
        self.r[14]
    }

    /// The program counter.
    pub fn pc(&self) -> u32 {
        self.r[15]
    }
}

/// Where the time went.
///
/// Requests that travel together cannot be told apart: a reset that was queued ahead of a resume is
/// executed by QEMU after it has accepted all of them, and counts as `run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Waiting for resets that were awaited on their own.
    pub reset: Duration,
    /// Reading and writing memory and registers, setting traps.
    pub transfer: Duration,
    /// From the acceptance of a resume to its stop.
    pub run: Duration,
}
