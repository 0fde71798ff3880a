//! What a test leaves out of what the kernel says, to see that it is missed.

use fwvs_kernel::{Boxed, Event, Kernel, TaskId, Use, relation};
use fwvs_path::{Precision, Relation, Waking};
use fwvs_search::Footprints;

/// Something that is left out of what the kernel says about what commutes.
pub trait Omission {
    /// Whether what two tasks are held at is said to commute, whatever the kernel says: in the present state, or in all.
    fn leaves_out(&self, waking: Waking, kernel: &Kernel<Boxed>, a: TaskId, b: TaskId) -> bool {
        let _ = (waking, kernel, a, b);
        false
    }

    /// How a later event stands to an earlier one.
    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        relation(earlier, later)
    }

    /// What tasks may do, as precisely as that.
    fn footprints<'a>(&self, uses: &'a [Use], precision: Precision) -> Footprints<'a> {
        Footprints::new(uses, precision)
    }
}

/// Leaves out nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nothing;

impl Omission for Nothing {}
