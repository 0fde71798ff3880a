//! Runs of `fw-vs` that somebody bothers, compared with quiet ones.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::console::{Console, Said};
use crate::generate::Dice;
use crate::mischief::{Diary, Tally};

/// How many more runs there are than planned, at most, times the plan.
const MOST_RUNS: u64 = 4;

/// What is explored, and what comes of it when nobody interferes.
#[derive(Debug)]
pub struct Workload {
    arguments: Vec<String>,
    quiet: OnceLock<Outcome>,
}

impl Workload {
    /// Explored with these options and those.
    pub fn new(common: &[&str], own: &[&str]) -> Self {
        let arguments = common.iter().chain(own).map(|argument| (*argument).to_owned());
        Self { arguments: arguments.collect(), quiet: OnceLock::new() }
    }

    /// The arguments of `fw-vs`.
    pub fn arguments(&self) -> Vec<&str> {
        let always = ["explore", "--format", "json", "--out", "run", "--stop", "all"];
        always.into_iter().chain(self.arguments.iter().map(String::as_str)).collect()
    }

    /// The arguments that go on with a run. A bound on paths is one of each start and not of the run.
    pub fn arguments_to_resume(&self) -> Vec<&str> {
        let always = ["explore", "--format", "json", "--resume", "run"];
        let bound = self.arguments.iter().skip_while(|argument| *argument != "--max-paths").take(2);
        always.into_iter().chain(bound.map(String::as_str)).collect()
    }

    fn quiet(&self) -> &Outcome {
        self.quiet.get_or_init(|| {
            let console = Console::new();
            let said = console.run(&self.arguments());
            Outcome::of(&console, &said).unwrap_or_else(|wrong| panic!("{wrong}\n{}", words(&said)))
        })
    }
}

/// What must not change: everything but the time that it took.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    code: Option<i32>,
    summary: Value,
    findings: Vec<String>,
}

impl Outcome {
    /// What a finished run came to, from what is in its directory.
    fn of(console: &Console, said: &Said) -> Result<Self, String> {
        let summary = fs::read(console.folder().join("run/summary.json"));
        let summary = summary.map_err(|error| format!("there is no summary: {error}"))?;
        let mut summary: Value = serde_json::from_slice(&summary).expect("the summary is JSON");
        summary.as_object_mut().expect("it is an object").remove("seconds");
        Ok(Self { code: said.code, summary, findings: findings(console) })
    }

    fn compare(&self, quiet: &Self) -> Result<(), String> {
        if self == quiet {
            return Ok(());
        }
        let mut text = String::from("it is not as when nobody interferes\n");
        let mut differs = |what: &str, own: &dyn std::fmt::Debug, other: &dyn std::fmt::Debug| {
            writeln!(text, "{what}: {own:?}, and when nobody interferes {other:?}")
                .expect("text can be written");
        };
        if self.code != quiet.code {
            differs("exit code", &self.code, &quiet.code);
        }
        let object = |value: &Value| value.as_object().cloned().expect("it is an object");
        let (own, other) = (object(&self.summary), object(&quiet.summary));
        for name in own.keys().chain(other.keys().filter(|name| !own.contains_key(*name))) {
            if own.get(name) != other.get(name) {
                differs(name, &own.get(name), &other.get(name));
            }
        }
        if self.findings != quiet.findings {
            differs("findings", &self.findings, &quiet.findings);
        }
        Err(text)
    }
}

/// The findings that a run told, as far as it came, in that order. A line that was cut in the middle is none.
pub fn findings(console: &Console) -> Vec<String> {
    let events = fs::read_to_string(console.folder().join("run/events.jsonl")).unwrap_or_default();
    let events = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter(|event| event["event"] == "finding").map(|event| event.to_string()).collect()
}

/// All that `fw-vs` said.
pub fn words(said: &Said) -> String {
    format!("exit code: {:?}\nstandard error: {}\nstandard output: {}", said.code, said.stderr, said.stdout)
}

