//! From a board to a link: how those are reached that board files tell of.

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use fwvs_board::{Board, LinkKind, Restart};

use crate::{Error, Gdb, Link, Machine, Options, Pin, Program, Qemu, Supervisor, image};

/// A link to the board, halted at the firmware's reset vector.
pub fn open(
    board: &Board,
    firmware: &Path,
    pin: Pin,
    supervisor: Supervisor,
) -> Result<Box<dyn Link + Send>, Error> {
    match &board.link {
        LinkKind::Qemu { .. } => {
            let machine = Machine::of(board).unwrap_or_else(|| unreachable!("it is a QEMU board"));
            Ok(Box::new(Qemu::supervised(&machine, firmware, pin, supervisor)?))
        }
        LinkKind::Gdb { program, .. } => {
            pin.pin_this_thread()?;
            // What is put there by us, no reset fills again.
            let loaded = if *program { Vec::new() } else { image::loaded(firmware)? };
            let mut link = connect(board, Some(loaded))?;
            if let Some(brake) = supervisor.brake {
                link.heed(brake);
            }
            if *program {
                Program::program(&mut link, firmware)?;
            } else {
                link.reset()?;
            }
            Ok(Box::new(link))
        }
    }
}

/// Whether the board can be used right now; the error says why not.
pub fn availability(board: &Board) -> Result<(), Error> {
    match Machine::of(board) {
        Some(machine) => is_known(&machine),
        None => connect(board, None).map(drop),
    }
}

impl Machine {
    /// The machine of a QEMU board.
    pub fn of(board: &Board) -> Option<Self> {
        match &board.link {
            LinkKind::Qemu { machine, doorbell, restart: Restart::SystemReset } => {
                Some(Self { doorbell: *doorbell, ..Self::new(machine) })
            }
            LinkKind::Gdb { .. } => None,
        }
    }
}

/// Connects to a board's gdb server. `loaded` is the memory that a reset fills again.
fn connect(board: &Board, loaded: Option<Vec<RangeInclusive<u32>>>) -> Result<Gdb, Error> {
    board.has_address()?;
    let LinkKind::Gdb { address: Some(address), doorbell, reset, .. } = &board.link else {
        unreachable!("boards in QEMU are no servers, and the address was asked for");
    };
    let options = Options { reset: reset.clone(), doorbell: *doorbell, loaded, ..Options::default() };
    Gdb::connect(address, options)
}

/// Whether QEMU is there and has the machine.
fn is_known(machine: &Machine) -> Result<(), Error> {
    let program = &machine.program;
    let listing =
        Command::new(program).args(["-M", "help"]).output().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::Missing { program: program.clone() },
            _ => Error::Start { program: program.clone(), source },
        })?;
    let text = String::from_utf8_lossy(&listing.stdout);
    let mut names = text.lines().filter_map(|line| line.split_whitespace().next());
    if names.any(|name| name == machine.machine) {
        return Ok(());
    }
    Err(Error::UnknownMachine { program: program.clone(), machine: machine.machine.clone() })
}
