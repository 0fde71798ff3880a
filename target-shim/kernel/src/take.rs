//! Taking a transition: what it changes, whom it wakes, and what its task does next.

use crate::choice::Choice;
use crate::kernel::{Kernel, Transition};
use crate::object::Effect;
use crate::operation::{Operation, Verb, Wait};
use crate::prospect::Prospect;
use crate::rules::Schedule;
use crate::storage::Storage;
use crate::task::{Role, Standing};
use crate::timer::{self, Given};

/// What the task does after a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// It runs on to its next operation.
    Runs,
    /// It waits, and will try its operation again.
    Waits,
    /// Its wait is over by time; it will try its operation once more.
    Expired,
    /// The operation is done, and somebody of higher priority goes first: it will return from it later.
    Preempted,
    /// It has no code to run: the clock, a timer, the daemon between two callbacks, a task that has ended.
    Stays,
    /// The path ends.
    Ends,
}

/// What came of a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The operation that was taken.
    pub operation: Operation,
    /// Whether it was served; an unserved `try` or a give at the maximum changes nothing.
    pub served: bool,
    /// The object's level afterwards, the toss's value, whose callback the daemon is to call, or how many deadlines the clock
    /// has passed: what target and host compare.
    pub level: u16,
    /// What tick it was, the answer to [`Verb::Tick`]; of [`Verb::Pass`], what tick it is now.
    pub tick: u32,
    /// What the task does next.
    pub then: Then,
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

impl<S: Storage> Kernel<S> {
    /// Takes an enabled transition. If the task runs then, it does until it arrives again.
    ///
    /// # Panics
    /// If the transition is not enabled.
    pub fn take(&mut self, transition: Transition, bodies: &mut impl Bodies) -> Taken {
        let prospect = self.prospect(transition).expect("only what is enabled is taken");
        self.take_chosen(Choice { transition, prospect }, bodies)
    }

    /// Takes what was chosen in the present state. If the task runs then, it does until it arrives again.
    ///
    /// # Panics
    /// If it was chosen in another state in which the task was held at something, and is not now.
    pub fn take_chosen(&mut self, choice: Choice, bodies: &mut impl Bodies) -> Taken {
        let Choice { transition, prospect } = choice;
        let place = usize::from(transition.task.0.index);
        let operation = self.tasks()[place].pending.expect("an enabled task is held at an operation");
        self.steps += 1;
        self.storage.tasks_mut()[place].last_run = self.steps;
        let mut taken = Taken {
            operation,
            served: true,
            level: transition.alternative,
            tick: self.now,
            then: Then::Runs,
        };
        match prospect {
            Prospect::Wrong(wrong) => {
                self.wrong = Some(wrong);
                (taken.served, taken.then) = (false, Then::Ends);
                taken.level = self.level(operation);
            }
            Prospect::Wait => {
                self.begin_to_wait(place, operation);
                (taken.served, taken.then) = (false, Then::Waits);
                taken.level = self.level(operation);
            }
            Prospect::Expire => self.expire(place, operation, &mut taken),
            Prospect::Refuse => {
                self.refuse(place, operation);
                taken.served = false;
                taken.level = self.level(operation);
            }
            Prospect::Serve => self.serve(place, operation, bodies, &mut taken),
        }
        if taken.then == Then::Runs {
            let task = &mut self.storage.tasks_mut()[place];
            task.pending = None;
            task.standing = Standing::Ready;
            (task.deadline, task.expired) = (None, false);
        }
        self.let_the_daemon_look();
        taken
    }

    /// The level of an operation's object.
    fn level(&self, operation: Operation) -> u16 {
        let place = operation.object().and_then(|object| self.object_place(object));
        place.map_or(0, |place| self.objects()[place].level)
    }

