//! Where tasks and objects live.
//!
//! Sizes are run-time data: the shim lends statics, the host lends boxes of the size that the firmware's description
//! gives, and the same kernel works on either.

use crate::object::Object;
use crate::task::Task;

/// Room for tasks and objects.
pub trait Storage {
    /// All task places, used or not.
    fn tasks(&self) -> &[Task];
    /// The same, to change.
    fn tasks_mut(&mut self) -> &mut [Task];
    /// All object places, used or not.
    fn objects(&self) -> &[Object];
    /// The same, to change.
    fn objects_mut(&mut self) -> &mut [Object];
}

/// Storage that somebody else owns.
#[derive(Debug)]
pub struct Lent<'a> {
    /// Room for tasks.
    pub tasks: &'a mut [Task],
    /// Room for objects.
    pub objects: &'a mut [Object],
}

impl Storage for Lent<'_> {
    fn tasks(&self) -> &[Task] {
        self.tasks
    }
    fn tasks_mut(&mut self) -> &mut [Task] {
        self.tasks
    }
    fn objects(&self) -> &[Object] {
        self.objects
    }
    fn objects_mut(&mut self) -> &mut [Object] {
        self.objects
    }
}

/// Storage of its own, for hosts.
#[cfg(feature = "boxed")]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Boxed {
    tasks: alloc::boxed::Box<[Task]>,
    objects: alloc::boxed::Box<[Object]>,
}

#[cfg(feature = "boxed")]
impl Boxed {
    /// Room for so many tasks and objects.
    pub fn new(tasks: usize, objects: usize) -> Self {
        Self {
            tasks: alloc::vec![Task::EMPTY; tasks].into(),
            objects: alloc::vec![Object::EMPTY; objects].into(),
        }
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
    fn objects(&self) -> &[Object] {
        &self.objects
    }
    fn objects_mut(&mut self) -> &mut [Object] {
        &mut self.objects
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
