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
use crate::reversal::Reversal;
use crate::system::System;
use crate::wanted::Wanted;

/// Depth-first over source sets.
#[derive(Clone, Debug)]
pub struct Source<T, E> {
    wanted: Wanted<T>,
    history: History<E>,
    held_back: HeldBack,
}

impl<T: Copy + Ord, E> Default for Source<T, E> {
    fn default() -> Self {
        Self {
            wanted: Wanted::new(Waking::Always),
            history: History::default(),
            held_back: HeldBack::default(),
        }
    }
}

impl<S: System> Reduction<S> for Source<S::Transition, S::Event> {
    fn next(&self, limits: &Limits) -> Plan<'_, S::Transition> {
        self.wanted.path.next(limits)
    }

    fn ran(&mut self, system: &S, _: End) {
        let same = self.wanted.path.same();
        self.wanted.path.ran(system);
        self.history.ran(system, same);
        for at in self.wanted.tasks.len()..system.length() {
            self.wanted.tasks.push(vec![self.history.task(at)]);
        }
        self.want(system, same);
        self.held_back.look(system, &self.history, same);
    }

    fn held_back(&self) -> Bounds {
        self.held_back.found()
    }

    fn ways(&self, system: &S, at: usize) -> Ways {
        self.wanted.ways(system, at)
    }

    fn save(&self) -> Saved<S::Transition, S::Event> {
        self.wanted.save()
    }

    fn restore(&mut self, saved: Saved<S::Transition, S::Event>) {
        self.wanted.restore(saved);
        self.history = History::default();
    }

    fn advance(&mut self, system: &S) -> bool {
        self.wanted.back(system)
    }
}

impl<T: Copy + Ord, E: Clone> Source<T, E> {
    /// Wants the reversal of every race of an operation that was taken after the first `same`, or not at all.
    fn want<S: System<Transition = T, Event = E>>(&mut self, system: &S, same: usize) {
        for race in &self.history.races(system, same) {
            let reversal = Reversal::new(system, &self.history, race);
            let wanted = &mut self.wanted.tasks[race.event];
            if wanted.iter().any(|task| reversal.begins_with(*task)) {
                continue;
            }
            let asleep = self.wanted.path.asleep(race.event);
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