    /// Time passes for a task that waits, for a timer, or for all whose deadline is the clock's next.
    fn expire(&mut self, place: usize, operation: Operation, taken: &mut Taken) {
        if operation.verb == Verb::Pass {
            return self.pass_together(place, taken);
        }
        self.pass_time(place);
        let steps = self.steps;
        if operation.verb == Verb::Expire {
            let wakes = self.would_wake(place, operation);
            if let Some(timer) = operation.object().and_then(|timer| self.object_place(timer)) {
                let timer = &mut self.storage.objects_mut()[timer];
                timer.level = timer::DUE;
                timer.times = timer.times.saturating_add(1);
                timer.received = steps;
            }
            if let Some(wakes) = wakes {
                self.wake_all(place, operation, wakes);
            }
            (taken.level, taken.then) = (timer::DUE, Then::Stays);
            return;
        }
        let on_cpu = self.on_cpu(&self.tasks()[place]);
        let task = &mut self.storage.tasks_mut()[place];
        task.expiries = task.expiries.saturating_add(1);
        if on_cpu {
            // Ready again; what it waited for is looked at once more when it runs.
            task.standing = Standing::Ready;
            task.expired = true;
            taken.then = Then::Expired;
        }
        taken.served = !on_cpu && matches!(operation.verb, Verb::Delay | Verb::DelayUntil);
        taken.level = self.level(operation);
    }

    /// The task goes on without what it wanted.
    fn refuse(&mut self, place: usize, operation: Operation) {
        if operation.verb == Verb::Lock
            && let Wait::Ticks(_) = operation.wait()
            && let Some((holder, priority)) = self.falls_back_to(place, operation.subject)
        {
            self.storage.tasks_mut()[holder].priority = priority;
        }
    }

    /// The task gets what it wanted.
    fn serve(&mut self, place: usize, operation: Operation, bodies: &mut impl Bodies, taken: &mut Taken) {
        let wakes = self.would_wake(place, operation);
        let id = self.tasks()[place].id;
        match operation.verb {
            Verb::EnterCritical | Verb::ExitCritical if self.tasks()[place].role == Role::Environment => {}
            Verb::EnterCritical => {
                let depth = self.critical_depth().saturating_add(1);
                self.critical = Some((place as u8, depth));
            }
            Verb::ExitCritical => {
                let depth = self.critical_depth() - 1;
                self.critical = (depth > 0).then_some((place as u8, depth));
            }
            _ if operation.verb.is_command() => self.command(operation),
            Verb::Active => {
                let timer = self.object_place(operation.subject).map(|timer| &self.objects()[timer]);
                taken.served = timer.is_some_and(timer::active);
            }
            Verb::Serve => self.serve_timers(taken.level, taken),
            Verb::Exit => {
                self.storage.tasks_mut()[place].standing = Standing::Ended;
                taken.then = Then::Stays;
            }
            _ => {
                let object = operation.object().and_then(|object| self.object_place(object));
                if let Some(index) = object {
                    let object = &mut self.storage.objects_mut()[index];
                    let effect = object.apply(id, operation);
                    (taken.served, taken.level) = (effect != Effect::Refused, object.level);
                    match (effect, operation.verb) {
                        (Effect::Into(slot), _) => bodies.put(place, index, slot),
                        (Effect::From(slot), _) => bodies.get(place, index, slot),
                        (Effect::Served, Verb::Lock) if taken.level == 1 => self.hold(place),
                        (Effect::Served, Verb::Unlock) if taken.level == 0 => self.release(place),
                        _ => {}
                    }
                }
            }
        }
        if let Some(wakes) = wakes.filter(|_| taken.served) {
            self.wake_all(place, operation, wakes);
        }
        if taken.then == Then::Runs && self.is_preempted(place) && taken.served {
            let task = &mut self.storage.tasks_mut()[place];
            task.pending = Some(Operation::resume());
            (task.deadline, task.expired) = (None, false);
            taken.then = Then::Preempted;
        }
    }

    /// A command for a timer: with priorities it queues up, else it takes effect at once.
    fn command(&mut self, operation: Operation) {
        let Some(place) = self.object_place(operation.subject) else { return };
        let Operation { verb, argument: period, .. } = operation;
        let given = Given { timer: place as u8, verb, period, at: self.now };
        match (self.rules.schedule, self.command_queue) {
            (Schedule::Priority, Some(queue)) => {
                let waiting = self.commands_waiting();
                self.commands[waiting] = given;
                self.storage.objects_mut()[usize::from(queue)].level += 1;
            }
            _ => timer::command(&mut self.storage.objects_mut()[place], given, self.now),
        }
    }
}
