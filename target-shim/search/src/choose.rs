//! What comes next on a path: the script's decision, then the policy's, minus what is asleep.
//!
//! The shim asks this on the target, and the host's model of the path asks it again, so both extend a path alike.

use fwvs_kernel::{Choice, Kernel, Storage, TaskId, Transition, Wrong, relation};
use fwvs_path::{End, Policy, Relation, Waking};

use crate::footprint::Footprints;
use crate::task_set::TaskSet;

/// How a path goes on where its script has run out.
#[derive(Clone, Copy, Debug)]
pub struct Extension<'a> {
    /// With what.
    pub policy: Policy,
    /// How many transitions the path may have.
    pub depth: u32,
    /// Transitions that some other path takes care of.
    pub asleep: &'a [Sleepers],
    /// What tasks may do, if only those of a smallest persistent set are to go on.
    pub footprints: Option<Footprints<'a>>,
}

/// Alternatives of one task, all those between two, that some other path takes care of. A search that has tried the first
/// two hundred alternatives of a toss is told so in one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sleepers {
    /// Whose.
    pub task: TaskId,
    /// The first alternative.
    pub first: u16,
    /// The last one.
    pub last: u16,
}

impl Sleepers {
    /// Whether it is one of them.
    pub fn contain(&self, transition: Transition) -> bool {
        self.task == transition.task && (self.first..=self.last).contains(&transition.alternative)
    }

    /// As few as there can be, of transitions in ascending order.
    pub fn gather(ascending: impl IntoIterator<Item = Transition>) -> impl Iterator<Item = Self> {
        let mut ascending = ascending.into_iter().peekable();
        core::iter::from_fn(move || {
            let Transition { task, alternative: first } = ascending.next()?;
            let mut last = first;
            while let Some(next) =
                ascending.next_if(|next| next.task == task && next.alternative.wrapping_sub(last) <= 1)
            {
                last = next.alternative;
            }
            Some(Self { task, first, last })
        })
    }
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
    /// Everything that is enabled, or of it everything that a persistent set has, is asleep.
    Asleep,
    /// The script's decision is not enabled.
    NotEnabled,
    /// Something is wrong with the last step.
    Wrong(Wrong),
}

impl Stop {
    /// How a path ends that stops so in the kernel's present state.
    pub fn end<S: Storage>(self, kernel: &Kernel<S>) -> End {
        match self {
            Self::End => kernel.status().into(),
            Self::Asked => End::Asked,
            Self::Depth => End::Depth,
            Self::Asleep => End::Asleep,
            Self::NotEnabled => End::NotEnabled,
            Self::Wrong(_) => End::Finding,
        }
    }
}

/// The next transition of a path whose script has run out, or why there is none. Asked again in the same state, it says the
/// same.
pub fn choose<S: Storage>(kernel: &mut Kernel<S>, extension: &Extension<'_>) -> Result<Choice, Stop> {
    if let Some(wrong) = kernel.wrong() {
        return Err(Stop::Wrong(wrong));
    }
    if let Policy::Priorities { .. } = extension.policy {
        change_priorities(kernel, extension);
    }
    let best = best(kernel, extension, TaskSet::EVERYBODY);
    if let Err(Stop::End) = best {
        best
    } else if kernel.steps() >= extension.depth {
        Err(Stop::Depth)
    } else if let (Some(footprints), Ok(chosen)) = (&extension.footprints, best) {
        within(kernel, extension, footprints, chosen)
    } else {
        best
    }
}

/// A decision of the script as something to take, or why the path ends here instead.
#[inline]
pub fn follow<S: Storage>(kernel: &Kernel<S>, scripted: Transition) -> Result<Choice, Stop> {
    if let Some(wrong) = kernel.wrong() {
        return Err(Stop::Wrong(wrong));
    }
    kernel.choice(scripted).ok_or(Stop::NotEnabled)
}

