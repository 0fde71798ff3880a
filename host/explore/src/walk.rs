//! Paths one at a time, each chosen by a number: random walks, and probabilistic concurrency testing (Burckhardt,
//! Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, 2010).
//!
//! Nothing is remembered from path to path and nothing is ever complete: the bound on paths ends it. The n-th path of
//! a seed is always the same one.

use fwvs_path::{End, Plan, Policy};

use crate::checkpoint::Saved;
use crate::explorer::{Limits, Reduction};
use crate::model::Model;

/// How a walk chooses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Walker {
    /// Anything that is enabled, with equal chances.
    Random,
    /// The task of highest priority, the order being random and changing at `changes` random steps of the first `length`.
    Priorities {
        /// How many times the task that is about to go on falls behind all others: one less than the depth of the bugs one is after.
        changes: u8,
        /// How long paths are expected to be.
        length: u16,
    },
}

/// An endless search by chance.
#[derive(Clone, Debug)]
pub struct Walk {
    walker: Walker,
    seed: u32,
    path: u32,
}

impl Walk {
    /// The walks of that seed.
    pub fn new(walker: Walker, seed: u32) -> Self {
        Self { walker, seed, path: 0 }
    }

    /// What the path at hand is called: the same number gives the same path.
    pub fn number(&self) -> u32 {
        self.seed.wrapping_mul(0x9e37_79b1).wrapping_add(self.path)
    }
}

impl<M: Model> Reduction<M> for Walk {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        let seed = self.number();
        let policy = match self.walker {
            Walker::Random => Policy::Random { seed },
            Walker::Priorities { changes, length } => Policy::Priorities { seed, changes, length },
        };
        Plan { policy, ..limits.plan(&[], 0) }
    }

    fn ran(&mut self, _: &M, _: End) {}

    fn save(&self) -> Saved<M::Transition, M::Event> {
        Saved { walked: self.path, ..Saved::default() }
    }

    fn restore(&mut self, saved: Saved<M::Transition, M::Event>) {
        self.path = saved.walked;
    }

    fn advance(&mut self, _: &M) -> bool {
        self.path = self.path.wrapping_add(1);
        true
    }
}
