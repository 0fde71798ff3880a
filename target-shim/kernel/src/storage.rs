//! Where tasks and objects live.
//!
//! How many fit is run-time data: the shim has them in memory of its own, the host in boxes with room for as many as the
//! firmware's description gives, and the same kernel works on either.

use crate::object::Object;
use crate::task::Task;

/// Tasks and objects, and room for more.
pub trait Storage {
    /// The tasks.
    fn tasks(&self) -> &[Task];
    /// The tasks, to change.
    fn tasks_mut(&mut self) -> &mut [Task];
    /// One more task.
    fn add_task(&mut self, task: Task) -> Result<(), Full>;
    /// The objects.
    fn objects(&self) -> &[Object];
    /// The objects, to change.
    fn objects_mut(&mut self) -> &mut [Object];
    /// One more object.
    fn add_object(&mut self, object: Object) -> Result<(), Full>;
}

/// Storage on the heap, for hosts.
#[cfg(feature = "boxed")]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Boxed {
    tasks: alloc::vec::Vec<Task>,
    objects: alloc::vec::Vec<Object>,
    /// For how many tasks and objects there is room.
    room: (usize, usize),
}

#[cfg(feature = "boxed")]
impl Boxed {
    /// Room for so many tasks and objects.
    pub fn new(tasks: usize, objects: usize) -> Self {
        Self { tasks: alloc::vec![], objects: alloc::vec![], room: (tasks, objects) }
    }

    /// Becomes equal to `other` without allocating, where there was as much before.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.tasks.clone_from(&other.tasks);
        self.objects.clone_from(&other.objects);
        self.room = other.room;
    }
}

#[cfg(feature = "boxed")]
impl Storage for Boxed {
    fn tasks(&self) -> &[Task] {
        &self.tasks
    }
    fn tasks_mut(&mut self) -> &mut [Task] {
        &mut self.tasks
    }
    fn add_task(&mut self, task: Task) -> Result<(), Full> {
        if self.tasks.len() == self.room.0 {
            return Err(Full::Tasks);
        }
        self.tasks.push(task);
        Ok(())
    }
    fn objects(&self) -> &[Object] {
        &self.objects
    }
    fn objects_mut(&mut self) -> &mut [Object] {
        &mut self.objects
    }
    fn add_object(&mut self, object: Object) -> Result<(), Full> {
        if self.objects.len() == self.room.1 {
            return Err(Full::Objects);
        }
        self.objects.push(object);
        Ok(())
    }
}

/// Which room ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// No place for another task.
    Tasks,
    /// No place for another object.
    Objects,
}
