//! The seam: what every link can do. How it does it is left to the links.

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

    /// Executes one instruction. [`Stop::Doorbell`] if that is the doorbell's, which has rung then; `None` otherwise.
    fn step(&mut self) -> Result<Option<Stop>, Error>;

    /// The registers of the halted core.
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
    fn step(&mut self) -> Result<Option<Stop>, Error> {
        (**self).step()
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
    /// Something else halted it, for example a breakpoint set by someone else.
    Other {
        /// The signal number of the GDB remote protocol.
        signal: u8,
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
