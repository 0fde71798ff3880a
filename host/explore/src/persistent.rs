//! Persistent sets and sleep sets (VeriSoft 2003, algorithm 2; Godefroid, Peled, Staskauskas 1996).
//!
//! In each state only the transitions of some tasks are tried: so chosen that nothing the other tasks may do, for as
//! long as these stand still, can make a difference to them. What tasks may do is their footprint.
//!
//! The system goes on by itself after a script, and knows no footprints. Where it strays from the smallest set, the rest
//! of its path is left out and run as it should have been.

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Kept, Reduction};
use crate::path::Path;
use crate::system::{End, Precision, System, Waking};

/// Depth-first over persistent sets.
#[derive(Clone, Debug)]
pub struct Persistent<T> {
    precision: Precision,
    path: Path<T>,
    /// For each state of the path, the tasks that are wanted there.
    wanted: Vec<Vec<usize>>,
    /// What to take where the path at hand strayed.
    strayed: Option<(usize, T)>,
    undeclared: Option<T>,
}

impl<T: Copy + Ord> Persistent<T> {
    /// A search that has not begun, with footprints of that precision.
    pub fn new(precision: Precision) -> Self {
        Self {
            precision,
            path: Path::new(Waking::InState),
            wanted: Vec::new(),
            strayed: None,
            undeclared: None,
        }
    }

    /// A transition whose task did something that its declared footprint does not have: the search cannot be trusted.
    pub fn undeclared(&self) -> Option<T> {
        self.undeclared
    }
}

impl<S: System> Reduction<S> for Persistent<S::Transition> {
    fn script(&self) -> &[S::Transition] {
        self.path.script()
    }

    fn same(&self) -> usize {
        self.path.same()
    }

    fn asleep(&self) -> &[S::Transition] {
        self.path.after()
    }

    fn ran(&mut self, system: &S, _: End) -> Kept {
        let same = self.path.same();
        self.path.ran(system);
        if let Some(footprints) = system.footprints() {
            let mut taken = (same..system.length()).filter(|at| footprints.undeclared(*at));
            self.undeclared = self.undeclared.or(taken.next().map(|at| system.taken(at)));
        }
        if let Some(last) = system.length().checked_sub(1)
            && last < self.wanted.len()
            && system.fatal(last)
        {
            // The state was known, and that this would end the path was not.
            self.wanted[last] = persistent(system, self.precision, last);
        }
        for at in self.wanted.len()..system.length() {
            self.wanted.push(persistent(system, self.precision, at));
            if !self.wanted[at].contains(&system.task(system.taken(at))) {
                let Some(next) = fresh(system, at, &self.wanted[at], self.path.asleep(at)) else {
                    self.wanted.pop();
                    self.path.cut(at);
                    return Kept::Asleep(at);
                };
                self.strayed = Some((at, next));
                return Kept::Until(at);
            }
        }
        Kept::All
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
        self.wanted = saved.states.into_iter().map(|state| state.wanted).collect();
    }

    fn advance(&mut self, system: &S) -> bool {
        if let Some((at, next)) = self.strayed.take() {
            self.path.fork(system, at, next);
            return true;
        }
        let wanted = &mut self.wanted;
        self.path.back(system, |at, asleep| {
            wanted.truncate(at + 1);
            fresh(system, at, &wanted[at], asleep)
        })
    }
}

/// Something in state `at` that is wanted, and that nobody takes care of.
fn fresh<S: System>(
    system: &S,
    at: usize,
    wanted: &[usize],
    asleep: &[S::Transition],
) -> Option<S::Transition> {
    let mut enabled = system.enabled(at);
    enabled.find(|transition| wanted.contains(&system.task(*transition)) && !asleep.contains(transition))
}

/// The smallest persistent set over all seeds; among several, one that has the task taken in state `at`.
fn persistent<S: System>(system: &S, precision: Precision, at: usize) -> Vec<usize> {
    let mut enabled: Vec<usize> = system.enabled(at).map(|transition| system.task(transition)).collect();
    enabled.dedup();
    if system.fatal(at) {
        // What ends the path by force keeps everybody from going on: whoever can, must have had the chance before.
        return enabled;
    }
    let taken = system.task(system.taken(at));
    let rank =
        |set: &Vec<usize>| (set.iter().filter(|task| enabled.contains(task)).count(), !set.contains(&taken));
    let sets = enabled.iter().map(|seed| closure(system, precision, at, &enabled, *seed));
    sets.min_by_key(rank).expect("something was enabled where something was taken")
}

/// The tasks that may make a difference to `seed`, to each other, or to whether one of them can go on.
fn closure<S: System>(
    system: &S,
    precision: Precision,
    at: usize,
    enabled: &[usize],
    seed: usize,
) -> Vec<usize> {
    let mut set = vec![seed];
    let mut next = 0;
    while let Some(&task) = set.get(next) {
        next += 1;
        for other in 0..system.tasks() {
            let matters = match system.footprints() {
                None => true,
                Some(footprints) if enabled.contains(&task) => {
                    footprints.may_conflict(precision, at, task, other)
                }
                Some(footprints) => footprints.may_enable(precision, at, task, other),
            };
            if matters && !set.contains(&other) {
                set.push(other);
            }
        }
    }
    set
}
