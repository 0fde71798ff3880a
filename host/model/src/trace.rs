//! What happened on a path, as a value.

use fwvs_kernel::{Boxed, Kernel, Misuse, Operation, Position, Taken, TaskId, Transition};
use fwvs_path::{End, Place};

/// What happened on a path. `F` is what can be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace<F> {
    /// The transitions, from the initial state on.
    pub steps: Vec<Step>,
    /// How it ended; [`End::Asked`] while it goes on.
    pub end: End,
    /// What is wrong, if it ended in a finding.
    pub finding: Option<Found<F>>,
}

/// What a path found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<F> {
    /// What is wrong.
    pub wrong: F,
    /// The task that ran; `None` in the set-up, and where no task did.
    pub running: Option<TaskId>,
    /// Whether the path ended by force, such as by a crash, which nobody could know before the last transition was taken.
    pub by_force: bool,
}

/// One transition of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The task, and which of its alternatives.
    pub transition: Transition,
    /// Which operation was taken, and what came of it.
    pub taken: Taken,
    /// Where the operation was called from.
    pub pc: u32,
    /// Where the task was afterwards.
    pub arrived: Arrived,
    /// Which of its declared phases the task was in afterwards.
    pub phase: u8,
    /// Which task there is since then, or is no more.
    pub change: Change,
}

/// What a transition changed about which tasks there are. No operation of firmware does so yet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Change {
    /// Nothing.
    #[default]
    Nothing,
    /// Its task created another one.
    Created {
        /// The slot that the new task got.
        task: TaskId,
        /// What it is.
        position: Position,
        /// The operation it was held at first, and where that was called from.
        at: (Operation, u32),
    },
    /// The task in that slot, which had ended, is no more.
    Removed(TaskId),
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
    pub fn is_complete(&self) -> bool {
        self.arrived != Arrived::Never
    }
}

impl Change {
    /// Changes a kernel so. A task that was created in another order than on the path gets another slot, and is not the one that
    /// the path goes on with: that is a misuse too.
    pub(crate) fn apply(self, kernel: &mut Kernel<Boxed>) -> Result<(), Misuse> {
        match self {
            Self::Nothing => Ok(()),
            Self::Created { task, position, at: (operation, _) } => {
                let created = kernel.create_task(position).map_err(|_| Misuse::UnknownTask)?;
                if created != task {
                    return Err(Misuse::UnknownTask);
                }
                kernel.arrive(task, operation)
            }
            Self::Removed(task) => kernel.remove_task(task),
        }
    }
}

impl<F> Default for Trace<F> {
    fn default() -> Self {
        Self { steps: Vec::new(), end: End::Asked, finding: None }
    }
}

impl<F> Trace<F> {
    /// The decisions that lead along the path.
    pub fn script(&self) -> impl ExactSizeIterator<Item = Transition> + '_ {
        self.steps.iter().map(|step| step.transition)
    }

    /// Where in the code the operation of step `at` was called from, and for which time its task took one from there.
    pub fn place(&self, at: usize) -> Place {
        let pc = self.steps[at].pc;
        let passes = |step: &&Step| step.pc == pc && step.transition.task == self.steps[at].transition.task;
        Place { pc, pass: self.steps[..=at].iter().filter(passes).count() as u32 }
    }

    /// The step in which a task took the operation at a place in the code. The path's decisions before it lead there.
    pub fn find(&self, task: TaskId, place: Place) -> Option<usize> {
        (0..self.steps.len()).find(|at| self.steps[*at].transition.task == task && self.place(*at) == place)
    }
}
