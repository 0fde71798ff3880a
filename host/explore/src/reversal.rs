//! A race, turned round: what comes after its first event without needing it, then the task that would go first.
//!
//! Happens-before on that sequence is the path's own, so it is not computed anew: only who could begin it matters.

use fwvs_path::Relation;

use crate::history::{History, Race};
use crate::model::Model;
use crate::subtree::Wish;

/// The events of a path that do not need the first event of a race, then the race's second operation.
#[derive(Debug)]
pub(crate) struct Reversal<'a, M: Model> {
    model: &'a M,
    history: &'a History<M::Event>,
    race: &'a Race<M::Event>,
    /// The first event of each task among them.
    first: Vec<Option<usize>>,
}

impl<'a, M: Model> Reversal<'a, M> {
    pub(crate) fn new(model: &'a M, history: &'a History<M::Event>, race: &'a Race<M::Event>) -> Self {
        let mut first = vec![None; model.tasks()];
        for &event in &race.without {
            first[history.task(event)].get_or_insert(event);
        }
        Self { model, history, race, first }
    }

    /// Whether the sequence could begin with `task`.
    pub(crate) fn begins_with(&self, task: usize) -> bool {
        match self.first[task] {
            Some(event) => {
                let needs = |other: &usize| self.history.before(*other, event);
                !self.first.iter().flatten().any(|other| *other != event && needs(other))
            }
            None => task == self.race.task && self.independent(&self.race.instead),
        }
    }

    /// Every task that the sequence could begin with.
    pub(crate) fn initials(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.first.len()).filter(|task| self.begins_with(*task))
    }

    /// The task to begin it with, if nobody is wanted yet who could.
    pub(crate) fn choice(&self) -> Option<usize> {
        let own = Some(self.race.task).filter(|task| self.begins_with(*task));
        own.or_else(|| self.initials().next())
    }

    /// All that matters of it where somebody else decides.
    pub(crate) fn wish(&self) -> Wish<M::Transition> {
        let only = |task: usize| self.first[task].map(|event| self.model.taken(event));
        let initials = self.initials().map(|task| (task, only(task))).collect();
        Wish { state: self.race.event, initials, choice: self.choice() }
    }

    /// Whether paths that begin with `sleeper` take care of the sequence: it begins with it. The race's second operation is
    /// meant with every alternative, of which a sleeper is only one.
    pub(crate) fn covered_by(&self, sleeper: M::Transition) -> bool {
        let task = self.model.task(sleeper);
        self.first[task].is_some_and(|event| self.model.taken(event) == sleeper && self.begins_with(task))
    }

    /// Whether an operation of another task, or the race's second one, depends on none of the events.
    fn independent(&self, operation: &M::Event) -> bool {
        let commutes = |event: &usize| {
            self.model.relation(self.history.event(*event), operation) == Relation::Independent
        };
        self.race.without.iter().all(commutes)
    }
}
