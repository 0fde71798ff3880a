//! Source sets and sleep sets: only the orders of transitions that race (Abdulla, Aronis, Jonsson, Sagonas: Optimal
//! Dynamic Partial Order Reduction, 2014; Source Sets, 2017).
//!
//! Each state of the path wants at first only the task that was taken there. When a later operation races with what
//! was taken, the state also wants a task that the reversed race could begin with, unless it wants one already.

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::Reduction;
use crate::history::History;
use crate::path::Path;
use crate::reversal::Reversal;
use crate::system::{End, System, Waking};

/// Depth-first over source sets.
#[derive(Clone, Debug)]
pub struct Source<T, E> {
    path: Path<T>,
    history: History<E>,
    /// For each state of the path, the tasks that are wanted there; all alternatives of each.
    wanted: Vec<Vec<usize>>,
}

impl<T: Copy + Ord, E> Default for Source<T, E> {
    fn default() -> Self {
        Self { path: Path::new(Waking::Always), history: History::default(), wanted: Vec::new() }
    }
}

impl<S: System> Reduction<S> for Source<S::Transition, S::Event> {
    fn script(&self) -> &[S::Transition] {
        self.path.script()
    }

    fn same(&self) -> usize {
        self.path.same()
    }

    fn asleep(&self) -> &[S::Transition] {
        self.path.after()
    }

    fn waking(&self) -> Waking {
        self.path.waking()
    }

    fn ran(&mut self, system: &S, _: End) {
        let same = self.path.same();
        self.path.ran(system);
        self.history.ran(system, same);
        for at in self.wanted.len()..system.length() {
            self.wanted.push(vec![self.history.task(at)]);
        }
        self.want(system, same);
    }

    fn ways(&self, system: &S, at: usize) -> Ways {
        let wanted = |transition: &S::Transition| self.wanted[at].contains(&system.task(*transition));
        self.path.ways(at, system.enabled(at).filter(wanted))
    }

    fn save(&self) -> Saved<S::Transition, S::Event> {
        let mut saved = self.path.save().with_states(self.wanted.len());
        for (state, wanted) in saved.states.iter_mut().zip(&self.wanted) {
            state.wanted.clone_from(wanted);
        }
        saved
    }

    fn restore(&mut self, mut saved: Saved<S::Transition, S::Event>) {
        self.path.restore(&mut saved);
        self.history = History::default();
        self.wanted = saved.states.into_iter().map(|state| state.wanted).collect();
    }

    fn advance(&mut self, system: &S) -> bool {
        let wanted = &mut self.wanted;
        self.path.back(system, |at, asleep| {
            wanted.truncate(at + 1);
            let fresh = |transition: &S::Transition| {
                wanted[at].contains(&system.task(*transition)) && !asleep.contains(transition)
            };
            system.enabled(at).find(fresh)
        })
    }
}

impl<T: Copy + Ord, E: Clone> Source<T, E> {
    /// Wants the reversal of every race of an operation that was taken after the first `same`, or not at all.
    fn want<S: System<Transition = T, Event = E>>(&mut self, system: &S, same: usize) {
        for race in &self.history.races(system, same) {
            let reversal = Reversal::new(system, &self.history, race);
            let wanted = &mut self.wanted[race.event];
            if wanted.iter().any(|task| reversal.begins_with(*task)) {
                continue;
            }
            let asleep = self.path.asleep(race.event);
            if asleep.iter().any(|sleeper| reversal.covered_by(*sleeper)) {
                continue;
            }
            let own = Some(race.task).filter(|task| reversal.begins_with(*task));
            wanted.extend(own.or_else(|| reversal.initials().next()));
            debug_assert!(
                wanted
                    .last()
                    .is_some_and(|task| system.enabled(race.event).any(|it| system.task(it) == *task)),
                "whoever a reversal begins with can go on"
            );
        }
    }
}
