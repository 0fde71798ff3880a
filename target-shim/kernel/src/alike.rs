//! Whether two states go on alike. Step numbers differ with the order in which commuting transitions were taken; only
//! the order of those matters that somebody compares: who waits for the same object, which timer expired first. Nobody
//! compares deadlines with a free clock.

use core::hash::{Hash, Hasher};

use crate::kernel::Kernel;
use crate::object::{Kind, Object};
use crate::operation::Operation;
use crate::rules::Clock;
use crate::storage::Storage;
use crate::task::{Standing, Task};
use crate::timer;

impl<S: Storage> Kernel<S> {
    /// Whether whatever happens in one state happens in the other, and changes both alike; which task policies would take
    /// next aside.
    pub fn is_like(&self, other: &Self) -> bool {
        let tasks = self.tasks().len() == other.tasks().len()
            && (0..self.tasks().len()).all(|place| self.timeless_task(place) == other.timeless_task(place));
        let objects = self.objects().len() == other.objects().len()
            && (0..self.objects().len())
                .all(|place| self.timeless_object(place) == other.timeless_object(place));
        tasks && objects && self.same_besides(other)
    }

    /// Tells a hasher all that matters for how a state goes on: the same for two states if each [`Kernel::is_like`] the other.
    pub fn hash_alike<H: Hasher>(&self, hasher: &mut H) {
        (0..self.tasks().len()).for_each(|place| self.timeless_task(place).hash(hasher));
        (0..self.objects().len()).for_each(|place| self.timeless_object(place).hash(hasher));
        self.hash_besides(hasher);
    }

    /// The task, with how many stand before it in line.
    fn timeless_task(&self, place: usize) -> Task {
        let mut task = self.tasks()[place];
        if self.rules().clock == Clock::Free {
            task.deadline = task.deadline.map(|_| 0);
        }
        if task.standing != Standing::Waiting {
            return Task { in_line: 0, last_run: 0, ..task };
        }
        let object = |task: &Task| task.pending.and_then(Operation::object);
        let before = |other: &&Task| {
            other.standing == Standing::Waiting
                && object(other) == object(&task)
                && other.in_line < task.in_line
        };
        let before = if object(&task).is_some() { self.tasks().iter().filter(before).count() } else { 0 };
        Task { in_line: before as u32, last_run: 0, ..task }
    }

    /// The object; a timer with its place among those whose order matters instead of when it came there: those that have
    /// expired, or, where those of one tick expire together, those of one deadline.
    fn timeless_object(&self, place: usize) -> Object {
        let mut object = self.objects()[place];
        if self.rules().clock == Clock::Free {
            object.deadline = 0;
        }
        let together = self.rules().has_clock();
        let counts = |other: &Object| {
            matches!(other.kind, Kind::Timer { .. })
                && if together { other.level != timer::STOPPED } else { other.level == timer::DUE }
        };
        match object.kind {
            Kind::Timer { .. } => {
                let before = |other: &&Object| {
                    counts(other)
                        && other.received < object.received
                        && (!together || other.deadline == object.deadline)
                };
                let received = if counts(&object) { self.objects().iter().filter(before).count() } else { 0 };
                Object { received: received as u32, ..object }
            }
            _ => object,
        }
    }
}
