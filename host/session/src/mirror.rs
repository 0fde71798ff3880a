//! The states of the path, rebuilt from the records: one kernel a state, so that only what is new is replayed.

use std::borrow::Cow;

use fwvs_explore::Replay;
use fwvs_kernel::{Boxed, Cuts, Event, Kernel, NoBodies, Operation, Taken, Then, Transition, Use, Verb};
use fwvs_path::Plan;
use fwvs_search::{Extension, Footprints, Sleepers, Stop, choose, follow, still_asleep};
use fwvs_wire::Record;
use zerocopy::FromBytes;

use crate::error::{Difference, Error, Impossible};
use crate::roster::Roster;

/// One transition of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who, and which alternative.
    pub transition: Transition,
    /// Which operation was taken, and what came of it.
    pub taken: Taken,
    /// Where it was called from.
    pub pc: u32,
    /// Where the task was afterwards.
    pub arrived: Arrived,
}

/// Where a task is after a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrived {
    /// At that operation, called from there.
    At(Operation, u32),
    /// Where it was: it waits, was preempted, or has no code to run.
    Stays,
    /// It never arrived anywhere: the path ended on the way.
    Never,
}

impl Step {
    /// Whether the path can have gone on after it.
    pub(crate) fn is_complete(&self) -> bool {
        self.arrived != Arrived::Never
    }
}

/// A global state.
#[derive(Clone, Debug)]
struct State {
    kernel: Kernel<Boxed>,
    /// Where each task called the operation it is held at from.
    calls: Vec<u32>,
    /// Of all records up to here.
    trace: u32,
    /// Of each task's tosses up to here.
    tosses: Vec<u64>,
}

/// The path that ran last.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Those beyond the path's length are only kept for their memory.
    states: Vec<State>,
    steps: Vec<Step>,
    asleep: Vec<Sleepers>,
    /// What tasks declared that they may do.
    uses: Vec<Use>,
    /// Whether a bound inside the system can keep anybody from going on.
    can_be_cut: bool,
}

impl Mirror {
    /// Of a system in its initial state.
    pub(crate) fn new(roster: &Roster) -> Self {
        let state = State {
            kernel: roster.kernel().clone(),
            calls: roster.first_calls().to_vec(),
            trace: 0,
            tosses: vec![0; roster.tasks().len()],
        };
        let can_be_cut = state.kernel.can_be_cut();
        let uses = roster.uses().to_vec();
        Self { states: vec![state], steps: Vec::new(), asleep: Vec::new(), uses, can_be_cut }
    }

    /// The transitions of the path.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The kernel in state `at`.
    pub fn kernel(&self, at: usize) -> &Kernel<Boxed> {
        &self.states[at].kernel
    }

    /// The kernel in the last state.
    pub fn last(&self) -> &Kernel<Boxed> {
        &self.states[self.steps.len()].kernel
    }

    /// Where each task called the operation it is held at in state `at` from.
    pub fn calls(&self, at: usize) -> &[u32] {
        &self.states[at].calls
    }

    /// Which bounds inside the system, and nothing else, keep somebody from going on after the first `at` transitions and those
    /// at the places `then`. Where a path ends by force there is no state to go on from.
    pub(crate) fn cuts(&self, at: usize, then: &[usize]) -> Cuts {
        let ended = |place: usize| !self.steps[place].is_complete();
        if !self.can_be_cut || at.checked_sub(1).is_some_and(ended) {
            return Cuts::default();
        }
        match self.after(at, then) {
            Some(kernel) if !then.iter().any(|place| ended(*place)) => kernel.cuts(),
            _ => Cuts::default(),
        }
    }

    /// Which bounds may hold back what the task at `place` is held at in state `at`.
    pub(crate) fn exhausted(&self, at: usize, place: usize) -> Cuts {
        if self.can_be_cut { self.kernel(at).exhausted(place) } else { Cuts::default() }
    }

    /// The path ends after so many transitions.
    pub(crate) fn cut(&mut self, length: usize) {
        self.steps.truncate(length);
    }

    /// A digest of all tosses of the path.
    pub fn tosses(&self) -> u64 {
        let tosses = self.states[self.steps.len()].tosses.iter().enumerate();
        // Whatever the order between tasks: it is not chosen by tossing.
        tosses.fold(0, |all, (task, digest)| all ^ digest.rotate_left(task as u32))
    }

    /// Digest of all records.
    pub(crate) fn trace(&self) -> u32 {
        self.states[self.steps.len()].trace
    }

    /// Goes back to state `length`; `asleep` sleeps in the state after the script.
    pub(crate) fn back_to(&mut self, length: usize, asleep: &[Transition]) {
        self.steps.truncate(length);
        self.states[length].kernel.forget_priorities();
        self.asleep = gathered(asleep);
    }

    /// What should come next.
    pub(crate) fn expected(&mut self, plan: &Plan<'_, Transition>) -> Result<Transition, Stop> {
        let kernel = &mut self.states[self.steps.len()].kernel;
        let choice = match plan.script.get(self.steps.len()) {
            Some(scripted) => follow(kernel, *scripted),
            None => choose(
                kernel,
                &Extension {
                    policy: plan.policy,
                    depth: plan.depth,
                    asleep: &self.asleep,
                    footprints: plan.footprints.map(|precision| Footprints::new(&self.uses, precision)),
                },
            ),
        };
        choice.map(|choice| choice.transition)
    }

