//! What a search asks about the states of a path.

use fwvs_explore::{Bounds, Replay};
use fwvs_kernel::{Event, NoBodies, Transition};
use fwvs_path::{End, Precision, Relation, Waking};

use crate::model::Model;
use crate::omission::Omission;
use crate::trace::{Arrived, Change, Step, Trace};

impl<F: Clone + Send, O: Omission> fwvs_explore::Model for Model<F, O> {
    type Transition = Transition;
    type Event = Event;
    type Trace = Trace<F>;

    fn trace(&self) -> &Trace<F> {
        self.trace()
    }

    fn end(&self) -> End {
        self.trace().end
    }

    fn length(&self) -> usize {
        self.steps().len()
    }

    fn taken(&self, at: usize) -> Transition {
        self.steps()[at].transition
    }

    fn enabled(&self, at: usize) -> impl Iterator<Item = Transition> + '_ {
        self.kernel(at).enabled()
    }

    fn dependent(&self, at: usize, a: Transition, b: Transition) -> bool {
        let kernel = self.kernel(at);
        !self.omission.leaves_out(Waking::InState, kernel, a.task, b.task) && kernel.dependent(a, b)
    }

    fn by_itself(&self, at: usize, transition: Transition) -> bool {
        self.kernel(at).is_by_itself(transition)
    }

    fn tasks(&self) -> usize {
        self.last().tasks().len()
    }

    fn task(&self, transition: Transition) -> usize {
        usize::from(transition.task.0.index)
    }

    fn alternatives(&self, event: &Event) -> impl Iterator<Item = Transition> {
        let task = event.task;
        let alternatives = 0..self.kernel(0).most_alternatives(event.operation);
        alternatives.map(move |alternative| Transition { task, alternative: alternative as u16 })
    }

    fn pending(&self, at: usize, task: usize) -> Option<Event> {
        let mut event = self.event(at, task)?;
        event.ends |= self.fatal(at) && self.task(self.taken(at)) == task;
        Some(event)
    }

    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        self.omission.relation(earlier, later)
    }

    fn if_taken(&self, at: usize, then: &[usize], event: &Event) -> Option<Event> {
        if let Some(answer) = self.kernel(at).if_taken_instead(event, self.taken(at)) {
            return answer;
        }
        self.after(at, then)?.enabled_event(event.task)
    }

    fn replay(&self, at: usize, steps: &[Replay<Transition>]) -> Vec<Event> {
        let mut kernel = self.kernel(at).clone();
        let mut events = Vec::new();
        for step in steps {
            let (transition, arrived, change) = match *step {
                Replay::Again(place) => {
                    let Step { transition, arrived, change, .. } = self.steps()[place];
                    (transition, arrived, change)
                }
                Replay::Instead(transition) => (transition, Arrived::Never, Change::Nothing),
            };
            let Some(event) = kernel.event(transition.task).filter(|_| kernel.is_enabled(transition)) else {
                break;
            };
            kernel.take(transition, &mut NoBodies);
            events.push(event);
            if let Arrived::At(operation, _) = arrived
                && kernel.arrive(transition.task, operation).is_err()
            {
                break;
            }
            if change.apply(&mut kernel).is_err() {
                break;
            }
        }
        events
    }

    fn widest(&self, event: &Event) -> Event {
        self.kernel(0).widest(event)
    }

    fn is_settled(&self, event: &Event) -> bool {
        self.kernel(0).is_settled(event)
    }

    fn by_time(&self, event: &Event) -> bool {
        self.kernel(0).by_time(event)
    }

    fn held_back(&self, at: usize, then: &[usize]) -> Bounds {
        Bounds(self.cuts(at, then).bits())
    }

    fn exhausted(&self, at: usize, task: usize) -> Bounds {
        Bounds(self.bounds_of(at, task).bits())
    }

    fn fatal(&self, at: usize) -> bool {
        at + 1 == self.length() && self.found().is_some_and(|found| found.by_force)
    }

    fn persistent(&self, precision: Precision, at: usize) -> Vec<usize> {
        let taken = self.task(self.taken(at));
        let set = self.footprints(precision).persistent(self.kernel(at), taken);
        (0..self.tasks()).filter(|task| set.contains(*task)).collect()
    }

    fn undeclared(&self, at: usize) -> bool {
        let step = self.steps()[at];
        let place = self.task(step.transition);
        self.footprints(Precision::State).undeclared(self.kernel(at), place, step.taken.operation)
    }
}
