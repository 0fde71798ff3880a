//! A transition together with what will come of it, so that whoever chooses one does not find that out twice.

use crate::kernel::{Kernel, Transition};
use crate::operation::Operation;
use crate::prospect::Prospect;
use crate::storage::Storage;

/// A transition that is enabled in the present state, and what will come of it.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The transition.
    pub transition: Transition,
    pub(crate) prospect: Prospect,
}

impl<S: Storage> Kernel<S> {
    /// The transition as something to [take](Kernel::take_chosen), if it is enabled.
    pub fn choice(&self, transition: Transition) -> Option<Choice> {
        Some(Choice { transition, prospect: self.prospect(transition)? })
    }

    /// One alternative of `operation`, at which the task at `place` is held, as something to take, if it is enabled.
    ///
    /// For loops over all tasks, which have place and operation at hand.
    #[inline(always)]
    pub fn choice_at(&self, place: usize, operation: &Operation, alternative: u16) -> Option<Choice> {
        let prospect = self.prospect_at(place, operation, alternative)?;
        Some(Choice { transition: Transition { task: self.tasks()[place].id, alternative }, prospect })
    }

    /// Whether the task at `place` goes on by itself with this choice of its own: no time passes, no line fires.
    pub fn chosen_by_itself(&self, place: usize, choice: Choice) -> bool {
        self.comes_by_itself(place, choice.prospect)
    }
}
