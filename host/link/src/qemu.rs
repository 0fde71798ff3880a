//! A link that owns a QEMU process: starts it, notices its death, starts another one.
//!
//! Lockup is a result and not an error: QEMU aborts when a core locks up, with the reason on its
//! standard error.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;

use crate::clock::Clock;
use crate::process::Process;
use crate::{
    Brake, Debug, Doorbell, Error, Gdb, Link, Options, Pin, Registers, Spent, Stop, Supervisor, Traps, image,
};

/// Which QEMU, and what it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The program, looked up in the search path.
    pub program: PathBuf,
    /// QEMU's name for the board.
    pub machine: String,
    /// How the doorbell is noticed.
    pub doorbell: Doorbell,
    /// How long QEMU may take for a reply, in processor time.
    pub patience: Duration,
    /// Whether QEMU is to give up what it does not need: new processes, other users' rights, changes to its own priority.
    pub sandbox: bool,
}

/// How often in a row QEMU may die while it starts, before that is no accident.
const MOST_EARLY_DEATHS: u32 = 10;

/// The same for every QEMU. Each stop at a watchpoint leaves a translated block behind: a small cache bounds that.
const FIXED: &str = "-display none -nodefaults -no-user-config -S -monitor none -serial none -accel tcg,tb-size=8 -gdb chardev:gdb";

/// Firmware is foreign code, and emulators have had holes.
const SANDBOX: &str = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";

impl Machine {
    /// A machine of the QEMU for ARM.
    pub fn new(machine: &str) -> Self {
        Self {
            program: "qemu-system-arm".into(),
            machine: machine.into(),
            doorbell: Doorbell::Watchpoint,
            patience: Duration::from_secs(30),
            sandbox: true,
        }
    }
}

/// A link to a QEMU of our own.
pub struct Qemu {
    machine: Machine,
    firmware: PathBuf,
    loaded: Vec<RangeInclusive<u32>>,
    pin: Pin,
    traps: Option<Traps>,
    supervisor: Supervisor,
    process: Process,
    gdb: Gdb,
    /// What was spent on processes that are gone.
    spent_before: Spent,
}

impl Qemu {
    /// Starts QEMU, halted at the firmware's reset vector, and pins the calling thread, which is
    /// meant to be the one that uses the link.
    pub fn start(machine: &Machine, firmware: &Path, pin: Pin) -> Result<Self, Error> {
        Self::supervised(machine, firmware, pin, Supervisor::default())
    }

    /// Starts QEMU for somebody who may not want to wait for it.
    pub fn supervised(
        machine: &Machine,
        firmware: &Path,
        pin: Pin,
        supervisor: Supervisor,
    ) -> Result<Self, Error> {
        pin.pin_this_thread()?;
        let loaded = image::loaded(firmware)?;
        let mut machine = machine.clone();
        let (process, gdb) = launch(&mut machine, firmware, &loaded, pin, &supervisor)?;
        Ok(Self {
            machine,
            firmware: firmware.into(),
            loaded,
            pin,
            traps: None,
            supervisor,
            process,
            gdb,
            spent_before: Spent::default(),
        })
    }

    /// The process id of the running QEMU.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Completes the news of a death with what only the owner of the process knows.
    fn examine<T>(&mut self, outcome: Result<T, Error>) -> Result<T, Error> {
        match outcome {
            Err(Error::Died { peer, .. }) => {
                let (status, said) = self.process.end(self.machine.patience);
                Err(Error::Died { peer, how: status.map(|status| status.to_string()), said })
            }
            outcome => outcome,
        }
    }

    /// Does the same for a core that ran: a lockup ends QEMU, and is news of the core and not of QEMU.
    fn examine_run<T>(
        &mut self,
        outcome: Result<T, Error>,
        stopped: impl FnOnce(Stop) -> T,
    ) -> Result<T, Error> {
        let Err(Error::Died { peer, .. }) = outcome else { return outcome };
        let (status, said) = self.process.end(self.machine.patience);
        let aborted = status.is_some_and(|status| status.signal() == Some(Signal::ABORT.as_raw()));
        match lockup(&said).filter(|_| aborted) {
            Some(message) => Ok(stopped(Stop::Lockup { message: message.into() })),
            None => Err(Error::Died { peer, how: status.map(|status| status.to_string()), said }),
        }
    }

    fn start_again(&mut self) -> Result<(), Error> {
        let Self { machine, firmware, loaded, pin, supervisor, .. } = self;
        let (process, gdb) = launch(machine, firmware, loaded, *pin, supervisor)?;
        self.spent_before = self.spent();
        self.process = process;
        let before = std::mem::replace(&mut self.gdb, gdb);
        let armed = self.traps.map_or(Ok(()), |traps| self.gdb.arm(traps));
        let armed = armed.and_then(|()| before.breakpoints().try_for_each(|at| self.gdb.set_breakpoint(at)));
        self.examine(armed)
    }
}

impl Link for Qemu {
    fn reset(&mut self) -> Result<(), Error> {
        let outcome = self.gdb.reset();
        self.examine(outcome)
    }

