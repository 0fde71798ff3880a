//! Somebody who kills and pauses a running `fw-vs` and its emulators at random moments, and keeps a diary.

use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fwvs_scenario::Scenario;
use rustix::process::Signal;

use crate::campaign::{Workload, findings, words};
use crate::console::{Console, Running, Said, is_alive, is_stopped, send, until};
use crate::generate::Dice;

/// How old an emulator is, at most, that is still starting.
const YOUNG: u64 = 50;
/// How often somebody looks who waits for an emulator.
const LOOK: Duration = Duration::from_micros(500);
/// How many emulators may be killed between two signs of progress: who starts one again and again without ever getting anywhere
/// is right to give up.
const DEATHS_WITHOUT_PROGRESS: u32 = 6;
/// Longer than any run takes.
const LONGEST: Duration = Duration::from_secs(150);
/// Ages, in milliseconds, between which kills are counted apart.
const AGES: [u128; 3] = [10, 50, 200];

/// What was done when.
#[derive(Debug)]
pub struct Diary {
    begin: Instant,
    entries: Vec<(Duration, String)>,
}

impl Default for Diary {
    fn default() -> Self {
        Self { begin: Instant::now(), entries: Vec::new() }
    }
}

impl Diary {
    fn note(&mut self, what: impl Into<String>) {
        self.entries.push((self.begin.elapsed(), what.into()));
    }

    /// Whether it has gone on for longer than any run takes.
    fn is_too_long(&self) -> bool {
        self.begin.elapsed() > LONGEST
    }
}

impl Display for Diary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.entries.iter().try_for_each(|(when, what)| writeln!(f, "{:>7} ms  {what}", when.as_millis()))
    }
}

/// What was done, in numbers.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Processes that died by it and were missed, by age.
    kills: [u64; AGES.len() + 1],
    /// Emulators that were paused, and went on.
    pauses: u64,
    /// For how long altogether.
    paused: Duration,
}

impl Tally {
    /// How often something was done.
    pub fn done(&self) -> u64 {
        self.pauses + self.kills.iter().sum::<u64>()
    }

    fn killed(&mut self, age: Duration) {
        let place = AGES.iter().position(|limit| age.as_millis() < *limit).unwrap_or(AGES.len());
        self.kills[place] += 1;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.kills.iter_mut().zip(other.kills).for_each(|(sum, more)| *sum += more);
        self.pauses += other.pauses;
        self.paused += other.paused;
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.pauses > 0 {
            return write!(f, "{}, of {:.1} s altogether", self.pauses, self.paused.as_secs_f64());
        }
        write!(f, "{} (", self.done())?;
        let mut from = 0;
        for (to, kills) in AGES.iter().zip(self.kills) {
            write!(f, "{kills} at an age of {from} to {to} ms, ")?;
            from = *to;
        }
        write!(f, "{} older)", self.kills[AGES.len()])
    }
}

/// Kills one emulator after the other until so many of them were missed, that is, followed by another.
pub fn kill_emulators(
    console: &Console,
    workload: &Workload,
    dice: &mut Dice,
    diary: &mut Diary,
    wanted: u64,
) -> Result<(Said, Tally), String> {
    let mut victim = Victim::start(console, &workload.arguments(), diary);
    let mut tally = Tally::default();
    let (mut killed, mut in_vain, mut paths) = (None, 0, 0);
    while let Some(emulator) = victim.next_emulator() {
        let born = Instant::now();
        if let Some(age) = killed.take() {
            tally.killed(age);
        }
        if tally.done() >= wanted {
            break;
        }
        // What was told before this emulator was there is no progress of its own.
        let told = victim.running.paths();
        in_vain = if told > paths { 0 } else { in_vain };
        paths = told;
        if in_vain == DEATHS_WITHOUT_PROGRESS && !victim.wait(|running| running.paths() > paths) {
            break;
        }
        // The first ones while there is no session yet.
        let oldest = if tally.done() < 3 { 2 * YOUNG } else { [YOUNG, 400][dice.roll(2) as usize] };
        let age = dice.roll(oldest);
        victim.rest(Duration::from_millis(age));
        let age = born.elapsed();
        if is_alive(emulator) {
            send(emulator, Signal::KILL);
            victim.diary.note(format!("killed QEMU {emulator} at the age of {} ms", age.as_millis()));
            killed = Some(age);
            in_vain += 1;
        }
    }
    Ok((victim.end()?, tally))
}

/// Pauses the emulator so often, the first time while it starts.
pub fn pause_emulators(
    console: &Console,
    workload: &Workload,
    dice: &mut Dice,
    diary: &mut Diary,
    wanted: u64,
) -> Result<(Said, Tally), String> {
    let mut victim = Victim::start(console, &workload.arguments(), diary);
    let mut tally = Tally::default();
    let mut emulator = victim.next_emulator();
    let mut rest = dice.roll(YOUNG);
    while let Some(paused) = emulator
        && tally.pauses < wanted
    {
        victim.rest(Duration::from_millis(rest));
        send(paused, Signal::STOP);
        let begin = Instant::now();
        victim.rest(Duration::from_millis(200 + dice.roll(2_801)));
        // It may have come to its end at that moment, or another run may be done with it.
        let was_stopped = is_stopped(paused);
        send(paused, Signal::CONT);
        if was_stopped {
            let length = begin.elapsed();
            victim.diary.note(format!("QEMU {paused} went on after {} ms", length.as_millis()));
            tally.pauses += 1;
            tally.paused += length;
        } else {
            emulator = victim.next_emulator();
        }
        rest = dice.roll(300);
    }
    Ok((victim.end()?, tally))
}

