//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fwvs_explore::{Precision, Rung};
use fwvs_kernel::{Clock, Schedule};
use fwvs_run::Search;

use crate::choice::{self, Choice};
use crate::given::Given;
use crate::known_as::SearchParser;

/// Explores every order in which the tasks of RTOS firmware can interact.
#[derive(Parser, Debug)]
#[command(name = "fw-vs", version, about, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 complete and clean, 1 finding, 2 could not run, 3 bounded and clean.\n\
    FWVS_LOG=debug shows what fw-vs does; NO_COLOR=1 turns colours off.";

const EXPLORE_HELP: &str = "Examples:\n  \
    fw-vs explore\n    \
      the dining philosophers, and their deadlock\n  \
    fw-vs explore --set ordered=1\n    \
      the same without it\n  \
    fw-vs explore firmware.elf --stop all --out run-1\n    \
      every distinct finding, kept in run-1\n\n\
    Exit codes: 0 complete and clean, 1 finding, 2 could not run, 3 bounded and clean.\n\
    --until-tick, --expiries and --interrupts are part of the question:\n\
    a run that exhausts them is complete within bounds, and exits 0.";

/// The board that is meant when nobody names one.
pub(crate) const DEFAULT_BOARD: &str = fwvs_board::DEFAULT;

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Search: run the firmware through every order of its tasks' operations
    #[command(after_help = EXPLORE_HELP)]
    Explore(Explore),
    /// Run one recorded scenario and say whether it still happens (exit 1 if it does, 0 if not)
    Replay(Replay),
    /// Answer a list of questions over one firmware and compare with what was expected
    #[command(after_long_help = crate::study::HELP, after_help = crate::study::SHORT_HELP)]
    Study(Study),
    /// Start a project: a small firmware that builds anywhere, with a bug to find
    New(New),
    /// Known boards, and which can be used right now
    Boards,
    /// What is installed, what is missing, how to get it
    Doctor,
}

#[derive(Args, Debug)]
pub(crate) struct Explore {
    /// The firmware, built against the shim; without it and --example: the philosophers
    #[arg(value_name = "FIRMWARE.elf", conflicts_with = "example")]
    pub(crate) firmware: Option<PathBuf>,
    /// One of the examples that come with fw-vs
    #[arg(long, value_name = "NAME")]
    pub(crate) example: Option<String>,
    /// A name that `fw-vs boards` lists, or a path to a .toml
    #[arg(long, default_value = DEFAULT_BOARD)]
    pub(crate) board: String,
    /// Override a parameter that the firmware declares (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) parameters: Vec<(String, String)>,
    /// How tasks share the processor [default: as the firmware declares]
    #[arg(long, value_parser = Choice(choice::SCHEDULES))]
    pub(crate) schedule: Option<Schedule>,
    /// How time passes: when timers, delays and timeouts may expire
    #[arg(long, value_name = "CLOCK", default_value = "free", value_parser = Choice(choice::CLOCKS))]
    pub(crate) time: Clock,
    /// How often each interrupt line may fire whose firmware does not say how often it can
    /// [default: 1, which leaves a run that it cuts bounded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..65535))]
    pub(crate) interrupts: Option<u16>,
    /// How often each timer may expire, and each task's delays and timeouts [default: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..65535))]
    pub(crate) expiries: Option<u16>,
    /// The last tick that may come; with --time free, every expiry is a tick [default: no bound]
    #[arg(long, value_name = "TICK", value_parser = clap::value_parser!(u32).range(1..4294967295))]
    pub(crate) until_tick: Option<u32>,
    /// Which interleavings may be left out because others stand for them
    #[arg(long, default_value = "source", value_parser = Choice(choice::REDUCTIONS))]
    pub(crate) reduction: Rung,
    /// How precisely declared footprints are used, for --reduction persistent
    #[arg(long, default_value = "runtime", value_parser = Choice(choice::PRECISIONS))]
    pub(crate) footprint: Precision,
    /// In which order paths are run
    #[arg(long, default_value = "auto", value_parser = SearchParser)]
    pub(crate) search: Search,
    /// Only paths with at most N preemptions: a task goes on, time passes or an interrupt fires though another could go on
    #[arg(long, value_name = "N", conflicts_with = "delays")]
    pub(crate) preemptions: Option<usize>,
    /// Only paths with at most N delays: tasks that are passed over when it would be their turn
    #[arg(long, value_name = "N")]
    pub(crate) delays: Option<usize>,
    /// Chooses the paths of --search random and pct: the same seed, the same paths
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u32,
    /// How many ordering constraints the bugs have that --search pct is after
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) bug_depth: u8,
    /// Go on with a run that was stopped or killed; firmware, board and search are the same as then
    #[arg(long, value_name = "RUN_DIR", conflicts_with_all = [
        "firmware", "example", "parameters", "out", "board", "schedule", "reduction", "footprint", "search",
        "preemptions", "delays", "seed", "bug_depth", "depth", "divergence", "time", "interrupts", "expiries",
        "until_tick", "livelock",
    ])]
    pub(crate) resume: Option<PathBuf>,
    /// Bound on transitions per path
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
    /// Bound on paths
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_paths: Option<u64>,
    /// Bound on time, such as 30s, 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) max_time: Option<Duration>,
    /// Stop at the first finding, after N distinct ones, or never: `first`, `all` or a number
    /// [default: first; of a resumed run, as it was]
    #[arg(long, value_name = "WHEN", value_parser = stop)]
    pub(crate) stop: Option<Stop>,
    /// How long a task may run without an operation before that is a finding
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(crate) divergence: Duration,
    /// For how many states on end a task may be kept waiting before that is a finding [default: for ever]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) livelock: Option<u32>,
    /// Exit 0 instead of 3 when a bound cut the search and nothing was found
    #[arg(long, value_name = "VERDICT")]
    pub(crate) accept: Option<Accept>,
    /// Run directory: scenario files, events, summary [default: fw-vs-runs/TIME-FIRMWARE]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Text for people, or one JSON object a line
    #[arg(long, default_value = "text")]
    pub(crate) format: Format,
    /// Which of all these were written
    #[arg(skip)]
    pub(crate) given: Given,
}

