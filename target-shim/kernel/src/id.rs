//! Where tasks and objects are: what handles in the firmware's RAM, decisions and records hold.
//!
//! A slot is a place in a table, and says nothing of what is in it. When a task or an object is removed, its slot is free, and what
//! is created next may get it: a stale handle is noticed until then, and not after it. How often a slot was given away, its
//! generation, is in the table and not in the handle, or memory in which somebody creates and removes in a loop would never be
//! as it was before.
//!
//! What is the same in every interleaving is a name: whose how many-th creation something is. The kernel knows no names; whoever
//! follows a path has a table of which name is in which slot. What is created before the first task runs has the slot of its
//! number, on every path.

/// A place in the table of tasks or in that of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
// Compared and copied as one half-word.
#[repr(C, align(2))]
pub struct Slot {
    /// [`Slot::MARK`], or what is here is no slot: so memory that nobody has written to has none.
    pub mark: u8,
    /// Which place, from 0.
    pub index: u8,
}

impl Slot {
    /// What a slot begins with.
    pub const MARK: u8 = 0xff;

    /// The slot at a place.
    pub const fn at(index: u8) -> Self {
        Self { mark: Self::MARK, index }
    }
}

/// The slot of a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskId(pub Slot);

/// The slot of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId(pub Slot);

impl TaskId {
    /// No task's.
    pub const NULL: Self = Self(Slot { mark: 0, index: 0xff });

    /// The n-th task of the set-up phase.
    pub const fn setup(nth: u8) -> Self {
        Self(Slot::at(nth))
    }
}

impl ObjectId {
    /// The handle of nothing: what a handle is before there is something to hold.
    pub const NULL: Self = Self(Slot { mark: 0, index: 0xff });

    /// The n-th object of the set-up phase.
    pub const fn setup(nth: u8) -> Self {
        Self(Slot::at(nth))
    }
}
