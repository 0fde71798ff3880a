//! What to search and how: everything that a run which goes on later must have the same.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::ValueEnum;
use fwvs_explore::{Precision, Rung};
use fwvs_link::Board;
use serde::{Deserialize, Serialize};

use crate::examples;
use crate::options::{Explore, Footprint, Reduction, Search};
use crate::target::absolute;

/// How many paths a search by chance runs when nobody says otherwise.
const PATHS_BY_CHANCE: u64 = 10_000;

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
}

impl Job {
    /// As the command line says.
    pub(crate) fn new(options: &Explore) -> Result<Self> {
        if options.delays.or(options.preemptions).is_some()
            && !matches!(options.search, Search::Auto | Search::Dfs)
        {
            bail!(
                "--preemptions and --delays bound a depth-first search\nhint: leave out --search, or the bound"
            );
        }
        // An unknown board has no examples either, and should be told as what it is.
        Board::load(&options.board, None)?;
        let (firmware, example) = match (&options.firmware, &options.example) {
            (Some(path), _) => (path.clone(), None),
            (None, name) => {
                let name = name.as_deref().unwrap_or(examples::DEFAULT);
                (examples::find(name, &options.board)?, Some(name.to_owned()))
            }
        };
        Ok(Self {
            firmware: absolute(&firmware),
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

    /// The reduction that is really used: bounds and chance go without.
    pub(crate) fn reduction_name(&self) -> String {
        let reduction = match self.search {
            Search::Shortest => Reduction::Sleep,
            Search::Random | Search::Pct => Reduction::None,
            _ if self.preemptions.or(self.delays).is_some() => Reduction::None,
            _ => self.reduction,
        };
        reduction.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }
}
