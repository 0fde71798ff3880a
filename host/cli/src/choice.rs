//! Options whose values are the choices of a job: each value with its help.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use fwvs_explore::{Precision, Rung};
use fwvs_kernel::{Clock, Schedule};
use fwvs_run::Search;

/// A value, its name, and its help.
type Row<T> = (T, &'static str, &'static str);

pub(crate) const SCHEDULES: &[Row<Schedule>] = &[
    (Schedule::Free, "free", "Every task is its own processor: any enabled operation may be next"),
    (
        Schedule::Priority,
        "priority",
        "One processor: only a ready task of the highest priority goes on, equal ones in every order",
    ),
];

pub(crate) const CLOCKS: &[Row<Clock>] = &[
    (Clock::Free, "free", "Whatever waits for time may be done waiting at any moment"),
    (
        Clock::Ordered,
        "ordered",
        "The earliest deadline first, at any moment; with priorities, all deadlines of one tick at once",
    ),
    (Clock::Idle, "idle", "The same, and only when no task can go on: never, where one spins"),
];

/// Persistent sets with the precision that `--footprint` has by default.
pub(crate) const REDUCTIONS: &[Row<Rung>] = &[
    (Rung::None, "none", "Every interleaving"),
    (Rung::Sleep, "sleep", "Sleep sets: no two runs that differ only in the order of independent operations"),
    (
        Rung::Persistent(Precision::Runtime),
        "persistent",
        "Persistent sets from declared footprints, and sleep sets",
    ),
    (Rung::Source, "source", "Source sets and sleep sets: only other orders of operations that race"),
    (
        Rung::Optimal,
        "optimal",
        "Wakeup trees: the same, and no run is begun in vain, as long as no priorities, clocks or timeouts are in play",
    ),
];

pub(crate) const PRECISIONS: &[Row<Precision>] = &[
    (Precision::Task, "task", "All that a task may ever do"),
    (Precision::State, "state", "What a task may do from its present phase on"),
    (Precision::Runtime, "runtime", "The same, and next exactly what it is held at"),
];

pub(crate) const SEARCHES: &[Row<Search>] = &[
    (
        Search::Auto,
        "auto",
        "Depth-first where paths end, else more and more delays on longer and longer paths",
    ),
    (Search::Dfs, "dfs", "Depth-first"),
    (Search::Shortest, "shortest", "Iterative deepening: the first finding is one of minimal length"),
    (Search::Random, "random", "One path after the other, each at random"),
    (Search::Pct, "pct", "Probabilistic concurrency testing: random priorities with few changes"),
];

/// One of these, by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<T: 'static>(pub(crate) &'static [Row<T>]);

impl<T: Copy> Choice<T> {
    fn names(self) -> impl Iterator<Item = PossibleValue> {
        self.0.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help))
    }
}

impl<T: Copy + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        // What is no text is no name either.
        let value = value.to_string_lossy();
        let parser = PossibleValuesParser::new(self.names());
        let written = parser.parse_ref(command, argument, OsStr::new(&*value))?;
        let row = self.0.iter().find(|(_, name, _)| *name == written);
        Ok(row.map(|(value, ..)| *value).expect("the parser knows these names and no others"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names()))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use fwvs_run::named::{Named, reduction};

    use super::*;

    fn are_those_of_the_job<T: Named + Debug>(rows: &[Row<T>], names: &[&str]) {
        assert!(rows.iter().map(|(_, name, _)| name).eq(names), "{rows:?}");
        for (value, name, _) in rows {
            assert_eq!(value.name().split('-').next(), Some(*name));
        }
    }

    fn all<T: Named>() -> Vec<&'static str> {
        T::NAMES.iter().map(|(_, name)| *name).collect()
    }

    #[test]
    fn names_are_those_of_scenarios_and_summaries() {
        are_those_of_the_job(SCHEDULES, &all::<Schedule>());
        are_those_of_the_job(CLOCKS, &all::<Clock>());
        are_those_of_the_job(PRECISIONS, &all::<Precision>());
        are_those_of_the_job(SEARCHES, &all::<Search>());
        let mut reductions: Vec<&str> = Rung::ALL.into_iter().map(reduction).collect();
        reductions.dedup();
        are_those_of_the_job(REDUCTIONS, &reductions);
    }
}
