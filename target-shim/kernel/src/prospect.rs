//! What would come of an operation: whether its task can go on with it, and how.
//!
//! Everything here looks and changes nothing. Taking a transition, choosing one and comparing two all start from the
//! same answer.

use crate::daemon::MOST_COURSES;
use crate::kernel::{Kernel, Transition};
use crate::object::{Kind, Object};
use crate::operation::{Operation, Verb, Wait};
use crate::rules::{Clock, Schedule};
use crate::storage::Storage;
use crate::task::{Role, Standing, Task};
use crate::timer;
use crate::wrong::Wrong;

/// What comes of an operation that its task goes on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prospect {
    /// It is served.
    Serve,
    /// It is not served, and the task goes on.
    Refuse,
    /// The task waits from now on.
    Wait,
    /// Time passes: the wait is over.
    Expire,
    /// The path ends.
    Wrong(Wrong),
}

impl<S: Storage> Kernel<S> {
    /// What comes of the transition, if it is enabled.
    pub(crate) fn prospect(&self, transition: Transition) -> Option<Prospect> {
        let place = self.task_place(transition.task)?;
        let operation = self.tasks()[place].pending.as_ref()?;
        if u32::from(transition.alternative) >= self.alternatives(*operation) {
            return None;
        }
        self.prospect_at(place, operation, transition.alternative)
    }

    /// What comes of `operation`, with that alternative, if the task at `place` can go on with it.
    pub(crate) fn prospect_of(
        &self,
        place: usize,
        operation: Operation,
        alternative: u16,
    ) -> Option<Prospect> {
        self.prospect_at(place, &operation, alternative)
    }

    /// What comes of `operation`, which is not copied on the way here: the target asks this often.
    #[inline(always)]
    pub(crate) fn prospect_at(
        &self,
        place: usize,
        operation: &Operation,
        alternative: u16,
    ) -> Option<Prospect> {
        match self.without_time(place, operation, alternative)? {
            Prospect::Expire => self.when_time_passes(place, operation),
            prospect => Some(prospect),
        }
    }

    /// What comes of an operation whose task waits for time: it expires, if time may pass now.
    #[inline(never)]
    fn when_time_passes(&self, place: usize, operation: &Operation) -> Option<Prospect> {
        let task = &self.tasks()[place];
        // On the processor that is seen when the task runs.
        let never_full = self.is_never_full(*operation) && !self.on_cpu(task);
        let prospect = if never_full { Prospect::Wrong(Wrong::NeverFull(task.id)) } else { Prospect::Expire };
        self.time_may_pass(place).then_some(prospect)
    }

    /// Whether the operation gives or sends to what was declared never to be full.
    pub(crate) fn is_never_full(&self, operation: Operation) -> bool {
        let object = operation.object().and_then(|object| self.object_place(object));
        matches!(operation.verb, Verb::Give | Verb::Send)
            && object.is_some_and(|object| self.objects()[object].never_full)
    }

    /// Whether the task at `place` can go on with that alternative without time passing.
    pub(crate) fn goes_on_without_time(&self, place: usize, operation: Operation, alternative: u16) -> bool {
        !matches!(self.without_time(place, &operation, alternative), None | Some(Prospect::Expire))
    }

    /// Whether the task or timer at `place` waits for time to pass.
    pub(crate) fn waits_for_time(&self, place: usize, operation: Operation) -> bool {
        self.without_time(place, &operation, 0) == Some(Prospect::Expire)
    }

    /// How many alternatives an operation has when it is enabled.
    #[inline]
    pub fn alternatives(&self, operation: Operation) -> u32 {
        match operation.verb {
            Verb::Toss => operation.argument + 1,
            // Nobody knows what time it is: overdue or not is a choice.
            Verb::DelayUntil if self.rules().clock == Clock::Free => 2,
            Verb::Serve => self.count_courses(),
            _ => 1,
        }
    }

