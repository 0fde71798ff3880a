//! Tasks, their stacks and guards.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use fwvs_kernel::{ObjectId, Operation, Position, Role, TaskId, Verb};
use fwvs_wire::{self as wire, What, misuse, record::LAST_PHASE, room};

use crate::arch::{FRAME, REGISTERS, RETURN};
use crate::comparison::Sides;
use crate::fault;
use crate::gate::{Request, operate, running, shim};
use crate::mailbox::{CREATIONS, TASKS};
use crate::objects::Name;

/// What unused memory is filled with: every path starts from the same.
pub(crate) const FILL: u32 = 0xA5A5_A5A5;
/// Words at a stack's end that must keep their fill.
const GUARD: usize = 4;
/// Words below the first frame and above the guard, at least.
const ROOM: usize = 24;

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
    footprint: Option<&'a [Use]>,
    position: Position,
}

impl<'a> Task<'a> {
    /// A task of that name on that stack. Every task needs a stack of its own.
    pub fn new<const BYTES: usize>(name: impl Into<Name>, stack: &'static Stack<BYTES>) -> Self {
        Self {
            name: name.into(),
            base: stack.0.get().cast(),
            words: BYTES / 4,
            footprint: None,
            position: Position::PLAIN,
        }
    }

    /// Its priority, where there are priorities: higher numbers go first. 0 unless said otherwise.
    pub fn priority(mut self, priority: u8) -> Self {
        // The highest is for interrupts.
        self.position.priority = priority.min(u8::MAX - 1);
        self
    }

    /// It stands for something outside of the firmware, a user or a radio, and so is a processor of its own in every
    /// schedule.
    pub fn environment(mut self) -> Self {
        self.position.role = Role::Environment;
        self
    }

    /// It may wait for ever without anything being wrong: it serves others.
    pub fn server(mut self) -> Self {
        self.position.server = true;
        self
    }

    pub(crate) fn role(mut self, role: Role) -> Self {
        self.position.role = role;
        self
    }

    /// Declares all that the task will ever do to objects, for `--reduction persistent`; anything else is then a
    /// finding. See [`phase`] for how to declare less for later.
    ///
    /// ```no_run
    /// # use fwvs::{Semaphore, Stack, Task};
    /// # static STACK: Stack<512> = Stack::new();
    /// # let lock = Semaphore::binary("lock", 1);
    /// Task::new("user", &STACK).may(&[lock.taking(), lock.giving()]).start(move || {
    ///     lock.take();
    ///     lock.give();
    /// });
    /// ```
    pub fn may(self, footprint: &'a [Use]) -> Self {
        Self { footprint: Some(footprint), ..self }
    }

    /// Creates the task. It runs to its first operation when the set-up is over, or, with priorities, when its turn comes,
    /// and ends when `body` returns.
    pub fn start<F: FnOnce() + 'static>(self, body: F) {
        self.create(body);
    }

    /// The same, and says which task it became.
    pub(crate) fn create<F: FnOnce() + 'static>(self, body: F) -> TaskId {
        const { assert!(align_of::<F>() <= 8, "a task captures nothing that is aligned to more than 8 bytes") };
        // Before the stack is touched: it may be the one that the caller stands on.
        let shim = shim();
        if shim.started {
            fault::misuse(misuse::LATE_CREATION);
        }
        if let Some(owner) = shim.held.iter().position(|held| held.base == self.base) {
            fault::misuse_of(misuse::SHARED_STACK, self.name, [owner as u32, 0]);
        }
        // Room for the closure, aligned, at the top of the stack; the first frame below it.
        let closure = size_of::<F>().next_multiple_of(8) / 4;
        let least = closure + FRAME + GUARD + ROOM;
        if self.words < least {
            fault::misuse_of(misuse::SMALL_STACK, self.name, [4 * self.words as u32, 4 * least as u32]);
        }
        // SAFETY: within the stack, which no task uses yet.
        unsafe { crate::arch::fill(self.base, self.base.add(self.words), FILL) };
        let top = (self.words & !1) - closure;
        // SAFETY: within the stack: checked above.
        let frame = unsafe {
            let closure = self.base.add(top).cast::<F>();
            closure.write(body);
            // Popping it leaves the stack pointer at `top`, which is even: AAPCS wants eight bytes.
            let frame = self.base.add(top - FRAME);
            // Floating point, where it is in the frame, begins as after a reset.
            core::ptr::write_bytes(frame, 0, FRAME);
            frame.add(REGISTERS).write(closure as usize as u32);
            frame.add(REGISTERS + 1).write(call::<F> as *const () as usize as u32);
            frame.add(RETURN).write(crate::arch::task_entry as *const () as usize as u32 | 1);
            frame
        };
        let held = Held { stack: frame, request: core::ptr::null_mut(), base: self.base };
        let task = create(self.name, self.position, held);
        if let Some(footprint) = self.footprint {
            declare(task, footprint);
        }
        task
    }
}

