//! The session as something that can be explored.

use fwvs_explore::{Bounds, End, Plan, Precision, Relation, Replay, System};
use fwvs_kernel::{Event, TaskId, Transition, relation};
use fwvs_link::Link;

use crate::error::{Error, Impossible};
use crate::footprint::precision;
use crate::session::{Ended, Session};

impl<L: Link> System for Session<L> {
    type Transition = Transition;
    type Event = Event;
    type Error = Error;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        let ended = match self.run_path(plan) {
            Err(Error::Link(fwvs_link::Error::Interrupted)) => return Ok(End::Interrupted),
            ended => ended?,
        };
        match ended {
            Ended::Finished => Ok(End::Finished),
            Ended::Wrong => Ok(End::Finding),
            Ended::Depth => Ok(End::Depth),
            Ended::Budget => Ok(End::Budget),
            Ended::Asleep => Ok(End::Asleep),
            Ended::Asked => Err(Impossible::Unexpected(fwvs_wire::StopCode::Asked).into()),
            Ended::NotEnabled => Err(Impossible::Unexpected(fwvs_wire::StopCode::NotEnabled).into()),
        }
    }

    fn length(&self) -> usize {
        self.mirror().steps().len()
    }

    fn taken(&self, at: usize) -> Transition {
        self.mirror().steps()[at].transition
    }

    fn enabled(&self, at: usize) -> impl Iterator<Item = Transition> + '_ {
        self.mirror().kernel(at).enabled()
    }

    fn dependent(&self, at: usize, a: Transition, b: Transition) -> bool {
        self.mirror().kernel(at).dependent(a, b)
    }

    fn by_itself(&self, at: usize, transition: Transition) -> bool {
        self.mirror().kernel(at).is_by_itself(transition)
    }

    fn tasks(&self) -> usize {
        self.roster().tasks().len()
    }

    fn task(&self, transition: Transition) -> usize {
        usize::from(transition.task.0.nth)
    }

    fn alternatives(&self, event: &Event) -> impl Iterator<Item = Transition> {
        let task = event.task;
        let alternatives = 0..self.mirror().kernel(0).most_alternatives(event.operation);
        alternatives.map(move |alternative| Transition { task, alternative: alternative as u16 })
    }

    fn pending(&self, at: usize, task: usize) -> Option<Event> {
        let mut event = self.mirror().kernel(at).event(TaskId::setup(task as u8))?;
        event.ends |= self.fatal(at) && self.task(self.taken(at)) == task;
        Some(event)
    }

    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        match relation(earlier, later) {
            fwvs_kernel::Relation::Independent => Relation::Independent,
            fwvs_kernel::Relation::Edge => Relation::Edge,
            fwvs_kernel::Relation::Race => Relation::Race,
        }
    }

    fn fatal(&self, at: usize) -> bool {
        at + 1 == self.length() && self.scene().ends_by_force()
    }

    fn persistent(&self, precise: Precision, at: usize) -> Vec<usize> {
        let taken = self.task(self.taken(at));
        let set = self.footprints(precision(precise)).persistent(self.mirror().kernel(at), taken);
        (0..self.tasks()).filter(|task| set.contains(*task)).collect()
    }

    fn undeclared(&self, at: usize) -> bool {
        let step = self.mirror().steps()[at];
        let footprints = self.footprints(fwvs_search::Precision::State);
        footprints.undeclared(self.mirror().kernel(at), self.task(step.transition), step.taken.operation)
    }

    fn if_taken(&self, at: usize, then: &[usize], event: &Event) -> Option<Event> {
        self.mirror().if_taken(at, then, event)
    }

    fn held_back(&self, at: usize, then: &[usize]) -> Bounds {
        Bounds(self.mirror().cuts(at, then).bits())
    }

    fn exhausted(&self, at: usize, task: usize) -> Bounds {
        Bounds(self.mirror().exhausted(at, task).bits())
    }

    fn replay(&self, at: usize, steps: &[Replay<Transition>]) -> Vec<Event> {
        self.mirror().replay(at, steps)
    }

    fn widest(&self, event: &Event) -> Event {
        self.mirror().kernel(0).widest(event)
    }

    fn is_settled(&self, event: &Event) -> bool {
        self.mirror().kernel(0).is_settled(event)
    }

    fn by_time(&self, event: &Event) -> bool {
        self.mirror().kernel(0).by_time(event)
    }
}
