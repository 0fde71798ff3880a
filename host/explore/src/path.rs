//! The path at hand: its decisions, and at each of its states what other paths take care of.
//!
//! Depth-first search without states: going back means running a shorter script. Which of the enabled transitions
//! are wanted in a state is the reduction's; that nothing is run twice is decided here, by sleep sets (VeriSoft 2003,
//! section 4). They hold pairs of task and alternative, because the alternatives of one task do not stand for each
//! other.

use fwvs_path::{Plan, Relation, Waking};

use crate::checkpoint::{Saved, SavedState};
use crate::estimate::Ways;
use crate::explorer::Limits;
use crate::model::Model;

/// A path, and the sleep set of each of its states.
#[derive(Clone, Debug)]
pub(crate) struct Path<T> {
    /// How sleepers wake up.
    waking: Waking,
    /// The decisions; of the path that ran last, or of the one to run next.
    script: Vec<T>,
    /// For each state that has a decision: who slept on arrival, then what was taken there before.
    asleep: Vec<Vec<T>>,
    /// How many of those slept on arrival.
    arrived: Vec<usize>,
    /// Who sleeps after the script.
    after: Vec<T>,
    /// What ended a path by force, and in which state it was taken. It commutes with nothing, so whatever comes instead
    /// of it wakes it up.
    fatal: Vec<(usize, T)>,
    /// How many decisions are the same as on the path before.
    same: usize,
}

impl<T: Copy + Ord> Path<T> {
    pub(crate) fn new(waking: Waking) -> Self {
        Self {
            waking,
            script: Vec::new(),
            asleep: Vec::new(),
            arrived: Vec::new(),
            after: Vec::new(),
            fatal: Vec::new(),
            same: 0,
        }
    }

    /// What to run next.
    pub(crate) fn next(&self, limits: &Limits) -> Plan<'_, T> {
        Plan { asleep: &self.after, waking: self.waking, ..limits.plan(&self.script, self.same) }
    }

    pub(crate) fn same(&self) -> usize {
        self.same
    }

    /// Who sleeps in state `at`, and what was taken there before.
    pub(crate) fn asleep(&self, at: usize) -> &[T] {
        &self.asleep[at]
    }

    /// Whether a path ended by force with this, taken in state `at`.
    fn is_fatal(&self, at: usize, transition: T) -> bool {
        self.fatal.contains(&(at, transition))
    }

    /// The ways that were taken before from state `at`, and those of `left` that nobody takes care of.
    pub(crate) fn ways(&self, at: usize, left: impl Iterator<Item = T>) -> Ways {
        let fresh = |transition: &T| *transition != self.script[at] && !self.asleep[at].contains(transition);
        Ways { before: self.asleep[at].len() - self.arrived[at], left: left.filter(fresh).count() }
    }

    pub(crate) fn save<E>(&self) -> Saved<T, E> {
        let states = self.asleep.iter().zip(&self.arrived).map(|(asleep, arrived)| SavedState {
            asleep: asleep.clone(),
            arrived: *arrived,
            ..SavedState::default()
        });
        Saved {
            script: self.script.clone(),
            same: self.same,
            after: self.after.clone(),
            states: states.collect(),
            fatal: self.fatal.clone(),
            ..Saved::default()
        }
    }

    /// Takes its part of what was saved. There may be more states than the path has decisions for yet.
    pub(crate) fn restore<E>(&mut self, saved: &mut Saved<T, E>) {
        self.script = std::mem::take(&mut saved.script);
        self.after = std::mem::take(&mut saved.after);
        self.fatal = std::mem::take(&mut saved.fatal);
        self.same = saved.same;
        let known = saved.states.len().min(self.same + 1);
        self.arrived = saved.states[..known].iter().map(|state| state.arrived).collect();
        self.asleep =
            saved.states[..known].iter_mut().map(|state| std::mem::take(&mut state.asleep)).collect();
    }

    /// The path was run, and maybe went on by itself: the same sleep sets as there, state after state.
    pub(crate) fn ran<M: Model<Transition = T>>(&mut self, model: &M) {
        self.script.truncate(model.length());
        for at in self.asleep.len()..model.length() {
            let asleep = match at.checked_sub(1) {
                None => self.after.clone(),
                Some(before) => self.sleepers(model, before, self.script[before]),
            };
            self.arrived.truncate(at);
            self.arrived.push(asleep.len());
            self.asleep.push(asleep);
            if at >= self.script.len() {
                self.script.push(model.taken(at));
            }
        }
    }

    /// Leaves out what comes after state `at`, and takes `decision` there instead.
    pub(crate) fn fork<M: Model<Transition = T>>(&mut self, model: &M, at: usize, decision: T) {
        self.asleep.truncate(at + 1);
        self.fatal.retain(|(state, _)| *state <= at);
        self.script.truncate(at);
        self.after = self.sleepers(model, at, decision);
        self.script.push(decision);
        self.same = at;
    }

    /// Goes back to the last state in which something is wanted that nobody takes care of, and takes it.
    ///
    /// `next` is asked from the end of the path backwards, with the state, and with who sleeps there or was taken there.
    pub(crate) fn back<M: Model<Transition = T>>(
        &mut self,
        model: &M,
        mut next: impl FnMut(usize, &[T]) -> Option<T>,
    ) -> bool {
        while let Some(at) = self.asleep.len().checked_sub(1) {
            if model.fatal(at) {
                self.fatal.push((at, self.script[at]));
            }
            self.asleep[at].push(self.script[at]);
            self.script.truncate(at);
            if let Some(decision) = next(at, &self.asleep[at]) {
                self.fork(model, at, decision);
                return true;
            }
            self.asleep.pop();
            self.fatal.retain(|(state, _)| *state < at);
        }
        false
    }

    /// After [`Path::back`], one more decision for a state that no path has been in yet: `event` is what it will be.
    pub(crate) fn append<M: Model<Transition = T>>(&mut self, model: &M, decision: T, event: &M::Event) {
        let (same, task) = (self.same, model.task(decision));
        self.after.retain(|sleeper| {
            let other = model.task(*sleeper);
            let pending = model.pending(same, other).expect("a sleeper is held at something");
            other != task && model.relation(event, &pending) == Relation::Independent
        });
        self.script.push(decision);
    }

    /// Who still sleeps after `taken` in state `at`.
    fn sleepers<M: Model<Transition = T>>(&self, model: &M, at: usize, taken: T) -> Vec<T> {
        let asleep = self.asleep[at].iter().copied();
        let asleep = asleep.filter(|sleeper| !self.is_fatal(at, *sleeper));
        asleep.filter(|sleeper| !wakes(model, self.waking, at, *sleeper, taken)).collect()
    }
}

/// Whether taking `taken` in state `at` wakes `sleeper` up.
pub(crate) fn wakes<M: Model>(
    model: &M,
    waking: Waking,
    at: usize,
    sleeper: M::Transition,
    taken: M::Transition,
) -> bool {
    match waking {
        Waking::InState => model.dependent(at, sleeper, taken),
        Waking::Always => model.related(at, taken, sleeper),
    }
}
