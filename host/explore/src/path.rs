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
use crate::subtree::{Returned, Wish};

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
    /// Above which state it never goes back.
    floor: usize,
    /// What was handed over from which state, in that order.
    handed: Vec<(usize, T)>,
    /// Of that, what was not taken back yet.
    out: Vec<(usize, T)>,
    /// Whether the decision that this part of a search is below ended a path by force.
    root_by_force: bool,
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
            floor: 0,
            handed: Vec::new(),
            out: Vec::new(),
            root_by_force: false,
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
            floor: self.floor,
            handed: self.handed.clone(),
            out: self.out.clone(),
            root_by_force: self.root_by_force,
            ..Saved::default()
        }
    }

    /// Takes its part of what was saved. There may be more states than the path has decisions for yet.
    pub(crate) fn restore<E>(&mut self, saved: &mut Saved<T, E>) {
        self.script = std::mem::take(&mut saved.script);
        self.after = std::mem::take(&mut saved.after);
        self.fatal = std::mem::take(&mut saved.fatal);
        self.same = saved.same;
        self.floor = saved.floor;
        self.handed = std::mem::take(&mut saved.handed);
        self.out = std::mem::take(&mut saved.out);
        self.root_by_force = saved.root_by_force;
        let known = saved.states.len().min(self.same + 1);
        self.arrived = saved.states[..known].iter().map(|state| state.arrived).collect();
        self.asleep =
            saved.states[..known].iter_mut().map(|state| std::mem::take(&mut state.asleep)).collect();
    }

    /// The path was run, and maybe went on by itself: the same sleep sets as there, state after state.
    pub(crate) fn ran<M: Model<Transition = T>>(&mut self, model: &M) {
        self.script.truncate(model.length());
        self.root_by_force |= model.length() == self.floor && self.floor > 0 && model.fatal(self.floor - 1);
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
        self.handed.retain(|(state, _)| *state <= at);
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
        while let Some(at) = self.asleep.len().checked_sub(1).filter(|at| *at >= self.floor) {
            // Unless it has been waiting there.
            if let Some(taken) = self.script.get(at).copied() {
                if model.fatal(at) {
                    self.fatal.push((at, taken));
                }
                self.asleep[at].push(taken);
                self.script.truncate(at);
            }
            if self.is_out(at) {
                return false;
            }
            let handed = self.handed.extract_if(.., |(state, _)| *state == at);
            self.asleep[at].extend(handed.map(|(_, transition)| transition));
            if let Some(decision) = next(at, &self.asleep[at]) {
                self.fork(model, at, decision);
                return true;
            }
            self.asleep.pop();
            self.fatal.retain(|(state, _)| *state < at);
        }
        false
    }

    /// Hands over the first thing that is wanted and that nobody takes care of, as near to the initial state as possible: a path
    /// that ends with it and never goes back above it. `next` is asked as by [`Path::back`].
    ///
    /// As if it came next in its state, once what is below the present decision is done: that sleeps in the part.
    pub(crate) fn split<M: Model<Transition = T>>(
        &mut self,
        model: &M,
        mut next: impl FnMut(usize, &[T]) -> Option<T>,
    ) -> Option<Self> {
        for at in self.floor..self.script.len().min(self.asleep.len()) {
            // What ends the path by force lets nobody sleep, and of a part that is out nobody knows that yet.
            if model.fatal(at) {
                break;
            }
            if self.is_out(at) {
                continue;
            }
            let mut asleep = self.asleep[at].clone();
            asleep.push(self.script[at]);
            asleep.extend(
                self.handed.iter().filter(|(state, _)| *state == at).map(|(_, transition)| *transition),
            );
            if let Some(transition) = next(at, &asleep) {
                let mut part = self.clone();
                (part.floor, part.root_by_force) = (at + 1, false);
                (part.handed, part.out) = (Vec::new(), Vec::new());
                part.arrived.truncate(at + 1);
                part.asleep[at] = asleep;
                part.fork(model, at, transition);
                self.handed.push((at, transition));
                self.out.push((at, transition));
                return Some(part);
            }
        }
        None
    }

    /// The state above which it never goes back.
    pub(crate) fn floor(&self) -> usize {
        self.floor
    }

    /// What this part of a search hands back that has run all it had; `None` for a whole search.
    pub(crate) fn hand_back(&self, wishes: Vec<Wish<T>>) -> Option<Returned<T>> {
        let state = self.floor.checked_sub(1)?;
        Some(Returned { state, transition: self.script[state], by_force: self.root_by_force, wishes })
    }

    /// A part was taken back.
    pub(crate) fn join(&mut self, part: &Returned<T>) {
        let root = (part.state, part.transition);
        self.out.retain(|out| *out != root);
        if part.by_force {
            self.fatal.push(root);
        }
    }

    fn is_out(&self, at: usize) -> bool {
        self.out.iter().any(|(state, _)| *state == at)
    }

    /// Whether some part was not taken back.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.out.is_empty()
    }

    /// What sleeps in state `at`, was taken there before, or was handed over there.
    pub(crate) fn covering(&self, at: usize) -> impl Iterator<Item = T> + '_ {
        let handed = self.handed.iter().filter(move |(state, _)| *state == at);
        self.asleep[at].iter().copied().chain(handed.map(|(_, transition)| *transition))
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
