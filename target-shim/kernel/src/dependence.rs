//! Which transitions do not commute.
//!
//! Two forms. [`Kernel::dependent`] looks at the present state and is what sleep and persistent sets use.
//! [`relation`] compares two events of a path, wherever they stand, and is what happens-before is made of. Both start
//! from the same [`Event`]: what a transition touches beside its object is in its [`Touches`].

pub use fwvs_path::Relation;

use crate::id::TaskId;
use crate::kernel::{Kernel, Transition};
use crate::object;
use crate::operation::{Operation, Verb, Wait};
use crate::prospect::Prospect;
use crate::rules::{Clock, Schedule};
use crate::storage::Storage;
use crate::task::{Role, Standing, Task};

/// What a transition touches beside its object, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touches(pub u16);

impl Touches {
    /// Needs the processor: only possible while nobody of higher priority is ready.
    pub const CPU: Self = Self(1);
    /// Changes who is ready, or with which priority.
    pub const READY: Self = Self(2);
    /// Waits in line for its object, or others do.
    pub const LINE: Self = Self(4);
    /// Lets time pass.
    pub const EXPIRES: Self = Self(8);
    /// Adds or removes a deadline, or compares one with the time, where deadlines matter.
    pub const DEADLINE: Self = Self(16);
    /// Reads the time.
    pub const TICK: Self = Self(32);
    /// Lets time pass only when nothing else can happen, or only within a common horizon.
    pub const ALONE: Self = Self(64);
    /// Begins or ends a critical section.
    pub const CRITICAL: Self = Self(128);
    /// Waits while a critical section is held.
    pub const OBEYS: Self = Self(256);
    /// Is shut out by a critical section altogether: every transition of the firmware, without priorities.
    pub const SHUT_OUT: Self = Self(512);
    /// Touches the timer daemon: its commands, or which timer expired first.
    pub const TIMERS: Self = Self(1024);
    /// Touches a timer, past the daemon, or has a command for it.
    pub const TIMER: Self = Self(2048);
    /// Looks at all timers, or for commands.
    pub const DAEMON: Self = Self(4096);
    /// Must not wait, and can be taken even where it would have to: in a handler, a timer's callback, or a critical
    /// section.
    pub const INSISTS: Self = Self(8192);
    /// Takes tasks out of the lines of objects that are not its own.
    pub const LEAVES: Self = Self(16384);
    /// Acts off the processor on something that tasks of the processor can stand in line for, while time may pass for them.
    pub const LINED: Self = Self(32768);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn when(self, condition: bool) -> Self {
        if condition { self } else { Self(0) }
    }

    /// Whether it has something of `other`.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Whether what two transitions touch, their objects aside, keeps them from commuting.
fn clash(a: Touches, b: Touches) -> bool {
    use Touches as T;
    let either = |one: T, other: T| a.has(one) && b.has(other) || a.has(other) && b.has(one);
    either(T::READY, T::CPU.and(T::READY))
        || either(T::EXPIRES, T::TICK)
        || either(T::EXPIRES, T::DEADLINE)
        || a.has(T::ALONE)
        || b.has(T::ALONE)
        // Whoever begins or ends one is also shut out by one, or needs the processor and changes who may have it.
        || either(T::CRITICAL, T::OBEYS.and(T::SHUT_OUT))
        || either(T::TIMERS, T::TIMERS)
        || either(T::DAEMON, T::TIMER)
        || either(T::LEAVES, T::LINED)
}

impl<S: Storage> Kernel<S> {
    /// Whether two transitions that tasks are held at fail to commute in the present state.
    pub fn dependent(&self, a: Transition, b: Transition) -> bool {
        if a.task == b.task {
            return true;
        }
        let (Some(x), Some(y)) = (self.event(a.task), self.event(b.task)) else {
            return true;
        };
        self.dependent_events(&x, &y)
    }

    /// Whether two events of different tasks fail to commute in the present state.
    pub fn dependent_events(&self, x: &Event, y: &Event) -> bool {
        if x.ends || y.ends || clash(x.touches, y.touches) {
            return true;
        }
        match (x.operation.object(), y.operation.object()) {
            (Some(object), Some(other)) if object == other => {
                x.touches.has(Touches::LINE)
                    || y.touches.has(Touches::LINE)
                    || self
                        .object_place(object)
                        .is_none_or(|place| self.objects()[place].dependent(x.operation, y.operation))
            }
            _ => false,
        }
    }

