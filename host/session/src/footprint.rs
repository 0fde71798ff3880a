//! What tasks declare that they may do, and whether they keep to it.

use fwvs_explore::{Footprints, Precision};
use fwvs_kernel::{Operation, TaskId, may_conflict, may_enable};
use fwvs_link::Link;

use crate::finding::Wrong;
use crate::session::{Ended, Session};

impl<L: Link> Session<L> {
    /// What a task may do in state `at` or later; `None` if that may be anything.
    fn footprint(
        &self,
        precision: Precision,
        at: usize,
        task: usize,
    ) -> Option<impl Iterator<Item = Operation>> {
        let phase = match precision {
            Precision::Task => 0,
            Precision::State | Precision::Runtime => self.mirror().phases(at)[task],
        };
        let declared = self.roster().footprint(task)?.iter().filter(move |one| one.until >= phase);
        Some(declared.flat_map(|one| one.operations()))
    }

    fn held(&self, at: usize, task: usize) -> Option<Operation> {
        self.mirror().kernel(at).pending(TaskId::setup(task as u8))
    }

    /// Cuts the path where a task first did something that it had not declared: every reduction that believed it would
    /// be wrong.
    pub(crate) fn undeclared(&mut self, ended: Ended) -> Ended {
        match (0..self.mirror().steps().len()).find(|at| Footprints::undeclared(self, *at)) {
            Some(at) => self.cut_at(at + 1, Wrong::Undeclared),
            None => ended,
        }
    }
}

impl<L: Link> Footprints for Session<L> {
    fn may_conflict(&self, precision: Precision, at: usize, task: usize, other: usize) -> bool {
        let Some(held) = self.held(at, task) else { return false };
        if held.ends_path() {
            return true;
        }
        let conflicts = |operation: Operation| match self.footprint(precision, at, other) {
            Some(others) => self.mirror().kernel(at).may_meet(operation, others, may_conflict),
            None => operation.object().is_some(),
        };
        match precision {
            Precision::Runtime => conflicts(held),
            Precision::Task | Precision::State => match self.footprint(precision, at, task) {
                Some(mut own) => own.any(conflicts),
                None => true,
            },
        }
    }

    fn may_enable(&self, precision: Precision, at: usize, task: usize, other: usize) -> bool {
        let Some(held) = self.held(at, task) else { return false };
        match self.footprint(precision, at, other) {
            Some(others) => self.mirror().kernel(at).may_meet(held, others, may_enable),
            None => held.object().is_some(),
        }
    }

    fn undeclared(&self, at: usize) -> bool {
        let step = self.mirror().steps()[at];
        let (task, operation) = (usize::from(step.transition.task.0.nth), step.taken.operation);
        operation.object().is_some()
            && self
                .footprint(Precision::State, at, task)
                .is_some_and(|mut declared| !declared.any(|one| one == operation))
    }
}
