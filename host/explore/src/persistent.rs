//! Persistent sets and sleep sets (VeriSoft 2003, algorithm 2; Godefroid, Peled, Staskauskas 1996).
//!
//! In each state only the transitions of some tasks are tried: so chosen that nothing the other tasks may do, for as
//! long as these stand still, can make a difference to them. What tasks may do is their footprint.
//!
//! Which set that is, the system knows: it keeps to it where it goes on by itself, so nothing is run that is not wanted.

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::Reduction;
use crate::path::Path;
use crate::system::{End, Precision, System, Waking};

/// Depth-first over persistent sets.
#[derive(Clone, Debug)]
pub struct Persistent<T> {
    precision: Precision,
    path: Path<T>,
    /// For each state of the path, the tasks that are wanted there.
    wanted: Vec<Vec<usize>>,
    undeclared: Option<T>,
}

impl<T: Copy + Ord> Persistent<T> {
    /// A search that has not begun, with footprints of that precision.
    pub fn new(precision: Precision) -> Self {
        Self { precision, path: Path::new(Waking::InState), wanted: Vec::new(), undeclared: None }
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

    fn footprints(&self) -> Option<Precision> {
        Some(self.precision)
    }

    fn ran(&mut self, system: &S, _: End) {
        let same = self.path.same();
        self.path.ran(system);
        let mut taken = (same..system.length()).filter(|at| system.undeclared(*at));
        self.undeclared = self.undeclared.or(taken.next().map(|at| system.taken(at)));
        for at in self.wanted.len()..system.length() {
            let wanted = system.persistent(self.precision, at);
            let task = system.task(system.taken(at));
            assert!(
                wanted.contains(&task),
                "in state {at} the system went on with task {task}, not one of {wanted:?}"
            );
            self.wanted.push(wanted);
        }
        if let Some(last) = system.length().checked_sub(1).filter(|last| system.fatal(*last)) {
            // What ends the path by force keeps everybody from going on: whoever can, must have had the chance before.
            self.wanted[last] = (0..system.tasks()).collect();
        }
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
