//! The transitions of a path, in words.

use fwvs_kernel::{ObjectId, Then, Verb, Wait};
use fwvs_scenario::Step;

use crate::mirror;
use crate::scene::Scene;

impl Scene<'_> {
    /// The transitions of the path, in words.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let roster = self.roster();
        let time_matters = self.time_matters();
        let in_words = |(at, step): (usize, &mirror::Step)| {
            let operation = step.taken.operation;
            let passing = (operation.verb == Verb::Pass).then(|| self.passing(at, step));
            let (tick, due) = passing.unzip();
            let event = (operation.verb == Verb::Event).then(|| {
                let name = operation.name().and_then(|name| self.firmware().event_name(name));
                format!("\"{}\" = {}", name.unwrap_or("?"), operation.argument)
            });
            Step {
                task: roster.task(step.transition.task).to_owned(),
                operation: operation.word().to_owned(),
                object: operation.object().map(|object| roster.object(object).to_owned()).or(event).or(tick),
                alternative: (operation.verb == Verb::Toss || step.transition.alternative > 0)
                    .then_some(step.transition.alternative),
                outcome: self.outcome(step),
                due: due.unwrap_or_default(),
                stays: matches!(step.taken.then, Then::Waits | Then::Expired),
                fill: self.fill(at + 1, operation),
                tick: time_matters.then(|| self.mirror().kernel(at + 1).now()),
                place: self.place(step.pc),
            }
        };
        self.mirror().steps().iter().enumerate().map(in_words).collect()
    }

    /// What came of a transition where that is not plain.
    fn outcome(&self, step: &mirror::Step) -> Option<String> {
        let operation = step.taken.operation;
        match operation.verb {
            Verb::Assert if operation.ends_path() => Some("fails".to_owned()),
            Verb::Serve if step.taken.then != Then::Waits => {
                let timer = self.roster().object(ObjectId::setup(step.taken.level as u8));
                let what = match (step.taken.then, step.transition.alternative) {
                    (Then::Stays, _) => "command for",
                    (_, 1) => "overdue callback of",
                    _ => "callback of",
                };
                Some(format!("{what} {timer}"))
            }
            Verb::Lock if operation.wait() == Wait::Forever && step.taken.then == Then::Ends => {
                Some("would wait for ever".to_owned())
            }
            _ => match step.taken.then {
                Then::Waits => Some("waits".to_owned()),
                Then::Expired => Some("time is up".to_owned()),
                Then::Preempted => Some("preempted".to_owned()),
                _ if step.taken.served => None,
                _ if operation.verb == Verb::DelayUntil => Some("overdue".to_owned()),
                _ => Some("not served".to_owned()),
            },
        }
    }
}
