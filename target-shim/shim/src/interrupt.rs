//! Interrupt lines and their handlers.
//!
//! That a line fires is a choice of the search, at every moment at which it is armed. Its handler then runs above every
//! task; on the target it is a task of its own with a stack of its own.

use fwvs_kernel::{Kind, ObjectId, Operation, Role, Verb};
use fwvs_wire::Particulars;

use crate::gate::operate;
use crate::objects::{Name, create};
use crate::task::{Stack, Task, Use};

/// An interrupt line that is about to be declared.
///
/// ```no_run
/// # use fwvs::{Interrupt, Queue, Stack};
/// static STACK: Stack<512> = Stack::new();
///
/// fn setup() {
///     let received = Queue::<u8, 4>::new("received");
///     Interrupt::new("uart", &STACK).times(3).armed().handler(move || {
///         let _ = received.try_send(7);
///     });
/// }
/// ```
#[must_use = "a line exists once it has a handler"]
pub struct Interrupt<'a, const BYTES: usize> {
    name: Name,
    stack: &'static Stack<BYTES>,
    limit: u16,
    armed: bool,
    footprint: Option<&'a [Use]>,
}

impl<'a, const BYTES: usize> Interrupt<'a, BYTES> {
    /// A line of that name, whose handler runs on that stack.
    pub fn new(name: impl Into<Name>, stack: &'static Stack<BYTES>) -> Self {
        Self { name: name.into(), stack, limit: u16::MAX, armed: false, footprint: None }
    }

    /// It never fires more often than that: what is true of the device, not a bound of the search. With 0 it never does.
    pub fn times(self, limit: u16) -> Self {
        Self { limit, ..self }
    }

    /// It may fire from the start on.
    pub fn armed(self) -> Self {
        Self { armed: true, ..self }
    }

    /// Declares all that the handler will ever do to objects: see [`Task::may`].
    pub fn may(self, footprint: &'a [Use]) -> Self {
        Self { footprint: Some(footprint), ..self }
    }

    /// Declares the line. The handler must not wait.
    pub fn handler<F: FnMut() + 'static>(self, mut handler: F) -> Line {
        let kind = Kind::Line { limit: self.limit };
        let line = create(Particulars { level: u16::from(self.armed), ..Particulars::new(kind) }, self.name);
        let task = Task::new(self.name, self.stack).role(Role::Interrupt { line });
        let task = if let Some(footprint) = self.footprint { task.may(footprint) } else { task };
        task.start(move || {
            loop {
                operate(Operation::fire(line), core::ptr::null_mut());
                handler();
                operate(Operation::return_from(line), core::ptr::null_mut());
            }
        });
        Line(line)
    }
}

/// An interrupt line.
#[derive(Clone, Copy, Debug)]
pub struct Line(ObjectId);

impl Line {
    /// It may fire from now on.
    #[inline(always)]
    pub fn arm(self) {
        operate(Operation::arm(self.0), core::ptr::null_mut());
    }

    /// It does not fire from now on.
    #[inline(always)]
    pub fn mask(self) {
        operate(Operation::mask(self.0), core::ptr::null_mut());
    }

    /// That a task may do so: see [`Task::may`].
    pub fn arming(self) -> Use {
        Use::new(Verb::Arm, self.0)
    }

    /// That a task may do so: see [`Task::may`].
    pub fn masking(self) -> Use {
        Use::new(Verb::Mask, self.0)
    }
}
