//! Time: whose deadline may pass, and what passing it changes.
//!
//! Deadlines of the same tick pass one by one, in any order, with others going on in between; an RTOS lets all of them pass
//! at once and then runs whoever has the highest priority. That order is among those here.

use crate::kernel::Kernel;
use crate::operation::Operation;
use crate::rules::Clock;
use crate::storage::Storage;
use crate::task::{Role, Standing};
use crate::timer;

/// Whoever waits for longer than this waits for this long: the tick wraps around, and what is further ahead would have passed.
const LONGEST: u32 = i32::MAX as u32;

/// The tick that comes so many ticks after another one.
pub(crate) fn after(tick: u32, ticks: u32) -> u32 {
    tick.wrapping_add(if ticks > LONGEST { LONGEST } else { ticks })
}

impl<S: Storage> Kernel<S> {
    /// Whether that tick has come.
    pub(crate) fn has_passed(&self, tick: u32) -> bool {
        self.now().wrapping_sub(tick) as i32 >= 0
    }

    /// When the task or timer at `place` is done waiting, if it waits for time.
    fn deadline_of(&self, place: usize) -> Option<u32> {
        let task = &self.tasks()[place];
        match task.role {
            Role::Timer { timer } => {
                let timer = &self.objects()[self.object_place(timer)?];
                (timer.level == timer::RUNNING).then_some(timer.deadline)
            }
            _ if task.standing == Standing::Waiting => task.deadline,
            _ => None,
        }
    }

    /// The earliest deadline of all; one that has passed is as early as now.
    fn earliest(&self) -> Option<u32> {
        let left = |place| self.deadline_of(place).map(|deadline| self.left_until(deadline));
        (0..self.tasks().len()).filter_map(left).min()
    }

    /// How many ticks are left until then; none if it has passed.
    fn left_until(&self, deadline: u32) -> u32 {
        if self.has_passed(deadline) { 0 } else { deadline.wrapping_sub(self.now()) }
    }

    /// Whether what the task or timer at `place` waits for may come now: by clock, critical section, budget, horizon.
    pub(crate) fn time_may_pass(&self, place: usize) -> bool {
        self.could_pass(place) && self.in_budget(place)
    }

    /// The same but for budget and horizon.
    fn could_pass(&self, place: usize) -> bool {
        self.critical_owner().is_none()
            && self.is_next(place)
            && (self.is_this_tick_s(place) || !self.too_busy())
    }

    /// Whether the deadline is one of the present tick, or older: it came together with another one, and whoever runs now
    /// runs because of that one. With a free clock there is no such thing.
    fn is_this_tick_s(&self, place: usize) -> bool {
        self.rules().clock != Clock::Free
            && self.deadline_of(place).is_some_and(|deadline| self.has_passed(deadline))
    }

    /// Whether it is the budget or the horizon alone that keeps time from passing for `place`.
    pub(crate) fn is_held_back(&self, place: usize) -> bool {
        !self.in_budget(place) && self.could_pass(place)
    }

    fn is_next(&self, place: usize) -> bool {
        match self.rules().clock {
            Clock::Free => true,
            Clock::Ordered | Clock::Idle => self
                .deadline_of(place)
                .is_some_and(|deadline| Some(self.left_until(deadline)) == self.earliest()),
        }
    }

    fn in_budget(&self, place: usize) -> bool {
        let rules = self.rules();
        let then = match (rules.clock, self.deadline_of(place)) {
            (Clock::Ordered | Clock::Idle, Some(deadline)) => self.left_until(deadline),
            _ => 1,
        };
        !self.is_over_budget(place)
            && (rules.until == u32::MAX || self.now().saturating_add(then) <= rules.until)
    }

    /// Whether the task or timer at `place` has expired as often as it may.
    pub(crate) fn is_over_budget(&self, place: usize) -> bool {
        let task = &self.tasks()[place];
        let times = match task.role {
            Role::Timer { timer } => self.object_place(timer).map_or(0, |timer| self.objects()[timer].times),
            _ => task.expiries,
        };
        !self.has_expiries_left(times)
    }

    /// A budget that is not set is no budget.
    fn has_expiries_left(&self, times: u16) -> bool {
        self.rules().expiries == u16::MAX || times < self.rules().expiries
    }

    /// Whether the timer at that place may expire once more.
    pub(crate) fn may_expire_again(&self, timer: usize) -> bool {
        self.has_expiries_left(self.objects()[timer].times)
    }

    /// With the idle clock, whether somebody can go on without time passing.
    fn too_busy(&self) -> bool {
        self.rules().clock == Clock::Idle
            && (0..self.tasks().len()).any(|place| {
                let task = &self.tasks()[place];
                let is_task = matches!(task.role, Role::Firmware | Role::Environment | Role::Daemon)
                    || matches!(task.role, Role::Interrupt { .. })
                        && !matches!(task.pending, Some(Operation::Fire { .. }));
                is_task && self.goes_on_by_itself(place)
            })
    }

    /// The deadline of the task or timer at `place` passes.
    pub(crate) fn pass_time(&mut self, place: usize) {
        let now = match (self.rules().clock, self.deadline_of(place)) {
            (Clock::Ordered | Clock::Idle, Some(deadline)) => {
                self.now().wrapping_add(self.left_until(deadline))
            }
            _ => self.now().wrapping_add(1),
        };
        self.set_now(now);
    }
}