    /// Follows one record, and says how many 16-byte places it took. A record that is not complete ends the path.
    pub(crate) fn follow(
        &mut self,
        places: &[u8],
        at: usize,
        plan: &Plan<'_, Transition>,
    ) -> Result<usize, Error> {
        let record = Record::read_from_bytes(&places[..Record::BYTES]).expect("16 bytes");
        let step = self.steps.len() + 1;
        let mismatch = |difference| Error::Mismatch { step, difference };
        let transition = record.transition();
        let expected = self.expected(plan);
        if expected != Ok(transition) {
            let host = format!("{expected:?}");
            return Err(mismatch(Difference::Transition { target: format!("{transition:?}"), host }));
        }
        let wide = match (record.wide(), places.get(Record::BYTES..Record::BYTES + 4)) {
            (false, _) => None,
            (true, Some(word)) => Some(u32::from_le_bytes(word.try_into().expect("four bytes"))),
            (true, None) => return Err(Impossible::Incomplete(at).into()),
        };
        let why = |why| Impossible::Record { at, why };
        let arrived = match (record.complete(), record.stays()) {
            (false, _) => Arrived::Never,
            (true, true) => Arrived::Stays,
            (true, false) => Arrived::At(record.operation(wide.unwrap_or(0)).map_err(why)?, record.pc),
        };
        self.wake(transition, plan);
        let taken = self.push(transition, arrived).ok_or(Impossible::Object { at })?;
        let runs = taken.then == Then::Runs;
        let agrees = match arrived {
            Arrived::Never => runs || taken.then == Then::Ends,
            Arrived::Stays => !runs,
            Arrived::At(..) => runs,
        };
        if !agrees || (record.level, record.served()) != (taken.level, taken.served) {
            return Err(mismatch(Difference::Outcome {
                target: record.level,
                target_served: record.served(),
                host: taken.level,
                host_served: taken.served,
            }));
        }
        if record.complete() {
            let state = &mut self.states[step];
            state.trace = record.digest(state.trace, wide);
            state.kernel.enter(transition.task, record.phase());
        }
        Ok(1 + usize::from(wide.is_some()))
    }

    /// Wakes up what depends on a transition that comes after the script.
    pub(crate) fn wake(&mut self, transition: Transition, plan: &Plan<'_, Transition>) {
        if self.steps.len() >= plan.script.len() && !self.asleep.is_empty() {
            let kernel = &self.states[self.steps.len()].kernel;
            self.asleep.retain(still_asleep(kernel, plan.waking, transition));
        }
    }

    /// What an event would be after the first `at` transitions and those at the places `then`, if it could be taken.
    pub(crate) fn if_taken(&self, at: usize, then: &[usize], event: &Event) -> Option<Event> {
        let kernel = &self.states[at].kernel;
        if let Some(answer) = kernel.if_taken_instead(event, self.steps[at].transition) {
            return answer;
        }
        self.after(at, then)?.enabled_event(event.task)
    }

    /// The kernel after the first `at` transitions and those at the places `then`, if all of them can be taken.
    fn after(&self, at: usize, then: &[usize]) -> Option<Cow<'_, Kernel<Boxed>>> {
        let mut kernel = Cow::Borrowed(self.kernel(at));
        for place in then {
            let Step { transition, arrived, .. } = self.steps[*place];
            if !kernel.is_enabled(transition) {
                return None;
            }
            let kernel = kernel.to_mut();
            kernel.take(transition, &mut NoBodies);
            if let Arrived::At(operation, _) = arrived {
                kernel.arrive(transition.task, operation).ok()?;
            }
        }
        Some(kernel)
    }

    /// The events that the steps would be after the first `at` transitions, as many as can be taken.
    pub(crate) fn replay(&self, at: usize, steps: &[Replay<Transition>]) -> Vec<Event> {
        let mut kernel = self.states[at].kernel.clone();
        let mut events = Vec::new();
        for step in steps {
            let (transition, arrived) = match *step {
                Replay::Again(place) => (self.steps[place].transition, self.steps[place].arrived),
                Replay::Instead(transition) => (transition, Arrived::Never),
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
        }
        events
    }

    /// Takes an enabled transition; `None` if its task arrived at an operation on no such object.
    pub(crate) fn push(&mut self, transition: Transition, arrived: Arrived) -> Option<Taken> {
        let at = self.steps.len();
        if self.states.len() == at + 1 {
            self.states.push(self.states[at].clone());
        } else {
            let (before, after) = self.states.split_at_mut(at + 1);
            after[0].copy_from(&before[at]);
        }
        let state = &mut self.states[at + 1];
        let place = usize::from(transition.task.0.nth);
        let taken = state.kernel.take(transition, &mut NoBodies);
        if taken.operation.verb == Verb::Toss {
            let tosses = &mut state.tosses[place];
            let toss = u64::from(transition.alternative) + 1;
            *tosses = (tosses.rotate_left(7) ^ toss).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        }
        let pc = state.calls[place];
        if let Arrived::At(operation, call) = arrived {
            state.kernel.arrive(transition.task, operation).ok()?;
            state.calls[place] = call;
        }
        self.steps.push(Step { transition, taken, pc, arrived });
        Some(taken)
    }
}

/// A sleep set, as the target is told it.
pub(crate) fn gathered(asleep: &[Transition]) -> Vec<Sleepers> {
    let mut ascending = asleep.to_vec();
    ascending.sort_unstable();
    Sleepers::gather(ascending).collect()
}

impl State {
    fn copy_from(&mut self, other: &Self) {
        self.kernel.copy_from(&other.kernel);
        self.calls.copy_from_slice(&other.calls);
        self.tosses.copy_from_slice(&other.tosses);
        self.trace = other.trace;
    }
}