#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// A scenario file that `fw-vs explore` wrote
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: PathBuf,
    /// Another build of the firmware than the recorded one
    #[arg(long, value_name = "FIRMWARE.elf")]
    pub(crate) firmware: Option<PathBuf>,
    /// Another board than the recorded one
    #[arg(long)]
    pub(crate) board: Option<String>,
    /// How long a task may run without an operation before that is a finding [default: as recorded, else 1s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) divergence: Option<Duration>,
}

#[derive(Args, Debug)]
pub(crate) struct Study {
    /// The questions
    #[arg(value_name = "STUDY.toml")]
    pub(crate) study: PathBuf,
    /// Only questions whose name contains this (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Vec<String>,
    /// Another firmware than the study names: the next release, a fix
    #[arg(long, value_name = "FIRMWARE.elf")]
    pub(crate) firmware: Option<PathBuf>,
    /// Another board than the study names
    #[arg(long)]
    pub(crate) board: Option<String>,
    /// Where every run's scenarios, events and summary go [default: fw-vs-runs/TIME-STUDY]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Text for people, or one JSON object a line
    #[arg(long, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct New {
    /// What the project and its folder are called
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The board it is for: a name that `fw-vs boards` lists, or a path to a .toml
    #[arg(long, default_value = DEFAULT_BOARD)]
    pub(crate) board: String,
    /// Where the sources of fw-vs are, if not where this program was built
    #[arg(long, value_name = "PATH")]
    pub(crate) shim: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Accept {
    /// A bounded search that found nothing
    Bounded,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs: the last line is the summary
    Json,
}

/// After how many distinct findings to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stop(pub(crate) usize);

fn stop(text: &str) -> Result<Stop, String> {
    match text {
        "first" => Ok(Stop(1)),
        "all" => Ok(Stop(usize::MAX)),
        number => match number.parse() {
            Ok(number) if number > 0 => Ok(Stop(number)),
            _ => Err("that is no number of findings\nhint: write `first`, `all`, or how many are enough"
                .to_owned()),
        },
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it sets nothing\nhint: write NAME=VALUE, for example N=3".to_owned()),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    const HINT: &str = "hint: write a number and a unit, for example 500ms, 30s or 10m";
    let duration: jiff::SignedDuration =
        text.parse().map_err(|_| format!("that is no length of time\n{HINT}"))?;
    match Duration::try_from(duration) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(format!("that is no time at all\n{HINT}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn a_time_has_a_unit_and_a_length() {
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(duration("10").is_err());
        assert!(duration("0s").is_err());
        assert!(duration("-1s").is_err());
    }

    #[test]
    fn a_stop_is_first_all_or_a_number() {
        assert_eq!(stop("first"), Ok(Stop(1)));
        assert_eq!(stop("7"), Ok(Stop(7)));
        assert_eq!(stop("all"), Ok(Stop(usize::MAX)));
        assert!(stop("0").is_err());
        assert!(stop("never").is_err());
    }
}
