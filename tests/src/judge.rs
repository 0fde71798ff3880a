//! What a path found, in the same words for a program in memory and on the target.

use fwvs_explore::{Model, Runner};
use fwvs_kernel::{Event, Transition};
use fwvs_link::Link;
use fwvs_session::Session;

use crate::memory::{Memory, Wrong};

/// A system that can tell what was wrong.
pub trait Judge: Runner<Model: Model<Transition = Transition, Event = Event> + 'static> {
    /// What the last path found.
    fn judge(&self) -> Option<Wrong>;
}

impl Judge for Memory {
    fn judge(&self) -> Option<Wrong> {
        self.wrong()
    }
}

impl<L: Link + 'static> Judge for Session<L> {
    fn judge(&self) -> Option<Wrong> {
        let task = || usize::from(self.running().expect("a task runs").0.index);
        self.wrong().map(|wrong| match wrong {
            fwvs_session::Wrong::Deadlock => Wrong::Deadlock,
            fwvs_session::Wrong::Assertion { .. } => Wrong::Assertion { task: task() },
            fwvs_session::Wrong::Panic { early: false, .. } => Wrong::Crash { task: task() },
            fwvs_session::Wrong::Kernel(kernel) => Wrong::Kernel(*kernel),
            other => panic!("a program cannot do this: {other:?}, {:?}", self.running()),
        })
    }
}
