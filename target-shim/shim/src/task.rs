//! Tasks, their stacks and guards.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use fwvs_kernel::Operation;
use fwvs_wire::{What, misuse, room};

use crate::fault;
use crate::gate::{Request, operate, shim};
use crate::objects::Name;

/// What unused memory is filled with: every path starts from the same.
pub(crate) const FILL: u32 = 0xA5A5_A5A5;
/// Words at a stack's end that must keep their fill.
const GUARD: usize = 4;
/// Callee-saved registers and the return address.
const FRAME: usize = 9;

/// Memory for one task's stack, `BYTES` long.
#[repr(C, align(8))]
pub struct Stack<const BYTES: usize>(UnsafeCell<MaybeUninit<[u8; BYTES]>>);

// SAFETY: a stack is handed to one task, once; `Task::start` is the only user.
unsafe impl<const BYTES: usize> Sync for Stack<BYTES> {}

impl<const BYTES: usize> Stack<BYTES> {
    /// A stack that no task uses yet.
    pub const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

impl<const BYTES: usize> Default for Stack<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

/// A task that is about to be created.
///
/// ```no_run
/// # use fwvs::{Stack, Task, toss};
/// static STACK: Stack<512> = Stack::new();
///
/// fn setup() {
///     Task::new("user", &STACK).start(|| {
///         let _button = toss(2);
///     });
/// }
/// ```
#[must_use = "a task exists once it is started"]
pub struct Task<'a> {
    name: Name,
    base: *mut u32,
    words: usize,
    stack: PhantomData<&'a ()>,
}

impl Task<'static> {
    /// A task of that name on that stack. Every task needs a stack of its own.
    pub fn new<const BYTES: usize>(name: impl Into<Name>, stack: &'static Stack<BYTES>) -> Self {
        Self { name: name.into(), base: stack.0.get().cast(), words: BYTES / 4, stack: PhantomData }
    }

    /// Creates the task. It runs to its first operation when the set-up is over, and ends when `body` returns.
    pub fn start<F: FnOnce() + 'static>(self, body: F) {
        // Room for the closure, aligned, at the top of the stack; the first frame below it.
        let closure = size_of::<F>().next_multiple_of(8) / 4;
        if self.words < closure + FRAME + GUARD + 24 || align_of::<F>() > 8 {
            fault::misuse(misuse::SMALL_STACK);
        }
        // SAFETY: within the stack, which no task uses yet.
        unsafe { crate::arch::fill(self.base, self.base.add(self.words), FILL) };
        let top = (self.words & !1) - closure;
        // SAFETY: within the stack: checked above.
        let frame = unsafe {
            let closure = self.base.add(top).cast::<F>();
            closure.write(body);
            let frame = self.base.add((top - FRAME) & !1);
            frame.write(closure as usize as u32);
            frame.add(1).write(call::<F> as *const () as usize as u32);
            frame.add(FRAME - 1).write(crate::arch::task_entry as *const () as usize as u32 | 1);
            frame
        };
        let shim = shim();
        if shim.started {
            fault::misuse(misuse::LATE_CREATION);
        }
        let Ok(task) = shim.kernel.create_task() else { fault::full(room::TASKS) };
        let held = Held { stack: frame, request: core::ptr::null_mut(), base: self.base };
        if shim.held.push(held).is_err() {
            fault::full(room::TASKS);
        }
        fault::creation(What::Task, task.0.nth, self.name, 0);
    }
}

/// Calls a closure that was moved to the top of its task's stack.
unsafe extern "C" fn call<F: FnOnce()>(body: *mut F) {
    // SAFETY: `start` wrote the closure there; this is the only call.
    let body = unsafe { body.read() };
    body();
}

/// Where a task goes when it has ended.
pub(crate) extern "C" fn exit() -> ! {
    loop {
        operate(Operation::Exit, core::ptr::null_mut());
    }
}

/// A task that does not run: where its stack and its request are.
pub(crate) struct Held {
    pub(crate) stack: *mut u32,
    request: *mut Request,
    base: *mut u32,
}

impl Held {
    pub(crate) fn arrive(&mut self, request: *mut Request, stack: *mut u32) {
        (self.request, self.stack) = (request, stack);
    }

    pub(crate) fn operation(&self) -> Operation {
        // SAFETY: a held task's request is on its stack, and the task does not run.
        unsafe { (*self.request).operation }
    }

    pub(crate) fn body(&self) -> *mut u8 {
        // SAFETY: as above.
        unsafe { (*self.request).body }
    }

    pub(crate) fn answer(&mut self, served: bool, level: u16) {
        // SAFETY: as above.
        unsafe { ((*self.request).served, (*self.request).level) = (served, level) };
    }

    /// The gate's return address: the last word of its frame.
    pub(crate) fn return_address(&self) -> u32 {
        // SAFETY: the gate pushed the frame.
        unsafe { self.stack.add(FRAME - 1).read() }
    }

    /// Whether the stack's end still has its fill, and the task stands above it.
    pub(crate) fn guard_intact(&self) -> bool {
        // SAFETY: within the stack.
        let fill = |word| unsafe { self.base.add(word).read_volatile() } == FILL;
        self.stack as usize >= self.base as usize + GUARD * 4 && (0..GUARD).all(fill)
    }
}
