//! Persistent sets and sleep sets (VeriSoft 2003, algorithm 2; Godefroid, Peled, Staskauskas 1996).
//!
//! In each state only the transitions of some tasks are tried: so chosen that nothing the other tasks may do, for as
//! long as these stand still, can make a difference to them. What tasks may do is their footprint.
//!
//! Which set that is, the system knows: it keeps to it where it goes on by itself, so nothing is run that is not wanted.

use fwvs_path::{End, Plan, Precision, Waking};

use crate::checkpoint::Saved;
use crate::estimate::Ways;
use crate::explorer::{Limits, Reduction};
use crate::model::Model;
use crate::subtree::Returned;
use crate::wanted::Wanted;

/// Depth-first over persistent sets.
#[derive(Clone, Debug)]
pub struct Persistent<T> {
    precision: Precision,
    wanted: Wanted<T>,
    undeclared: Option<T>,
}

impl<T: Copy + Ord> Persistent<T> {
    /// A search that has not begun, with footprints of that precision.
    pub fn new(precision: Precision) -> Self {
        Self { precision, wanted: Wanted::new(Waking::InState), undeclared: None }
    }

    /// A transition whose task did something that its declared footprint does not have: the search cannot be trusted.
    pub fn undeclared(&self) -> Option<T> {
        self.undeclared
    }
}

impl<M: Model> Reduction<M> for Persistent<M::Transition> {
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition> {
        Plan { footprints: Some(self.precision), ..self.wanted.path.next(limits) }
    }

    fn ran(&mut self, model: &M, _: End) {
        let same = self.wanted.path.same();
        self.wanted.path.ran(model);
        let mut taken = (same..model.length()).filter(|at| model.undeclared(*at));
        self.undeclared = self.undeclared.or(taken.next().map(|at| model.taken(at)));
        for at in self.wanted.tasks.len()..model.length() {
            let wanted = model.persistent(self.precision, at);
            let task = model.task(model.taken(at));
            assert!(
                wanted.contains(&task),
                "in state {at} the model went on with task {task}, not one of {wanted:?}"
            );
            self.wanted.tasks.push(wanted);
        }
        if let Some(last) = model.length().checked_sub(1).filter(|last| model.fatal(*last)) {
            // What ends the path by force keeps everybody from going on: whoever can, must have had the chance before.
            self.wanted.tasks[last] = (0..model.tasks()).collect();
        }
    }

    fn ways(&self, model: &M, at: usize) -> Ways {
        self.wanted.ways(model, at)
    }

    fn split(&mut self, model: &M) -> Option<Saved<M::Transition, M::Event>> {
        Some(self.wanted.split(model)?.save())
    }

    fn hand_back(&mut self) -> Option<Returned<M::Transition>> {
        self.wanted.path.hand_back(Vec::new())
    }

    fn join(&mut self, model: &M, part: Returned<M::Transition>) {
        self.wanted.path.join(&part);
        if part.by_force {
            self.wanted.tasks[part.state] = (0..model.tasks()).collect();
        }
    }

    fn is_waiting(&self) -> bool {
        self.wanted.path.is_waiting()
    }

    fn save(&self) -> Saved<M::Transition, M::Event> {
        self.wanted.save()
    }

    fn restore(&mut self, saved: Saved<M::Transition, M::Event>) {
        self.wanted.restore(saved);
    }

    fn advance(&mut self, model: &M) -> bool {
        self.wanted.back(model)
    }
}