    /// How many it has in the state in which it has most.
    pub fn most_alternatives(&self, operation: Operation) -> u32 {
        match operation.verb {
            Verb::Serve if self.rules().schedule == Schedule::Priority => MOST_COURSES,
            _ => self.alternatives(operation),
        }
    }

    /// What comes of an operation, leaving open whether time may pass now: `Expire` stands for the wait for it.
    ///
    /// The target asks this at every step, of every task when it goes on by itself: one function, without copies.
    #[inline(never)]
    fn without_time(&self, place: usize, operation: &Operation, alternative: u16) -> Option<Prospect> {
        let (task, operation) = (&self.tasks()[place], *operation);
        match (task.role, operation.verb) {
            _ if task.standing == Standing::Ended => return None,
            (Role::Timer { timer }, _) => {
                let running = self.objects()[self.object_place(timer)?].level == timer::RUNNING;
                return (running && !self.rules().has_clock()).then_some(Prospect::Expire);
            }
            (Role::Clock, _) => return self.left_for_the_clock().map(|_| Prospect::Expire),
            (_, Verb::Fire) => {
                return self.may_fire(place, operation.subject, true).then_some(Prospect::Serve);
            }
            _ => {}
        }
        let on_cpu = self.on_cpu(task);
        if on_cpu {
            if task.standing == Standing::Waiting {
                let alone = !self.rules().has_clock();
                return (task.deadline.is_some() && alone).then_some(Prospect::Expire);
            }
            if !self.runs(place) {
                return None;
            }
        } else {
            let shut_out = self.critical_owner().is_some_and(|owner| owner != place);
            if shut_out && task.role != Role::Environment {
                return None;
            }
        }
        self.on_its_way(place, operation, alternative, on_cpu)
    }

    /// What comes of an operation whose task has the processor it needs.
    #[inline]
    fn on_its_way(
        &self,
        place: usize,
        operation: Operation,
        alternative: u16,
        cpu: bool,
    ) -> Option<Prospect> {
        use Prospect::{Refuse, Serve, Wait as Waits};
        let task = &self.tasks()[place];
        let wrong = |wrong: fn(_) -> Wrong| Some(Prospect::Wrong(wrong(task.id)));
        match operation.verb {
            // The daemon is back in its loop when a callback has ended.
            Verb::Exit | Verb::Return | Verb::Serve if self.critical_owner() == Some(place) => {
                wrong(Wrong::EndsInCritical)
            }
            Verb::Exit if self.takes_a_mutex_along(place) => wrong(Wrong::Cycle),
            Verb::Exit => cpu.then_some(Serve),
            // The environment is not shut out by critical sections, and shuts out nobody.
            Verb::EnterCritical | Verb::ExitCritical if task.role == Role::Environment => Some(Serve),
            Verb::ExitCritical if self.critical_owner() != Some(place) => wrong(Wrong::NotInCritical),
            // A handler may not let others go first either, whether or not there is something to wait for.
            Verb::Delay | Verb::DelayUntil if task.role == Role::Daemon => self.held_up(task, place, cpu),
            Verb::Delay | Verb::DelayUntil | Verb::Yield if matches!(task.role, Role::Interrupt { .. }) => {
                self.held_up(task, place, cpu)
            }
            Verb::Delay if operation.argument == 0 => Some(Serve),
            Verb::DelayUntil if task.standing == Standing::Ready && !task.expired => {
                let overdue = match self.rules().clock {
                    Clock::Free => alternative == 1,
                    Clock::Ordered | Clock::Idle => self.has_passed(operation.argument),
                };
                if overdue { Some(Refuse) } else { self.held_up(task, place, cpu) }
            }
            Verb::Delay | Verb::DelayUntil if task.expired => Some(Serve),
            Verb::Delay | Verb::DelayUntil => self.held_up(task, place, cpu),
            Verb::Serve if self.has_work() => Some(Serve),
            Verb::Serve => cpu.then_some(Waits),
            _ => {
                let Some(object) = operation.object() else { return Some(Serve) };
                let object = &self.objects()[self.object_place(object)?];
                if let Verb::Lock | Verb::Unlock = operation.verb
                    && matches!(task.role, Role::Interrupt { .. })
                {
                    return wrong(Wrong::MutexInHandler);
                }
                if self.serves(task, object, operation) {
                    return Some(Serve);
                }
                let gives_up = operation.wait() == Wait::Never || task.expired || self.is_late(task);
                match (operation.verb, object.kind) {
                    (Verb::Give | Verb::Send, _) if object.never_full && gives_up => {
                        return wrong(Wrong::NeverFull);
                    }
                    (Verb::Unlock, Kind::Mutex { recursive: false }) if object.owner.is_some() => {
                        return wrong(Wrong::NotOwner);
                    }
                    // An assertion in FreeRTOS: an owner that waited for itself takes back what others lent it.
                    (Verb::Lock, _)
                        if gives_up
                            && matches!(operation.wait(), Wait::Ticks(_))
                            && self
                                .falls_back_to(place, operation.subject)
                                .is_some_and(|(holder, _)| holder == place) =>
                    {
                        return wrong(Wrong::Cycle);
                    }
                    (verb, _) if verb.is_command() && gives_up => {
                        return wrong(Wrong::CommandsFull);
                    }
                    _ => {}
                }
                match operation.wait() {
                    Wait::Never => Some(Refuse),
                    _ if task.expired => Some(Refuse),
                    Wait::Forever if !cpu && !matches!(task.role, Role::Interrupt { .. } | Role::Daemon) => {
                        if self.critical_owner() == Some(place) {
                            return wrong(Wrong::BlocksInCritical);
                        }
                        // Known to be stuck as soon as the circle is closed, whoever closes it.
                        let circle =
                            operation.verb == Verb::Lock && self.leads_to_itself(place, operation.subject);
                        if circle { wrong(Wrong::Cycle) } else { None }
                    }
                    _ => self.held_up(task, place, cpu),
                }
            }
        }
    }

