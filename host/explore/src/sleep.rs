//! Sleep sets alone: every transition is wanted, but no two paths that differ only in the order of neighbours that
//! commute (VeriSoft 2003, section 4).
//!
//! Runs fewer transitions than there are interleavings, and still reaches every state.

use fwvs_path::{End, Plan, Waking};

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Limits, Reduction};
use crate::path::Path;
use crate::system::System;

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

impl<S: System> Reduction<S> for Sleep<S::Transition> {
    fn next(&self, limits: &Limits) -> Plan<'_, S::Transition> {
        self.path.next(limits)
    }

    fn ran(&mut self, system: &S, _: End) {
        self.path.ran(system);
    }

    fn ways(&self, system: &S, at: usize) -> Ways {
        self.path.ways(at, system.enabled(at))
    }

    fn save(&self) -> Saved<S::Transition, S::Event> {
        self.path.save()
    }

    fn restore(&mut self, mut saved: Saved<S::Transition, S::Event>) {
        self.path.restore(&mut saved);
    }

    fn advance(&mut self, system: &S) -> bool {
        self.path
            .back(system, |at, asleep| system.enabled(at).find(|transition| !asleep.contains(transition)))
    }
}
