//! Optimal reduction: source sets with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas 2014, 2017). No run is begun that
//! sleep sets would end.
//!
//! Where source sets only note who should go first, a wakeup tree notes the whole reversed race, so that what sleeps is
//! woken on the way. Another alternative of a toss is treated as a race with the one that was taken.

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Kept, Reduction};
use crate::history::{History, Race};
use crate::path::Path;
use crate::system::{End, System, Waking};
use crate::wakeup::{Branch, Step, insert, leave_out};

/// Depth-first over wakeup trees.
#[derive(Clone, Debug)]
pub struct Optimal<T, E> {
    path: Path<T>,
    history: History<E>,
    /// For each state of the path, the ways to go on that are still to be run.
    trees: Vec<Vec<Branch<T, E>>>,
    /// The steps of the script that came from a tree, the last of the script being the last of these.
    planned: Vec<(T, E)>,
}

impl<T: Copy + Ord, E> Default for Optimal<T, E> {
    fn default() -> Self {
        Self {
            path: Path::new(Waking::Always),
            history: History::default(),
            trees: Vec::new(),
            planned: Vec::new(),
        }
    }
}

impl<S: System> Reduction<S> for Optimal<S::Transition, S::Event> {
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

    fn ran(&mut self, system: &S, _: End) -> Kept {
        let same = self.path.same();
        let scripted = self.path.script().len();
        self.path.ran(system);
        self.history.ran(system, same);
        self.rescue(system, scripted);
        self.trees.resize_with(system.length(), Vec::new);
        for race in self.history.races_at_end(system) {
            self.plan(system, &race);
        }
        for event in 0..system.length() {
            self.plan_alternatives(system, event);
        }
        Kept::All
    }

    fn ways(&self, _: &S, at: usize) -> Ways {
        self.path.ways(at, self.trees[at].iter().map(|branch| branch.step.0))
    }

    fn save(&self) -> Saved<S::Transition, S::Event> {
        let mut saved = self.path.save().with_states(self.trees.len());
        for (state, tree) in saved.states.iter_mut().zip(&self.trees) {
            state.branches.clone_from(tree);
        }
        saved
    }

    fn restore(&mut self, mut saved: Saved<S::Transition, S::Event>) {
        self.path.restore(&mut saved);
        self.history = History::default();
        self.trees = saved.states.into_iter().map(|state| state.branches).collect();
    }

    fn advance(&mut self, system: &S) -> bool {
        let trees = &mut self.trees;
        let mut first = None;
        let mut steps = Vec::new();
        let found = self.path.back(system, |at, _| {
            trees.truncate(at + 1);
            if trees[at].is_empty() {
                return None;
            }
            let branch = trees[at].remove(0);
            trees.push(branch.below);
            let transition = branch.step.0;
            first = Some(branch.step);
            Some(transition)
        });
        while let Some(tree) = self.trees.last_mut().filter(|tree| found && !tree.is_empty()) {
            let branch = tree.remove(0);
            self.trees.push(branch.below);
            steps.push(branch.step);
        }
        for (transition, event) in &steps {
            self.path.append(system, *transition, event);
        }
        self.planned = first.into_iter().chain(steps).collect();
        found
    }
}

impl<T: Copy + Ord, E: Clone> Optimal<T, E> {
    /// A path ended by force before its script did. What was planned behind the last step was planned in the belief that
    /// others could go on after it; it is to be run without.
    fn rescue<S: System<Transition = T, Event = E>>(&mut self, system: &S, scripted: usize) {
        let length = system.length();
        let Some(last) = length.checked_sub(1).filter(|last| system.fatal(*last)) else { return };
        let trees = self.trees.split_off(self.trees.len().min(length));
        let known = scripted.saturating_sub(length).min(self.planned.len());
        let planned = std::mem::take(&mut self.planned);
        let before_it = planned.len() - known;
        let mut rest = planned.into_iter().skip(before_it);
        let mut before = Vec::new();
        for tree in trees {
            for sequence in sequences(&tree) {
                self.insert(system, last, before.iter().cloned().chain(sequence).collect());
            }
            before.extend(rest.next());
        }
        before.extend(rest);
        if !before.is_empty() {
            self.insert(system, last, before);
        }
    }

    /// Plans to run the reversal of a race.
    fn plan<S: System<Transition = T, Event = E>>(&mut self, system: &S, race: &Race<T, E>) {
        let transition = race.taken.unwrap_or_else(|| system.first(race.task));
        let mut sequence = self.without(system, race.event);
        sequence.push((transition, race.instead.clone()));
        self.insert(system, race.event, sequence);
    }

    /// Plans to run the alternatives that an event had.
    fn plan_alternatives<S: System<Transition = T, Event = E>>(&mut self, system: &S, event: usize) {
        let taken = system.taken(event);
        let task = system.task(taken);
        for alternative in system.enabled(event) {
            if system.task(alternative) == task && alternative != taken {
                let mut sequence = vec![(alternative, self.history.event(event).clone())];
                sequence.extend(self.without(system, event));
                self.insert(system, event, sequence);
            }
        }
    }

    /// What comes after an event without needing it.
    fn without<S: System<Transition = T, Event = E>>(&self, system: &S, event: usize) -> Vec<Step<S>> {
        let step = |later| (system.taken(later), self.history.event(later).clone());
        self.history.without(event, self.history.len()).map(step).collect()
    }

    /// Adds a sequence to what is to be run from state `at`, unless paths that begin with a sleeper take care of it.
    fn insert<S: System<Transition = T, Event = E>>(
        &mut self,
        system: &S,
        at: usize,
        sequence: Vec<Step<S>>,
    ) {
        let covers = |sleeper: &T| {
            if self.path.is_fatal(at, *sleeper) {
                // It ended its path: it takes care of nothing but itself.
                return sequence.first().is_some_and(|(first, _)| first == sleeper);
            }
            let pending = system.pending(at, system.task(*sleeper)).expect("a sleeper is held at something");
            leave_out(system, &mut sequence.clone(), &(*sleeper, pending))
        };
        if !self.path.asleep(at).iter().any(covers) {
            insert(system, &mut self.trees[at], sequence);
        }
    }
}

/// Every way through a tree, from its root to its leaves.
fn sequences<T: Copy, E: Clone>(tree: &[Branch<T, E>]) -> Vec<Vec<(T, E)>> {
    let below = |branch: &Branch<T, E>| {
        let mut ways = sequences(&branch.below);
        if ways.is_empty() {
            ways.push(Vec::new());
        }
        ways.iter_mut().for_each(|way| way.insert(0, branch.step.clone()));
        ways
    };
    tree.iter().flat_map(below).collect()
}
