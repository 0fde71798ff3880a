//! The rules: whether one task may make a difference to another one that stands still.
//!
//! Everything that an operation means for persistent sets, beside what it may do to its object, is in a [`Rule`] here.
//!
//! A lock that becomes wrong because others are stuck, and the lock's holder with them, is no reason to wait for those
//! others: nobody who can go on is one of them, so whoever goes first, it becomes wrong all the same.

use fwvs_kernel::dependence::Touches;
use fwvs_kernel::{
    Clock, Event, Kernel, Kind, ObjectId, Operation, Role, Schedule, Storage, Use, Verb, Wait,
};
use fwvs_path::Precision;

use crate::footprint::Footprints;
use crate::rule::Rule;

impl Footprints<'_> {
    /// Whether the task at `other` may make a difference to the one at `place`, while that one stands still.
    pub(crate) fn matters<S: Storage>(&self, kernel: &Kernel<S>, place: usize, other: usize) -> bool {
        let task = &kernel.tasks()[place];
        let Some(held) = task.pending else { return false };
        if self.shares_time(kernel) || self.shares_cpu(kernel, place, other) {
            return true;
        }
        if self.keeps(Rule::Ends) && kernel.event(task.id).is_some_and(|event| event.ends) {
            return true;
        }
        let next = |next: Operation| {
            self.shares_timers(kernel, place, next, other)
                || self.shares_critical(kernel, place, next, other)
                || self.shares_tick(kernel, place, next, other)
        };
        if next(held) {
            return true;
        }
        if !kernel.can_go_on(place) {
            return self.may_enable(kernel, held, other);
        }
        let own = self.precision != Precision::Runtime && self.keeps(Rule::Own);
        own && self.of(kernel, place).any(|one| one.operations().any(next))
            || self.may_conflict(kernel, place, held, other)
    }

    /// Whether a task may do this to any object, or to that one.
    fn may<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        place: usize,
        access: Verb,
        object: Option<ObjectId>,
    ) -> bool {
        if let Role::Timer { .. } = kernel.tasks()[place].role {
            return false;
        }
        let is = |one: Use| one.access == Some(access) && object.is_none_or(|object| one.object == object);
        !self.declares(place) && self.keeps(Rule::Undeclared) || self.of(kernel, place).any(is)
    }

    /// Whether deadlines are everybody's: whoever waits for time may have to wait for others to be done with it first.
    fn shares_time<S: Storage>(&self, kernel: &Kernel<S>) -> bool {
        let rules = kernel.rules();
        self.keeps(Rule::Time) && (rules.clock != Clock::Free || rules.until != u32::MAX)
    }

    /// Whether both are of the processor, or the one at `other` may ready somebody of the processor.
    fn shares_cpu<S: Storage>(&self, kernel: &Kernel<S>, place: usize, other: usize) -> bool {
        if kernel.rules().schedule == Schedule::Free {
            return false;
        }
        let (task, another) = (&kernel.tasks()[place], &kernel.tasks()[other]);
        match (kernel.on_cpu(task), kernel.on_cpu(another)) {
            (true, true) => self.keeps(Rule::Processor),
            (true, false) => {
                self.keeps(Rule::MayReady)
                    && (matches!(another.role, Role::Timer { .. })
                        || !self.declares(other)
                        || self.of(kernel, other).any(|one| one.may_wake()))
            }
            (false, true) => {
                let readies = |event: Event| event.touches.has(Touches::READY);
                self.keeps(Rule::Readies) && kernel.event(task.id).is_some_and(readies)
            }
            (false, false) => false,
        }
    }

    /// Whether `next`, of the one at `place`, and something that the one at `other` may do both touch timers.
    fn shares_timers<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        place: usize,
        next: Operation,
        other: usize,
    ) -> bool {
        let another = kernel.tasks()[other].role;
        let queued = kernel.rules().schedule == Schedule::Priority;
        let commands = |timer| self.may(kernel, other, Verb::StartTimer, timer);
        match (kernel.tasks()[place].role, next.verb) {
            (Role::Timer { timer }, _) => match another {
                Role::Timer { .. } => self.keeps(Rule::ExpireExpire),
                Role::Daemon => self.keeps(Rule::ExpireServe),
                _ => self.keeps(Rule::ExpireCommand) && commands((!queued).then_some(timer)),
            },
            (_, Verb::Serve) => match another {
                Role::Timer { .. } => self.keeps(Rule::ServeExpire),
                _ => self.keeps(Rule::ServeCommand) && commands(None),
            },
            (_, verb) if verb.is_command() || verb == Verb::Active => match another {
                Role::Daemon => self.keeps(Rule::CommandServe),
                Role::Timer { timer: its } => {
                    self.keeps(Rule::CommandExpire) && (queued || its == next.subject)
                }
                _ => self.keeps(Rule::CommandCommand) && commands((!queued).then_some(next.subject)),
            },
            _ => false,
        }
    }

    /// Whether `next`, of the one at `place`, shuts out the one at `other`, or the other way round.
    fn shares_critical<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        place: usize,
        next: Operation,
        other: usize,
    ) -> bool {
        let outside = |place: usize| kernel.tasks()[place].role == Role::Environment;
        if matches!(next.verb, Verb::EnterCritical | Verb::ExitCritical) {
            // Time waits for its end too, and nobody declares to wait for time.
            return self.keeps(Rule::Critical) && !outside(place);
        }
        let shut_out = !outside(place) || waits_for_time(next);
        let inside = || self.keeps(Rule::InCritical) && kernel.critical_owner() == Some(other);
        let begins = || self.keeps(Rule::MayCritical) && self.may(kernel, other, Verb::EnterCritical, None);
        shut_out && !outside(other) && (inside() || begins())
    }

    /// Whether `next`, of the one at `place`, reads the tick that the one at `other` may change, or the other way round.
    fn shares_tick<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        place: usize,
        next: Operation,
        other: usize,
    ) -> bool {
        let passes = matches!(kernel.tasks()[place].role, Role::Timer { .. }) || waits_for_time(next);
        // Nobody declares delays and timeouts.
        self.keeps(Rule::Tick) && next.verb == Verb::Tick
            || self.keeps(Rule::MayTick) && passes && self.may(kernel, other, Verb::Tick, None)
    }

    /// Whether what the task at `place` may do next, being held at `held` and able to go on, may fail to commute with
    /// something that the one at `other` may do now or later.
    fn may_conflict<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        place: usize,
        held: Operation,
        other: usize,
    ) -> bool {
        let conflicts = |next: Operation| self.meets(kernel, next, other, Kind::may_conflict);
        let known = self.declares(place) || matches!(kernel.tasks()[place].role, Role::Timer { .. });
        let own = || match self.precision {
            Precision::Runtime => false,
            _ if !known => self.keeps(Rule::UndeclaredOwn),
            _ => self.keeps(Rule::Own) && self.of(kernel, place).any(|one| one.operations().any(&conflicts)),
        };
        self.keeps(Rule::Conflict) && conflicts(held) || own()
    }

    /// Whether something that the task at `other` may do now or later may let one go on that is held at `held` and
    /// cannot be.
    fn may_enable<S: Storage>(&self, kernel: &Kernel<S>, held: Operation, other: usize) -> bool {
        match held.verb {
            Verb::Fire => self.keeps(Rule::Arm) && self.may(kernel, other, Verb::Arm, Some(held.subject)),
            _ => self.keeps(Rule::Enable) && self.meets(kernel, held, other, Kind::may_enable),
        }
    }

    /// Whether `one` may stand in a relation to something that the task at `other` may do to the same object.
    fn meets<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        one: Operation,
        other: usize,
        relation: fn(Kind, Operation, Operation) -> bool,
    ) -> bool {
        let Some(object) = one.object() else { return false };
        match kernel.tasks()[other].role {
            Role::Timer { .. } => return false,
            // Nobody declares that a line fires.
            Role::Interrupt { line } if line == object => return self.keeps(Rule::Line),
            _ if !self.declares(other) => return self.keeps(Rule::Undeclared),
            _ => {}
        }
        let Some(place) = kernel.object_place(object) else { return true };
        let kind = kernel.objects()[place].kind;
        let mut same = self.of(kernel, other).filter(|declared| declared.object == object);
        same.any(|declared| declared.operations().any(|theirs| relation(kind, one, theirs)))
    }
}

/// Whether an operation may wait for time to pass.
fn waits_for_time(operation: Operation) -> bool {
    operation.verb == Verb::DelayUntil || matches!(operation.wait(), Wait::Ticks(_))
}
