//! What tasks declare that they may do, and whether they keep to it.

use fwvs_explore::System;
use fwvs_link::Link;
use fwvs_path::{End, Precision};
use fwvs_search::Footprints;

use crate::finding::Wrong;
use crate::session::Session;

impl<L: Link> Session<L> {
    /// What tasks may do, as precisely as that.
    pub(crate) fn footprints(&self, precision: Precision) -> Footprints<'_> {
        Footprints::new(self.roster.uses(), precision)
    }

    /// Cuts the path where a task first did something that it had not declared: every reduction that believed it would
    /// be wrong.
    pub(crate) fn cut_undeclared(&mut self, ended: End) -> End {
        match (0..self.mirror().steps().len()).find(|at| self.undeclared(*at)) {
            Some(at) => self.cut_at(at + 1, Wrong::Undeclared),
            None => ended,
        }
    }
}