    /// The task has to wait: it begins to, or, where it waits already, waits for time.
    fn held_up(&self, task: &Task, place: usize, cpu: bool) -> Option<Prospect> {
        let wrong = |wrong: fn(_) -> Wrong| Some(Prospect::Wrong(wrong(task.id)));
        if let Role::Interrupt { .. } = task.role {
            return wrong(Wrong::BlocksInHandler);
        }
        if task.role == Role::Daemon {
            return wrong(Wrong::BlocksInCallback);
        }
        if self.critical_owner() == Some(place) {
            return wrong(Wrong::BlocksInCritical);
        }
        if cpu {
            if self.is_late(task) {
                return Some(Prospect::Refuse);
            }
            return match task.pending {
                Some(lock)
                    if (lock.verb, lock.wait()) == (Verb::Lock, Wait::Forever)
                        && self.leads_to_itself(place, lock.subject) =>
                {
                    wrong(Wrong::Cycle)
                }
                _ => Some(Prospect::Wait),
            };
        }
        // With a free clock there is nothing to remember of when a wait began.
        let timed_wait_begins = self.rules().clock != Clock::Free && task.standing == Standing::Ready;
        Some(if timed_wait_begins { Prospect::Wait } else { Prospect::Expire })
    }

    /// Whether the time is over of a task that was woken in vain.
    fn is_late(&self, task: &Task) -> bool {
        task.deadline.is_some_and(|deadline| self.rules().clock != Clock::Free && self.has_passed(deadline))
    }

    /// Whether the operation's object would serve it. A timer command needs room among the commands, with priorities.
    #[inline(always)]
    fn serves(&self, task: &Task, object: &Object, operation: Operation) -> bool {
        if operation.verb.is_command() {
            return self.rules().schedule == Schedule::Free || self.commands_left() > 0;
        }
        object.serves(task.id, operation)
    }
}
