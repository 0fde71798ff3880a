//! No reduction: every interleaving, the reference for all others.

use fwvs_path::{End, Plan};

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Limits, Reduction};
use crate::model::Model;

/// Depth-first over everything that is enabled.
#[derive(Debug)]
pub struct Exhaustive<T> {
    /// The decisions of the path at hand.
    script: Vec<T>,
    /// What is left to try, state after state.
    left: Vec<T>,
    /// Where each state's part of `left` begins.
    marks: Vec<usize>,
}

impl<T> Default for Exhaustive<T> {
    fn default() -> Self {
        Self { script: Vec::new(), left: Vec::new(), marks: Vec::new() }
    }
}

impl<M: Model> Reduction<M> for Exhaustive<M::Transition> {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        limits.plan(&self.script, self.script.len().saturating_sub(1))
    }

    fn ran(&mut self, model: &M, _: End) {
        for at in self.marks.len()..model.length() {
            let taken = model.taken(at);
            self.marks.push(self.left.len());
            self.left.extend(model.enabled(at).filter(|transition| *transition != taken));
            if at >= self.script.len() {
                self.script.push(taken);
            }
        }
    }

    fn ways(&self, model: &M, at: usize) -> Ways {
        let end = self.marks.get(at + 1).copied().unwrap_or(self.left.len());
        let left = end - self.marks[at];
        Ways { before: model.enabled(at).count() - 1 - left, left }
    }

    fn split(&mut self, _: &M) -> Option<Saved<M::Transition, M::Event>> {
        let end = |at: usize| self.marks.get(at + 1).copied().unwrap_or(self.left.len());
        let at = (0..self.marks.len()).find(|at| self.marks[*at] < end(*at))?;
        let handed = self.left.remove(end(at) - 1);
        self.marks[at + 1..].iter_mut().for_each(|mark| *mark -= 1);
        let mut script = self.script[..at].to_vec();
        script.push(handed);
        // Nothing is left above it.
        Some(Saved { script, ..Saved::default() }.with_states(at + 1))
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        let mut saved =
            Saved { script: self.script.clone(), ..Saved::default() }.with_states(self.marks.len());
        for (at, state) in saved.states.iter_mut().enumerate() {
            let end = self.marks.get(at + 1).copied().unwrap_or(self.left.len());
            state.left = self.left[self.marks[at]..end].to_vec();
        }
        saved
    }

    fn restore(&mut self, saved: Saved<M::Transition, M::Event>) {
        *self = Self { script: saved.script, ..Self::default() };
        for state in saved.states {
            self.marks.push(self.left.len());
            self.left.extend(state.left);
        }
    }

    fn advance(&mut self, _: &M) -> bool {
        while let Some(&mark) = self.marks.last() {
            self.script.truncate(self.marks.len() - 1);
            if self.left.len() > mark {
                self.script.extend(self.left.pop());
                return true;
            }
            self.marks.pop();
        }
        false
    }
}
