//! Why a path could not be run.

/// Why a path could not be run. A finding is not an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The link failed.
    #[error(transparent)]
    Link(#[from] fwvs_link::Error),

    /// The target died again and again.
    #[error("the target died {times} times without coming to the end of a path; the last time: {last}")]
    KeepsDying {
        /// How often.
        times: u32,
        /// What the link said the last time.
        last: fwvs_link::Error,
    },

    /// The target does not get to run.
    #[error(
        "the target came to nothing in {tries} runs, the last of them with {budget:?} for each step, and each time somewhere else\n\
         hint: is something else holding it up, or does a step take that long? --divergence gives it more time"
    )]
    Starved {
        /// How often it was tried.
        tries: u32,
        /// How long each step could take in the end.
        budget: std::time::Duration,
    },

    /// Target and host disagree about what happened.
    #[error(
        "target and host disagree at step {step}: {difference}\nhint: firmware may have overwritten the shim's memory, \
         or the link lost something; run again, and if it stays, this is a bug in fw-vs"
    )]
    Mismatch {
        /// The transition, counted from 1; 0 is the set-up.
        step: usize,
        /// What they disagree about.
        difference: Difference,
    },

    /// The same decisions did not lead to the same operations.
    #[error(
        "the firmware is not deterministic: at step {step} the same decisions led to {now} instead of {before}\n\
         hint: look for a cycle counter, a hardware register or uninitialised memory that a task decides by"
    )]
    Nondeterministic {
        /// The transition, counted from 1; 0 is the set-up.
        step: usize,
        /// What happened the first time.
        before: String,
        /// What happened now.
        now: String,
    },

    /// What came back from the target cannot be.
    #[error(
        "what came back from the target makes no sense: {0}\n\
         hint: firmware may have overwritten the mailbox; is the firmware on the target the one given here?"
    )]
    Impossible(#[from] Impossible),

    /// The core stopped for a reason that has nothing to do with the shim.
    #[error(
        "the core stopped at {pc:#010x} with {cause}, and not because of the shim\n\
         hint: is another debugger attached to the target?"
    )]
    Stopped {
        /// Where.
        pc: u32,
        /// What the link was told of it.
        cause: String,
    },

    /// More is asleep than the target has room for: not many alternatives, but many that are not neighbours.
    #[error(
        "{asleep} ranges of alternatives are asleep, and the shim has room for {room}\nhint: use --reduction none"
    )]
    TooManyAsleep {
        /// How many.
        asleep: usize,
        /// How many fit.
        room: usize,
    },
}

impl Error {
    /// Whether it may be due to something else than the firmware, so that the same should be tried again.
    pub(crate) fn is_doubtful(&self) -> bool {
        use Error::{Impossible, Mismatch, Nondeterministic, Stopped};
        matches!(self, Impossible(_) | Mismatch { .. } | Nondeterministic { .. } | Stopped { .. })
    }
}

/// What target and host disagree about.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Difference {
    /// The transition.
    #[error("the target took {target}, the host expected {host}")]
    Transition {
        /// What the target did.
        target: String,
        /// What the host would have done.
        host: String,
    },
    /// What came of it.
    #[error("the target says level {target} and served: {target_served}, the host {host} and {host_served}")]
    Outcome {
        /// The object's level on the target.
        target: u16,
        /// Whether it was served there.
        target_served: bool,
        /// The object's level on the host.
        host: u16,
        /// Whether it was served here.
        host_served: bool,
    },
    /// The state of the kernels.
    #[error("the kernels' states differ after it (digest {target:#010x} on the target, {host:#010x} here)")]
    State {
        /// The target's digest.
        target: u32,
        /// The host's digest.
        host: u32,
    },
    /// Whether the path can go on.
    #[error("the target stopped with {target}, but for the host the state is {host}")]
    End {
        /// Why the target stopped.
        target: String,
        /// What the host thinks.
        host: String,
    },
    /// The number of transitions.
    #[error("the target counts {target} transitions, the host {host}")]
    Count {
        /// How many on the target.
        target: u32,
        /// How many here.
        host: usize,
    },
}

/// What cannot be in a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Impossible {
    /// No such reason to stop.
    #[error("stop reason {0}")]
    Stop(u32),
    /// The report of another path.
    #[error("the report of path {told} instead of {asked}")]
    Path {
        /// Of which path it is.
        told: u16,
        /// Of which it should be.
        asked: u16,
    },
    /// The target does not understand its orders.
    #[error("the shim found its orders unreadable")]
    Orders,
    /// More records than fit.
    #[error("{filled} places of the trace filled, of {room}")]
    Filled {
        /// How many it says.
        filled: usize,
        /// How many there are.
        room: usize,
    },
    /// More set-up entries than fit.
    #[error("{filled} set-up entries, of {room}")]
    Creations {
        /// How many it says.
        filled: usize,
        /// How many there are.
        room: usize,
    },
    /// A creation that is none.
    #[error("set-up entry {0} is no creation")]
    Creation(usize),
    /// A name that is not in the image.
    #[error("the name of set-up entry {0} is not in the firmware's image")]
    Name(usize),
    /// A record that is none.
    #[error("record {at}: {why:?}")]
    Record {
        /// Which, counted from 0.
        at: usize,
        /// What is wrong with it.
        why: fwvs_wire::Malformed,
    },
    /// A record that stops in the middle, before the last one.
    #[error("record {0} is not complete")]
    Incomplete(usize),
    /// A record of an operation on an object that does not exist, or of another kind.
    #[error("record {at} has an operation on no such object")]
    Object {
        /// Which, counted from 0.
        at: usize,
    },
    /// The number of tasks or objects is more than the firmware says that it has room for.
    #[error("more tasks or objects than the firmware has room for")]
    Room,
    /// A task did not arrive at its first operation.
    #[error("the set-up ended before every task arrived at its first operation")]
    Arrivals,
    /// The core stopped in a way that the shim never does at this point.
    #[error("stop reason {0:?} at a point where it cannot be")]
    Unexpected(fwvs_wire::StopCode),
}
