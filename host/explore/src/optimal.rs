//! Optimal reduction: source sets with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas 2014, 2017). No run is begun that
//! sleep sets would end, as long as every operation is the same thing in every state.
//!
//! Where source sets only note who should go first, a wakeup tree notes the whole reversed race, so that what sleeps is
//! woken on the way. Another alternative of a toss is treated as a race with the one that was taken.
//!
//! What a wakeup tree has behind an operation was put there in the belief that others can go on after it. A path that ends
//! by force, such as a crash, shows that belief to have been wrong, and by then it has led to much being left out. So the
//! search starts over with source sets, which believe nothing of the kind. Parts that others were running would be in vain then, so
//! this search cannot be split.

use fwvs_path::{End, Plan, Waking};

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Limits, Reduction};
use crate::held_back::{Bounds, HeldBack};
use crate::history::{History, Race};
use crate::model::{Model, Replay};
use crate::path::Path;
use crate::source::Source;
use crate::wakeup::{Branch, Step, insert, leave_out};

/// Depth-first over wakeup trees, for as long as no path ends by force; then over source sets.
#[derive(Clone, Debug)]
pub struct Optimal<T, E> {
    search: Search<T, E>,
    /// The path at hand ended by force.
    by_force: bool,
}

#[derive(Clone, Debug)]
enum Search<T, E> {
    Trees(Trees<T, E>),
    Source(Source<T, E>),
}

impl<T: Copy + Ord, E> Default for Optimal<T, E> {
    fn default() -> Self {
        Self { search: Search::Trees(Trees::default()), by_force: false }
    }
}

/// The same of whichever search it is now.
macro_rules! now {
    ($search:expr, $now:ident => $what:expr) => {
        match $search {
            Search::Trees($now) => $what,
            Search::Source($now) => $what,
        }
    };
}

impl<M: Model> Reduction<M> for Optimal<M::Transition, M::Event> {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        now!(&self.search, now => Reduction::<M>::next(now, limits))
    }

    fn held_back(&self) -> Bounds {
        now!(&self.search, now => Reduction::<M>::held_back(now))
    }

    fn started_over(&self) -> u64 {
        u64::from(matches!(self.search, Search::Source(_)))
    }

    fn ran(&mut self, model: &M, end: End) {
        self.by_force = model.length().checked_sub(1).is_some_and(|last| model.fatal(last));
        now!(&mut self.search, now => Reduction::<M>::ran(now, model, end));
    }

    fn ways(&self, model: &M, at: usize) -> Ways {
        now!(&self.search, now => Reduction::<M>::ways(now, model, at))
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        let mut saved = now!(&self.search, now => Reduction::<M>::save(now));
        saved.started_over = matches!(self.search, Search::Source(_));
        saved
    }

    fn restore(&mut self, saved: Saved<M::Transition, M::Event>) {
        if saved.started_over {
            self.search = Search::Source(Source::default());
        }
        now!(&mut self.search, now => Reduction::<M>::restore(now, saved));
    }

    fn advance(&mut self, model: &M) -> bool {
        if self.by_force && matches!(self.search, Search::Trees(_)) {
            self.search = Search::Source(Source::default());
            return true;
        }
        now!(&mut self.search, now => Reduction::<M>::advance(now, model))
    }
}

/// Depth-first over wakeup trees.
#[derive(Clone, Debug)]
struct Trees<T, E> {
    path: Path<T>,
    history: History<E>,
    /// For each state of the path, the ways to go on that are still to be run.
    trees: Vec<Vec<Branch<T, E>>>,
    /// Whether some event so far may be something else in another state. Then a transition that commutes with all of a
    /// sequence does not take care of it: what the sequence is run instead of may come after it, be something else, and
    /// depend on that transition. Such runs may end asleep.
    unsettled: bool,
    held_back: HeldBack,
}

impl<T: Copy + Ord, E> Default for Trees<T, E> {
    fn default() -> Self {
        Self {
            path: Path::new(Waking::Always),
            history: History::default(),
            trees: Vec::new(),
            unsettled: false,
            held_back: HeldBack::default(),
        }
    }
}