    fn read(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Error> {
        let outcome = self.gdb.read(address, bytes);
        self.examine(outcome)
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Error> {
        let outcome = self.gdb.write(address, bytes);
        self.examine(outcome)
    }

    fn resume(&mut self, budget: Duration) -> Result<Stop, Error> {
        let outcome = self.gdb.resume(budget);
        self.examine_run(outcome, |stop| stop)
    }

    fn registers(&mut self) -> Result<Registers, Error> {
        let outcome = self.gdb.registers();
        self.examine(outcome)
    }

    fn arm(&mut self, traps: Traps) -> Result<(), Error> {
        self.traps = Some(traps);
        let outcome = self.gdb.arm(traps);
        self.examine(outcome)
    }

    fn heed(&mut self, brake: Brake) {
        self.supervisor.brake = Some(Brake::clone(&brake));
        self.gdb.heed(brake);
    }

    fn respawn(&mut self) -> Option<Result<(), Error>> {
        Some(self.start_again())
    }

    fn knows_target_time(&self) -> bool {
        self.gdb.knows_target_time()
    }

    fn spent(&self) -> Spent {
        let (before, now) = (self.spent_before, self.gdb.spent());
        Spent {
            reset: before.reset + now.reset,
            transfer: before.transfer + now.transfer,
            run: before.run + now.run,
        }
    }

    fn debug(&mut self) -> Option<&mut dyn Debug> {
        Some(self)
    }
}

impl Debug for Qemu {
    fn step(&mut self) -> Result<Option<Stop>, Error> {
        let outcome = self.gdb.step();
        self.examine_run(outcome, Some)
    }

    fn set_registers(&mut self, registers: &Registers) -> Result<(), Error> {
        let outcome = self.gdb.set_registers(registers);
        self.examine(outcome)
    }

    fn set_breakpoint(&mut self, address: u32) -> Result<(), Error> {
        let outcome = self.gdb.set_breakpoint(address);
        self.examine(outcome)
    }

    fn clear_breakpoint(&mut self, address: u32) -> Result<(), Error> {
        let outcome = self.gdb.clear_breakpoint(address);
        self.examine(outcome)
    }
}

/// Starts QEMU, and starts it again when it dies at once. Without a sandbox where QEMU was built without one.
fn launch(
    machine: &mut Machine,
    firmware: &Path,
    loaded: &[RangeInclusive<u32>],
    pin: Pin,
    supervisor: &Supervisor,
) -> Result<(Process, Gdb), Error> {
    let mut deaths = 0;
    loop {
        match launch_once(machine, firmware, loaded, pin, supervisor) {
            Err(Error::ExitedAtStart { by_chance: false, ref said, .. })
                if machine.sandbox
                    && let Some(line) = about_the_sandbox(said) =>
            {
                machine.sandbox = false;
                supervisor.tell(&format!(
                    "firmware runs in QEMU without a sandbox, which this QEMU cannot have: {line}"
                ));
            }
            Err(error) if error.is_death() && deaths + 1 < MOST_EARLY_DEATHS => deaths += 1,
            outcome => return outcome,
        }
    }
}

fn launch_once(
    machine: &Machine,
    firmware: &Path,
    loaded: &[RangeInclusive<u32>],
    pin: Pin,
    supervisor: &Supervisor,
) -> Result<(Process, Gdb), Error> {
    let program = &machine.program;
    let cannot_start = |source| Error::Start { program: program.clone(), source };
    // One end of a socket pair is handed down: there is no name that could clash, no moment before
    // QEMU listens, and its death is seen as the end of the stream.
    let (ours, theirs) = UnixStream::pair().map_err(cannot_start)?;
    let theirs = OwnedFd::from(theirs);
    let chardev = format!("socket,id=gdb,fd={}", theirs.as_raw_fd());
    let mut arguments: Vec<OsString> = FIXED.split(' ').map(OsString::from).collect();
    if machine.sandbox {
        arguments.extend(["-sandbox".into(), SANDBOX.into()]);
    }
    arguments.extend(["-M".into(), OsString::from(&machine.machine)]);
    arguments.extend(["-chardev".into(), OsString::from(chardev)]);
    arguments.extend(["-kernel".into(), OsString::from(firmware)]);
    let mut process = Process::start(program, arguments, theirs, pin)?;
    let options = Options {
        doorbell: machine.doorbell,
        patience: machine.patience,
        loaded: Some(loaded.to_vec()),
        ..Options::default()
    };
    let peer = format!("QEMU ({})", machine.machine);
    let clock = Clock::of_process(process.id());
    match Gdb::supervised(Box::new(ours), peer, options, clock, supervisor.clone()) {
        Ok(gdb) => Ok((process, gdb)),
        Err(Error::Died { peer, .. }) => {
            let (status, said) = process.end(machine.patience);
            Err(match status {
                Some(status) => Error::ExitedAtStart {
                    program: program.clone(),
                    how: status.to_string(),
                    said,
                    by_chance: status.success() || status.signal().is_some(),
                },
                None => Error::Died { peer, how: None, said },
            })
        }
        Err(error) => Err(error),
    }
}

/// What QEMU says when it was built without a sandbox, or when the system has none.
fn about_the_sandbox(stderr: &str) -> Option<&str> {
    stderr.lines().find(|line| line.contains("sandbox") || line.contains("seccomp")).map(str::trim)
}

/// The line that tells of a lockup.
fn lockup(stderr: &str) -> Option<&str> {
    let line = stderr.lines().find(|line| line.contains("Lockup"))?;
    Some(line.trim_start_matches("qemu: fatal: ").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lockup_is_told_by_its_line_alone() {
        let said = "warning: nic has no peer\nqemu: fatal: Lockup: can't escalate 3 to HardFault\n\nR00=0\n";
        assert_eq!(lockup(said), Some("Lockup: can't escalate 3 to HardFault"));
        assert_eq!(lockup("qemu: terminating on signal 15"), None);
    }
}
