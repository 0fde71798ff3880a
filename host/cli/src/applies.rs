//! Which option of an exploration has a say beside which others, and in which firmware.
//!
//! What another option on the same command line leaves without a say is refused before anything runs. What only the firmware
//! leaves without a say is said at the end: the same command line may be right for another firmware.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use fwvs_kernel::{Kind, Operation, Role, Wait};
use fwvs_report::words::count;

use crate::given::Given;
use crate::job::{World, name};
use crate::options::{Explore, Footprint, Reduction, Search, Time};
use crate::target::AnySession;

/// One option of `fw-vs explore`.
struct Row {
    option: &'static str,
    /// What is wrong with it beside the other options, if it was written.
    objection: fn(&Explore) -> Option<Objection>,
    /// What the firmware must have for it to make any difference.
    needs: Need,
}

/// Why an option has no say, and what to do about it.
struct Objection {
    what: String,
    hint: &'static str,
}

/// What a firmware must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    Nothing,
    /// Somebody who waits for time: a timer, a delay, a timeout.
    Time,
    /// An interrupt line that does not say itself how often it fires.
    Line,
}

const OPTIONS: [Row; 26] = [
    always("firmware"),
    always("example"),
    always("board"),
    Row { option: "set", objection: set, needs: Need::Nothing },
    always("schedule"),
    Row { option: "time", objection: nothing, needs: Need::Time },
    Row { option: "interrupts", objection: nothing, needs: Need::Line },
    Row { option: "expiries", objection: nothing, needs: Need::Time },
    Row { option: "until-tick", objection: nothing, needs: Need::Time },
    Row { option: "reduction", objection: reduction, needs: Need::Nothing },
    Row { option: "footprint", objection: footprint, needs: Need::Nothing },
    always("search"),
    Row { option: "preemptions", objection: bound, needs: Need::Nothing },
    Row { option: "delays", objection: bound, needs: Need::Nothing },
    Row { option: "seed", objection: seed, needs: Need::Nothing },
    Row { option: "bug-depth", objection: bug_depth, needs: Need::Nothing },
    // Clap knows what goes with it.
    always("resume"),
    always("depth"),
    always("max-paths"),
    always("max-time"),
    always("stop"),
    always("divergence"),
    Row { option: "livelock", objection: livelock, needs: Need::Nothing },
    // A permission, and it does no harm where nobody makes use of it.
    always("accept"),
    always("out"),
    always("format"),
];

const fn always(option: &'static str) -> Row {
    Row { option, objection: nothing, needs: Need::Nothing }
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

fn by_chance(search: Search) -> bool {
    matches!(search, Search::Random | Search::Pct)
}

fn bound(options: &Explore) -> Option<Objection> {
    let depth_first = matches!(options.search, Search::Auto | Search::Dfs);
    let bound = bound_of(options).filter(|_| !depth_first)?;
    let what = format!("{bound} bounds a depth-first search, and --search {} is none", name(options.search));
    Some(Objection { what, hint: "leave out --search, or the bound" })
}

fn reduction(options: &Explore) -> Option<Objection> {
    let written = format!("--reduction {}", name(options.reduction));
    let none = options.reduction == Reduction::None;
    match (options.search, bound_of(options)) {
        (Search::Shortest, _) if options.reduction != Reduction::Sleep => Some(Objection {
            what: format!("{written} has no say beside --search shortest, which always goes with sleep sets"),
            hint: "leave out --reduction",
        }),
        (search, _) if by_chance(search) && !none => Some(Objection {
            what: format!(
                "{written} has no say beside --search {}: paths by chance are run whatever others stand for them",
                name(search)
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
    (options.reduction != Reduction::Persistent).then(|| Objection {
        what: format!(
            "--footprint {} has no say beside --reduction {}: only persistent sets look at footprints",
            name::<Footprint>(options.footprint),
            name(options.reduction)
        ),
        hint: "add --reduction persistent, or leave out --footprint",
    })
}

fn seed(options: &Explore) -> Option<Objection> {
    (!by_chance(options.search)).then(|| Objection {
        what: format!("--seed {} has no say: nothing is left to chance", options.seed),
        hint: "add --search random or --search pct, or leave out --seed",
    })
}

fn bug_depth(options: &Explore) -> Option<Objection> {
    (options.search != Search::Pct).then(|| Objection {
        what: format!(
            "--bug-depth {} has no say beside --search {}",
            options.bug_depth,
            name(options.search)
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

/// What was written and made no difference in this firmware, in words. `timed` if anybody waited for time.
pub(crate) fn notes(given: &Given, world: &World, session: &AnySession, timed: bool) -> Vec<String> {
    let kernel = session.roster().kernel();
    let has_timer = kernel.tasks().iter().any(|task| matches!(task.role, Role::Timer { .. }));
    let limits: Vec<u16> = kernel
        .objects()
        .iter()
        .filter_map(|object| match object.kind {
            Kind::Line { limit } => Some(limit),
            _ => None,
        })
        .collect();
    let lacks = |need: Need| match need {
        Need::Nothing => None,
        Need::Time => (!timed && !has_timer).then_some("nobody waited for time"),
        Need::Line if limits.is_empty() => Some("there is no interrupt line"),
        Need::Line => limits
            .iter()
            .all(|limit| *limit < u16::MAX)
            .then_some("every interrupt line says itself how often it can fire"),
    };
    // A clock that lets everything happen is what there is without the option.
    let idle = |option: &str| option == "time" && world.time == Time::Free;
    let written = OPTIONS.iter().filter(|row| given.has(row.option) && !idle(row.option));
    let note = |row: &Row| Some(format!("--{} made no difference: {}", row.option, lacks(row.needs)?));
    written.filter_map(note).collect()
}

/// Whether an option is among those that make a difference only where somebody waits for time.
pub(crate) fn asks_for_time(given: &Given) -> bool {
    OPTIONS.iter().any(|row| row.needs == Need::Time && given.has(row.option))
}

/// Whether somebody waited for time on the last path, or would have if need be.
pub(crate) fn waits_for_time(session: &AnySession) -> bool {
    let timed = |operation: Operation| {
        matches!(operation, Operation::DelayUntil { .. } | Operation::Expire { .. })
            || matches!(operation.wait(), Wait::Ticks(_))
    };
    session.mirror().steps().iter().any(|step| timed(step.taken.operation))
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
