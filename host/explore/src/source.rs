//! Source sets and sleep sets: only the orders of transitions that race (Abdulla, Aronis, Jonsson, Sagonas: Optimal
//! Dynamic Partial Order Reduction, 2014; Source Sets, 2017).
//!
//! Each state of the path wants at first only the task that was taken there. When a later operation races with what
//! was taken, the state also wants a task that the reversed race could begin with, unless it wants one already.

use fwvs_path::{End, Plan, Waking};

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Limits, Reduction};
use crate::held_back::{Bounds, HeldBack};
use crate::history::History;
use crate::model::Model;
use crate::reversal::Reversal;
use crate::subtree::{Returned, Wish};
use crate::wanted::Wanted;

/// Depth-first over source sets.
#[derive(Clone, Debug)]
pub struct Source<T, E> {
    wanted: Wanted<T>,
    history: History<E>,
    held_back: HeldBack,
    /// What a part of a search wants above its floor.
    wishes: Vec<Wish<T>>,
}

impl<T: Copy + Ord, E> Default for Source<T, E> {
    fn default() -> Self {
        Self {
            wanted: Wanted::new(Waking::Always),
            history: History::default(),
            held_back: HeldBack::default(),
            wishes: Vec::new(),
        }
    }
}

impl<M: Model> Reduction<M> for Source<M::Transition, M::Event> {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        self.wanted.path.next(limits)
    }

    fn ran(&mut self, model: &M, _: End) {
        let same = self.wanted.path.same();
        self.wanted.path.ran(model);
        self.history.ran(model, same);
        for at in self.wanted.tasks.len()..model.length() {
            self.wanted.tasks.push(vec![self.history.task(at)]);
        }
        self.want(model, same);
        self.held_back.look(model, &self.history, same);
    }

    fn held_back(&self) -> Bounds {
        self.held_back.found()
    }

    fn ways(&self, model: &M, at: usize) -> Ways {
        self.wanted.ways(model, at)
    }

    fn split(&mut self, model: &M) -> Option<Saved<M::Transition, M::Event>> {
        Some(self.wanted.split(model)?.save())
    }

    fn hand_back(&mut self) -> Option<Returned<M::Transition>> {
        let wishes = std::mem::take(&mut self.wishes);
        self.wanted.path.hand_back(wishes)
    }

    fn join(&mut self, _: &M, part: Returned<M::Transition>) {
        self.wanted.path.join(&part);
        for wish in part.wishes {
            self.grant(wish);
        }
    }

    fn is_waiting(&self) -> bool {
        self.wanted.path.is_waiting()
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        Saved { wishes: self.wishes.clone(), ..self.wanted.save() }
    }

    fn restore(&mut self, mut saved: Saved<M::Transition, M::Event>) {
        self.wishes = std::mem::take(&mut saved.wishes);
        self.wanted.restore(saved);
        self.history = History::default();
    }

    fn advance(&mut self, model: &M) -> bool {
        self.wanted.back(model)
    }
}

impl<T: Copy + Ord, E: Clone> Source<T, E> {
    /// Wants the reversal of every race of an operation that was taken after the first `same`, or not at all.
    fn want<M: Model<Transition = T, Event = E>>(&mut self, model: &M, same: usize) {
        for race in &self.history.races(model, same) {
            let reversal = Reversal::new(model, &self.history, race);
            if race.event < self.wanted.path.floor() {
                self.wishes.push(reversal.wish());
                continue;
            }
            let wanted = &mut self.wanted.tasks[race.event];
            if wanted.iter().any(|task| reversal.begins_with(*task)) {
                continue;
            }
            let mut covering = self.wanted.path.covering(race.event);
            if covering.any(|sleeper| reversal.covered_by(sleeper)) {
                continue;
            }
            wanted.extend(reversal.choice());
            debug_assert!(
                wanted.last().is_some_and(|task| model.enabled(race.event).any(|it| model.task(it) == *task)),
                "whoever a reversal begins with can go on"
            );
        }
    }

    /// What a part of this search wants above its floor.
    fn grant(&mut self, wish: Wish<T>) {
        if wish.state < self.wanted.path.floor() {
            self.wishes.push(wish);
            return;
        }
        let wanted = &mut self.wanted.tasks[wish.state];
        let mut covering = self.wanted.path.covering(wish.state);
        let is_wanted = wish.initials.iter().any(|(task, _)| wanted.contains(task));
        let is_covered = covering.any(|sleeper| wish.initials.iter().any(|(_, only)| *only == Some(sleeper)));
        if !is_wanted && !is_covered {
            wanted.extend(wish.choice);
        }
    }
}
