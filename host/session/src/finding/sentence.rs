//! Sentences that take more than a line.

use fwvs_kernel::{Operation, TaskId, Verb};
use fwvs_wire::Incident;
use fwvs_wire::value::Value;

use super::fault;
use super::whose::at;
use crate::facts;
use crate::scene::Scene;
use crate::spin::Spin;

impl Scene<'_> {
    /// The last operation, in words.
    pub(super) fn last_operation(&self) -> String {
        let step = self.mirror().steps().last();
        step.map_or(String::new(), |step| self.roster().describe(self.firmware(), step.taken.operation))
    }

    /// A check that does not hold.
    pub(super) fn failed_check(&self, sides: &[Value; 2]) -> String {
        let Some(step) = self.mirror().steps().last() else { return "a check failed".to_owned() };
        let check = Some(step.taken.operation).filter(|operation| operation.verb == Verb::Assert);
        let name = check.and_then(Operation::name).and_then(|name| self.firmware().event_name(name));
        let text = name.unwrap_or("a check");
        // A long condition has the line breaks that the compiler gave it.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let who = self.whose_code(step.transition.task);
        format!("{who}: `{text}` does not hold{}{}", facts::sides(sides), at(self.place(step.pc)))
    }

    /// A task that was kept waiting for so many states.
    pub(super) fn kept_waiting(&self, task: TaskId, states: u32) -> String {
        let known = &self.mirror().last().tasks()[usize::from(task.0.index)];
        let priority = self.priority(known).map_or(String::new(), |own| format!(" (priority {own})"));
        let name = format!("{}{priority}", self.roster().task(task));
        let calls = self.mirror().calls(self.mirror().steps().len());
        let at = at(calls.get(usize::from(task.0.index)).and_then(|call| self.place(*call)));
        let what = self.mirror().last().pending(task).map_or(String::new(), |operation| {
            let what = self.roster().describe(self.firmware(), operation);
            format!("{what}{}", self.held(task, operation))
        });
        format!("{name} has been waiting to {what} for more than {states} states while others went on{at}")
    }

    /// A fault exception.
    pub(super) fn crashed(&self, incident: &Incident) -> String {
        let cause = fault::words(incident.cfsr, incident.hfsr, incident.address);
        let place = self.firmware().place_of_instruction(incident.pc).map(|place| place.to_string());
        let at = at(place.or_else(|| self.place(incident.lr)));
        format!("{} crashed{at}: {cause} (pc {:#010x})", self.who_ran(), incident.pc)
    }

    /// Where a task goes round that comes to no operation.
    pub(super) fn round(&self, spin: Spin) -> String {
        match (spin, self.mirror().steps().last()) {
            (Spin::Unknown, Some(step)) => {
                let place = self.place(step.pc);
                place.map_or(String::new(), |place| format!(" after the one at {place}"))
            }
            _ => spin.words(self.firmware()),
        }
    }
}
