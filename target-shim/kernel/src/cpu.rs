//! The processor: who runs, who waits in which order, who is woken, and whose priority that changes.
//!
//! FreeRTOS V11 is the model. Whoever is woken is ready and tries again; nothing is handed over. A mutex lends its
//! holder the priority of who waits for it, one step far. Whoever a handler readies runs as soon as the handler has
//! returned, if its priority is higher: firmware that forgets to ask for that switch, and goes on with a lower priority
//! until the next tick, is not looked at.
//!
//! Two moments of FreeRTOS are not looked at either, both of a mutex whose lender gives up in the tick in which something
//! else happens: a holder of the same priority may run on between the lender's last look at the mutex and its return; and a
//! holder that gives the mutex to somebody of a lower priority runs on, though one of a higher priority is ready.

use crate::clock::after;
use crate::id::ObjectId;
use crate::kernel::Kernel;
use crate::object::{Awaits, Kind, Wakes};
use crate::operation::{Operation, Verb, Wait};
use crate::rules::Schedule;
use crate::storage::Storage;
use crate::task::{Role, Standing, Task};

impl<S: Storage> Kernel<S> {
    /// Whether a task shares the processor with others.
    pub fn on_cpu(&self, task: &Task) -> bool {
        self.rules().schedule == Schedule::Priority
            && matches!(task.role, Role::Firmware | Role::Interrupt { .. } | Role::Daemon)
    }

    /// Whether a task of the processor wants to run.
    fn wants_to_run(&self, task: &Task) -> bool {
        let idle_handler = task.is_at(Verb::Fire);
        self.on_cpu(task) && task.standing == Standing::Ready && !idle_handler
    }

    /// Whether the task at `place`, which is ready, may have the processor.
    pub(crate) fn runs(&self, place: usize) -> bool {
        if let Some(owner) = self.critical_owner() {
            return owner == place;
        }
        let priority = self.tasks()[place].priority;
        !self.tasks().iter().any(|other| other.priority > priority && self.wants_to_run(other))
    }

    /// Whether somebody of higher priority is ready than the task at `place`.
    pub(crate) fn is_preempted(&self, place: usize) -> bool {
        let task = &self.tasks()[place];
        self.on_cpu(task) && self.critical_owner().is_none() && !self.runs(place)
    }

    /// Whether an interrupt line may fire; within its budget, or but for it.
    pub(crate) fn may_fire(&self, place: usize, line: ObjectId, within_budget: bool) -> bool {
        let Some(line) = self.object_place(line).map(|line| &self.objects()[line]) else { return false };
        let Kind::Line { limit } = line.kind else { return false };
        let handler_runs =
            |task: &Task| matches!(task.role, Role::Interrupt { .. }) && !task.is_at(Verb::Fire);
        let on_cpu = self.on_cpu(&self.tasks()[place]);
        line.level > 0
            && line.times < limit
            && !(within_budget && self.is_line_over_budget(line.id))
            && self.critical_owner().is_none()
            && !(on_cpu && self.tasks().iter().any(handler_runs))
    }

    /// Whether an interrupt line that declares no number itself has fired as often as it may.
    pub(crate) fn is_line_over_budget(&self, line: ObjectId) -> bool {
        self.object_place(line).map(|line| &self.objects()[line]).is_some_and(|line| {
            line.kind == Kind::Line { limit: u16::MAX } && line.times >= self.rules().interrupts
        })
    }

    /// Whether a task waits in line for that, of that object if each has a line of its own.
    fn waits_for(&self, task: &Task, object: ObjectId, what: Awaits) -> bool {
        if task.standing != Standing::Waiting || !self.on_cpu(task) {
            return false;
        }
        task.pending.is_some_and(|operation| {
            operation.verb.awaits() == Some(what) && (operation.subject == object || !what.is_of_one_object())
        })
    }

    /// The first in line.
    pub(crate) fn first_waiter(&self, object: ObjectId, what: Awaits) -> Option<usize> {
        let waiting = |place: &usize| self.waits_for(&self.tasks()[*place], object, what);
        (0..self.tasks().len()).filter(waiting).min_by_key(|place| self.tasks()[*place].in_line)
    }

