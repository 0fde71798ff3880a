//! Host to target: script, sleep set, policy, bounds.

use fwvs_kernel::{Policy, TaskId, Transition, Waking};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::{MAGIC, id_bytes, id_from};

/// What stands before the decisions in the mailbox: first the script's, then the sleep set's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Orders {
    /// [`MAGIC`], so that garbage is not obeyed.
    pub magic: u32,
    /// Number of the transition that the first decision is for.
    pub first: u32,
    /// How many decisions are the script's.
    pub script: u16,
    /// How many further ones are the sleep set's.
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
    /// Always 0.
    pub spare: u16,
}

impl Orders {
    /// How long it is in the mailbox.
    pub const BYTES: usize = size_of::<Self>();

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
            spare: 0,
        }
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
