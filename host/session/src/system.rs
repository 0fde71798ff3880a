//! The session as something that can be explored.

use fwvs_explore::{End, Footprints, Plan, Relation, System};
use fwvs_kernel::{Event, Operation, TaskId, Transition, relation};
use fwvs_link::Link;

use crate::error::{Error, Impossible};
use crate::session::{Ended, Session};

impl<L: Link> System for Session<L> {
    type Transition = Transition;
    type Event = Event;
    type Error = Error;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        match self.run_path(plan)? {
            Ended::Finished => Ok(End::Finished),
            Ended::Wrong => Ok(End::Finding),
            Ended::Depth => Ok(End::Depth),
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

    fn tasks(&self) -> usize {
        self.roster().tasks().len()
    }

    fn task(&self, transition: Transition) -> usize {
        usize::from(transition.task.0.nth)
    }

    fn first(&self, task: usize) -> Transition {
        Transition { task: TaskId::setup(task as u8), alternative: 0 }
    }

    fn pending(&self, at: usize, task: usize) -> Option<Event> {
        let event = self.mirror().kernel(at).event(TaskId::setup(task as u8))?;
        (event.operation != Operation::Exit).then_some(event)
    }

    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        match relation(earlier, later) {
            fwvs_kernel::Relation::Independent => Relation::Independent,
            fwvs_kernel::Relation::Edge => Relation::Edge,
            fwvs_kernel::Relation::Race => Relation::Race,
        }
    }

    fn footprints(&self) -> Option<&dyn Footprints> {
        Some(self)
    }

    fn if_taken(&self, at: usize, event: &Event) -> Option<Event> {
        let kernel = self.mirror().kernel(at);
        kernel.can_take(event.operation).then(|| kernel.event_of(event.task, event.operation))
    }
}
