//! How long a run has taken, how fast it is, and how much is left.

use std::time::{Duration, Instant};

use fwvs_explore::{Counts, Estimate};
use fwvs_scenario::Progress;

use crate::stages::Stages;

/// How often progress is told.
const BREATH: Duration = Duration::from_millis(200);

/// The clock of a run.
pub(crate) struct Pace {
    begin: Instant,
    /// What the run had taken before it was stopped.
    before: Duration,
    told: Instant,
    /// Which part of the search is done.
    pub(crate) estimate: Estimate,
}

impl Pace {
    /// Of a run that began then.
    pub(crate) fn new(begin: Instant) -> Self {
        Self { begin, before: Duration::ZERO, told: Instant::now(), estimate: Estimate::default() }
    }

    /// The run had taken so long before it was stopped.
    pub(crate) fn had_taken(&mut self, seconds: f64) {
        self.before = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    }

    /// Since it was begun or gone on with.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// In all.
    pub(crate) fn seconds(&self) -> f64 {
        (self.before + self.elapsed()).as_secs_f64()
    }

    /// Whether it is time to tell progress, which is told then.
    pub(crate) fn breathe(&mut self) -> bool {
        let now = Instant::now();
        let due = now.duration_since(self.told) >= BREATH;
        if due {
            self.told = now;
        }
        due
    }

    /// How far the run is, after a path of that depth.
    pub(crate) fn progress(
        &self,
        stages: &Stages,
        counts: &Counts,
        depth: usize,
        findings: usize,
    ) -> Progress {
        let seconds = self.seconds();
        let counts = stages.earlier + *counts;
        // Nobody knows how many stages are left.
        let done = self.estimate.done().filter(|_| stages.at.is_none());
        let done = done.map(|done| (done.low, done.high));
        // What is done took so long; what is left takes as long in proportion.
        let left = |done: f64| seconds * (1.0 - done) / done.max(f64::MIN_POSITIVE);
        Progress {
            paths: counts.paths,
            transitions: counts.transitions,
            replayed_transitions: counts.replayed,
            depth: depth as u64,
            findings: findings as u64,
            seconds,
            paths_per_second: counts.paths as f64 / seconds.max(f64::MIN_POSITIVE),
            done,
            seconds_left: done.map(|(low, high)| (left(high), left(low))),
        }
    }
}