    /// The task at `place` goes past everybody in line up to the first whose priority is lower: the present one, which is
    /// not the one that it came with if it has inherited another since. Nobody else moves (`vListInsert` of FreeRTOS).
    fn stand_in_line(&mut self, place: usize, operation: Operation) {
        let Some(what) = operation.verb.awaits() else { return };
        let Some(object) = operation.object() else { return };
        let priority = self.tasks()[place].priority;
        let (mut last, mut first_lower) = (None, None);
        for task in self.tasks().iter().filter(|task| self.waits_for(task, object, what)) {
            last = last.max(Some(task.in_line));
            if task.priority < priority {
                first_lower = Some(first_lower.map_or(task.in_line, |first: u32| first.min(task.in_line)));
            }
        }
        let mine = first_lower.unwrap_or(last.map_or(0, |last| last + 1));
        for other in 0..self.tasks().len() {
            if self.waits_for(&self.tasks()[other], object, what) {
                let in_line = &mut self.tasks_mut()[other].in_line;
                *in_line += u32::from(*in_line >= mine);
            }
        }
        self.tasks_mut()[place].in_line = mine;
    }

    /// Whether anybody waits in line for anything of the object that an operation touches.
    pub(crate) fn is_contended(&self, operation: Operation) -> bool {
        let Some(object) = operation.object() else { return false };
        let in_line = |task: &Task| {
            let awaits = task.pending.and_then(|pending| pending.verb.awaits());
            awaits.is_some_and(|what| what.is_of_one_object() && self.waits_for(task, object, what))
        };
        self.tasks().iter().any(in_line)
    }

    /// Which of those in line an operation of the task at `place` would wake by being served.
    #[inline]
    pub(crate) fn would_wake(&self, place: usize, operation: Operation) -> Option<Wakes> {
        if self.rules().schedule == Schedule::Free {
            return None;
        }
        let object = &self.objects()[self.object_place(operation.object()?)?];
        object.wakes(operation, matches!(self.tasks()[place].role, Role::Interrupt { .. }))
    }

