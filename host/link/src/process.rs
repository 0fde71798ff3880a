//! A child process that cannot outlive us: started, pinned, listened to, ended. What it is asked
//! over its socket is left to `gdb.rs`.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::io::FdFlags;
use rustix::process::{Resource, Rlimit, Signal};

use crate::{Error, Pin};

/// How much of the standard error is kept: the end, where the reason is.
const WORDS_KEPT: usize = 0x4000;

/// A running child and what it said.
pub(crate) struct Process {
    child: Child,
    words: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when the child has closed its standard error, that is, has ended.
    silence: Receiver<()>,
}

impl Process {
    /// Starts a program that inherits `socket` under the same descriptor number.
    pub(crate) fn start(
        program: &Path,
        arguments: Vec<OsString>,
        socket: OwnedFd,
        pin: Pin,
    ) -> Result<Self, Error> {
        let words = Arc::new(Mutex::new(Vec::new()));
        let (tell_silence, silence) = mpsc::channel();
        let (tell_child, child) = mpsc::channel();
        let (name, heard) = (PathBuf::from(program), Arc::clone(&words));
        // The kernel ends the child together with the *thread* that made it. The thread that
        // listens to the child lives exactly long enough.
        let listener = move || {
            let started = spawn(&name, &arguments, socket, pin).map(|mut child| {
                let stderr = child.stderr.take();
                (child, stderr)
            });
            match started {
                Ok((child, stderr)) => {
                    // When nobody takes the child, its owner has gone, and dropping it is right.
                    let _ = tell_child.send(Ok(child));
                    listen(stderr, &heard);
                }
                Err(error) => {
                    let _ = tell_child.send(Err(error));
                }
            }
            drop(tell_silence);
        };
        let thread = thread::Builder::new().name("listener".into()).spawn(listener);
        thread.map_err(|source| Error::Start { program: program.into(), source })?;
        let started = child.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        match started {
            Ok(child) => Ok(Self { child, words, silence }),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                Err(Error::Missing { program: program.into() })
            }
            Err(source) => Err(Error::Start { program: program.into(), source }),
        }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end, brings it about if it takes too long, and tells how it was and what was
    /// said.
    pub(crate) fn end(&mut self, patience: Duration) -> (Option<ExitStatus>, String) {
        if self.silence.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
            // Fails only when it has ended in the meantime.
            let _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        // The words are complete once the listener is gone.
        let _ = self.silence.recv_timeout(patience);
        (status, String::from_utf8_lossy(&unpoisoned(&self.words)).into_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(program: &Path, arguments: &[OsString], socket: OwnedFd, pin: Pin) -> io::Result<Child> {
    let us = rustix::process::getpid();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // A terminal's Ctrl-C goes to a whole group. It is meant for us: we end the child when we are done with it.
    command.process_group(0);
    let prepare = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // Between fork and here the parent may have died already; then nobody would tell.
        if rustix::process::getppid() != Some(us) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // A lockup ends in abort(): a core file of the emulator helps nobody and takes time.
        rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        rustix::io::fcntl_setfd(&socket, FdFlags::empty())?;
        pin.apply()
    };
    // SAFETY: between fork and exec only system calls are made: no allocation, no locks.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

fn listen(stderr: Option<ChildStderr>, words: &Mutex<Vec<u8>>) {
    let Some(mut stderr) = stderr else { return };
    let mut buffer = [0; 0x1000];
    loop {
        match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let mut words = unpoisoned(words);
                words.extend_from_slice(&buffer[..count]);
                let surplus = words.len().saturating_sub(WORDS_KEPT);
                words.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// The words are plain bytes: a panic elsewhere cannot have left them half changed.
fn unpoisoned(words: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    words.lock().unwrap_or_else(PoisonError::into_inner)
}
