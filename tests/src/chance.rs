//! How many paths searches by chance take to find what is known to be there.

use std::fmt::Write;
use std::ops::ControlFlow;

use fwvs_explore::{Completion, Counts, End, Limits, Walk, Walker, explore};

use crate::memory::{Memory, Wrong};
use crate::program::Program;

/// How many seeds each walker is tried with.
pub const SEEDS: u32 = 31;

/// Philosophers, and so transitions of the path to their deadlock.
const PHILOSOPHERS: u8 = 6;

/// One walker: paths to the deadlock of six philosophers, for each seed, the fewest first.
#[derive(Clone, Debug)]
pub struct Line {
    /// How it chooses.
    pub walker: Walker,
    /// How many paths it took.
    pub paths: Vec<u64>,
}

impl Line {
    /// Half of the seeds take no more than this.
    pub fn median(&self) -> u64 {
        self.paths[self.paths.len() / 2]
    }

    fn name(&self) -> (&'static str, u8) {
        match self.walker {
            Walker::Random => ("random", 0),
            Walker::Priorities { changes, .. } => ("pct", changes),
        }
    }
}

/// How many paths a walk takes to the deadlock of six philosophers.
///
/// # Panics
/// If it takes more than a million.
pub fn paths_to_deadlock(walker: Walker, seed: u32) -> u64 {
    let mut observe = |memory: &Memory, _: End, _: &Counts| match memory.wrong() {
        Some(Wrong::Deadlock) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let mut memory = Memory::new(&Program::philosophers(PHILOSOPHERS, false));
    let limits = Limits { paths: 1_000_000, ..Limits::default() };
    let Ok((completion, counts)) = explore(&mut memory, &mut Walk::new(walker, seed), limits, &mut observe);
    assert_eq!(completion, Completion::Stopped, "{walker:?} found nothing");
    counts.paths
}

/// Every walker with every seed.
pub fn benchmark() -> Vec<Line> {
    let priorities = |changes| Walker::Priorities { changes, length: 4 * u16::from(PHILOSOPHERS) };
    let line = |walker| {
        let mut paths: Vec<u64> = (1..=SEEDS).map(|seed| paths_to_deadlock(walker, seed)).collect();
        paths.sort_unstable();
        Line { walker, paths }
    };
    [Walker::Random, priorities(5), priorities(10)].into_iter().map(line).collect()
}

/// For people.
pub fn table(lines: &[Line]) -> String {
    let mut text = format!(
        "paths to the deadlock of {PHILOSOPHERS} philosophers, {SEEDS} seeds\n\n{:<10}{:>8}{:>10}{:>10}{:>10}\n",
        "search", "changes", "fewest", "median", "most"
    );
    for line in lines {
        let ((name, changes), paths) = (line.name(), &line.paths);
        let (fewest, most) = (paths[0], paths[paths.len() - 1]);
        writeln!(text, "{name:<10}{changes:>8}{fewest:>10}{:>10}{most:>10}", line.median())
            .expect("text can be written");
    }
    text
}

/// For machines.
pub fn csv(lines: &[Line]) -> String {
    let mut text = String::from("search,changes,seeds,fewest,median,most\n");
    for line in lines {
        let ((name, changes), paths) = (line.name(), &line.paths);
        let (fewest, most) = (paths[0], paths[paths.len() - 1]);
        writeln!(text, "{name},{changes},{SEEDS},{fewest},{},{most}", line.median())
            .expect("text can be written");
    }
    text
}
