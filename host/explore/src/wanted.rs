//! The path at hand, and for each of its states the tasks that are wanted there, with all their alternatives: what
//! persistent sets and source sets have in common. Who is wanted is theirs.

use fwvs_path::Waking;

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::model::Model;
use crate::path::Path;

#[derive(Clone, Debug)]
pub(crate) struct Wanted<T> {
    pub(crate) path: Path<T>,
    /// For each state of the path, the tasks that are wanted there.
    pub(crate) tasks: Vec<Vec<usize>>,
}

impl<T: Copy + Ord> Wanted<T> {
    pub(crate) fn new(waking: Waking) -> Self {
        Self { path: Path::new(waking), tasks: Vec::new() }
    }

    pub(crate) fn ways<M: Model<Transition = T>>(&self, model: &M, at: usize) -> Ways {
        let wanted = |transition: &T| self.tasks[at].contains(&model.task(*transition));
        self.path.ways(at, model.enabled(at).filter(wanted))
    }

    /// A part of what is left, to be run by somebody else.
    pub(crate) fn split<M: Model<Transition = T>>(&mut self, model: &M) -> Option<Self> {
        let tasks = &self.tasks;
        let fresh = |at: usize, asleep: &[T]| {
            let is_fresh = |one: &T| tasks[at].contains(&model.task(*one)) && !asleep.contains(one);
            model.enabled(at).find(is_fresh)
        };
        let path = self.path.split(model, fresh)?;
        let tasks = self.tasks[..path.floor()].to_vec();
        Some(Self { path, tasks })
    }

    pub(crate) fn save<E>(&self) -> Saved<T, E> {
        let mut saved = self.path.save().with_states(self.tasks.len());
        for (state, wanted) in saved.states.iter_mut().zip(&self.tasks) {
            state.wanted.clone_from(wanted);
        }
        saved
    }

    pub(crate) fn restore<E>(&mut self, mut saved: Saved<T, E>) {
        self.path.restore(&mut saved);
        self.tasks = saved.states.into_iter().map(|state| state.wanted).collect();
    }

    /// Goes back to the last state in which somebody is wanted who was not taken, and takes it.
    pub(crate) fn back<M: Model<Transition = T>>(&mut self, model: &M) -> bool {
        let tasks = &mut self.tasks;
        self.path.back(model, |at, asleep| {
            tasks.truncate(at + 1);
            let fresh = |one: &T| tasks[at].contains(&model.task(*one)) && !asleep.contains(one);
            model.enabled(at).find(fresh)
        })
    }
}