    /// Whether two transitions that tasks are held at fail to commute in the present state or in any other.
    pub fn related(&self, taken: Transition, other: Transition) -> bool {
        match (self.event(taken.task), self.event(other.task)) {
            (Some(earlier), Some(later)) => relation(&earlier, &later) != Relation::Independent,
            _ => true,
        }
    }

    /// What the task is held at, as an event: the one it becomes if it is taken in the present state. `None` if the task
    /// has ended, or is a timer where the clock passes its deadlines.
    pub fn event(&self, task: TaskId) -> Option<Event> {
        let place = self.task_place(task)?;
        let Task { pending, standing, .. } = self.tasks()[place];
        let over = standing == Standing::Ended
            || self.tasks()[place].is_at(Verb::Exit)
                && !self.on_cpu(&self.tasks()[place])
                && !self.can_go_on(place)
            // Then it is the clock that expires.
            || self.tasks()[place].is_at(Verb::Expire) && self.rules().has_clock();
        pending.filter(|_| !over).map(|operation| self.event_of(task, operation))
    }

    /// What the task is held at, as an event, if it can be taken in the present state.
    pub fn enabled_event(&self, task: TaskId) -> Option<Event> {
        let place = self.task_place(task)?;
        if self.can_go_on(place) { self.event(task) } else { None }
    }

    /// What an event, of a task that may have moved on in between, would be instead of `other` in the present state, or
    /// after others that do not depend on `other`, if that depends on the object of both alone: so it does where every
    /// task is its own processor and nobody looks at the clock. The inner `None`: it could not be taken.
    pub fn if_taken_instead(&self, event: &Event, other: Transition) -> Option<Option<Event>> {
        let free = self.rules().schedule == Schedule::Free && self.rules().clock == Clock::Free;
        let object = event.operation.object();
        let same = object.is_some() && object == self.pending(other.task)?.object();
        // A line may have fired as often as it may by then.
        let fires = event.operation.verb == Verb::Fire;
        let settled = self.is_settled(event) && !fires && self.critical_owner().is_none();
        (free && same && settled).then(|| {
            let place = self.task_place(event.task)?;
            self.prospect_of(place, event.operation, 0)?;
            Some(self.event_of(event.task, event.operation))
        })
    }

    /// An event that touches whatever this one may touch, and ends the path if this one may, in any state in which its
    /// task is held at it.
    pub fn widest(&self, event: &Event) -> Event {
        let (touches, ends) = self.at_times(event);
        Event { touches: event.touches.and(touches), ends: event.ends || ends, ..*event }
    }

    /// Whether an event is the same in any state in which its task is held at it. One that touches all that it may, or ends the
    /// path, need not do so elsewhere.
    pub fn is_settled(&self, event: &Event) -> bool {
        let (touches, ends) = self.at_times(event);
        // Nothing comes about but time where every task is its own processor.
        let free = self.rules().schedule == Schedule::Free && self.rules().clock == Clock::Free;
        let only_time = free
            && event.touches.and(touches) == event.touches
            && matches!(event.operation.verb, Verb::Delay | Verb::DelayUntil | Verb::Expire);
        (touches == Touches(0) || only_time) && !ends
    }

    /// What an event touches in some of the states in which its task is held at it, if not in all, and whether it ends the path
    /// in some of them.
    fn at_times(&self, event: &Event) -> (Touches, bool) {
        use Touches as T;
        use Verb as V;
        let operation = event.operation;
        let rules = self.rules();
        let keeps_time = rules.clock != Clock::Free;
        let priorities = rules.schedule == Schedule::Priority;
        let task = self.task_place(event.task).map(|place| &self.tasks()[place]);
        let timed = operation.waits_for_ticks();
        let expires = timed && !task.is_some_and(|task| self.is_the_clock_s(task));
        let object = operation.object().and_then(|object| self.object_place(object));
        let object = object.map(|object| self.objects()[object]);
        let (awaits, brings) = (operation.verb.awaits(), operation.verb.brings());
        let in_line = object.is_some()
            && (awaits.is_some() || brings.is_some() || matches!(operation.verb, V::Fire | V::Return));
        let ready = in_line
            || timed
            || matches!(operation.verb, V::Exit | V::EnterCritical | V::ExitCritical | V::Delay);
        let mut touches = T::EXPIRES.and(T::OBEYS).when(expires);
        touches =
            touches.and(T::ALONE.when(expires && (rules.clock == Clock::Idle || rules.until != u32::MAX)));
        touches = touches.and(T::DEADLINE.when(keeps_time && (timed || priorities && in_line)));
        touches = touches.and(T::LEAVES.when(operation.verb == V::Pass));
        if priorities {
            let on_cpu = task.is_some_and(|task| self.on_cpu(task)) && operation.verb != V::Fire;
            touches = touches.and(T::READY.when(ready)).and(T::LINE.when(in_line || timed));
            touches = touches.and(T::CPU.when(on_cpu && (timed || in_line)));
        }
        let insists = event.touches.has(T::INSISTS);
        // Where it would block and must not, where it would wait for ever, where it has no right to.
        let may_end = match operation.verb {
            V::Unlock | V::Exit | V::ExitCritical => true,
            V::Lock if operation.wait() == Wait::Forever => true,
            V::Lock => {
                let own = object.is_some_and(|mutex| mutex.owner == Some(event.task));
                insists || priorities && own
            }
            verb if verb.is_command() => priorities,
            // A handler must not let others go first, whether or not there is something to wait for.
            V::Delay | V::DelayUntil | V::Yield => insists,
            V::Give => self.is_never_full(operation),
            V::Send if operation.wait() != Wait::Forever && self.is_never_full(operation) => true,
            _ => operation.wait() != Wait::Never && insists,
        };
        (touches, may_end)
    }

