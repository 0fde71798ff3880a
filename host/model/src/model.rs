//! The states over a trace: one kernel a state, so that only what is new is replayed.

use std::borrow::Cow;

use fwvs_kernel::{
    Bodies, Boxed, Cuts, Event, Kernel, Misuse, NoBodies, Taken, TaskId, Transition, Use, Verb,
};
use fwvs_path::{End, Plan, Precision};
use fwvs_search::{Extension, Footprints, Sleepers, Stop, choose, follow, still_asleep};

use crate::names::{Name, Names, Occupants};
use crate::omission::{Nothing, Omission};
use crate::trace::{Arrived, Change, Found, Step, Trace};

/// A system in its initial state.
#[derive(Clone, Debug)]
pub struct Start {
    /// The kernel, with every task at its first operation.
    pub kernel: Kernel<Boxed>,
    /// Where each task called that from.
    pub calls: Vec<u32>,
    /// What tasks declared that they may do.
    pub uses: Vec<Use>,
}

/// A global state.
#[derive(Clone, Debug)]
struct State {
    kernel: Kernel<Boxed>,
    /// Where each task called the operation it is held at from.
    calls: Vec<u32>,
    /// Of the tosses of each slot's tasks up to here.
    tosses: Vec<u64>,
    /// Which names are in the slots.
    occupants: Occupants,
}

/// The states over a trace. `F` is what can be found.
#[derive(Clone, Debug)]
pub struct Model<F, O = Nothing> {
    /// Those beyond the path's length are only kept for their memory.
    states: Vec<State>,
    /// Every name that was met, on this path or another.
    names: Names,
    trace: Trace<F>,
    asleep: Vec<Sleepers>,
    uses: Vec<Use>,
    /// Whether a bound inside the system can keep anybody from going on.
    can_be_cut: bool,
    pub(crate) omission: O,
}

/// A trace that the kernel cannot follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// At which of its steps, from 0.
    pub at: usize,
}

impl<F> Model<F> {
    /// Of a system in its initial state.
    pub fn new(start: Start) -> Self {
        Self::omitting(start, Nothing)
    }
}

impl<F, O: Omission> Model<F, O> {
    /// Of a system in its initial state, with something left out of what the kernel says.
    pub fn omitting(start: Start, omission: O) -> Self {
        let Start { kernel, calls, uses } = start;
        let can_be_cut = kernel.can_be_cut();
        let tosses = vec![0; kernel.tasks().len()];
        let mut names = Names::default();
        let occupants = Occupants::of_setup(&mut names, kernel.tasks().len());
        let states = vec![State { kernel, calls, tosses, occupants }];
        Self { states, names, trace: Trace::default(), asleep: Vec::new(), uses, can_be_cut, omission }
    }

    /// The system as it is in state `at`, as one that begins there.
    pub fn start_at(&self, at: usize) -> Start {
        let State { kernel, calls, .. } = self.states[at].clone();
        Start { kernel, calls, uses: self.uses.clone() }
    }

    /// What is left out of what the kernel says.
    pub fn omission(&self) -> &O {
        &self.omission
    }

    /// What happened on the path.
    pub fn trace(&self) -> &Trace<F> {
        &self.trace
    }

    /// The transitions of the path.
    pub fn steps(&self) -> &[Step] {
        &self.trace.steps
    }

    /// What the path found.
    pub fn found(&self) -> Option<&Found<F>> {
        self.trace.finding.as_ref()
    }

    /// What the path found, to be put more exactly.
    pub fn found_mut(&mut self) -> Option<&mut Found<F>> {
        self.trace.finding.as_mut()
    }

    /// The kernel in state `at`.
    pub fn kernel(&self, at: usize) -> &Kernel<Boxed> {
        &self.states[at].kernel
    }

    /// The kernel in the last state.
    pub fn last(&self) -> &Kernel<Boxed> {
        self.kernel(self.trace.steps.len())
    }

    /// Where each task called the operation it is held at in state `at` from.
    pub fn calls(&self, at: usize) -> &[u32] {
        &self.states[at].calls
    }

