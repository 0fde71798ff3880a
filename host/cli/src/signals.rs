//! Signals: what ends a run gracefully, and what would otherwise end the program.
//!
//! They are listened to on a thread of their own, from the first run to the last. A thread or descriptor that cannot be had is
//! an error here, where a runtime left to itself would panic.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fwvs_run::{Reason, Stop};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::say::leave_progress_line;

/// Signals that come closer together than this are one.
const TWICE: Duration = Duration::from_millis(300);
/// Pairs of descriptors that a runtime with signals needs at most.
const PAIRS: usize = 4;
/// As shells tell of a program that Ctrl-C ended.
const INTERRUPTED_TWICE: i32 = 130;

/// A file that may not become longer (`ulimit -f`) is an error like a full disk, and not the end of the program.
pub(crate) fn survive_long_files() -> Result<()> {
    const WHAT: &str = "cannot handle the signal of files that are too long";
    let runtime = runtime().context(WHAT)?;
    let _inside = runtime.enter();
    // What matters is that the signal has a handler, which stays when nobody listens any more. Programs that are started
    // have none.
    signal(SignalKind::from_raw(libc::SIGXFSZ)).map(drop).context(WHAT)
}

/// From now on Ctrl-C, and whatever else asks programs to end, sets `stop` instead of ending the program: between two runs, and
/// while something is being printed, like at any other time. A second one ends the program at once: what was told is in the run
/// directory.
pub(crate) fn stop_on_signals(stop: &Arc<Stop>) -> Result<()> {
    const WHAT: &str = "cannot listen for signals";
    let runtime = runtime().context(WHAT)?;
    let inside = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt()).context(WHAT)?;
    let mut terminate = signal(SignalKind::terminate()).context(WHAT)?;
    let mut hang_up = signal(SignalKind::hangup()).context(WHAT)?;
    drop(inside);
    let stop = Arc::clone(stop);
    let listen = move || {
        runtime.block_on(async {
            tokio::join!(
                heed(&mut interrupt, Reason::CtrlC, &stop),
                heed(&mut terminate, Reason::Terminated, &stop),
                heed(&mut hang_up, Reason::HungUp, &stop),
            );
        });
    };
    let thread = thread::Builder::new().name("signals".into()).spawn(listen);
    thread.map(drop).context("cannot start a thread that listens for signals")
}

async fn heed(signal: &mut Signal, reason: Reason, stop: &Stop) {
    let mut first: Option<Instant> = None;
    while signal.recv().await.is_some() {
        // Some send a signal to a process and to its group: that is one.
        if first.is_some_and(|first| first.elapsed() >= TWICE) {
            leave_progress_line();
            std::process::exit(INTERRUPTED_TWICE);
        }
        first.get_or_insert_with(Instant::now);
        stop.because(reason);
    }
}

fn runtime() -> io::Result<Runtime> {
    // The first one also makes what all share for signals, and panics where it cannot: better to know that there is room.
    let room: io::Result<Vec<_>> = (0..PAIRS).map(|_| UnixStream::pair()).collect();
    drop(room?);
    Builder::new_current_thread().enable_io().build()
}

#[cfg(test)]
mod tests {
    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    /// A study lasts for many runs: Ctrl-C must count when none is under way.
    #[test]
    fn ctrl_c_counts_between_two_runs() {
        let stop = Arc::new(Stop::default());
        stop_on_signals(&stop).unwrap();
        kill_process(getpid(), Signal::INT).unwrap();
        let begin = Instant::now();
        while stop.reason().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(30), "nobody listened");
            std::thread::yield_now();
        }
    }
}
