//! Which option of an exploration has a say beside which others.
//!
//! What another option on the same command line leaves without a say is refused before anything runs. What only the firmware
//! leaves without a say is said at the end, by the run: the same command line may be right for another firmware.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use fwvs_explore::Rung;
use fwvs_report::words::count;
use fwvs_run::Search;
use fwvs_run::named::{Named, reduction as reduction_name};

use crate::options::Explore;

/// One option of `fw-vs explore`.
struct Row {
    option: &'static str,
    /// What is wrong with it beside the other options, if it was written.
    objection: fn(&Explore) -> Option<Objection>,
}

/// Why an option has no say, and what to do about it.
struct Objection {
    what: String,
    hint: &'static str,
}

const OPTIONS: [Row; 26] = [
    always("firmware"),
    always("example"),
    always("board"),
    Row { option: "set", objection: set },
    always("schedule"),
    always("time"),
    always("interrupts"),
    always("expiries"),
    always("until-tick"),
    Row { option: "reduction", objection: reduction },
    Row { option: "footprint", objection: footprint },
    always("search"),
    Row { option: "preemptions", objection: bound },
    Row { option: "delays", objection: bound },
    Row { option: "seed", objection: seed },
    Row { option: "bug-depth", objection: bug_depth },
    // Clap knows what goes with it.
    always("resume"),
    always("depth"),
    always("max-paths"),
    always("max-time"),
    always("stop"),
    always("divergence"),
    Row { option: "livelock", objection: livelock },
    // A permission, and it does no harm where nobody makes use of it.
    always("accept"),
    always("out"),
    always("format"),
];

const fn always(option: &'static str) -> Row {
    Row { option, objection: nothing }
}

fn nothing(_: &Explore) -> Option<Objection> {
    None
}

fn set(options: &Explore) -> Option<Objection> {
    let mut seen = BTreeMap::new();
    let twice =
        options.parameters.iter().find_map(|(name, value)| Some((name, seen.insert(name, value)?, value)));
    let (name, first, second) = twice?;
    let what = format!("--set {name}={first} is overridden by --set {name}={second}");
    Some(Objection { what, hint: "set each parameter once" })
}

/// The bound on the search, as it was written.
fn bound_of(options: &Explore) -> Option<String> {
    let delays = options.delays.map(|bound| format!("--delays {bound}"));
    delays.or_else(|| options.preemptions.map(|bound| format!("--preemptions {bound}")))
}

fn bound(options: &Explore) -> Option<Objection> {
    let depth_first = matches!(options.search, Search::Auto | Search::Dfs);
    let bound = bound_of(options).filter(|_| !depth_first)?;
    let what = format!("{bound} bounds a depth-first search, and --search {} is none", options.search.name());
    Some(Objection { what, hint: "leave out --search, or the bound" })
}

fn reduction(options: &Explore) -> Option<Objection> {
    let written = format!("--reduction {}", reduction_name(options.reduction));
    let none = options.reduction == Rung::None;
    match (options.search, bound_of(options)) {
        (Search::Shortest, _) if options.reduction != Rung::Sleep => Some(Objection {
            what: format!("{written} has no say beside --search shortest, which always goes with sleep sets"),
            hint: "leave out --reduction",
        }),
        (search, _) if search.by_chance() && !none => Some(Objection {
            what: format!(
                "{written} has no say beside --search {}: paths by chance are run whatever others stand for them",
                search.name()
            ),
            hint: "leave out --reduction",
        }),
        (_, Some(bound)) if !none => Some(Objection {
            what: format!(
                "{written} has no say beside {bound}: it would count on paths that the bound leaves out"
            ),
            hint: "leave out one of them",
        }),
        _ => None,
    }
}

fn footprint(options: &Explore) -> Option<Objection> {
    (!matches!(options.reduction, Rung::Persistent(_))).then(|| Objection {
        what: format!(
            "--footprint {} has no say beside --reduction {}: only persistent sets look at footprints",
            options.footprint.name(),
            reduction_name(options.reduction)
        ),
        hint: "add --reduction persistent, or leave out --footprint",
    })
}