    /// What tasks declared that they may do, as precisely as that.
    pub fn footprints(&self, precision: Precision) -> Footprints<'_> {
        self.omission.footprints(&self.uses, precision)
    }

    /// What tasks declared that they may do, for a test that has them declare something else.
    pub fn uses_mut(&mut self) -> &mut [Use] {
        &mut self.uses
    }

    /// A digest of all tosses of the path.
    pub fn tosses(&self) -> u64 {
        let tosses = self.states[self.trace.steps.len()].tosses.iter().enumerate();
        // Whatever the order between tasks: it is not chosen by tossing.
        tosses.fold(0, |all, (task, digest)| all ^ digest.rotate_left(task as u32))
    }

    /// Goes back to state `length`; `asleep` sleeps in the state after the script.
    pub fn back_to(&mut self, length: usize, asleep: &[Transition]) {
        self.cut(length);
        self.states[length].kernel.forget_priorities();
        self.asleep = gathered(asleep);
    }

    /// The path ends after so many transitions; how is not known yet.
    pub fn cut(&mut self, length: usize) {
        self.trace.steps.truncate(length);
        (self.trace.end, self.trace.finding) = (End::Asked, None);
    }

    /// The path has ended.
    pub fn ended(&mut self, end: End, finding: Option<Found<F>>) {
        (self.trace.end, self.trace.finding) = (end, finding);
    }

    /// What comes next by the plan, or why nothing does.
    pub fn expected(&mut self, plan: &Plan<'_, Transition>) -> Result<Transition, Stop> {
        let at = self.trace.steps.len();
        let kernel = &mut self.states[at].kernel;
        let choice = match plan.script.get(at) {
            Some(scripted) => follow(kernel, *scripted),
            None => {
                let footprints = |precision| self.omission.footprints(&self.uses, precision);
                let extension = Extension {
                    policy: plan.policy,
                    depth: plan.depth,
                    asleep: &self.asleep,
                    footprints: plan.footprints.map(footprints),
                };
                choose(kernel, &extension)
            }
        };
        choice.map(|choice| choice.transition)
    }

    /// Wakes up what depends on a transition that comes after the script.
    pub fn wake(&mut self, transition: Transition, plan: &Plan<'_, Transition>) {
        let at = self.trace.steps.len();
        if at >= plan.script.len() && !self.asleep.is_empty() {
            let (kernel, omission) = (&self.states[at].kernel, &self.omission);
            let still_asleep = still_asleep(kernel, plan.waking, transition);
            self.asleep.retain(|sleepers| {
                omission.leaves_out(plan.waking, kernel, sleepers.task, transition.task)
                    || still_asleep(sleepers)
            });
        }
    }

    /// Takes an enabled transition, of which it is known where its task arrived.
    pub fn push(&mut self, transition: Transition, arrived: Arrived, phase: u8) -> Result<Taken, Misuse> {
        self.push_with(transition, &mut NoBodies, |_, _, _| (arrived, phase))
    }

    /// Takes an enabled transition; `run` then says where its task arrives, and in which phase.
    pub fn push_with<B: Bodies>(
        &mut self,
        transition: Transition,
        bodies: &mut B,
        run: impl FnOnce(&Kernel<Boxed>, &Taken, &mut B) -> (Arrived, u8),
    ) -> Result<Taken, Misuse> {
        let at = self.trace.steps.len();
        if self.states.len() == at + 1 {
            self.states.push(self.states[at].clone());
        } else {
            let (before, after) = self.states.split_at_mut(at + 1);
            after[0].copy_from(&before[at]);
        }
        let state = &mut self.states[at + 1];
        let place = usize::from(transition.task.0.index);
        let taken = state.kernel.take(transition, bodies);
        if taken.operation.verb == Verb::Toss {
            let tosses = &mut state.tosses[place];
            let toss = u64::from(transition.alternative) + 1;
            *tosses = (tosses.rotate_left(7) ^ toss).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        }
        let (arrived, phase) = run(&state.kernel, &taken, bodies);
        let pc = state.calls[place];
        if let Arrived::At(operation, call) = arrived {
            state.kernel.arrive(transition.task, operation)?;
            state.calls[place] = call;
        }
        if arrived != Arrived::Never {
            state.kernel.enter(transition.task, phase);
        }
        let change = Change::Nothing;
        self.trace.steps.push(Step { transition, taken, pc, arrived, phase, change });
        Ok(taken)
    }

    /// The last transition that was taken also changed which tasks there are.
    pub fn change(&mut self, change: Change) -> Result<(), Misuse> {
        let at = self.trace.steps.len();
        let state = &mut self.states[at];
        change.apply(&mut state.kernel)?;
        let Some(last) = self.trace.steps.last_mut() else { return Ok(()) };
        last.change = change;
        match change {
            Change::Nothing => {}
            Change::Created { task, at: (_, call), .. } => {
                let place = usize::from(task.0.index);
                let room = state.calls.len().max(place + 1);
                state.calls.resize(room, 0);
                state.tosses.resize(room, 0);
                state.calls[place] = call;
                state.occupants.created(&mut self.names, Some(last.transition.task), task);
            }
            Change::Removed(task) => state.occupants.removed(task),
        }
        Ok(())
    }

    /// The name of the task that is in a slot in state `at`.
    pub fn name(&self, at: usize, slot: TaskId) -> Option<Name> {
        self.states[at].occupants.name(slot)
    }

    /// Every name that was met so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Follows a trace of a runner without states of its own. What it has in common with the path before is not replayed.
    pub fn follow(&mut self, trace: Trace<F>) -> Result<(), Contradiction> {
        let same = self.trace.steps.iter().zip(&trace.steps).take_while(|(mine, theirs)| mine == theirs);
        self.back_to(same.count(), &[]);
        for at in self.trace.steps.len()..trace.steps.len() {
            let step = trace.steps[at];
            let is_first_or_after_complete = self.trace.steps.last().is_none_or(Step::is_complete);
            let can = is_first_or_after_complete && self.last().is_enabled(step.transition);
            if !can
                || self.push(step.transition, step.arrived, step.phase) != Ok(step.taken)
                || self.change(step.change).is_err()
            {
                return Err(Contradiction { at });
            }
        }
        self.trace = trace;
        Ok(())
    }

    /// Whether what the last transition came to was known in the state before it: that it would end the path.
    pub fn was_foreseen(&self) -> bool {
        let Some(last) = self.trace.steps.len().checked_sub(1) else { return false };
        let event = self.kernel(last).event(self.trace.steps[last].transition.task);
        event.is_some_and(|event| event.ends)
    }

    /// Which bounds inside the system, and nothing else, keep somebody from going on after the first `at` transitions and those
    /// at the places `then`. Where the path ended on the way, or with something wrong, there is no state to go on from.
    pub(crate) fn cuts(&self, at: usize, then: &[usize]) -> Cuts {
        let ended = |place: usize| !self.trace.steps[place].is_complete();
        if !self.can_be_cut
            || at.checked_sub(1).is_some_and(ended)
            || then.iter().any(|place| ended(*place))
            || self.kernel(at).wrong().is_some()
        {
            return Cuts::default();
        }
        self.after(at, then).map_or(Cuts::default(), |kernel| kernel.cuts())
    }

    /// Which bounds may hold back what the task at `place` is held at in state `at`.
    pub(crate) fn bounds_of(&self, at: usize, place: usize) -> Cuts {
        let kernel = self.kernel(at);
        let is_there = place < kernel.tasks().len();
        if self.can_be_cut && is_there { kernel.exhausted(place) } else { Cuts::default() }
    }

    /// The kernel after the first `at` transitions and those at the places `then`, if all of them can be taken and none of them
    /// ends the path.
    pub(crate) fn after(&self, at: usize, then: &[usize]) -> Option<Cow<'_, Kernel<Boxed>>> {
        let mut kernel = Cow::Borrowed(self.kernel(at));
        for place in then {
            let Step { transition, arrived, change, .. } = self.trace.steps[*place];
            if !kernel.is_enabled(transition) {
                return None;
            }
            let kernel = kernel.to_mut();
            kernel.take(transition, &mut NoBodies);
            match arrived {
                Arrived::At(operation, _) => kernel.arrive(transition.task, operation).ok()?,
                Arrived::Stays => {}
                Arrived::Never => return None,
            }
            change.apply(kernel).ok()?;
            if kernel.wrong().is_some() {
                return None;
            }
        }
        Some(kernel)
    }

    /// What the task at `place` is held at in state `at`, as the kernel alone knows it.
    pub(crate) fn event(&self, at: usize, place: usize) -> Option<Event> {
        self.kernel(at).event(TaskId::setup(place as u8))
    }
}

/// A sleep set, as few entries as there can be.
pub fn gathered(asleep: &[Transition]) -> Vec<Sleepers> {
    let mut ascending = asleep.to_vec();
    ascending.sort_unstable();
    Sleepers::gather(ascending).collect()
}

impl State {
    fn copy_from(&mut self, other: &Self) {
        self.kernel.copy_from(&other.kernel);
        self.calls.clone_from(&other.calls);
        self.tosses.clone_from(&other.tosses);
        self.occupants.clone_from(&other.occupants);
    }
}
