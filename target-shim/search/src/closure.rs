//! The tasks that matter to one task, to those, and so on.

use fwvs_kernel::{Kernel, Storage};

use crate::footprint::Footprints;
use crate::task_set::TaskSet;

/// Who makes a difference to whom in one state, found out when it is asked for.
pub(crate) struct Closures<'a, S> {
    footprints: &'a Footprints<'a>,
    kernel: &'a Kernel<S>,
    /// For which tasks it is known.
    known: u32,
    matters: [u32; TaskSet::MOST],
}

impl<'a, S: Storage> Closures<'a, S> {
    /// Nothing is known yet.
    pub(crate) fn new(footprints: &'a Footprints<'a>, kernel: &'a Kernel<S>) -> Self {
        Self { footprints, kernel, known: 0, matters: [0; TaskSet::MOST] }
    }

    /// The tasks that may make a difference to `seed`, to each other, or to whether one of them can go on.
    pub(crate) fn of(&mut self, seed: usize) -> TaskSet {
        let (mut set, mut done) = (1_u32 << seed, 0_u32);
        while set != done {
            let place = (set & !done).trailing_zeros() as usize;
            set |= self.row(place);
            done |= 1 << place;
        }
        TaskSet(set)
    }

    fn row(&mut self, place: usize) -> u32 {
        if self.known & 1 << place == 0 {
            let others = 0..self.kernel.tasks().len();
            let others = others.filter(|other| self.footprints.matters(self.kernel, place, *other));
            self.matters[place] = others.fold(0, |set, other| set | 1 << other);
            self.known |= 1 << place;
        }
        self.matters[place]
    }
}