/// If priorities change in this state, whoever is about to go on falls behind all others.
#[inline(never)]
fn change_priorities<S: Storage>(kernel: &mut Kernel<S>, extension: &Extension<'_>) {
    let Policy::Priorities { seed, changes, length } = extension.policy else { return };
    if !kernel.may_change_priorities() {
        return;
    }
    for change in 0..changes {
        let step = mix(mix(seed, !u32::from(change)), 0) % u32::from(length.max(1));
        if step == kernel.steps()
            && let Ok(next) = best(kernel, extension, TaskSet::EVERYBODY)
        {
            kernel.fall_behind(next.transition.task, change + 1);
        }
    }
}

/// `chosen`, if its task is in a smallest persistent set; else the best transition of a task that is.
#[inline(never)]
fn within<S: Storage>(
    kernel: &Kernel<S>,
    extension: &Extension<'_>,
    footprints: &Footprints<'_>,
    chosen: Choice,
) -> Result<Choice, Stop> {
    let place = usize::from(chosen.transition.task.0.index);
    let set = footprints.persistent(kernel, place);
    if set.contains(place) {
        return Ok(chosen);
    }
    best(kernel, extension, set).map_err(|_| Stop::Asleep)
}

/// The transition of lowest rank, of a task of the set, that is not asleep; or why there is none.
fn best<S: Storage>(kernel: &Kernel<S>, extension: &Extension<'_>, set: TaskSet) -> Result<Choice, Stop> {
    // One pass, over as few tasks as will do: the target does this at every step.
    let mut none = Stop::End;
    let mut best: Option<(u32, Choice)> = None;
    for (place, task) in kernel.tasks().iter().enumerate() {
        let Some(operation) = task.pending.as_ref().filter(|_| set.contains(place)) else { continue };
        for number in 0..kernel.alternatives(*operation) {
            let Some(choice) = kernel.choice_at(place, operation, number as u16) else { continue };
            if extension.policy == Policy::Ask {
                return Err(Stop::Asked);
            }
            if extension.asleep.iter().any(|sleepers| sleepers.contain(choice.transition)) {
                none = Stop::Asleep;
                continue;
            }
            let rank = match extension.policy {
                Policy::Ask | Policy::First => return Ok(choice),
                Policy::Fair => task.last_run,
                policy => rank(kernel, policy, choice),
            };
            if best.is_none_or(|(lowest, _)| rank < lowest) {
                best = Some((rank, choice));
            }
        }
    }
    best.map(|(_, choice)| choice).ok_or(none)
}

/// The lowest goes first. A function of the kernel's state alone, so that host and target agree. Kept apart, so that
/// the policies of every day do not pay for those by chance.
#[inline(never)]
fn rank<S: Storage>(kernel: &Kernel<S>, policy: Policy, choice: Choice) -> u32 {
    let transition = choice.transition;
    let tasks = kernel.tasks();
    let place = u32::from(transition.task.0.index);
    match policy {
        Policy::Ask | Policy::First => 0,
        Policy::Fair => tasks[place as usize].last_run,
        Policy::Stay => {
            let last = tasks.iter().position(|task| task.last_run == kernel.steps()).unwrap_or(0) as u32;
            let by_itself = kernel.chosen_by_itself(place as usize, choice);
            Policy::turn(place, last, tasks.len() as u32, by_itself)
        }
        Policy::Random { seed } => mix(mix(mix(seed, kernel.steps()), place), transition.alternative.into()),
        Policy::Priorities { seed, .. } => {
            // Those that fell behind stand in an order of their own, the others in the order of the seed.
            let behind = u32::from(tasks[place as usize].behind);
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

/// Which sleepers still sleep after `taken`; all are enabled in the kernel's present state. What a task is held at
/// decides, whichever the alternative.
pub fn still_asleep<S: Storage>(
    kernel: &Kernel<S>,
    waking: Waking,
    taken: Transition,
) -> impl Fn(&Sleepers) -> bool {
    // Once, however many sleep.
    let event = kernel.event(taken.task);
    move |sleepers| {
        let (Some(taken), Some(sleeper)) = (&event, kernel.event(sleepers.task)) else { return false };
        taken.task != sleeper.task
            && match waking {
                Waking::InState => !kernel.dependent_events(&sleeper, taken),
                Waking::Always => relation(taken, &sleeper) == Relation::Independent,
            }
    }
}
