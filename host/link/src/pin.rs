//! Which core a link's thread and its emulator run on, and that no two searches want the same one.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use rustix::thread::CpuSet;

use crate::Error;

/// Where a link's thread and its emulator run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pin {
    /// Wherever the operating system puts them.
    #[default]
    Free,
    /// Both on this core. They take turns anyway, and waking up each other on the same core is
    /// half as expensive again.
    Core(usize),
}

impl Pin {
    /// Pins the calling thread.
    pub(crate) fn pin_this_thread(self) -> Result<(), Error> {
        match self {
            Self::Free => Ok(()),
            Self::Core(core) => self.apply().map_err(|source| Error::Pin { core, source }),
        }
    }

    pub(crate) fn apply(self) -> io::Result<()> {
        let Self::Core(core) = self else {
            return Ok(());
        };
        if core >= CpuSet::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut cores = CpuSet::new();
        cores.set(core);
        rustix::thread::sched_setaffinity(None, &cores)?;
        run_in_batches()
    }
}

/// Keeps the calling thread from interrupting another one the moment there is something to do for
/// it. QEMU sends each acknowledgement and each reply on its own; without this the other side would
/// be woken up for every single one, on the same core.
fn run_in_batches() -> io::Result<()> {
    // SAFETY: the structure is plain data that the call only reads; all zero is the one valid
    // value for this policy.
    let outcome = unsafe {
        let nothing: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &nothing)
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A core that no other search has, for as long as this lives. Somebody who is killed gives it back too.
#[derive(Debug)]
pub struct Claim {
    pin: Pin,
    /// A name that only one can have at a time: there is no file to be left behind.
    _name: Option<UnixDatagram>,
}

impl Claim {
    /// The last core that we may use and that is nobody else's, so that the first is left to others. Where there is only one
    /// core, or none is left, the operating system decides.
    pub fn new() -> Self {
        Self::of("fw-vs", &cores())
    }

    /// The same among those who go by one name.
    fn of(whom: &str, ours: &[usize]) -> Self {
        let claimed = ours.iter().rev().filter(|_| ours.len() > 1).find_map(|core| {
            let name = SocketAddr::from_abstract_name(format!("{whom} on core {core}")).ok()?;
            Some((*core, UnixDatagram::bind_addr(&name).ok()?))
        });
        match claimed {
            Some((core, name)) => Self { pin: Pin::Core(core), _name: Some(name) },
            None => Self { pin: Pin::Free, _name: None },
        }
    }

    /// Where to run.
    pub fn pin(&self) -> Pin {
        self.pin
    }
}

impl Default for Claim {
    fn default() -> Self {
        Self::new()
    }
}

/// The cores that this process may use. Its first thread is asked: the calling one may have been pinned before.
fn cores() -> Vec<usize> {
    match rustix::thread::sched_getaffinity(Some(rustix::process::getpid())) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_claims_have_the_same_core_and_what_is_given_back_can_be_had_again() {
        // Searches that go on meanwhile have claims too, under their own name.
        let whom = format!("test {}", std::process::id());
        let claim = || Claim::of(&whom, &[0, 3, 5]);
        let claims = [claim(), claim(), claim(), claim()];
        let pins = claims.each_ref().map(Claim::pin);
        assert_eq!(pins, [Pin::Core(5), Pin::Core(3), Pin::Core(0), Pin::Free]);
        drop(claims);
        assert_eq!(claim().pin(), Pin::Core(5));
    }

    #[test]
    fn an_only_core_is_not_claimed() {
        assert_eq!(Claim::of(&format!("alone {}", std::process::id()), &[0]).pin(), Pin::Free);
    }

    #[test]
    fn our_cores_are_those_that_we_may_use() {
        let cores = cores();
        assert!(!cores.is_empty());
        for core in cores {
            std::thread::spawn(move || Pin::Core(core).pin_this_thread().unwrap()).join().unwrap();
        }
    }
}
