//! How much time the target has had. Of an emulator that is not what passes here: it may be paused, starved by other
//! programs, or asleep together with the whole computer, and that says nothing about the firmware.

use std::fs;
use std::time::{Duration, Instant};

/// How often somebody looks while a reply is waited for.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// No look takes longer unless we were paused ourselves; what is beyond it does not count.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// The target's own time, as of the last look.
#[derive(Debug)]
pub(crate) struct Clock {
    emulator: Option<Emulator>,
    looked: Instant,
    had: Duration,
    stalled: Duration,
}

/// A process of ours.
#[derive(Debug)]
struct Emulator {
    id: u32,
    clock: libc::clockid_t,
    used: Duration,
    sleeps: bool,
}

impl Clock {
    /// Of a target that nothing is known of: the time that passes here.
    pub(crate) fn wall() -> Self {
        Self { emulator: None, looked: Instant::now(), had: Duration::ZERO, stalled: Duration::ZERO }
    }

    /// Of an emulator: the processor time that it gets, and the time that it sleeps of its own accord, as it does while
    /// its core waits for an interrupt.
    pub(crate) fn of_process(id: u32) -> Self {
        let mut clock = 0;
        // SAFETY: the call writes the number of a clock to a place that outlives it.
        let outcome = unsafe { libc::clock_getcpuclockid(id as libc::pid_t, &raw mut clock) };
        let emulator = (outcome == 0).then_some(Emulator { id, clock, used: Duration::ZERO, sleeps: false });
        Self { emulator, ..Self::wall() }
    }

    /// Whether it goes by the target's own time.
    pub(crate) fn is_the_targets(&self) -> bool {
        self.emulator.is_some()
    }

    /// Looks, and says how much time the target has had so far.
    pub(crate) fn look(&mut self) -> Duration {
        let now = Instant::now();
        let passed = now.duration_since(self.looked).min(LONGEST_LOOK);
        self.looked = now;
        let got = self.emulator.as_mut().map_or(passed, |emulator| emulator.got(passed));
        self.had += got;
        let is_stalled = got * 100 < passed;
        self.stalled = if is_stalled { self.stalled + passed } else { Duration::ZERO };
        self.had
    }

    /// For how long it has had next to none.
    pub(crate) fn stalled(&self) -> Duration {
        self.stalled
    }
}

impl Emulator {
    /// How much time it got while so much passed here.
    fn got(&mut self, passed: Duration) -> Duration {
        let used = self.processor_time().unwrap_or(self.used);
        let got = used.saturating_sub(self.used);
        self.used = used;
        if got * 10 > passed {
            self.sleeps = false;
            return got;
        }
        let slept = std::mem::replace(&mut self.sleeps, sleeps(self.id));
        // One that slept then and sleeps now could have gone on whenever it liked.
        if slept && self.sleeps { passed.max(got) } else { got }
    }

    fn processor_time(&self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes to a place that outlives it; a clock of a process that is gone is an error.
        let outcome = unsafe { libc::clock_gettime(self.clock, &raw mut time) };
        (outcome == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

/// Whether every thread of a process waits for something: none runs, would like to run, or is stopped.
fn sleeps(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name in parentheses may contain anything, parentheses too.
        stat.rsplit_once(") ").is_some_and(|(_, behind)| behind.starts_with('S'))
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    fn child(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).spawn().unwrap()
    }

    /// How much time it gets while so much passes here.
    fn gets(clock: &mut Clock, time: Duration) -> Duration {
        let (begin, before) = (Instant::now(), clock.look());
        while begin.elapsed() < time {
            std::thread::sleep(LOOK);
            clock.look();
        }
        clock.look() - before
    }

    #[test]
    fn a_stopped_process_gets_no_time() {
        let mut child = child("while :; do :; done");
        let id = Pid::from_raw(child.id() as i32).unwrap();
        let mut clock = Clock::of_process(child.id());
        let begin = Instant::now();
        while clock.look() < Duration::from_millis(30) {
            assert!(begin.elapsed() < Duration::from_secs(60), "it runs");
            std::thread::yield_now();
        }
        kill_process(id, Signal::STOP).unwrap();
        // What it did until the signal came still counts.
        std::thread::sleep(LOOK);
        let got = gets(&mut clock, Duration::from_secs(1));
        assert!(got < Duration::from_millis(100), "{got:?}");
        assert!(clock.stalled() >= Duration::from_millis(500), "{:?}", clock.stalled());
        kill_process(id, Signal::CONT).unwrap();
        let begin = Instant::now();
        while clock.stalled() > Duration::ZERO {
            assert!(begin.elapsed() < Duration::from_secs(60), "it goes on");
            std::thread::sleep(LOOK);
            clock.look();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A core that waits for an interrupt that never comes has all the time there is.
    #[test]
    fn a_sleeping_process_has_the_time_that_passes() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let mut clock = Clock::of_process(child.id());
        std::thread::sleep(LOOK);
        clock.look();
        let got = gets(&mut clock, Duration::from_secs(1));
        assert!(got > Duration::from_millis(300), "{got:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
