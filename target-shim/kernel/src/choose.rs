//! What comes next on a path: the script's decision, then the policy's, minus what is asleep.
//!
//! The shim asks this on the target and the in-memory system asks it in tests, so both extend a path alike.

use crate::kernel::{Kernel, Transition};
use crate::storage::Storage;

/// What to do when the script has run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Stop and ask.
    Ask,
    /// Go on with the task that has not run for longest.
    Fair,
    /// Go on with the first task that can: paths that end share more of their beginnings than fair ones.
    First,
}

/// How many transitions a path may have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Depth(pub u32);

/// What the host asked for.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The decision for this step, if the script reaches that far.
    pub scripted: Option<Transition>,
    /// What to do otherwise.
    pub policy: Policy,
    /// Where to stop.
    pub depth: Depth,
    /// Transitions that some other path takes care of; looked at once the script has run out.
    pub asleep: &'a [Transition],
}

/// Why a path does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// No transition is enabled.
    End,
    /// The script has run out.
    Asked,
    /// As deep as was allowed, and something is still enabled.
    Depth,
    /// Everything that is enabled is asleep.
    Asleep,
    /// The script's decision is not enabled.
    NotEnabled,
}

/// The next transition of a path, or why there is none.
pub fn choose<S: Storage>(kernel: &Kernel<S>, plan: &Plan<'_>) -> Result<Transition, Stop> {
    if let Some(transition) = plan.scripted {
        return if kernel.is_enabled(transition) { Ok(transition) } else { Err(Stop::NotEnabled) };
    }
    if kernel.enabled().next().is_none() {
        return Err(Stop::End);
    }
    if kernel.steps() >= plan.depth.0 {
        return Err(Stop::Depth);
    }
    if plan.policy == Policy::Ask {
        return Err(Stop::Asked);
    }
    let rank = |transition: Transition| match plan.policy {
        Policy::Ask | Policy::First => 0,
        Policy::Fair => kernel.tasks()[usize::from(transition.task.0.nth)].last_run,
    };
    let awake = kernel.enabled().filter(|transition| !plan.asleep.contains(transition));
    awake.min_by_key(|transition| rank(*transition)).ok_or(Stop::Asleep)
}

/// When a sleeping transition wakes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waking {
    /// When it does not commute, in the present state, with what is taken.
    InState,
    /// When there is any state in which the two do not commute: for searches that follow happens-before.
    Always,
}

/// Whether `sleeper` still sleeps after `taken`; both are enabled in the kernel's present state.
pub fn still_asleep<S: Storage>(
    kernel: &Kernel<S>,
    waking: Waking,
    sleeper: Transition,
    taken: Transition,
) -> bool {
    match waking {
        Waking::InState => !kernel.dependent(sleeper, taken),
        Waking::Always => !kernel.related(taken, sleeper),
    }
}