    /// Whether an event, or what its task would do instead, comes about by time passing: whatever the clock, others may read
    /// the tick.
    pub fn by_time(&self, event: &Event) -> bool {
        event.operation.waits_for_ticks() || event.operation.verb == Verb::Pass
    }

    /// The event that `operation` becomes if `task` takes it in the present state.
    pub fn event_of(&self, task: TaskId, operation: Operation) -> Event {
        let object = operation.object().and_then(|object| self.object_place(object));
        let (serial, capacity) = object.map_or((0, 0), |object| self.objects()[object].serial(operation));
        let place = self.task_place(task);
        let prospect = place.and_then(|place| self.prospect_of(place, operation, 0));
        let ends = operation.ends_path() || matches!(prospect, Some(Prospect::Wrong(_)));
        let touches = place.map_or(Touches(0), |place| self.touches(place, operation, prospect));
        Event { task, operation, serial, capacity, ends, touches }
    }

    /// What a transition touches beside its object.
    fn touches(&self, place: usize, operation: Operation, prospect: Option<Prospect>) -> Touches {
        use Touches as T;
        let rules = *self.rules();
        let alone = rules.clock == Clock::Idle || rules.until != u32::MAX;
        if operation.verb == Verb::Pass {
            // Whomever it wakes, it makes ready: tasks in a line, the daemon, somebody who delays itself.
            let passes = T::EXPIRES.and(T::OBEYS).and(T::DEADLINE).and(T::READY);
            let in_line = |place: usize| self.tasks()[place].pending.is_some_and(has_a_line);
            let leaves = self.due_next().any(in_line);
            return passes.and(T::ALONE.when(alone)).and(T::LEAVES.when(leaves));
        }
        let task = &self.tasks()[place];
        let (time, fires) = (prospect == Some(Prospect::Expire), operation.verb == Verb::Fire);
        let waits_for_time = time || prospect.is_none() && self.waits_for_time(place, operation);
        let keeps_time = rules.clock != Clock::Free;
        let command = operation.verb.is_command() || operation.verb == Verb::Active;
        let in_callback = task.role == Role::Daemon && operation.verb != Verb::Serve;
        let timers = match operation.verb {
            Verb::Serve => T::TIMERS.and(T::DAEMON),
            Verb::Expire => T::TIMERS,
            Verb::Active if rules.schedule == Schedule::Priority => T::TIMERS,
            _ if command && rules.schedule == Schedule::Priority => T::TIMERS.and(T::TIMER),
            _ if command => T::TIMER,
            // Its callback may be over, and then it looks for commands.
            _ if in_callback && rules.schedule == Schedule::Priority => T::DAEMON,
            _ => T(0),
        };
        let critical = matches!(operation.verb, Verb::EnterCritical | Verb::ExitCritical)
            && task.role != Role::Environment;
        let in_handler = matches!(task.role, Role::Interrupt { .. });
        let insists = in_handler || in_callback || self.critical_owner() == Some(place);
        let mut touches = timers
            .and(T::EXPIRES.and(T::OBEYS).when(waits_for_time))
            .and(T::ALONE.when(waits_for_time && alone))
            .and(T::DEADLINE.when(keeps_time && waits_for_time))
            .and(T::OBEYS.when(fires))
            .and(T::CRITICAL.when(critical))
            .and(T::INSISTS.when(insists))
            .and(T::TICK.when(operation.verb == Verb::Tick));
        if keeps_time {
            let timed = task.deadline.is_some()
                || matches!(operation.wait(), Wait::Ticks(_))
                || matches!(operation.verb, Verb::DelayUntil | Verb::Serve)
                || operation.verb.is_command();
            touches = touches.and(T::DEADLINE.when(timed));
        }
        if rules.schedule == Schedule::Free {
            let firmware = task.role != Role::Environment && !matches!(task.role, Role::Timer { .. });
            return touches.and(T::SHUT_OUT.when(firmware));
        }
        let wakes = self.would_wake(place, operation);
        let mut woken = wakes.into_iter().flat_map(|wakes| self.woken(place, operation, wakes)).peekable();
        let readies = woken.peek().is_some();
        let timed = keeps_time && woken.any(|woken| self.tasks()[woken].deadline.is_some());
        touches = touches.and(T::DEADLINE.when(timed));
        let on_cpu = self.on_cpu(task);
        touches = touches.and(T::LINED.when(keeps_time && !on_cpu && has_a_line(operation)));
        let changes_priority = match operation.verb {
            Verb::Unlock => self.would_fall_back(place, operation.subject),
            // Whether the holder falls back depends on how many mutexes it holds by then.
            Verb::Lock => prospect == Some(Prospect::Refuse) && task.lent,
            _ => false,
        };
        let outermost = critical && (self.critical_depth() == 0 || self.critical_depth() == 1);
        let ready = on_cpu
            && (time
                || prospect == Some(Prospect::Wait)
                || task.standing == Standing::Waiting
                || fires
                || outermost
                || changes_priority
                || matches!(operation.verb, Verb::Exit | Verb::Return))
            || readies
            // Whether the daemon had the processor before the command came makes a difference to it.
            || !on_cpu && operation.verb.is_command();
        let blocks = prospect == Some(Prospect::Wait) || task.standing == Standing::Waiting;
        touches
            .and(T::CPU.when(on_cpu && !time && !fires))
            .and(T::READY.when(ready))
            .and(T::LINE.when(blocks || time || self.is_contended(operation)))
    }
}

/// Whether an operation is on something that tasks can stand in line for.
fn has_a_line(operation: Operation) -> bool {
    /// The kinds of objects that have lines of their own, as bits.
    const LINED: u32 = {
        let (mut lined, mut place) = (0, 0);
        while place < Verb::ALL.len() {
            if let Some(awaits) = Verb::ALL[place].awaits()
                && awaits.is_of_one_object()
            {
                lined |= 1 << Verb::ALL[place].subject() as u32;
            }
            place += 1;
        }
        lined
    };
    LINED & 1 << operation.verb.subject() as u32 != 0
}

/// An operation that was taken on a path, or that a task is held at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// Who.
    pub task: TaskId,
    /// What.
    pub operation: Operation,
    /// For a send, how many messages the queue had been sent before; for a receive or a peek, how many were received;
    /// 0 elsewhere.
    pub serial: u32,
    /// The queue's capacity; 0 elsewhere.
    pub capacity: u16,
    /// Whether the path ended with it: by a check that fails, or by force, such as a crash after it. Then nothing that
    /// others might have done came about, so it commutes with nothing.
    pub ends: bool,
    /// What it touches beside its object.
    pub touches: Touches,
}

impl Event {
    /// How it stands to an earlier event that brings what it needs, or does not. Without that it is not possible, or, on the
    /// processor, waits for it.
    pub(crate) fn edge_if(&self, needs: bool) -> Relation {
        match needs {
            true if self.touches.has(Touches::CPU.and(Touches::INSISTS)) => Relation::Race,
            true => Relation::Edge,
            false => Relation::Independent,
        }
    }
}

/// How `later` stands to `earlier`, in every state: what happens-before and races are made of.
pub fn relation(earlier: &Event, later: &Event) -> Relation {
    if earlier.task == later.task {
        return Relation::Edge;
    }
    if earlier.ends || later.ends || clash(earlier.touches, later.touches) {
        return Relation::Race;
    }
    match (earlier.operation.object(), later.operation.object()) {
        (Some(object), Some(other)) if object == other => {}
        _ => return Relation::Independent,
    }
    if earlier.touches.has(Touches::LINE) || later.touches.has(Touches::LINE) {
        return Relation::Race;
    }
    object::relation(earlier, later)
}