fn seed(options: &Explore) -> Option<Objection> {
    (!options.search.by_chance()).then(|| Objection {
        what: format!("--seed {} has no say: nothing is left to chance", options.seed),
        hint: "add --search random or --search pct, or leave out --seed",
    })
}

fn bug_depth(options: &Explore) -> Option<Objection> {
    (options.search != Search::Pct).then(|| Objection {
        what: format!(
            "--bug-depth {} has no say beside --search {}",
            options.bug_depth,
            options.search.name()
        ),
        hint: "add --search pct, or leave out --bug-depth",
    })
}

fn livelock(options: &Explore) -> Option<Objection> {
    let states = options.livelock.filter(|states| *states > options.depth)?;
    let (states, depth) = (count(states.into()), count(options.depth.into()));
    let what = format!("--livelock {states} is never seen: paths have {depth} steps at most");
    Some(Objection { what, hint: "a smaller --livelock, or a greater --depth" })
}

/// Refuses what was written and has no say.
pub(crate) fn check(options: &Explore) -> Result<()> {
    let written = OPTIONS.iter().filter(|row| options.given.has(row.option));
    match { written }.find_map(|row| (row.objection)(options)) {
        Some(Objection { what, hint }) => bail!("{what}\nhint: {hint}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::given;
    use crate::options::{Command, Options};

    fn explore(line: &str) -> Explore {
        let words = ["fw-vs", "explore"].into_iter().chain(line.split_whitespace());
        match given::read(words) {
            Ok(Options { command: Command::Explore(options) }) => options,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_option_has_a_row() {
        let command = Options::command();
        let explore = command.find_subcommand("explore").expect("it is there");
        let mut there: Vec<&str> =
            explore.get_arguments().map(|one| one.get_long().unwrap_or(one.get_id().as_str())).collect();
        let mut known: Vec<&str> = OPTIONS.iter().map(|row| row.option).collect();
        there.sort_unstable();
        known.sort_unstable();
        assert_eq!(there, known);
    }

    /// Each pair of what has no say and what it has a say with, or beside what it has none.
    #[test]
    fn what_has_no_say_is_refused() {
        for (line, says) in [
            ("--set N=1 --set M=2 --set N=3", "--set N=1 is overridden by --set N=3"),
            ("--delays 2 --reduction source", "--reduction source has no say beside --delays 2"),
            ("--preemptions 2 --reduction optimal", "--reduction optimal has no say beside --preemptions 2"),
            ("--search random --reduction sleep", "--reduction sleep has no say beside --search random"),
            ("--search pct --reduction source", "--reduction source has no say beside --search pct"),
            (
                "--search shortest --reduction source",
                "--reduction source has no say beside --search shortest",
            ),
            ("--search shortest --reduction none", "--reduction none has no say beside --search shortest"),
            ("--delays 2 --search shortest", "--delays 2 bounds a depth-first search"),
            ("--preemptions 0 --search pct", "--preemptions 0 bounds a depth-first search"),
            ("--footprint task", "--footprint task has no say beside --reduction source"),
            (
                "--footprint runtime --reduction sleep",
                "--footprint runtime has no say beside --reduction sleep",
            ),
            ("--seed 1", "--seed 1 has no say"),
            ("--seed 7 --search shortest", "--seed 7 has no say"),
            ("--bug-depth 3", "--bug-depth 3 has no say beside --search auto"),
            ("--bug-depth 3 --search random", "--bug-depth 3 has no say beside --search random"),
            ("--livelock 1001", "--livelock 1,001 is never seen"),
            ("--livelock 50 --depth 49", "--livelock 50 is never seen"),
        ] {
            let error = check(&explore(line)).expect_err(line).to_string();
            assert!(error.contains(says) && error.contains("\nhint: "), "{line}: {error}");
        }
    }

    #[test]
    fn what_has_a_say_and_what_nobody_wrote_is_not_refused() {
        for line in [
            "",
            "--set N=1 --set M=1",
            "--delays 2",
            "--delays 2 --reduction none",
            "--delays 2 --search dfs",
            "--search random --seed 1",
            "--search random --reduction none",
            "--search pct --seed 1 --bug-depth 3",
            "--search shortest --reduction sleep",
            "--search shortest",
            "--reduction persistent --footprint task",
            "--livelock 1000",
        ] {
            check(&explore(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}
