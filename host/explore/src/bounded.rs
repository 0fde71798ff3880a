//! Every interleaving with few preemptions, or few delays.
//!
//! Most concurrency bugs need only a few. The bound is not combined with a reduction: what a reduction leaves out may be
//! within the bound where what stands for it is not (Coons, Musuvathi, McKinley: Bounded Partial-Order Reduction, 2013),
//! and backtracking conservatively enough to make up for it is still to be built.

use crate::checkpoint::{Saved, SavedState};
use crate::explorer::Reduction;
use crate::system::{End, Policy, System};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cost {
    /// A task goes on although the one before could have (Musuvathi, Qadeer 2007).
    Preemptions,
    /// Each task that is passed over, in the order of tasks from the one before on (Emmi, Qadeer, Rakamarić 2011).
    Delays,
}

/// Depth-first over everything within the bound.
#[derive(Clone, Debug)]
pub struct Bounded<T> {
    cost: Cost,
    bound: usize,
    script: Vec<T>,
    /// For each state of the path, what was spent before it, and what is left to try.
    states: Vec<(usize, Vec<T>)>,
    cuts: u64,
}

impl<T> Bounded<T> {
    /// A search that has not begun.
    pub fn new(cost: Cost, bound: usize) -> Self {
        Self { cost, bound, script: Vec::new(), states: Vec::new(), cuts: 0 }
    }
}

impl<S: System> Reduction<S> for Bounded<S::Transition> {
    fn script(&self) -> &[S::Transition] {
        &self.script
    }

    fn same(&self) -> usize {
        self.script.len().saturating_sub(1)
    }

    /// Passes over nobody, so that a path costs no more than its script.
    fn policy(&self) -> Option<Policy> {
        Some(Policy::Stay)
    }

    fn cuts(&self) -> u64 {
        self.cuts
    }

    fn ran(&mut self, system: &S, _: End) {
        self.script.truncate(system.length());
        for at in self.states.len()..system.length() {
            let spent = match at.checked_sub(1) {
                None => 0,
                Some(before) => self.states[before].0 + self.price(system, before, system.taken(before)),
            };
            let taken = system.taken(at);
            let (left, out): (Vec<_>, Vec<_>) = system
                .enabled(at)
                .filter(|transition| *transition != taken)
                .partition(|transition| spent + self.price(system, at, *transition) <= self.bound);
            self.cuts += out.len() as u64;
            self.states.push((spent, left));
            if at >= self.script.len() {
                self.script.push(taken);
            }
        }
    }

    fn save(&self) -> Saved<S::Transition, S::Event> {
        let states = self.states.iter().map(|(spent, left)| SavedState {
            spent: *spent,
            left: left.clone(),
            ..SavedState::default()
        });
        Saved { script: self.script.clone(), states: states.collect(), cuts: self.cuts, ..Saved::default() }
    }

    fn restore(&mut self, saved: Saved<S::Transition, S::Event>) {
        self.script = saved.script;
        self.states = saved.states.into_iter().map(|state| (state.spent, state.left)).collect();
        self.cuts = saved.cuts;
    }

    fn advance(&mut self, _: &S) -> bool {
        while let Some((_, left)) = self.states.last_mut() {
            let next = left.pop();
            self.script.truncate(self.states.len() - 1);
            if let Some(next) = next {
                self.script.push(next);
                return true;
            }
            self.states.pop();
        }
        false
    }
}

impl<T: Copy + Ord> Bounded<T> {
    /// What it costs to take a transition in state `at`.
    fn price<S: System<Transition = T>>(&self, system: &S, at: usize, transition: T) -> usize {
        let (tasks, task) = (system.tasks(), system.task(transition));
        let last = at.checked_sub(1).map_or(0, |before| system.task(system.taken(before)));
        let distance = |other: usize| (other + tasks - last) % tasks;
        let mut enabled: Vec<usize> = system.enabled(at).map(|other| system.task(other)).collect();
        enabled.dedup();
        match self.cost {
            Cost::Preemptions => usize::from(at > 0 && task != last && enabled.contains(&last)),
            Cost::Delays => enabled.iter().filter(|other| distance(**other) < distance(task)).count(),
        }
    }
}
