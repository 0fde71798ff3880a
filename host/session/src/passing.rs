//! The clock's transitions: whose deadlines pass together, and how that reads.

use fwvs_kernel::{Role, Verb};

use crate::mirror::Step;
use crate::scene::Scene;

impl<'a> Scene<'a> {
    /// The tasks and timers whose deadlines passed with transition `at` of the path, as places; nobody's unless it was the
    /// clock's.
    pub(crate) fn passed(self, at: usize) -> impl Iterator<Item = usize> + 'a {
        let step = self.mirror().steps().get(at);
        let clock = step.filter(|step| step.taken.operation.verb == Verb::Pass);
        clock.into_iter().flat_map(move |_| self.mirror().kernel(at).due_next())
    }

    /// Which tick has come, and who is done waiting with it.
    pub(crate) fn passing(&self, at: usize, step: &Step) -> (String, Vec<String>) {
        let kernel = self.mirror().kernel(at);
        let name = |place: usize| match kernel.tasks()[place].role {
            Role::Timer { timer } => self.roster().object(timer),
            _ => self.roster().task(kernel.tasks()[place].id),
        };
        (format!("tick {}", step.taken.tick), self.passed(at).map(|place| name(place).to_owned()).collect())
    }
}
