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
    /// Go on with the task that went last, or the next one after it that can.
    Stay,
    /// Go on with anything, at random.
    Random {
        /// Chooses the path.
        seed: u32,
    },
    /// Go on with the task of highest priority; the order is random. `changes` times, at random steps among the first
    /// `length`, a random task falls behind all others.
    Priorities {
        /// Chooses the order, and who falls behind when.
        seed: u32,
        /// How many times a task falls behind.
        changes: u8,
        /// Among how many steps.
        length: u16,
    },
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
    // One pass, over as few tasks as will do: the target does this at every step.
    let mut enabled = false;
    let mut best: Option<(u32, Transition)> = None;
    for task in kernel.tasks() {
        let Some(operation) = task.pending.filter(|operation| kernel.can_take(*operation)) else { continue };
        enabled = true;
        if plan.policy == Policy::Ask {
            break;
        }
        for number in 0..operation.alternatives() {
            let transition = Transition { task: task.id, alternative: number as u16 };
            if !plan.asleep.is_empty() && plan.asleep.contains(&transition) {
                continue;
            }
            let rank = match plan.policy {
                Policy::Ask | Policy::First => 0,
                Policy::Fair => task.last_run,
                policy => rank(kernel, policy, transition),
            };
            if best.is_none_or(|(lowest, _)| rank < lowest) {
                best = Some((rank, transition));
            }
        }
        if plan.policy == Policy::First && best.is_some() {
            break;
        }
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

/// The lowest goes first. A function of the kernel's state alone, so that host and target agree. Kept apart, so that
/// the policies of every day do not pay for those by chance.
#[inline(never)]
fn rank<S: Storage>(kernel: &Kernel<S>, policy: Policy, transition: Transition) -> u32 {
    let tasks = kernel.tasks();
    let place = u32::from(transition.task.0.nth);
    match policy {
        Policy::Ask | Policy::First => 0,
        Policy::Fair => tasks[place as usize].last_run,
        Policy::Stay => {
            let last = tasks.iter().position(|task| task.last_run == kernel.steps()).unwrap_or(0) as u32;
            (place + tasks.len() as u32 - last) % tasks.len() as u32
        }
        Policy::Random { seed } => mix(mix(mix(seed, kernel.steps()), place), transition.alternative.into()),
        Policy::Priorities { seed, changes, length } => {
            let fell = |change: u32| {
                let chance = mix(seed, !change);
                let step = mix(chance, 0) % u32::from(length.max(1));
                step < kernel.steps() && mix(chance, 1) % tasks.len() as u32 == place
            };
            // Who fell behind later stands further behind; the others stand in the order of the seed.
            let behind =
                (0..u32::from(changes)).rev().find(|change| fell(*change)).map_or(0, |change| change + 1);
            let order = mix(mix(seed, place), 2) >> 16;
            let toss = mix(mix(seed, kernel.steps()), transition.alternative.into()) >> 24;
            behind << 24 | order << 8 | toss
        }
    }
}

/// Scrambles two numbers into one that looks random.
fn mix(a: u32, b: u32) -> u32 {
    let mut mixed = a ^ b.wrapping_mul(0x9e37_79b1).rotate_left(15);
    mixed = (mixed ^ mixed >> 16).wrapping_mul(0x85eb_ca6b);
    mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
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