impl<M: Model> Reduction<M> for Trees<M::Transition, M::Event> {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        self.path.next(limits)
    }

    fn ran(&mut self, model: &M, _: End) {
        let same = self.path.same();
        self.path.ran(model);
        self.history.ran(model, same);
        let held = (0..model.tasks()).filter_map(|task| model.pending(model.length(), task));
        let unsettled = self.history.since(same).cloned().chain(held).any(|event| !model.is_settled(&event));
        self.unsettled |= unsettled;
        self.trees.resize_with(model.length(), Vec::new);
        // Events that are not the same everywhere may come to race only on the way.
        let races = match self.unsettled {
            true => self.history.races(model, same),
            false => self.history.races_at_end(model),
        };
        for race in races {
            self.plan(model, &race);
        }
        for event in 0..model.length() {
            self.plan_alternatives(model, event);
        }
        self.held_back.look(model, &self.history, same);
    }

    fn held_back(&self) -> Bounds {
        self.held_back.found()
    }

    fn ways(&self, _: &M, at: usize) -> Ways {
        self.path.ways(at, self.trees[at].iter().map(|branch| branch.step.0))
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        let mut saved = self.path.save().with_states(self.trees.len());
        for (state, tree) in saved.states.iter_mut().zip(&self.trees) {
            state.branches.clone_from(tree);
        }
        saved.unsettled = self.unsettled;
        saved
    }

    fn restore(&mut self, mut saved: Saved<M::Transition, M::Event>) {
        self.path.restore(&mut saved);
        self.history = History::default();
        self.unsettled = saved.unsettled;
        self.trees = saved.states.into_iter().map(|state| state.branches).collect();
    }

    fn advance(&mut self, model: &M) -> bool {
        let trees = &mut self.trees;
        let mut steps = Vec::new();
        let found = self.path.back(model, |at, _| {
            trees.truncate(at + 1);
            if trees[at].is_empty() {
                return None;
            }
            let branch = trees[at].remove(0);
            trees.push(branch.below);
            Some(branch.step.0)
        });
        while let Some(tree) = self.trees.last_mut().filter(|tree| found && !tree.is_empty()) {
            let branch = tree.remove(0);
            self.trees.push(branch.below);
            steps.push(branch.step);
        }
        for (transition, event) in &steps {
            self.path.append(model, *transition, event);
        }
        found
    }
}

impl<T: Copy + Ord, E: Clone + PartialEq> Trees<T, E> {
    /// Plans to run the reversal of a race, with every alternative: as much as possible of what needs neither of its two
    /// events, so that what sleeps is woken on the way.
    fn plan<M: Model<Transition = T, Event = E>>(&mut self, model: &M, race: &Race<E>) {
        let needs_it = |later: &usize| race.place.is_some_and(|place| self.history.before(place, *later));
        let all: Vec<usize> = self.history.without(race.event).filter(|later| !needs_it(later)).collect();
        for transition in model.alternatives(&race.instead) {
            let sequence = |without: &[usize]| {
                let again = without.iter().copied().map(Replay::Again);
                let steps: Vec<_> = again.chain([Replay::Instead(transition)]).collect();
                self.replay(model, race.event, &steps)
            };
            let is_instead = |steps: &Vec<Step<M>>| steps.last().is_some_and(|(_, it)| *it == race.instead);
            let whole = sequence(&all).filter(is_instead);
            if let Some(sequence) = whole.or_else(|| sequence(&race.without)) {
                self.insert(model, race.event, sequence);
            }
        }
    }

    /// Plans to run the alternatives that an event had.
    fn plan_alternatives<M: Model<Transition = T, Event = E>>(&mut self, model: &M, event: usize) {
        let taken = model.taken(event);
        let task = model.task(taken);
        for alternative in model.enabled(event) {
            if model.task(alternative) == task && alternative != taken {
                let again = self.history.without(event).map(Replay::Again);
                let steps: Vec<_> = [Replay::Instead(alternative)].into_iter().chain(again).collect();
                let alone = || self.replay(model, event, &steps[..1]);
                if let Some(sequence) = self.replay(model, event, &steps).or_else(alone) {
                    self.insert(model, event, sequence);
                }
            }
        }
    }

    /// The steps as transitions and what they will be, if all of them can be taken from state `at`.
    fn replay<M: Model<Transition = T, Event = E>>(
        &self,
        model: &M,
        at: usize,
        steps: &[Replay<T>],
    ) -> Option<Vec<Step<M>>> {
        let events = model.replay(at, steps);
        let transition = |step: &Replay<T>| match *step {
            Replay::Again(place) => model.taken(place),
            Replay::Instead(transition) => transition,
        };
        (events.len() == steps.len()).then(|| steps.iter().map(transition).zip(events).collect())
    }

    /// Adds a sequence to what is to be run from state `at`, unless paths that begin with a sleeper take care of it.
    fn insert<M: Model<Transition = T, Event = E>>(&mut self, model: &M, at: usize, sequence: Vec<Step<M>>) {
        let covers = |sleeper: &T| {
            let pending = model.pending(at, model.task(*sleeper)).expect("a sleeper is held at something");
            leave_out(model, &mut sequence.clone(), &(*sleeper, pending), !self.unsettled)
        };
        if !self.path.asleep(at).iter().any(covers) {
            insert(model, &mut self.trees[at], sequence, !self.unsettled);
        }
    }
}
