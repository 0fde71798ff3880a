//! The session as something that can be explored.

use fwvs_explore::{Bounds, Replay, System};
use fwvs_kernel::{Event, TaskId, Transition, relation};
use fwvs_link::Link;
use fwvs_path::{End, Plan, Precision, Relation};
use fwvs_wire::StopCode;

use crate::error::{Error, Impossible};
use crate::session::Session;

impl<L: Link> System for Session<L> {
    type Transition = Transition;
    type Event = Event;
    type Error = Error;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        let unexpected = |code| Err(Impossible::Unexpected(code).into());
        match self.run_path(plan) {
            Err(Error::Link(fwvs_link::Error::Interrupted)) => Ok(End::Interrupted),
            Ok(End::Asked) => unexpected(StopCode::Asked),
            Ok(End::NotEnabled) => unexpected(StopCode::NotEnabled),
            ended => ended,
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
        relation(earlier, later)
    }

    fn fatal(&self, at: usize) -> bool {
        at + 1 == self.length() && self.scene().ends_by_force()
    }

    fn persistent(&self, precise: Precision, at: usize) -> Vec<usize> {
        let taken = self.task(self.taken(at));
        let set = self.footprints(precise).persistent(self.mirror().kernel(at), taken);
        (0..self.tasks()).filter(|task| set.contains(*task)).collect()
    }

    fn undeclared(&self, at: usize) -> bool {
        let step = self.mirror().steps()[at];
        let footprints = self.footprints(Precision::State);
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