/// A task does nothing but this.
pub(crate) fn declare(task: TaskId, footprint: &[Use]) {
    let closed = wire::Use::new(None, ObjectId::setup(0), 0);
    for entry in footprint.iter().map(|one| one.0).chain([closed]) {
        let entry = wire::Use { task: task.0.index, ..entry };
        fault::entry(entry.words());
        if let Some(declared) = entry.declared()
            && shim().uses.push(declared).is_err()
        {
            fault::full(room::CREATIONS, CREATIONS);
        }
    }
}

/// Adds somebody who can go on.
fn create(name: Name, position: Position, held: Held) -> TaskId {
    let shim = shim();
    if shim.held.len() == TASKS && position.role != Role::Clock {
        fault::full(room::TASKS, TASKS);
    }
    let Ok(task) = shim.kernel.create_task(position) else { fault::full(room::TASKS, TASKS) };
    if shim.held.push(held).is_err() {
        fault::full(room::TASKS, TASKS);
    }
    fault::creation(What::Task(position), task.0.index, name);
    task
}

/// Adds a timer as somebody who can go on.
pub(crate) fn create_timer(name: Name, timer: ObjectId) {
    create(name, Position { role: Role::Timer { timer }, ..Position::PLAIN }, Held::NOTHING);
}

/// Adds the clock as somebody who can go on, if deadlines are the clock's to pass. The last one of all, so that others are
/// the same with it and without.
pub(crate) fn create_clock() {
    if shim().kernel.rules().has_clock() {
        create("time".into(), Position::CLOCK, Held::NOTHING);
    }
}

/// Something that a task may do; see [`Task::may`].
#[derive(Clone, Copy, Debug)]
pub struct Use(wire::Use);

impl Use {
    pub(crate) fn new(access: Verb, object: ObjectId) -> Self {
        Self(wire::Use::new(Some(access), object, LAST_PHASE))
    }

    /// That a task may enter critical sections; see [`Task::may`].
    pub fn critical_sections() -> Self {
        Self::new(Verb::EnterCritical, ObjectId::NULL)
    }

    /// That a task may read the tick; see [`Task::may`].
    pub fn ticks() -> Self {
        Self::new(Verb::Tick, ObjectId::NULL)
    }

    /// Only up to and including that phase.
    pub fn until(self, phase: u8) -> Self {
        Self(wire::Use { until: phase, ..self.0 })
    }
}

/// The calling task is in that phase from now on: what it declared to do only [until](Use::until) an earlier one is over.
/// Phases go from 0, where every task begins, to 31.
///
/// ```no_run
/// # use fwvs::{Semaphore, Stack, Task, phase};
/// # static STACK: Stack<512> = Stack::new();
/// # let ready = Semaphore::binary("ready", 1);
/// Task::new("starter", &STACK).may(&[ready.taking().until(0)]).start(move || {
///     ready.take();
///     phase(1); // from here on, nobody has to wonder what this task might do to `ready`
/// });
/// ```
pub fn phase(number: u8) {
    let shim = shim();
    if let Some(task) = running() {
        shim.kernel.enter(task, number.min(LAST_PHASE));
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
        operate(Operation::exit(), core::ptr::null_mut());
    }
}

/// A task that does not run: where its stack and its request are.
pub(crate) struct Held {
    pub(crate) stack: *mut u32,
    request: *mut Request,
    base: *mut u32,
}

impl Held {
    /// Of what has no code, and so no stack.
    const NOTHING: Self =
        Self { stack: core::ptr::null_mut(), request: core::ptr::null_mut(), base: core::ptr::null_mut() };

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

    /// The sides of the check that it is held at, which does not hold; nothing if it compares nothing.
    pub(crate) fn sides(&self) -> Option<Sides> {
        let sides: *const Sides = self.body().cast();
        // SAFETY: a check that fails leaves its sides on its stack, or null.
        (!sides.is_null()).then(|| unsafe { sides.read() })
    }

    pub(crate) fn answer(&mut self, served: bool, level: u16, tick: u32) {
        if !self.request.is_null() {
            // SAFETY: as above.
            unsafe {
                ((*self.request).served, (*self.request).level, (*self.request).tick) = (served, level, tick);
            }
        }
    }

    /// The gate's return address, out of its frame.
    pub(crate) fn return_address(&self) -> u32 {
        // SAFETY: the gate pushed the frame.
        unsafe { self.stack.add(RETURN).read() }
    }

    /// Whether the stack's end still has its fill, and the task stands above it.
    pub(crate) fn guard_intact(&self) -> bool {
        // SAFETY: within the stack.
        let fill = |word| unsafe { self.base.add(word).read_volatile() } == FILL;
        self.stack as usize >= self.base as usize + GUARD * 4 && (0..GUARD).all(fill)
    }
}
