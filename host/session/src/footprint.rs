//! Whether tasks keep to what they declare that they may do.

use fwvs_explore::Model;
use fwvs_link::Link;
use fwvs_path::End;

use crate::finding::Wrong;
use crate::session::Session;

impl<L: Link> Session<L> {
    /// Cuts the path where a task first did something that it had not declared: every reduction that believed it would
    /// be wrong.
    pub(crate) fn cut_undeclared(&mut self, ended: End) -> End {
        let model = self.mirror();
        match (0..model.length()).find(|at| model.undeclared(*at)) {
            Some(at) => self.cut_at(at + 1, Wrong::Undeclared),
            None => ended,
        }
    }
}