/// Several runs, a few at a time, until enough was done to them.
#[derive(Debug)]
pub struct Campaign {
    /// What is done to them.
    pub name: &'static str,
    /// What decides when.
    pub seed: u64,
    /// What they are runs of, one after the other.
    pub workloads: &'static [Workload],
    /// How many runs there are at least.
    pub runs: u64,
    /// How often something is done to all of them together, at least.
    pub wanted: u64,
    /// How many runs there are at a time.
    pub lanes: usize,
}

/// Bothers one run from its start to its end: in a folder, with dice and a diary, so often. Says how it ended and what was done.
pub trait Bothers:
    Fn(&Console, &Workload, &mut Dice, &mut Diary, u64) -> Result<(Said, Tally), String>
{
}
impl<F: Fn(&Console, &Workload, &mut Dice, &mut Diary, u64) -> Result<(Said, Tally), String>> Bothers for F {}

#[derive(Default)]
struct Course {
    begun: u64,
    running: u64,
    sum: Tally,
    failures: Vec<String>,
}

impl Campaign {
    /// Runs all, and prints what was done.
    ///
    /// # Panics
    /// If any run did not end as when nobody interferes, or if too little was done.
    pub fn run(&self, bother: impl Bothers + Sync) {
        let begin = Instant::now();
        let course = Mutex::new(Course::default());
        thread::scope(|scope| {
            let lanes: Vec<_> =
                (0..self.lanes).map(|_| scope.spawn(|| self.lane(&course, &bother))).collect();
            lanes.into_iter().for_each(|lane| lane.join().expect("it says what is wrong"));
        });
        let Course { begun, sum, failures, .. } = course.into_inner().expect("everybody has ended");
        let Self { name, seed, wanted, .. } = self;
        let (failed, seconds) = (failures.len(), begin.elapsed().as_secs_f64());
        let figures = format!(
            "{name}: {sum}; {begun} runs, {failed} of them failed; {seconds:.1} s; FWVS_SEED={seed}\n"
        );
        // Not by a macro: the figures are for everybody, not only for who looks at a failed test.
        std::io::stderr().write_all(figures.as_bytes()).expect("somebody listens");
        assert!(failures.is_empty(), "{figures}{}", failures.join("\n"));
        assert!(sum.done() >= *wanted, "too little was done: {figures}");
    }

    fn lane(&self, course: &Mutex<Course>, bother: &(impl Bothers + Sync)) {
        let each = self.wanted.div_ceil(self.runs);
        loop {
            let mut now = locked(course);
            let promised = now.sum.done() + now.running * each;
            let (enough, most) = (self.runs, self.runs * MOST_RUNS);
            if now.begun >= enough && (now.begun >= most || now.sum.done() >= self.wanted) {
                return;
            }
            if now.begun >= enough && promised >= self.wanted {
                drop(now);
                thread::sleep(Duration::from_millis(50));
                continue;
            }
            let number = now.begun;
            now.begun += 1;
            now.running += 1;
            drop(now);
            let result = self.one(number, each, bother);
            let mut now = locked(course);
            now.running -= 1;
            match result {
                (tally, Ok(())) => now.sum += tally,
                (tally, Err(failure)) => {
                    now.sum += tally;
                    now.failures.push(failure);
                }
            }
        }
    }

    fn one(&self, number: u64, each: u64, bother: &impl Bothers) -> (Tally, Result<(), String>) {
        let workload = &self.workloads[number as usize % self.workloads.len()];
        let quiet = workload.quiet();
        let (console, mut diary) = (Console::new(), Diary::default());
        let mut dice = Dice::new(self.seed.wrapping_add(number << 32));
        let (tally, judged) = match bother(&console, workload, &mut dice, &mut diary, each) {
            Err(wrong) => (Tally::default(), Err(wrong)),
            Ok((said, tally)) => {
                let outcome = Outcome::of(&console, &said).and_then(|outcome| outcome.compare(quiet));
                (tally, outcome.map_err(|wrong| format!("{wrong}\n{}", words(&said))))
            }
        };
        let Self { name, seed, .. } = self;
        let command = workload.arguments().join(" ");
        let judged = judged.map_err(|wrong| {
            format!("== {name}, FWVS_SEED={seed}, run {number}: fw-vs {command}\n{diary}{wrong}\n")
        });
        (tally, judged)
    }
}

/// Whoever panics with it says why.
fn locked(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}
