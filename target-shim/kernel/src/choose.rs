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
    let waited_longest = |best: Option<(u32, Transition)>, transition: Transition| {
        let last_run = kernel.tasks()[usize::from(transition.task.0.nth)].last_run;
        match best {
            Some((longest, _)) if longest <= last_run => best,
            _ => Some((last_run, transition)),
        }
    };
    kernel
        .enabled()
        .filter(|transition| !plan.asleep.contains(transition))
        .fold(None, waited_longest)
        .map(|(_, transition)| transition)
        .ok_or(Stop::Asleep)
}

/// Whether `sleeper` still sleeps after `taken`, a transition enabled in the kernel's present state.
pub fn still_asleep<S: Storage>(kernel: &Kernel<S>, sleeper: Transition, taken: Transition) -> bool {
    !kernel.dependent(sleeper, taken)
}
