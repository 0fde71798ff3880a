//! Where the kernel's tasks and objects live: as many as fit, beside the mailbox.

use fwvs_kernel::{Full, Object, Storage, Task};
use heapless::Vec;

use crate::mailbox::{OBJECTS, ROOM};

/// Tasks and objects.
pub(crate) struct Memory {
    tasks: Vec<Task, ROOM>,
    objects: Vec<Object, OBJECTS>,
}

impl Memory {
    /// No tasks and no objects.
    pub(crate) const fn new() -> Self {
        Self { tasks: Vec::new(), objects: Vec::new() }
    }
}

impl Storage for Memory {
    fn tasks(&self) -> &[Task] {
        &self.tasks
    }
    fn tasks_mut(&mut self) -> &mut [Task] {
        &mut self.tasks
    }
    fn add_task(&mut self, task: Task) -> Result<(), Full> {
        self.tasks.push(task).map_err(|_| Full::Tasks)
    }
    fn objects(&self) -> &[Object] {
        &self.objects
    }
    fn objects_mut(&mut self) -> &mut [Object] {
        &mut self.objects
    }
    fn add_object(&mut self, object: Object) -> Result<(), Full> {
        self.objects.push(object).map_err(|_| Full::Objects)
    }
}