/// Kills `fw-vs` so often, each time goes on with the run, and lets it come to its end.
pub fn kill_hosts(
    console: &Console,
    workload: &Workload,
    dice: &mut Dice,
    diary: &mut Diary,
    wanted: u64,
) -> Result<(Said, Tally), String> {
    let anew = workload.arguments();
    let mut arguments = anew.clone();
    let (mut tally, mut before) = (Tally::default(), Left::default());
    loop {
        let begin = Instant::now();
        let mut victim = Victim::start(console, &arguments, diary);
        let mut emulators = Vec::new();
        if tally.done() < wanted {
            let oldest = [100, 2_000, 2_000][dice.roll(3) as usize];
            let age = dice.roll(oldest);
            victim.rest(Duration::from_millis(age));
            emulators = victim.running.descendants();
            victim.running.signal(Signal::KILL);
        }
        let age = begin.elapsed();
        let said = victim.end()?;
        let now = Left::of(console);
        match said.code {
            None => {
                tally.killed(age);
                diary.note(format!("killed fw-vs at the age of {} ms, which left {now}", age.as_millis()));
            }
            Some(2) if said.stderr.contains("there is no run to go on with") && now.is_nothing() => {
                diary.note("there was nothing to go on with");
                arguments.clone_from(&anew);
                continue;
            }
            Some(_) => diary.note("it came to an end"),
        }
        if !now.has_all_of(&before) {
            return Err(format!("there was {before}, and now there is {now}\n{}", words(&said)));
        }
        if said.code.is_some() {
            return Ok((said, tally));
        }
        before = now;
        until("the end of QEMU", || (!emulators.iter().any(|emulator| is_alive(*emulator))).then_some(()));
        if console.folder().join("run").is_dir() {
            arguments = workload.arguments_to_resume();
        }
    }
}

/// What a run has left for whoever comes later.
#[derive(Default, Debug)]
struct Left {
    findings: Vec<String>,
    scenarios: BTreeSet<PathBuf>,
}

impl Left {
    fn of(console: &Console) -> Self {
        let entries = fs::read_dir(console.folder().join("run")).into_iter().flatten().flatten();
        let is_scenario = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("scenario-") && Scenario::load(path).is_ok()
        };
        let scenarios = entries.map(|entry| entry.path()).filter(is_scenario);
        Self { findings: findings(console), scenarios: scenarios.collect() }
    }

    fn is_nothing(&self) -> bool {
        self.findings.is_empty() && self.scenarios.is_empty()
    }

    fn has_all_of(&self, before: &Self) -> bool {
        self.findings.starts_with(&before.findings) && before.scenarios.is_subset(&self.scenarios)
    }
}

impl Display for Left {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} findings and {} scenarios", self.findings.len(), self.scenarios.len())
    }
}

/// A `fw-vs` that is bothered.
struct Victim<'a> {
    running: Running,
    diary: &'a mut Diary,
    /// Emulators that it had.
    met: HashSet<u32>,
}

impl<'a> Victim<'a> {
    fn start(console: &Console, arguments: &[&str], diary: &'a mut Diary) -> Self {
        diary.note(format!("started fw-vs {}", arguments.join(" ")));
        Self { running: console.start(&mut console.command(arguments)), diary, met: HashSet::new() }
    }

    fn is_over(&mut self) -> bool {
        !self.running.is_running() || self.diary.is_too_long()
    }

    /// The next emulator that was not met before; `None` when there is none to come.
    fn next_emulator(&mut self) -> Option<u32> {
        loop {
            let mut emulators = self.running.descendants().into_iter();
            if let Some(new) = emulators.find(|emulator| self.met.insert(*emulator)) {
                return Some(new);
            }
            if self.is_over() {
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until something has come about; false if it will not.
    fn wait(&mut self, what: impl Fn(&Running) -> bool) -> bool {
        while !what(&self.running) {
            if self.is_over() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// Lets time pass, or what is left of the run.
    fn rest(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && self.running.is_running() {
            std::thread::sleep(end.saturating_duration_since(Instant::now()).min(Duration::from_millis(5)));
        }
    }

    /// Waits for the end, and brings it about when it does not come.
    fn end(mut self) -> Result<Said, String> {
        if self.wait(|_| false) || !self.running.is_running() {
            return Ok(self.running.wait());
        }
        self.running.signal(Signal::KILL);
        Err(format!("it did not end within {LONGEST:?}\n{}", words(&self.running.wait())))
    }
}
