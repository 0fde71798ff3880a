//! Handles of mutexes. Who holds one goes on with the priority of who waits for it, where there are priorities.

use fwvs_kernel::{Kind, ObjectId, Operation, Verb, Wait};
use fwvs_wire::Particulars;

use crate::gate::operate;
use crate::objects::{Name, create, ticks};
use crate::task::Use;

/// A lock with an owner.
#[derive(Clone, Copy, Debug)]
pub struct Mutex(ObjectId);

impl Mutex {
    /// A mutex; an owner that locks it again waits for itself.
    pub fn new(name: impl Into<Name>) -> Self {
        Self(create(Particulars::new(Kind::Mutex { recursive: false }), name.into()))
    }

    /// A mutex that its owner may lock again, and must then unlock as often.
    pub fn recursive(name: impl Into<Name>) -> Self {
        Self(create(Particulars::new(Kind::Mutex { recursive: true }), name.into()))
    }

    /// A handle of nothing yet; to use it is a finding.
    pub const fn null() -> Self {
        Self(ObjectId::NULL)
    }

    /// Locks it, and waits until it can.
    #[inline(always)]
    pub fn lock(self) {
        operate(Operation::lock(self.0, Wait::Forever), core::ptr::null_mut());
    }

    /// Locks it if it is free.
    #[inline(always)]
    pub fn try_lock(self) -> bool {
        operate(Operation::lock(self.0, Wait::Never), core::ptr::null_mut()).served
    }

    /// Locks it, and waits for so many ticks until it can. False if it could not in time.
    #[inline(always)]
    pub fn lock_for(self, ticks: u32) -> bool {
        operate(Operation::lock(self.0, self::ticks(ticks)), core::ptr::null_mut()).served
    }

    /// Unlocks it. False if it was free, or, for a recursive one, if somebody else owns it; that somebody else owns a
    /// plain one is a finding.
    #[inline(always)]
    pub fn unlock(self) -> bool {
        operate(Operation::unlock(self.0), core::ptr::null_mut()).served
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn locking(self) -> Use {
        Use::new(Verb::Lock, self.0)
    }

    /// That a task may do so: see [`Task::may`](crate::Task::may).
    pub fn unlocking(self) -> Use {
        Use::new(Verb::Unlock, self.0)
    }
}
