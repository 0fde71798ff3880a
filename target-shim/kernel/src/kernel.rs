//! Arrival, enabledness, taking a transition, status.
//!
//! The system is in a global state when every task is held at its next visible operation. A transition takes one
//! such operation; the task then runs, invisibly, until it arrives at its next.

use crate::id::{Id, ObjectId, TaskId};
use crate::object::{Effect, Kind, Object};
use crate::operation::Operation;
use crate::storage::{Full, Storage, Task};

/// One thing that can happen next: a task goes on, with one of its operation's alternatives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transition {
    /// Who.
    pub task: TaskId,
    /// Which alternative; 0 where the operation has only one.
    pub alternative: u16,
}

/// What came of a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The operation that was taken.
    pub operation: Operation,
    /// Whether it was served; an unserved `try` or a give at the maximum changes nothing.
    pub served: bool,
    /// The object's level afterwards, or the toss's value: what target and host compare.
    pub level: u16,
}

/// Moves message bodies between tasks and queue slots: bytes on the target, nothing on the host.
pub trait Bodies {
    /// The task's message goes into the slot.
    fn put(&mut self, task: usize, queue: usize, slot: u16);
    /// The slot's message goes to the task.
    fn get(&mut self, task: usize, queue: usize, slot: u16);
}

/// For those who do not care what messages say.
#[derive(Clone, Copy, Debug)]
pub struct NoBodies;

impl Bodies for NoBodies {
    fn put(&mut self, _: usize, _: usize, _: u16) {}
    fn get(&mut self, _: usize, _: usize, _: u16) {}
}

/// An operation that makes no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// No such task.
    UnknownTask,
    /// No such object.
    UnknownObject,
    /// The object is of another kind.
    WrongKind,
}

/// Whether the path can go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// Some transition is enabled.
    Running,
    /// Every task has ended.
    Finished,
    /// No transition is enabled and some task has not ended.
    Deadlock,
}

/// The kernel: tasks, objects and the number of transitions taken.
#[derive(Clone, Debug)]
pub struct Kernel<S> {
    storage: S,
    tasks: u8,
    objects: u8,
    steps: u32,
}

impl<S: Storage> Kernel<S> {
    /// A kernel with no tasks and no objects.
    pub const fn new(storage: S) -> Self {
        Self { storage, tasks: 0, objects: 0, steps: 0 }
    }

    /// Becomes equal to `other` without allocating, for storage of the same size.
    pub fn copy_from<T: Storage>(&mut self, other: &Kernel<T>) {
        let (tasks, objects) = (other.tasks(), other.objects());
        self.storage.tasks_mut()[..tasks.len()].copy_from_slice(tasks);
        self.storage.objects_mut()[..objects.len()].copy_from_slice(objects);
        (self.tasks, self.objects, self.steps) = (other.tasks, other.objects, other.steps);
    }

    /// Adds a task of the set-up phase. It exists, but is not held anywhere until it arrives.
    pub fn create_task(&mut self) -> Result<TaskId, Full> {
        let id = TaskId::setup(self.tasks);
        let place = self.storage.tasks_mut().get_mut(usize::from(self.tasks)).ok_or(Full::Tasks)?;
        *place = Task { id, ..Task::EMPTY };
        self.tasks = self.tasks.checked_add(1).ok_or(Full::Tasks)?;
        Ok(id)
    }

    /// Adds an object of the set-up phase.
    pub fn create_object(&mut self, kind: Kind, level: u16) -> Result<ObjectId, Full> {
        let id = ObjectId::setup(self.objects);
        let place = self.storage.objects_mut().get_mut(usize::from(self.objects)).ok_or(Full::Objects)?;
        *place = Object::new(id, kind, level);
        self.objects = self.objects.checked_add(1).ok_or(Full::Objects)?;
        Ok(id)
    }

    /// The tasks, in the order of creation.
    pub fn tasks(&self) -> &[Task] {
        &self.storage.tasks()[..usize::from(self.tasks)]
    }

    /// The objects, in the order of creation.
    pub fn objects(&self) -> &[Object] {
        &self.storage.objects()[..usize::from(self.objects)]
    }

    /// Transitions taken so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The task's place in [`Kernel::tasks`].
    pub fn task_place(&self, task: TaskId) -> Option<usize> {
        place(task.0, self.tasks)
    }

