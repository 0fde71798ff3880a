//! Names of tasks and objects that are the same in every interleaving.
//!
//! A table index or a RAM address depends on who came first; "the third thing that main created" does not.

/// The creator, and the n of the creator's n-th creation, counted from 0, tasks and objects apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
// Compared and copied as one half-word.
#[repr(C, align(2))]
pub struct Id {
    /// Table place of the creating task, or [`Id::SETUP`].
    pub creator: u8,
    /// How many the creator had made before.
    pub nth: u8,
}

impl Id {
    /// The creator of everything that exists before the first task runs.
    pub const SETUP: u8 = 0xff;

    /// The n-th creation of the set-up phase.
    pub const fn setup(nth: u8) -> Self {
        Self { creator: Self::SETUP, nth }
    }
}

/// Names a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskId(pub Id);

/// Names an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId(pub Id);

impl TaskId {
    /// The n-th task of the set-up phase.
    pub const fn setup(nth: u8) -> Self {
        Self(Id::setup(nth))
    }
}

impl ObjectId {
    /// The handle of nothing: what a handle is before there is something to hold.
    pub const NULL: Self = Self(Id { creator: 0, nth: 0xff });

    /// The n-th object of the set-up phase.
    pub const fn setup(nth: u8) -> Self {
        Self(Id::setup(nth))
    }
}
