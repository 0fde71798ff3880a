//! Handles of semaphores, queues and shared variables. A handle is a number: copy it into every task that needs it.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU8, Ordering};

use fwvs_kernel::{Kind, ObjectId, Operation, Verb, Wait};
use fwvs_wire::{Creation, Particulars, What, misuse, room};

use crate::fault;
use crate::gate::{operate, shim};
use crate::mailbox::OBJECTS;
use crate::task::Use;

/// What something is called: `"inbox"`, or `("fork", 2)` for one of many.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub(crate) text: &'static str,
    pub(crate) index: Option<u8>,
}

impl From<&'static str> for Name {
    fn from(text: &'static str) -> Self {
        Self { text, index: None }
    }
}

impl From<(&'static str, u8)> for Name {
    fn from((text, index): (&'static str, u8)) -> Self {
        Self { text, index: Some(index) }
    }
}

impl Name {
    /// Where the text is, how long it is, and the number behind it, as the host reads them.
    pub(crate) fn parts(self) -> (u32, u16, u8) {
        let numbered = if self.index.is_some() { Creation::NUMBERED } else { 0 };
        let length = self.text.len().min(usize::from(Creation::NUMBERED) - 1) as u16;
        (self.text.as_ptr() as usize as u32, length | numbered, self.index.unwrap_or(0))
    }
}

/// Creates an object; out of room, or too late, is a finding.
pub(crate) fn create(particulars: Particulars, name: Name) -> ObjectId {
    let shim = shim();
    if shim.started {
        fault::misuse(misuse::LATE_CREATION);
    }
    let Particulars { kind, level, never_full, period } = particulars;
    let Ok(object) = shim.kernel.create_object(kind, level) else { fault::full(room::OBJECTS, OBJECTS) };
    shim.kernel.describe_object(object, never_full, period);
    fault::creation(What::Object(particulars), object.0.index, name);
    object
}

/// How long to wait, for an operation.
pub(crate) fn ticks(ticks: u32) -> Wait {
    Wait::for_ticks(ticks)
}

/// A binary or counting semaphore.
#[derive(Clone, Copy, Debug)]
pub struct Semaphore(ObjectId);

impl Semaphore {
    /// At most one unit; `initial` is 0 or 1.
    pub fn binary(name: impl Into<Name>, initial: u16) -> Self {
        Self::counting(name, initial, 1)
    }

    /// At most `max` units; [`u16::MAX`] stands for no maximum.
    pub fn counting(name: impl Into<Name>, initial: u16, max: u16) -> Self {
        Self::create(name.into(), initial, max, false)
    }

    /// The same, and a give that finds it at its maximum is a finding.
    pub fn never_full(name: impl Into<Name>, initial: u16, max: u16) -> Self {
        Self::create(name.into(), initial, max, true)
    }

    fn create(name: Name, level: u16, max: u16, never_full: bool) -> Self {
        if level > max || max == 0 {
            fault::misuse_of(misuse::BAD_SEMAPHORE, name, [level.into(), max.into()]);
        }
        let kind = Kind::Semaphore { max };
        Self(create(Particulars { level, never_full, ..Particulars::new(kind) }, name))
    }

    /// A handle of nothing yet; to use it is a finding.
    pub const fn null() -> Self {
        Self(ObjectId::NULL)
    }

    /// Takes a unit, and waits for so many ticks until there is one. False if there was none in time.
    #[inline(always)]
    pub fn take_for(self, ticks: u32) -> bool {
        operate(Operation::take(self.0, self::ticks(ticks)), core::ptr::null_mut()).served
    }

    /// Takes a unit, and waits until there is one.
    #[inline(always)]
    pub fn take(self) {
        operate(Operation::take(self.0, Wait::Forever), core::ptr::null_mut());
    }

    /// Takes a unit if there is one.
    #[inline(always)]
    pub fn try_take(self) -> bool {
        operate(Operation::take(self.0, Wait::Never), core::ptr::null_mut()).served
    }

    /// Gives a unit; false at the maximum, and then nothing changes.
    #[inline(always)]
    pub fn give(self) -> bool {
        operate(Operation::give(self.0), core::ptr::null_mut()).served
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn taking(self) -> Use {
        Use::new(Verb::Take, self.0)
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn giving(self) -> Use {
        Use::new(Verb::Give, self.0)
    }
}

/// A queue of at most `N` messages, first in first out.
#[derive(Debug)]
pub struct Queue<T, const N: usize>(ObjectId, PhantomData<fn(T) -> T>);

impl<T, const N: usize> Clone for Queue<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Queue<T, N> {}

impl<T: Copy + 'static, const N: usize> Queue<T, N> {
    /// An empty queue.
    pub fn new(name: impl Into<Name>) -> Self {
        Self::with_capacity(name, N)
    }

    /// An empty queue that holds fewer messages than it could.
    pub fn with_capacity(name: impl Into<Name>, capacity: usize) -> Self {
        Self::create(name.into(), capacity, false)
    }

    /// An empty queue; a message that does not fit, where the sender does not wait, is a finding.
    pub fn never_full(name: impl Into<Name>) -> Self {
        Self::never_full_with_capacity(name, N)
    }

    /// The same for a queue that holds fewer messages than it could.
    pub fn never_full_with_capacity(name: impl Into<Name>, capacity: usize) -> Self {
        Self::create(name.into(), capacity, true)
    }

    fn create(name: Name, capacity: usize, never_full: bool) -> Self {
        let most = N.min(usize::from(u16::MAX));
        if capacity == 0 || capacity > most {
            fault::misuse_of(misuse::BAD_QUEUE, name, [capacity as u32, most as u32]);
        }
        let kind = Kind::Queue { capacity: capacity as u16 };
        let object = create(Particulars { never_full, ..Particulars::new(kind) }, name);
        messages().reserve(usize::from(object.0.index), size_of::<T>(), capacity);
        Self(object, PhantomData)
    }

    /// A handle of nothing yet; to use it is a finding.
    pub const fn null() -> Self {
        Self(ObjectId::NULL, PhantomData)
    }

    /// Sends, and waits for so many ticks until there is room, else gives the message back.
    #[inline(always)]
    pub fn send_for(self, message: T, ticks: u32) -> Result<(), T> {
        let operation = Operation::send(self.0, self::ticks(ticks));
        if operate(operation, (&raw const message).cast_mut().cast()).served { Ok(()) } else { Err(message) }
    }

    /// Receives, and waits for so many ticks until there is a message.
    #[inline(always)]
    pub fn receive_for(self, ticks: u32) -> Option<T> {
        let mut message = MaybeUninit::<T>::uninit();
        let operation = Operation::receive(self.0, self::ticks(ticks));
        let served = operate(operation, message.as_mut_ptr().cast()).served;
        // SAFETY: served, so the message is there.
        served.then(|| unsafe { message.assume_init() })
    }

    /// Copies the oldest message, and waits for so many ticks until there is one.
    #[inline(always)]
    pub fn peek_for(self, ticks: u32) -> Option<T> {
        let mut message = MaybeUninit::<T>::uninit();
        let operation = Operation::peek(self.0, self::ticks(ticks));
        let served = operate(operation, message.as_mut_ptr().cast()).served;
        // SAFETY: served, so the message is there.
        served.then(|| unsafe { message.assume_init() })
    }

    /// Sends, and waits until there is room.
    #[inline(always)]
    pub fn send(self, message: T) {
        operate(Operation::send(self.0, Wait::Forever), (&raw const message).cast_mut().cast());
    }

    /// Sends if there is room, else gives the message back.
    #[inline(always)]
    pub fn try_send(self, message: T) -> Result<(), T> {
        let operation = Operation::send(self.0, Wait::Never);
        if operate(operation, (&raw const message).cast_mut().cast()).served { Ok(()) } else { Err(message) }
    }

    /// Receives, and waits until there is a message.
    #[inline(always)]
    pub fn receive(self) -> T {
        let mut message = MaybeUninit::<T>::uninit();
        operate(Operation::receive(self.0, Wait::Forever), message.as_mut_ptr().cast());
        // SAFETY: a blocking receive is let go when it is served, and then the message is there.
        unsafe { message.assume_init() }
    }

    /// Receives if there is a message.
    #[inline(always)]
    pub fn try_receive(self) -> Option<T> {
        let mut message = MaybeUninit::<T>::uninit();
        let operation = Operation::receive(self.0, Wait::Never);
        let served = operate(operation, message.as_mut_ptr().cast()).served;
        // SAFETY: served, so the message is there.
        served.then(|| unsafe { message.assume_init() })
    }

    /// Copies the oldest message, and waits until there is one.
    #[inline(always)]
    pub fn peek(self) -> T {
        let mut message = MaybeUninit::<T>::uninit();
        operate(Operation::peek(self.0, Wait::Forever), message.as_mut_ptr().cast());
        // SAFETY: as in `receive`.
        unsafe { message.assume_init() }
    }

    /// Copies the oldest message if there is one.
    #[inline(always)]
    pub fn try_peek(self) -> Option<T> {
        let mut message = MaybeUninit::<T>::uninit();
        let operation = Operation::peek(self.0, Wait::Never);
        let served = operate(operation, message.as_mut_ptr().cast()).served;
        // SAFETY: served, so the message is there.
        served.then(|| unsafe { message.assume_init() })
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn sending(self) -> Use {
        Use::new(Verb::Send, self.0)
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn receiving(self) -> Use {
        Use::new(Verb::Receive, self.0)
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn peeking(self) -> Use {
        Use::new(Verb::Peek, self.0)
    }
}

/// Where the messages of all queues are.
pub(crate) struct Messages {
    bytes: [u64; Messages::BYTES / 8],
    used: usize,
    spans: [(u16, u16); OBJECTS],
}

#[cfg_attr(target_os = "none", unsafe(link_section = ".fwvs_mailbox.messages"))]
static mut MESSAGES: MaybeUninit<Messages> = MaybeUninit::uninit();

/// Makes room for messages. What slots hold before something is sent is nobody's business.
pub(crate) fn init_messages() {
    let messages = &raw mut MESSAGES;
    // SAFETY: called before anybody uses the messages; `bytes` may hold anything.
    unsafe {
        let messages = (*messages).as_mut_ptr();
        (*messages).used = 0;
        (*messages).spans = [(0, 0); OBJECTS];
    }
}

/// The messages. As with the shim's state, no reference may live across a switch.
pub(crate) fn messages() -> &'static mut Messages {
    let messages = &raw mut MESSAGES;
    // SAFETY: initialised with the shim's state, or of a type that may hold anything; one core, no preemption.
    unsafe { (*messages).assume_init_mut() }
}

impl Messages {
    const BYTES: usize = 2048;

    fn reserve(&mut self, queue: usize, size: usize, capacity: usize) {
        let begin = self.used;
        let bytes = size.saturating_mul(capacity);
        if bytes > Self::BYTES - begin {
            fault::full(room::MESSAGES, Self::BYTES);
        }
        self.used = (begin + bytes).next_multiple_of(8).min(Self::BYTES);
        self.spans[queue] = (begin as u16, size as u16);
    }

    /// A slot's bytes.
    fn slot(&mut self, queue: usize, slot: u16) -> (*mut u8, usize) {
        let (begin, size) = self.spans[queue];
        let (begin, size) = (usize::from(begin), usize::from(size));
        // SAFETY: `reserve` made room for every slot that the kernel can name.
        (unsafe { self.bytes.as_mut_ptr().cast::<u8>().add(begin + usize::from(slot) * size) }, size)
    }

    pub(crate) fn put(&mut self, queue: usize, slot: u16, body: *const u8) {
        let (place, size) = self.slot(queue, slot);
        // SAFETY: a sender's body is a message of the queue's type, on the stack of a task that is held.
        unsafe { core::ptr::copy_nonoverlapping(body, place, size) };
    }

    pub(crate) fn get(&mut self, queue: usize, slot: u16, body: *mut u8) {
        let (place, size) = self.slot(queue, slot);
        // SAFETY: a receiver's body is room for a message of the queue's type.
        unsafe { core::ptr::copy_nonoverlapping(place, body, size) };
    }
}

/// A shared variable that lives elsewhere: declares accesses to it.
#[derive(Clone, Copy, Debug)]
pub struct Variable(ObjectId);

impl Variable {
    /// Declares a variable.
    pub fn new(name: impl Into<Name>) -> Self {
        Self(create(Particulars::new(Kind::Shared), name.into()))
    }

    /// To be called right before a read.
    #[inline(always)]
    pub fn reading(self) {
        operate(Operation::read(self.0), core::ptr::null_mut());
    }

    /// To be called right before a write.
    #[inline(always)]
    pub fn writing(self) {
        operate(Operation::write(self.0), core::ptr::null_mut());
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn may_read(self) -> Use {
        Use::new(Verb::Read, self.0)
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn may_write(self) -> Use {
        Use::new(Verb::Write, self.0)
    }
}

/// A shared variable whose every access is visible; declared with [`shared!`](crate::shared).
#[derive(Debug)]
pub struct Shared<T> {
    value: UnsafeCell<T>,
    number: &'static AtomicU8,
}

// SAFETY: tasks switch only at gates, so every access is by the one that runs; `T` is `Copy`.
unsafe impl<T: Copy + Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    #[doc(hidden)]
    pub const fn new(value: T, number: &'static AtomicU8) -> Self {
        Self { value: UnsafeCell::new(value), number }
    }

    #[inline(always)]
    fn variable(&self) -> Variable {
        Variable(ObjectId::setup(self.number.load(Ordering::Relaxed)))
    }

    /// Its value.
    #[inline(always)]
    pub fn read(&self) -> T {
        self.variable().reading();
        // SAFETY: nobody else runs until the next gate.
        unsafe { self.value.get().read() }
    }

    /// A new value.
    #[inline(always)]
    pub fn write(&self, value: T) {
        self.variable().writing();
        // SAFETY: nobody else runs until the next gate.
        unsafe { self.value.get().write(value) }
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn reading(&self) -> Use {
        self.variable().may_read()
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn writing(&self) -> Use {
        self.variable().may_write()
    }
}

/// What [`shared!`](crate::shared) leaves for the start: a name, and where to put the object's number.
#[doc(hidden)]
#[repr(C)]
pub struct SharedEntry {
    pub name: &'static str,
    pub number: &'static AtomicU8,
}

/// Declares every variable of [`shared!`](crate::shared), before the firmware's own set-up.
pub(crate) fn declare_shared() {
    for entry in crate::arch::shared_entries() {
        let Variable(object) = Variable::new(entry.name);
        entry.number.store(object.0.index, Ordering::Relaxed);
    }
}

/// Declares a shared variable whose every access is a visible operation.
///
/// ```no_run
/// fwvs::shared!(static LEVEL: u32 = 0);
///
/// fn fill() {
///     LEVEL.write(LEVEL.read() + 1);
/// }
/// ```
#[macro_export]
macro_rules! shared {
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $value:expr;) => {
        $crate::shared!($(#[$attribute])* $visibility static $name: $type = $value);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $value:expr) => {
        $(#[$attribute])*
        $visibility static $name: $crate::Shared<$type> = {
            static NUMBER: ::core::sync::atomic::AtomicU8 = ::core::sync::atomic::AtomicU8::new(0xff);
            #[used]
            #[cfg_attr(target_os = "none", unsafe(link_section = "fwvs_shared"))]
            static ENTRY: $crate::expansion::SharedEntry =
                $crate::expansion::SharedEntry { name: ::core::stringify!($name), number: &NUMBER };
            $crate::Shared::new($value, &NUMBER)
        };
    };
}
