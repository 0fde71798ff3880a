//! Some of the tasks, as bits.

/// Some of the tasks, by their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TaskSet(pub(crate) u32);

impl TaskSet {
    /// All tasks, however many there are.
    pub const EVERYBODY: Self = Self(u32::MAX);
    /// Sets of more tasks than this are not worked out.
    pub(crate) const MOST: usize = 32;

    /// Whether it has the task at that place.
    pub fn contains(self, place: usize) -> bool {
        place >= Self::MOST || self.0 & 1 << place != 0
    }

    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |place| self.contains(*place))
    }
}
