//! What to search and how: everything that a run which goes on later must have the same.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::ValueEnum;
use fwvs_explore::{Precision, Rung};
use fwvs_foreign::shown;
use fwvs_kernel::{Clock, Rules};
use fwvs_link::Board;
use fwvs_session::Settings;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::options::{Explore, Footprint, Reduction, Schedule, Search, Time};
use crate::target::absolute;
use crate::{applies, examples};

/// How many paths a search by chance runs when nobody says otherwise.
const PATHS_BY_CHANCE: u64 = 10_000;

/// How often a line fires that has no limit, when nobody says otherwise.
const INTERRUPTS: u16 = 1;

/// A search, apart from when to stop and whom to tell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) firmware: PathBuf,
    pub(crate) example: Option<String>,
    pub(crate) board: String,
    pub(crate) parameters: BTreeMap<String, String>,
    pub(crate) reduction: Reduction,
    pub(crate) footprint: Footprint,
    pub(crate) search: Search,
    pub(crate) preemptions: Option<usize>,
    pub(crate) delays: Option<usize>,
    pub(crate) seed: u32,
    pub(crate) bug_depth: u8,
    pub(crate) depth: usize,
    pub(crate) divergence: Duration,
    #[serde(default)]
    pub(crate) world: World,
    /// What somebody wrote, and did not leave as it is by default.
    #[serde(default)]
    pub(crate) given: Given,
}

/// How the firmware's world behaves: schedule, clock, and bounds inside the system.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct World {
    pub(crate) schedule: Option<Schedule>,
    pub(crate) time: Time,
    pub(crate) interrupts: Option<u16>,
    /// Whether that number is one that the user gave.
    #[serde(default)]
    pub(crate) interrupts_asked: bool,
    pub(crate) expiries: Option<u16>,
    pub(crate) until_tick: Option<u32>,
    pub(crate) livelock: Option<u32>,
}

impl World {
    /// As the command line says.
    fn new(options: &Explore) -> Self {
        Self {
            schedule: options.schedule,
            time: options.time,
            interrupts: Some(options.interrupts.unwrap_or(INTERRUPTS)),
            interrupts_asked: options.interrupts.is_some(),
            expiries: options.expiries,
            until_tick: options.until_tick,
            livelock: options.livelock,
        }
    }

    /// For a session with that budget of time for each task.
    pub(crate) fn settings(&self, divergence: Duration) -> Settings {
        Settings {
            divergence,
            schedule: self.schedule.map(|schedule| match schedule {
                Schedule::Free => fwvs_kernel::Schedule::Free,
                Schedule::Priority => fwvs_kernel::Schedule::Priority,
            }),
            rules: Rules {
                clock: match self.time {
                    Time::Free => Clock::Free,
                    Time::Ordered => Clock::Ordered,
                    Time::Idle => Clock::Idle,
                },
                interrupts: self.interrupts.unwrap_or(u16::MAX),
                expiries: self.expiries.unwrap_or(u16::MAX),
                until: self.until_tick.unwrap_or(u32::MAX),
                ..Rules::FREE
            },
            livelock: self.livelock,
        }
    }

    /// With that schedule and that clock, without bounds; `None` if there is no such thing.
    pub(crate) fn of_names(schedule: &str, time: &str) -> Option<Self> {
        let schedule = Some(Schedule::from_str(schedule, false).ok()?);
        Some(Self { schedule, time: Time::from_str(time, false).ok()?, ..Self::default() })
    }

    /// The clock by its name.
    pub(crate) fn time_name(&self) -> String {
        name(self.time)
    }
}

impl Time {
    /// What a clean verdict rests on with that clock, beside what it always does.
    pub(crate) fn assumption(self) -> Option<&'static str> {
        match self {
            Self::Free => None,
            Self::Ordered => Some(
                "the clock moves only when a deadline passes: between two of them code takes no time (--time ordered)",
            ),
            Self::Idle => Some("time passes only when no task can go on: code takes no time (--time idle)"),
        }
    }
}

/// How a value is written on the command line.
pub(crate) fn name<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// A schedule by its name.
pub(crate) fn schedule_name(schedule: fwvs_kernel::Schedule) -> String {
    name(match schedule {
        fwvs_kernel::Schedule::Free => Schedule::Free,
        fwvs_kernel::Schedule::Priority => Schedule::Priority,
    })
}

impl Job {
    /// As the command line says.
    pub(crate) fn new(options: &Explore) -> Result<Self> {
        applies::check(options)?;
        // There are no examples for a board that is unknown or nowhere: it should be told as what it is.
        Board::load(&options.board, None)?.has_address()?;
        let (firmware, example) = match (&options.firmware, &options.example) {
            (Some(path), _) => (path.clone(), None),
            (None, name) => {
                let name = name.as_deref().unwrap_or(examples::DEFAULT);
                (examples::find(name, &options.board)?, Some(name.to_owned()))
            }
        };
        let firmware = absolute(&firmware);
        if firmware.to_str().is_none() {
            bail!(
                "the path of the firmware, {}, is not UTF-8: scenarios and checkpoints could not name it\n\
                 hint: rename the folder or the file, or copy the firmware elsewhere",
                shown(&firmware)
            );
        }
        Ok(Self {
            firmware,
            example,
            board: options.board.clone(),
            parameters: options.parameters.iter().cloned().collect(),
            reduction: options.reduction,
            footprint: options.footprint,
            search: options.search,
            preemptions: options.preemptions,
            delays: options.delays,
            seed: options.seed,
            bug_depth: options.bug_depth,
            depth: options.depth as usize,
            divergence: options.divergence,
            world: World::new(options),
            given: options.given.clone(),
        })
    }

    /// How many paths to run at most.
    pub(crate) fn paths(&self, asked: Option<u64>, timed: bool) -> u64 {
        let by_chance = matches!(self.search, Search::Random | Search::Pct);
        asked.unwrap_or(if by_chance && !timed { PATHS_BY_CHANCE } else { u64::MAX })
    }

    /// The reduction, by the search's own name.
    pub(crate) fn rung(&self) -> Rung {
        let precision = match self.footprint {
            Footprint::Task => Precision::Task,
            Footprint::State => Precision::State,
            Footprint::Runtime => Precision::Runtime,
        };
        match self.reduction {
            Reduction::None => Rung::None,
            Reduction::Sleep => Rung::Sleep,
            Reduction::Persistent => Rung::Persistent(precision),
            Reduction::Source => Rung::Source,
            Reduction::Optimal => Rung::Optimal,
        }
    }

    /// The reduction that is really used: bounds and chance go without, and so does the search where paths do not end unless
    /// a depth-first one was asked for.
    pub(crate) fn reduction_name(&self, ends: bool) -> String {
        let reduction = match self.search {
            Search::Shortest => Reduction::Sleep,
            Search::Random | Search::Pct => Reduction::None,
            _ if self.preemptions.or(self.delays).is_some() => Reduction::None,
            Search::Auto if !ends => Reduction::None,
            _ => self.reduction,
        };
        name(reduction)
    }
}
