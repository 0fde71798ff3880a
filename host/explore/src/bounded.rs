//! Every interleaving with few preemptions, or few delays.
//!
//! Time that passes and interrupts that fire come from outside: they are expected when nobody can go on by itself, and disturb
//! whoever can.
//!
//! Most concurrency bugs need only a few. The bound is not combined with a reduction: what a reduction leaves out may be
//! within the bound where what stands for it is not (Coons, Musuvathi, McKinley: Bounded Partial-Order Reduction, 2013),
//! and backtracking conservatively enough to make up for it is still to be built.

use fwvs_path::{End, Plan, Policy};

use crate::checkpoint::{Saved, SavedState};
use crate::explorer::{Limits, Reduction};
use crate::model::Model;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cost {
    /// A task goes on although the one before could have by itself (Musuvathi, Qadeer 2007), or something comes from outside
    /// although somebody could have.
    Preemptions,
    /// Each task that is passed over, in the order of tasks from the one before on (Emmi, Qadeer, Rakamarić 2011), then of what
    /// comes from outside.
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

impl<M: Model> Reduction<M> for Bounded<M::Transition> {
    /// Passes over nobody, so that a path costs no more than its script.
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        let same = self.script.len().saturating_sub(1);
        Plan { policy: Policy::Stay, ..limits.plan(&self.script, same) }
    }

    fn cuts(&self) -> u64 {
        self.cuts
    }

    fn ran(&mut self, model: &M, _: End) {
        self.script.truncate(model.length());
        for at in self.states.len()..model.length() {
            let spent = match at.checked_sub(1) {
                None => 0,
                Some(before) => self.states[before].0 + self.price(model, before, model.taken(before)),
            };
            let taken = model.taken(at);
            let (left, out): (Vec<_>, Vec<_>) = model
                .enabled(at)
                .filter(|transition| *transition != taken)
                .partition(|transition| spent + self.price(model, at, *transition) <= self.bound);
            self.cuts += out.len() as u64;
            self.states.push((spent, left));
            if at >= self.script.len() {
                self.script.push(taken);
            }
        }
    }

    fn split(&mut self, _: &M) -> Option<Saved<M::Transition, M::Event>> {
        let at = self.states.iter().position(|(_, left)| !left.is_empty())?;
        let mut script = self.script[..at].to_vec();
        script.extend(self.states[at].1.pop());
        let spent =
            |(spent, _): &(usize, Vec<M::Transition>)| SavedState { spent: *spent, ..SavedState::default() };
        let states = self.states[..=at].iter().map(spent).collect();
        Some(Saved { script, states, ..Saved::default() })
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        let states = self.states.iter().map(|(spent, left)| SavedState {
            spent: *spent,
            left: left.clone(),
            ..SavedState::default()
        });
        Saved { script: self.script.clone(), states: states.collect(), cuts: self.cuts, ..Saved::default() }
    }

    fn restore(&mut self, saved: Saved<M::Transition, M::Event>) {
        self.script = saved.script;
        self.states = saved.states.into_iter().map(|state| (state.spent, state.left)).collect();
        self.cuts = saved.cuts;
    }

    fn advance(&mut self, _: &M) -> bool {
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
    fn price<M: Model<Transition = T>>(&self, model: &M, at: usize, transition: T) -> usize {
        let task = model.task(transition);
        let last = at.checked_sub(1).map(|before| model.task(model.taken(before)));
        match self.cost {
            Cost::Preemptions => {
                let outside = !model.by_itself(at, transition);
                let could_go_on = |other: T| {
                    let other_task = model.task(other);
                    (outside || Some(other_task) == last && other_task != task) && model.by_itself(at, other)
                };
                usize::from(model.enabled(at).any(could_go_on))
            }
            Cost::Delays => {
                let last = last.unwrap_or_default();
                let mine = turn(model, at, last, transition);
                let earlier = |other: &T| model.task(*other) != task && turn(model, at, last, *other) < mine;
                let mut passed: Vec<usize> =
                    model.enabled(at).filter(earlier).map(|other| model.task(other)).collect();
                passed.dedup();
                passed.len()
            }
        }
    }
}

/// When it is a transition's turn, of those enabled in state `at`, if `last` went before: what [`Policy::Stay`] goes by.
fn turn<M: Model>(model: &M, at: usize, last: usize, transition: M::Transition) -> usize {
    let [task, last, tasks] = [model.task(transition), last, model.tasks()].map(|number| number as u32);
    Policy::turn(task, last, tasks, model.by_itself(at, transition)) as usize
}
