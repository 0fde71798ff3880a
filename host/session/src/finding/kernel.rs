//! What the kernel found wrong with a step, with names.

use fwvs_kernel::{Operation, Verb, Wrong};

use super::whose::at;
use crate::scene::Scene;

impl Scene<'_> {
    /// What the kernel found, with names. Tasks that wait for each other are a deadlock, which has a sentence of its own.
    pub(super) fn forbidden(&self, wrong: Wrong) -> String {
        let step = self.mirror().steps().last();
        let at = at(self.last_place());
        let who = self.whose_code(wrong.task());
        let operation = step.map(|step| step.taken.operation);
        let what = self.last_operation();
        let object = operation.and_then(Operation::object);
        let name = object.map_or("the object", |object| self.roster().object(object));
        match wrong {
            Wrong::Cycle(_) => self.who_waits_for_whom(),
            Wrong::NeverFull(_) => {
                let gives = operation.is_some_and(|operation| operation.verb == Verb::Give);
                let what = if gives { "give" } else { "send to" };
                format!("{who} could not {what} {name}: it is full, and was declared never to be{at}")
            }
            Wrong::NotOwner(_) => {
                let owner = object.and_then(|object| self.owner(object));
                let owner = owner.map_or("nobody", |owner| self.roster().task(owner));
                format!("{who} unlocked {name}, which {owner} owns{at}")
            }
            Wrong::BlocksInHandler(_) | Wrong::BlocksInCallback(_) => {
                format!("{who} would wait to {what}{at}")
            }
            Wrong::BlocksInCritical(_) => format!("{who} would wait to {what} inside a critical section{at}"),
            Wrong::MutexInHandler(_) => format!("{who} used the mutex {name}{at}"),
            Wrong::NotInCritical(_) => format!("{who} ended a critical section that it is not in{at}"),
            Wrong::EndsInCritical(task) => {
                let began = super::whose::at(self.critical_section(task));
                format!("{who} ended inside the critical section that it began{began}")
            }
            Wrong::CommandsFull(_) => {
                format!("{who} could not {what}: there is no room left for timer commands{at}")
            }
        }
    }
}
