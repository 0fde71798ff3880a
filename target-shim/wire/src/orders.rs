//! Host to target: script, sleep set, policy, bounds.

use fwvs_kernel::{Clock, Rules, Schedule, TaskId, Transition};
use fwvs_path::{Policy, Precision, Waking};
use fwvs_search::Sleepers;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::{MAGIC, id_bytes, id_from};

/// What stands before the decisions in the mailbox: first the script's, then two for each entry of the sleep set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Orders {
    /// [`MAGIC`], so that garbage is not obeyed. The target makes it [`Orders::TAKEN`].
    pub magic: u32,
    /// Number of the transition that the first decision is for.
    pub first: u32,
    /// How many decisions are the script's.
    pub script: u16,
    /// How many pairs of further ones are the sleep set's: the first and the last of some task's alternatives.
    pub asleep: u16,
    /// What to do when the script runs out: [`Policy`] in the order of its variants, from 0.
    pub policy: u8,
    /// 1 if more of the script follows: stop for it instead of following the policy.
    pub more: u8,
    /// How sleepers wake up; 0: by what does not commute in the present state; 1: by what does not commute in any.
    pub waking: u8,
    /// Of a policy with priorities: how often they change.
    pub changes: u8,
    /// How many transitions a path may have.
    pub depth: u32,
    /// For how many transitions the host wants only the digest, not the records.
    pub quiet: u32,
    /// Of a policy by chance: which path.
    pub seed: u32,
    /// Of a policy with priorities: among how many steps they change.
    pub length: u16,
    /// Whether to keep to persistent sets, and how precise footprints are: 0 no; 1 task, 2 state, 3 runtime.
    pub footprints: u8,
    /// Always 0.
    pub spare: u8,
    /// [`Schedule::code`], or 0 for the one that the firmware declares.
    pub schedule: u8,
    /// [`Clock::code`].
    pub clock: u8,
    /// How often an interrupt line may fire.
    pub interrupts: u16,
    /// How often a timer, or a task's delays and timeouts, may expire.
    pub expiries: u16,
    /// Which path it is. The report says it again.
    pub path: u16,
    /// The last tick that may come.
    pub until: u32,
}

impl Orders {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();
    /// The magic of orders that are being followed: a target that starts and finds it was not reset by the host.
    pub const TAKEN: u32 = !MAGIC;

    /// No script, no sleep set.
    pub const fn new(policy: Policy, depth: u32) -> Self {
        let (policy, seed, changes, length) = match policy {
            Policy::Ask => (0, 0, 0, 0),
            Policy::Fair => (1, 0, 0, 0),
            Policy::First => (2, 0, 0, 0),
            Policy::Stay => (3, 0, 0, 0),
            Policy::Random { seed } => (4, seed, 0, 0),
            Policy::Priorities { seed, changes, length } => (5, seed, changes, length),
        };
        Self {
            magic: MAGIC,
            first: 0,
            script: 0,
            asleep: 0,
            policy,
            more: 0,
            waking: 0,
            changes,
            depth,
            quiet: 0,
            seed,
            length,
            footprints: 0,
            spare: 0,
            schedule: 0,
            clock: 0,
            interrupts: u16::MAX,
            expiries: u16::MAX,
            path: 0,
            until: u32::MAX,
        }
    }

    /// The same under these rules; with the firmware's own schedule if none is given.
    pub const fn ruled(self, schedule: Option<Schedule>, rules: &Rules) -> Self {
        let schedule = match schedule {
            Some(schedule) => schedule.code(),
            None => 0,
        };
        let Rules { clock, interrupts, expiries, until, .. } = *rules;
        Self { schedule, clock: clock.code(), interrupts, expiries, until, ..self }
    }

    /// The rules, for a firmware that declares that schedule; `None` if they make no sense.
    pub const fn rules(&self, declared: Schedule) -> Option<Rules> {
        let schedule = match self.schedule {
            0 => declared,
            code => match Schedule::from_code(code) {
                Some(schedule) => schedule,
                None => return None,
            },
        };
        let Some(clock) = Clock::from_code(self.clock) else { return None };
        let Self { interrupts, expiries, until, .. } = *self;
        Some(Rules { schedule, clock, interrupts, expiries, until })
    }

    /// The same with sleepers that wake up this way.
    pub const fn waking(self, waking: Waking) -> Self {
        let waking = match waking {
            Waking::InState => 0,
            Waking::Always => 1,
        };
        Self { waking, ..self }
    }

    /// How sleepers wake up, if it is one of the ways.
    pub const fn how_to_wake(&self) -> Option<Waking> {
        match self.waking {
            0 => Some(Waking::InState),
            1 => Some(Waking::Always),
            _ => None,
        }
    }

    /// The same with persistent sets of that precision.
    pub const fn keeping_to(self, precision: Option<Precision>) -> Self {
        let footprints = match precision {
            None => 0,
            Some(Precision::Task) => 1,
            Some(Precision::State) => 2,
            Some(Precision::Runtime) => 3,
        };
        Self { footprints, ..self }
    }

    /// How precise footprints are, if the path is to keep to persistent sets; an error if it is none of the ways.
    pub const fn precision(&self) -> Result<Option<Precision>, u8> {
        match self.footprints {
            0 => Ok(None),
            1 => Ok(Some(Precision::Task)),
            2 => Ok(Some(Precision::State)),
            3 => Ok(Some(Precision::Runtime)),
            other => Err(other),
        }
    }

    /// The policy, if it is one.
    pub const fn policy(&self) -> Option<Policy> {
        match self.policy {
            0 => Some(Policy::Ask),
            1 => Some(Policy::Fair),
            2 => Some(Policy::First),
            3 => Some(Policy::Stay),
            4 => Some(Policy::Random { seed: self.seed }),
            5 => Some(Policy::Priorities { seed: self.seed, changes: self.changes, length: self.length }),
            _ => None,
        }
    }
}

/// One transition in a script or a sleep set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Decision {
    /// The task's name.
    pub task: [u8; 2],
    /// Which alternative.
    pub alternative: u16,
}

impl Decision {
    /// Fills room that no decision uses.
    pub const NONE: Self = Self { task: [0, 0], alternative: 0 };
}

impl Decision {
    /// An entry of the sleep set, as two decisions.
    pub fn pair(sleepers: Sleepers) -> [Self; 2] {
        let task = id_bytes(sleepers.task.0);
        [sleepers.first, sleepers.last].map(|alternative| Self { task, alternative })
    }

    /// The entry of the sleep set that two decisions are.
    pub fn sleepers([first, last]: [Self; 2]) -> Sleepers {
        Sleepers { task: TaskId(id_from(first.task)), first: first.alternative, last: last.alternative }
    }
}

impl From<Transition> for Decision {
    fn from(transition: Transition) -> Self {
        Self { task: id_bytes(transition.task.0), alternative: transition.alternative }
    }
}

impl From<Decision> for Transition {
    fn from(decision: Decision) -> Self {
        Self { task: TaskId(id_from(decision.task)), alternative: decision.alternative }
    }
}
