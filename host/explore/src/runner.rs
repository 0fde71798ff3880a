//! The seam to what runs paths, and what it may be able to do beyond that.

use fwvs_path::{End, Plan};

use crate::model::Model;

/// A transition of what a runner runs.
pub type TransitionOf<R> = <<R as Runner>::Model as Model>::Transition;
/// What a runner hands back of a path.
pub type TraceOf<R> = <<R as Runner>::Model as Model>::Trace;

/// Runs paths, and knows nothing of searches.
pub trait Runner {
    /// Answers for the states of its paths.
    type Model: Model;
    /// Why a path could not be run at all.
    type Error;

    /// Restarts, follows the script, then goes on by itself until the path ends. The trace is the whole path's, from the initial
    /// state on; a clone of it can be sent and stored.
    ///
    /// What the plan says to be the same as on the path before is so for the path that this runner ran last.
    fn run(&mut self, plan: &Plan<'_, TransitionOf<Self>>) -> Result<&TraceOf<Self>, Self::Error>;

    /// The states of the path that ran last. A runner that goes through them anyway has built them up on the way.
    fn model(&self) -> &Self::Model;

    /// Takes single transitions, if it can.
    fn stepping(&mut self) -> Option<&mut dyn Stepping<TransitionOf<Self>, Self::Error>> {
        None
    }

    /// Takes the last transition back, if it can without running the path again.
    fn taking_back(&mut self) -> Option<&mut dyn TakingBack> {
        None
    }

    /// Tells states apart by all that matters for how they go on, if it can.
    fn telling_apart(&self) -> Option<&dyn TellingApart> {
        None
    }
}

/// The ability to go by single transitions, from the end of the path that ran last.
pub trait Stepping<T, E> {
    /// Takes one more transition. [`End::Asked`] if the path goes on from there, [`End::NotEnabled`] if nothing was taken.
    fn step(&mut self, transition: T) -> Result<End, E>;
}

/// The ability to leave a state the way it was entered.
pub trait TakingBack {
    /// Takes the last transition of the path back. False in the initial state.
    fn take_back(&mut self) -> bool;
}

/// The ability to tell whether a state was seen before.
pub trait TellingApart {
    /// The state at the end of the path in a form that is equal for two states only if they go on alike. Between two builds it may
    /// differ.
    fn canonical(&self) -> Vec<u8>;

    /// A number for it, for those who accept that two states may have the same.
    fn fingerprint(&self) -> u64 {
        // FNV-1a.
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self.canonical().iter().fold(0xcbf2_9ce4_8422_2325, mix)
    }
}
