//! Whose code ran, and where in the source.

use fwvs_kernel::{ObjectId, Role, TaskId, Then, Verb};

use crate::mirror::Step;
use crate::scene::Scene;

/// " at FILE:LINE", if that is known.
pub(super) fn at(place: Option<String>) -> String {
    place.map_or(String::new(), |place| format!(" at {place}"))
}

impl Scene<'_> {
    /// Whose code ran when the path ended.
    pub(super) fn who_ran(&self) -> String {
        self.running().map_or("the set-up".to_owned(), |task| self.whose_code(task))
    }

    /// The place of the last operation.
    pub(super) fn last_place(&self) -> Option<String> {
        self.mirror().steps().last().and_then(|step| self.place(step.pc))
    }

    /// The timer whose callback was called last.
    fn callback(&self) -> Option<ObjectId> {
        let served = |step: &&Step| {
            let runs = matches!(step.taken.then, Then::Runs | Then::Preempted);
            runs && step.taken.operation.verb == Verb::Serve
        };
        let step = self.mirror().steps().iter().rev().find(served)?;
        Some(ObjectId::setup(step.taken.level as u8))
    }

    /// Whose code a task runs: a task's own, the handler of an interrupt, the callback of a timer.
    pub(super) fn whose_code(&self, task: TaskId) -> String {
        let kernel = self.mirror().last();
        let name = self.roster().task(task);
        match kernel.task_place(task).map(|place| kernel.tasks()[place].role) {
            Some(Role::Interrupt { .. }) => format!("the handler of {name}"),
            Some(Role::Daemon) => {
                let timer = self.callback().map(|timer| self.roster().object(timer));
                timer.map_or(name.to_owned(), |timer| format!("the callback of {timer}"))
            }
            _ => name.to_owned(),
        }
    }

    /// Where the task began its last critical section.
    pub(super) fn critical_section(&self, task: TaskId) -> Option<String> {
        let begins =
            |step: &&Step| step.transition.task == task && step.taken.operation.verb == Verb::EnterCritical;
        let step = self.mirror().steps().iter().rev().find(begins)?;
        self.place(step.pc)
    }
}
