//! Software timers: stopped, running, or expired and waiting for the daemon to call their callback.
//!
//! With priorities a command only queues up for the daemon; in the free schedule it takes effect at once. A start counts from
//! the call. A changed period counts from when it takes effect: FreeRTOS has no room for both in a command.

use crate::clock::after;
use crate::dependence::{Event, Relation};
use crate::object::{Awaits, Effect, Kind, Object, Wakes};
use crate::operation::{Operation, Verb};

/// The timer does not run.
pub const STOPPED: u16 = 0;
/// It runs, and will expire.
pub const RUNNING: u16 = 1;
/// It has expired, and its callback is still to be called.
pub const DUE: u16 = 2;

/// A command that was given and not carried out yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Given {
    /// The timer's place.
    pub(crate) timer: u8,
    pub(crate) verb: Verb,
    /// Another period, if it gives one.
    pub(crate) period: u32,
    /// When it was given.
    pub(crate) at: u32,
}

impl Given {
    pub(crate) const NONE: Self = Self { timer: 0, verb: Verb::StopTimer, period: 0, at: 0 };
}

impl Given {
    /// Whether it may come so late that the timer has expired before it began to run.
    pub(crate) fn can_be_overdue(&self) -> bool {
        matches!(self.verb, Verb::StartTimer | Verb::ResetTimer)
    }
}

/// Carries out a command. A start counts from when it was given, another period from when it is seen.
pub(crate) fn command(timer: &mut Object, given: Given, now: u32) {
    if given.verb == Verb::StopTimer {
        timer.level = STOPPED;
        return;
    }
    let mut from = given.at;
    if given.verb == Verb::ChangePeriod {
        (from, timer.period) = (now, given.period);
    }
    timer.level = RUNNING;
    timer.deadline = after(from, timer.period);
}

/// Its callback is about to be called: one that reloads runs on from when it expired.
pub(crate) fn called(timer: &mut Object) {
    match timer.kind {
        Kind::Timer { reload: true } => {
            timer.level = RUNNING;
            timer.deadline = after(timer.deadline, timer.period);
        }
        _ => timer.level = STOPPED,
    }
}

/// Whether it is active for whoever asks: one that has expired is, until the daemon has seen it.
pub(crate) fn active(timer: &Object) -> bool {
    timer.level != STOPPED
}

pub(crate) fn serves(_: &Object, _: Operation) -> bool {
    true
}

pub(crate) fn apply(_: &mut Object, _: Operation) -> Effect {
    Effect::Served
}

/// In the present state.
pub(crate) fn dependent(_: &Object, a: Operation, b: Operation) -> bool {
    (a.verb, b.verb) != (Verb::Active, Verb::Active)
}

/// In every state.
pub(crate) fn relation(earlier: &Event, later: &Event) -> Relation {
    match (earlier.operation.verb, later.operation.verb) {
        (Verb::Active, Verb::Active) => Relation::Independent,
        _ => Relation::Race,
    }
}

/// Not for the timer itself: for room among the daemon's commands.
pub(crate) const fn awaits(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::StartTimer | Verb::StopTimer | Verb::ResetTimer => Some(Awaits::RoomForCommand),
        _ => None,
    }
}

pub(crate) const fn brings(verb: Verb) -> Option<Awaits> {
    match verb {
        Verb::StartTimer | Verb::StopTimer | Verb::ResetTimer | Verb::ChangePeriod | Verb::Expire => {
            Some(Awaits::Work)
        }
        _ => None,
    }
}

pub(crate) fn wakes(_: &Object, operation: Operation, _: bool) -> Option<Wakes> {
    brings(operation.verb).map(Wakes::first)
}

pub(crate) fn states(kind: Kind) -> (Kind, u16) {
    (kind, 0)
}

/// Whether it runs or is due, and when; instead of the step at which it came there, its place among those whose order
/// matters. How often it has expired only where a budget reads that.
pub(crate) fn canonical(object: &Object, rank: u32, clock: bool, budget: bool) -> Object {
    let deadline = if clock && object.level != STOPPED { object.deadline } else { 0 };
    let times = if budget { object.times } else { 0 };
    Object { received: rank, deadline, times, ..*object }
}
