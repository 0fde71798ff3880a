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
    let mut enabled = false;
    let mut best: Option<(u32, Transition)> = None;
    // One pass, and no iterator over alternatives where there is only one: the target does this at every step.
    for task in kernel.tasks() {
        let Some(operation) = task.pending.filter(|operation| kernel.can_take(*operation)) else { continue };
        enabled = true;
        let rank = if plan.policy == Policy::Fair { task.last_run } else { 0 };
        if best.is_some_and(|(lowest, _)| lowest <= rank) {
            continue;
        }
        let alternatives = 0..operation.alternatives();
        let transitions = alternatives.map(|number| Transition { task: task.id, alternative: number as u16 });
        let awake = |transition: &Transition| plan.asleep.is_empty() || !plan.asleep.contains(transition);
        best = transitions.into_iter().find(awake).map(|transition| (rank, transition)).or(best);
    }
    if !enabled {
        Err(Stop::End)
    } else if kernel.steps() >= plan.depth.0 {
        Err(Stop::Depth)
    } else if plan.policy == Policy::Ask {
        Err(Stop::Asked)
    } else {
        best.map(|(_, transition)| transition).ok_or(Stop::Asleep)
    }
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