    /// Those tasks, in the order in which they stand; never the one at `place` itself.
    pub(crate) fn woken(
        &self,
        place: usize,
        operation: Operation,
        wakes: Wakes,
    ) -> impl Iterator<Item = usize> + '_ {
        let mut after = None;
        let next = move || {
            let waits = |task: &Task| self.waits_for(task, operation.subject, wakes.awaits);
            let stands = |place: &usize| Some(self.tasks()[*place].in_line);
            let behind = |place: &usize| waits(&self.tasks()[*place]) && stands(place) > after;
            let first = (0..self.tasks().len()).filter(behind).min_by_key(stands)?;
            after = stands(&first);
            Some(first)
        };
        core::iter::from_fn(next).take(wakes.most).filter(move |waiter| *waiter != place)
    }

    /// Readies those tasks.
    pub(crate) fn wake_all(&mut self, place: usize, operation: Operation, wakes: Wakes) {
        for _ in 0..wakes.most {
            let first = self.first_waiter(operation.subject, wakes.awaits);
            let Some(first) = first.filter(|waiter| *waiter != place) else { return };
            self.wake(first);
        }
    }

    /// The task at `place` is ready again.
    pub(crate) fn wake(&mut self, place: usize) {
        self.tasks_mut()[place].standing = Standing::Ready;
    }

    /// The timer daemon is ready, if it waits for something to do.
    pub(crate) fn wake_the_daemon(&mut self) {
        if let Some(daemon) = self.first_waiter(ObjectId::NULL, Awaits::Work) {
            self.wake(daemon);
        }
    }

    /// The task at `place` begins to wait for what its operation needs.
    pub(crate) fn begin_to_wait(&mut self, place: usize, operation: Operation) {
        let now = self.now();
        self.stand_in_line(place, operation);
        let task = &mut self.tasks_mut()[place];
        task.standing = Standing::Waiting;
        let deadline = match operation.verb {
            Verb::DelayUntil => Some(operation.argument),
            _ => match operation.wait() {
                Wait::Ticks(ticks) => Some(after(now, ticks)),
                Wait::Forever | Wait::Never => None,
            },
        };
        // Who was woken in vain waits for the rest of its time only.
        task.deadline = task.deadline.or(deadline);
        if operation.verb == Verb::Serve {
            self.daemon_waits();
        }
        if operation.verb == Verb::Lock {
            self.lend_priority(place, operation.subject);
        }
    }

    /// Who holds the mutex, as a place.
    fn holder(&self, mutex: ObjectId) -> Option<usize> {
        let owner = self.objects()[self.object_place(mutex)?].owner?;
        self.task_place(owner)
    }

    /// The holder of the mutex goes on with the priority of the task at `place`, if that is higher.
    fn lend_priority(&mut self, place: usize, mutex: ObjectId) {
        let priority = self.tasks()[place].priority;
        self.tasks_mut()[place].lent = false;
        if let Some(holder) = self.holder(mutex)
            && self.on_cpu(&self.tasks()[holder])
            && self.on_cpu(&self.tasks()[place])
        {
            let task = &mut self.tasks_mut()[holder];
            task.priority = task.priority.max(priority);
            // Somebody else may have lent as much before: that counts too.
            self.tasks_mut()[place].lent = self.tasks()[holder].base < priority;
        }
    }

    /// The task at `place` holds one mutex more.
    pub(crate) fn hold(&mut self, place: usize) {
        let task = &mut self.tasks_mut()[place];
        task.holds = task.holds.saturating_add(1);
    }

    /// The task at `place` holds one mutex less; with the last one go inherited priorities.
    pub(crate) fn release(&mut self, place: usize) {
        let task = &mut self.tasks_mut()[place];
        task.holds = task.holds.saturating_sub(1);
        if task.holds == 0 {
            task.priority = task.base;
        }
    }

    /// Whether giving a mutex back would lower the priority of the task at `place`.
    pub(crate) fn would_fall_back(&self, place: usize, mutex: ObjectId) -> bool {
        let task = &self.tasks()[place];
        let last = self.object_place(mutex).is_some_and(|mutex| self.objects()[mutex].level == 1);
        last && task.holds == 1 && task.priority != task.base
    }

    /// What the holder's priority falls back to when the task at `place`, which does not stand in line any more, gives up
    /// waiting for the mutex, and who the holder is. The first in line counts, even if somebody behind it has inherited
    /// more.
    pub(crate) fn falls_back_to(&self, place: usize, mutex: ObjectId) -> Option<(usize, u8)> {
        if !self.tasks()[place].lent {
            return None;
        }
        let holder = self.holder(mutex)?;
        let task = &self.tasks()[holder];
        let next = self.first_waiter(mutex, Awaits::Ownership).map_or(0, |next| self.tasks()[next].priority);
        let priority = task.base.max(next);
        (self.on_cpu(task) && task.holds == 1 && task.priority != priority).then_some((holder, priority))
    }

    /// Whether waiting for the mutex would never end: its holder has ended, or waits without end for a mutex whose
    /// holder has, and so on, or it all leads back to the task at `place`.
    ///
    /// Somebody who is not on the processor waits as soon as it is held at a lock, and has ended when it is held at its
    /// exit. Only those see that who are not on the processor either: that others arrive somewhere is no transition that
    /// a task which begins to wait in line could depend on. The one that closes the circle there sees it itself.
    pub(crate) fn leads_to_itself(&self, place: usize, mutex: ObjectId) -> bool {
        let sees_arrivals = !self.on_cpu(&self.tasks()[place]);
        let mut mutex = mutex;
        // As many steps as there are tasks: a longer way has been somewhere twice.
        for _ in 0..self.tasks().len() {
            let Some(holder) = self.holder(mutex) else { return false };
            if holder == place {
                return true;
            }
            let task = &self.tasks()[holder];
            if task.standing == Standing::Ended || sees_arrivals && task.is_at(Verb::Exit) {
                return true;
            }
            // Who shares no processor stands in no line: what it is held at is what it waits for.
            let waits = task.standing == Standing::Waiting || sees_arrivals && !self.on_cpu(task);
            match task.pending {
                Some(lock)
                    if (lock.verb, lock.wait()) == (Verb::Lock, Wait::Forever)
                        && waits
                        && self
                            .object_place(lock.subject)
                            .is_some_and(|place| !self.objects()[place].serves(task.id, lock)) =>
                {
                    mutex = lock.subject;
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the task at `place` would end with a mutex that somebody waits in line for without end. Whoever is not in
    /// line sees for itself that it is stuck.
    pub(crate) fn takes_a_mutex_along(&self, place: usize) -> bool {
        let Task { id, holds, .. } = self.tasks()[place];
        holds > 0
            && self.objects().iter().filter(|object| object.owner == Some(id)).any(|mutex| {
                let lock = Operation::lock(mutex.id, Wait::Forever);
                self.tasks()
                    .iter()
                    .any(|task| task.standing == Standing::Waiting && task.pending == Some(lock))
            })
    }
}
