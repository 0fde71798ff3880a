//! What comes next on a path: the script's decision, then the policy's, minus what is asleep.
//!
//! The shim asks this on the target and the in-memory system asks it in tests, so both extend a path alike.

use fwvs_kernel::{Choice, Kernel, Relation, Storage, TaskId, Transition, Wrong, relation};

use crate::footprint::Footprints;
use crate::task_set::TaskSet;

/// What to do when the script has run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Stop and ask.
    Ask,
    /// Go on with the task that has not run for longest.
    Fair,
    /// Go on with the first task that can: paths that end share more of their beginnings than fair ones.
    First,
    /// Go on with the task that went last, or the next one after it that can by itself; else with the next one whose time may
    /// pass, or whose line may fire.
    Stay,
    /// Go on with anything, at random.
    Random {
        /// Chooses the path.
        seed: u32,
    },
    /// Go on with the task of highest priority; the order is random. `changes` times, at random steps among the first
    /// `length`, the task that is about to go on falls behind all others (Burckhardt, Kothari, Musuvathi, Nagarakatte:
    /// A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, 2010).
    Priorities {
        /// Chooses the order, and when somebody falls behind.
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
    pub asleep: &'a [Sleepers],
    /// Looked at once the script has run out: then only the tasks of a smallest persistent set go on.
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

/// The next transition of a path, or why there is none. Asked again in the same state, it says the same.
pub fn choose<S: Storage>(kernel: &mut Kernel<S>, plan: &Plan<'_>) -> Result<Choice, Stop> {
    if let Some(transition) = plan.scripted {
        return follow(kernel, transition);
    }
    if let Some(wrong) = kernel.wrong() {
        return Err(Stop::Wrong(wrong));
    }
    if let Policy::Priorities { .. } = plan.policy {
        change_priorities(kernel, plan);
    }
    let best = best(kernel, plan, TaskSet::EVERYBODY);
    if let Err(Stop::End) = best {
        best
    } else if kernel.steps() >= plan.depth.0 {
        Err(Stop::Depth)
    } else if let (Some(footprints), Ok(chosen)) = (&plan.footprints, best) {
        within(kernel, plan, footprints, chosen)
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
fn change_priorities<S: Storage>(kernel: &mut Kernel<S>, plan: &Plan<'_>) {
    let Policy::Priorities { seed, changes, length } = plan.policy else { return };
    if !kernel.may_change_priorities() {
        return;
    }
    for change in 0..changes {
        let step = mix(mix(seed, !u32::from(change)), 0) % u32::from(length.max(1));
        if step == kernel.steps()
            && let Ok(next) = best(kernel, plan, TaskSet::EVERYBODY)
        {
            kernel.fall_behind(next.transition.task, change + 1);
        }
    }
}

/// `chosen`, if its task is in a smallest persistent set; else the best transition of a task that is.
#[inline(never)]
fn within<S: Storage>(
    kernel: &Kernel<S>,
    plan: &Plan<'_>,
    footprints: &Footprints<'_>,
    chosen: Choice,
) -> Result<Choice, Stop> {
    let place = usize::from(chosen.transition.task.0.nth);
    let set = footprints.persistent(kernel, place);
    if set.contains(place) {
        return Ok(chosen);
    }
    best(kernel, plan, set).map_err(|_| Stop::Asleep)
}

/// The transition of lowest rank, of a task of the set, that is not asleep; or why there is none.
fn best<S: Storage>(kernel: &Kernel<S>, plan: &Plan<'_>, set: TaskSet) -> Result<Choice, Stop> {
    // One pass, over as few tasks as will do: the target does this at every step.
    let mut none = Stop::End;
    let mut best: Option<(u32, Choice)> = None;
    for (place, task) in kernel.tasks().iter().enumerate() {
        let Some(operation) = task.pending.as_ref().filter(|_| set.contains(place)) else { continue };
        for number in 0..kernel.alternatives(*operation) {
            let Some(choice) = kernel.choice_at(place, operation, number as u16) else { continue };
            if plan.policy == Policy::Ask {
                return Err(Stop::Asked);
            }
            if plan.asleep.iter().any(|sleepers| sleepers.contain(choice.transition)) {
                none = Stop::Asleep;
                continue;
            }
            let rank = match plan.policy {
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
    let place = u32::from(transition.task.0.nth);
    match policy {
        Policy::Ask | Policy::First => 0,
        Policy::Fair => tasks[place as usize].last_run,
        Policy::Stay => {
            let last = tasks.iter().position(|task| task.last_run == kernel.steps()).unwrap_or(0) as u32;
            let count = tasks.len() as u32;
            match kernel.chosen_by_itself(place as usize, choice) {
                true => (place + count - last) % count,
                false => count + (place + count - last - 1) % count,
            }
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

/// When a sleeping transition wakes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waking {
    /// When it does not commute, in the present state, with what is taken.
    InState,
    /// When there is any state in which the two do not commute: for searches that follow happens-before.
    Always,
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
