//! Sleep sets alone: every transition is wanted, but no two paths that differ only in the order of neighbours that
//! commute (VeriSoft 2003, section 4).
//!
//! Runs fewer transitions than there are interleavings, and still reaches every state.

use fwvs_path::{End, Plan, Waking};

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Limits, Reduction};
use crate::model::Model;
use crate::path::Path;
use crate::subtree::Returned;

/// Depth-first over everything that is enabled and not asleep.
#[derive(Clone, Debug)]
pub struct Sleep<T> {
    path: Path<T>,
}

impl<T: Copy + Ord> Default for Sleep<T> {
    fn default() -> Self {
        Self { path: Path::new(Waking::InState) }
    }
}

impl<M: Model> Reduction<M> for Sleep<M::Transition> {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        self.path.next(limits)
    }

    fn ran(&mut self, model: &M, _: End) {
        self.path.ran(model);
    }

    fn ways(&self, model: &M, at: usize) -> Ways {
        self.path.ways(at, model.enabled(at))
    }

    fn split(&mut self, model: &M) -> Option<Saved<M::Transition, M::Event>> {
        let fresh = |at, asleep: &[_]| model.enabled(at).find(|transition| !asleep.contains(transition));
        Some(self.path.split(model, fresh)?.save())
    }

    fn hand_back(&mut self) -> Option<Returned<M::Transition>> {
        self.path.hand_back(Vec::new())
    }

    fn join(&mut self, _: &M, part: Returned<M::Transition>) {
        self.path.join(&part);
    }

    fn is_waiting(&self) -> bool {
        self.path.is_waiting()
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        self.path.save()
    }

    fn restore(&mut self, mut saved: Saved<M::Transition, M::Event>) {
        self.path.restore(&mut saved);
    }

    fn advance(&mut self, model: &M) -> bool {
        self.path.back(model, |at, asleep| model.enabled(at).find(|transition| !asleep.contains(transition)))
    }
}
