//! Time: whose deadline may pass, and what passing it changes.
//!
//! With a free clock, and where every task is its own processor, each deadline passes alone. With priorities an RTOS's tick
//! handler wakes everybody who is due in that tick before anybody goes on: there the deadlines of the processor's tasks and
//! of timers are the clock's, and those of one tick pass in one transition. The environment's still pass one by one, in a
//! tick that has come to the processor.

use crate::id::ObjectId;
use crate::kernel::Kernel;
use crate::operation::Verb;
use crate::rules::Clock;
use crate::storage::Storage;
use crate::take::{Taken, Then};
use crate::task::{Role, Standing, Task};
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
            Role::Clock => self.left_for_the_clock().map(|left| self.now().wrapping_add(left)),
            _ if task.standing == Standing::Waiting => task.deadline,
            _ => None,
        }
    }

    /// The earliest deadline of all; one that has passed is as early as now.
    fn earliest(&self) -> Option<u32> {
        (0..self.tasks().len()).filter_map(|place| self.left_for(place)).min()
    }

    /// How many ticks are left until then; none if it has passed.
    fn left_until(&self, deadline: u32) -> u32 {
        if self.has_passed(deadline) { 0 } else { deadline.wrapping_sub(self.now()) }
    }

    /// How many ticks are left for the task or timer at `place`, if it waits for time.
    fn left_for(&self, place: usize) -> Option<u32> {
        self.deadline_of(place).map(|deadline| self.left_until(deadline))
    }

    /// Whether the deadlines of a task or timer are the clock's.
    pub(crate) fn is_the_clock_s(&self, task: &Task) -> bool {
        self.rules().has_clock() && (self.on_cpu(task) || matches!(task.role, Role::Timer { .. }))
    }

    /// How many ticks are left until the clock has something to do.
    pub(crate) fn left_for_the_clock(&self) -> Option<u32> {
        if !self.rules().has_clock() {
            return None;
        }
        let its = |place: &usize| self.is_the_clock_s(&self.tasks()[*place]);
        (0..self.tasks().len()).filter(its).filter_map(|place| self.left_for(place)).min()
    }

    /// The tasks and timers whose deadlines the clock passes next, all of one tick, as places.
    pub fn due_next(&self) -> impl Iterator<Item = usize> + '_ {
        let left = self.left_for_the_clock();
        let its = |place: &usize| self.is_the_clock_s(&self.tasks()[*place]);
        (0..self.tasks().len())
            .filter(its)
            .filter(move |place| left.is_some() && self.left_for(*place) == left)
    }

    /// Whether what the task or timer at `place` waits for may come now: by clock, critical section, budget, horizon.
    pub(crate) fn time_may_pass(&self, place: usize) -> bool {
        self.could_pass(place) && self.in_budget(place)
    }

    /// Whether what the task or timer at `place` waits for may come now, budget and horizon aside.
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

    /// Whether no deadline is earlier. A tick begins with the clock: the environment's deadlines in it come after that, or a
    /// task of the processor could see the tick before those are ready that it wakes.
    fn is_next(&self, place: usize) -> bool {
        match self.rules().clock {
            Clock::Free => true,
            Clock::Ordered | Clock::Idle => self.left_for(place).is_some_and(|left| {
                let first =
                    self.tasks()[place].role == Role::Clock || self.left_for_the_clock() != Some(left);
                first && Some(left) == self.earliest()
            }),
        }
    }

    fn in_budget(&self, place: usize) -> bool {
        let rules = self.rules();
        let then = match (rules.clock, self.left_for(place)) {
            (Clock::Ordered | Clock::Idle, Some(left)) => left,
            _ => 1,
        };
        !self.is_over_budget(place)
            && (rules.until == u32::MAX || self.now().saturating_add(then) <= rules.until)
    }

    /// Whether the horizon is before what the task or timer at `place` waits for, or waited for before it was woken or stopped.
    pub(crate) fn is_beyond_horizon(&self, place: usize) -> bool {
        let (rules, task) = (self.rules(), &self.tasks()[place]);
        let deadline = match task.role {
            Role::Timer { timer } => self.object_place(timer).map(|timer| self.objects()[timer].deadline),
            _ => task.deadline,
        };
        let left = match (rules.clock, deadline) {
            (Clock::Free, _) => 1,
            (Clock::Ordered | Clock::Idle, Some(deadline)) => self.left_until(deadline),
            (Clock::Ordered | Clock::Idle, None) => 0,
        };
        rules.until != u32::MAX && self.now().saturating_add(left) > rules.until
    }

    /// Whether the task or timer at `place` has expired as often as it may; of the clock, one of those whose turn it is.
    pub(crate) fn is_over_budget(&self, place: usize) -> bool {
        let task = &self.tasks()[place];
        let times = match task.role {
            Role::Timer { timer } => self.object_place(timer).map_or(0, |timer| self.objects()[timer].times),
            Role::Clock => return self.due_next().any(|place| self.is_over_budget(place)),
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
                    || matches!(task.role, Role::Interrupt { .. }) && !task.is_at(Verb::Fire);
                is_task && self.goes_on_by_itself(place)
            })
    }

    /// The deadline of the task or timer at `place` passes.
    pub(crate) fn pass_time(&mut self, place: usize) {
        let now = match (self.rules().clock, self.left_for(place)) {
            (Clock::Ordered | Clock::Idle, Some(left)) => self.now().wrapping_add(left),
            _ => self.now().wrapping_add(1),
        };
        self.set_now(now);
    }

    /// The clock goes on to the next tick in which somebody is due: whose wait it ends is ready, and timers are due.
    pub(crate) fn pass_together(&mut self, clock: usize, taken: &mut Taken) {
        self.pass_time(clock);
        let mut passed = 0;
        for place in 0..self.tasks().len() {
            if !self.is_the_clock_s(&self.tasks()[place]) || self.left_for(place) != Some(0) {
                continue;
            }
            passed += 1;
            if let Role::Timer { timer } = self.tasks()[place].role {
                self.comes_due(timer);
            } else {
                let task = &mut self.tasks_mut()[place];
                task.expiries = task.expiries.saturating_add(1);
                // What it waited for is looked at once more when it runs.
                (task.standing, task.expired) = (Standing::Ready, true);
            }
        }
        (taken.level, taken.tick, taken.then) = (passed, self.now(), Then::Stays);
    }

    /// The timer has expired, which wakes the daemon.
    fn comes_due(&mut self, timer: ObjectId) {
        if let Some(timer) = self.object_place(timer) {
            self.count_expiry(timer);
            self.storage.objects_mut()[timer].level = timer::DUE;
        }
        self.wake_the_daemon();
    }
}