    /// The object's place in [`Kernel::objects`].
    pub fn object_place(&self, object: ObjectId) -> Option<usize> {
        place(object.0, self.objects)
    }

    /// The task is held at its next operation.
    pub fn arrive(&mut self, task: TaskId, operation: Operation) -> Result<(), Misuse> {
        if let Some(object) = operation.object() {
            let place = self.object_place(object).ok_or(Misuse::UnknownObject)?;
            if !self.objects()[place].accepts(operation) {
                return Err(Misuse::WrongKind);
            }
        }
        let place = self.task_place(task).ok_or(Misuse::UnknownTask)?;
        self.storage.tasks_mut()[place].pending = Some(operation);
        Ok(())
    }

    /// The operation the task is held at.
    pub fn pending(&self, task: TaskId) -> Option<Operation> {
        self.tasks()[self.task_place(task)?].pending
    }

    /// Whether an operation that some task is held at could be taken now.
    pub fn can_take(&self, operation: Operation) -> bool {
        match operation {
            Operation::Exit => false,
            _ => match operation.object().and_then(|object| self.object_place(object)) {
                Some(place) => self.objects()[place].enables(operation),
                None => true,
            },
        }
    }

    /// Whether the transition is enabled.
    pub fn is_enabled(&self, transition: Transition) -> bool {
        self.pending(transition.task).is_some_and(|operation| {
            u32::from(transition.alternative) < operation.alternatives() && self.can_take(operation)
        })
    }

    /// Every enabled transition, by task and then by alternative: a function of the state alone.
    pub fn enabled(&self) -> impl Iterator<Item = Transition> + '_ {
        self.tasks().iter().flat_map(move |task| {
            let alternatives = match task.pending {
                Some(operation) if self.can_take(operation) => operation.alternatives(),
                _ => 0,
            };
            let task = task.id;
            (0..alternatives).map(move |alternative| Transition { task, alternative: alternative as u16 })
        })
    }

    /// Takes an enabled transition. The task is then running, until it arrives again.
    ///
    /// # Panics
    /// If the transition's task is not held anywhere. That it is enabled is checked before, by
    /// [`choose`](crate::choose()).
    pub fn take(&mut self, transition: Transition, bodies: &mut impl Bodies) -> Taken {
        debug_assert!(self.is_enabled(transition), "a disabled transition was taken");
        let place = usize::from(transition.task.0.nth);
        self.steps += 1;
        let task = &mut self.storage.tasks_mut()[place];
        task.last_run = self.steps;
        let operation = task.pending.take().expect("an enabled task is held at an operation");
        let object = operation.object().and_then(|object| self.object_place(object));
        let Some(index) = object else {
            return Taken { operation, served: true, level: transition.alternative };
        };
        let object = &mut self.storage.objects_mut()[index];
        let effect = object.apply(operation);
        match effect {
            Effect::Into(slot) => bodies.put(place, index, slot),
            Effect::From(slot) => bodies.get(place, index, slot),
            Effect::Served | Effect::Refused => {}
        }
        Taken { operation, served: effect != Effect::Refused, level: object.level }
    }

    /// Whether the path can go on. Only meaningful in a global state.
    pub fn status(&self) -> Status {
        if self.enabled().next().is_some() {
            Status::Running
        } else if self.tasks().iter().all(|task| task.pending == Some(Operation::Exit)) {
            Status::Finished
        } else {
            Status::Deadlock
        }
    }

    /// A number that target and host must agree on when a path stops; differs if somebody wrote over the kernel.
    pub fn digest(&self) -> u32 {
        let mut digest = u32::from(self.tasks) | u32::from(self.objects) << 8;
        let mut mix = |value: u32| digest = (digest.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b1);
        mix(self.steps);
        for object in self.objects() {
            mix(u32::from(object.level));
            mix(object.received);
        }
        for task in self.tasks() {
            let id = task.pending.and_then(Operation::object).map_or(0, |object| 1 + u32::from(object.0.nth));
            mix(id | u32::from(task.pending.is_some()) << 16);
        }
        digest
    }
}

/// Set-up creations come first, so their number is their place.
fn place(id: Id, count: u8) -> Option<usize> {
    (id.creator == Id::SETUP && id.nth < count).then_some(usize::from(id.nth))
}
