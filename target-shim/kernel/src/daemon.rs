//! The timer daemon: what it does next, its commands before its callbacks, as FreeRTOS does it.
//!
//! Its loop has three places that one would not guess. It looks for commands until there are none, then for the timer that
//! expired first, and nothing tells it that a command came in between: that callback comes before the command. A periodic
//! timer that is behind by several periods is called for all of them in a row, whatever its callbacks command. And a start
//! that is overdue by the time it is seen is called then and there.
//!
//! Timers that expire in the same tick are called in the order in which the daemon began to wait for them, by a command or
//! because they reload. With a free clock there is no same tick, and every order is tried.
//!
//! One thing is simpler here. A command is taken from the queue and carried out at once: where the daemon is preempted in
//! between, there is room for one more, which is found to be one too many here.

use core::cmp::Reverse;

use crate::clock::after;
use crate::kernel::{COMMANDS, Kernel};
use crate::object::Kind;
use crate::operation::Verb;
use crate::rules::{Clock, Schedule};
use crate::storage::Storage;
use crate::take::{Taken, Then};
use crate::task::{Role, Standing};
use crate::timer::{self, Given};

/// Where the daemon is in its loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Daemon {
    /// It may have seen already that there are no commands, and look for them again only after the next callback.
    looked: bool,
    /// The periodic timer whose callback came last, with no look at commands since.
    last: Option<u8>,
    /// What tick it was when that one's callback was called for the first of several periods.
    since: u32,
}

impl Daemon {
    pub(crate) const IDLE: Self = Self { looked: false, last: None, since: 0 };
}

/// What the daemon can do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Course {
    /// Carries out its oldest command, and finds its timer overdue, or not.
    Command { overdue: bool },
    /// Calls the callback of the timer at that place.
    Call { timer: usize },
}

/// As many courses as there may be in one state: a command, the same overdue, a callback, one more of a timer behind.
pub(crate) const MOST_COURSES: u32 = 4;

impl<S: Storage> Kernel<S> {
    /// How many commands are waiting for the timer daemon.
    pub(crate) fn commands_waiting(&self) -> usize {
        self.command_queue.map_or(0, |place| usize::from(self.objects()[usize::from(place)].level))
    }

    /// For how many more there is room.
    pub(crate) fn commands_left(&self) -> usize {
        let Some(place) = self.command_queue else { return 0 };
        let Kind::Commands { capacity } = self.objects()[usize::from(place)].kind else { return 0 };
        usize::from(capacity).min(COMMANDS).saturating_sub(self.commands_waiting())
    }

    /// Whether the timer daemon has something to do.
    pub(crate) fn has_work(&self) -> bool {
        self.commands_waiting() > 0 || self.due_timer().is_some()
    }

    /// How many things the daemon can do next; 1 where it can only wait.
    #[inline(never)]
    pub(crate) fn count_courses(&self) -> u32 {
        (self.courses().into_iter().flatten().count() as u32).max(1)
    }

    /// The timer that expired first of those whose callbacks are still to be called.
    fn due_timer(&self) -> Option<usize> {
        let due = |place: &usize| self.is_due(*place);
        (0..self.objects().len()).filter(due).min_by_key(|place| self.turn(*place))
    }

    /// The lowest is called first: by deadline and then by who runs for longest, or, where each timer expires on its own, by
    /// who expired first.
    fn turn(&self, place: usize) -> (Reverse<u32>, u32) {
        let timer = &self.objects()[place];
        let ago = if self.rules.has_clock() { self.now.wrapping_sub(timer.deadline) } else { 0 };
        (Reverse(ago), timer.received)
    }

    /// The timer at `place` runs from now on, the last among those of its deadline.
    fn begins_to_run(&mut self, place: usize) {
        if self.rules.has_clock() {
            self.storage.objects_mut()[place].received = self.steps;
        }
    }

    fn is_due(&self, place: usize) -> bool {
        let object = &self.objects()[place];
        matches!(object.kind, Kind::Timer { .. }) && object.level == timer::DUE
    }

    /// Everything that the daemon can do next. With a free clock nobody knows what time it is, so what depends on it is a
    /// choice.
    fn courses(&self) -> [Option<Course>; MOST_COURSES as usize] {
        let free = self.rules.clock == Clock::Free;
        let behind = self.daemon.last.map(usize::from).filter(|timer| self.is_due(*timer));
        let call = |timer| Course::Call { timer };
        if let Some(timer) = behind
            && !free
        {
            return [Some(call(timer)), None, None, None];
        }
        let commands = self.commands_waiting() > 0;
        let due = self.due_timer();
        let first = due.filter(|_| !commands || self.daemon.looked);
        [
            commands.then_some(Course::Command { overdue: !free && self.is_overdue() }),
            (commands && free && self.may_be_overdue()).then_some(Course::Command { overdue: true }),
            first.map(call),
            behind.filter(|_| commands && first != behind).map(call),
        ]
    }

    /// Whether the timer of the oldest command has expired before it was started.
    fn is_overdue(&self) -> bool {
        let given = self.commands[0];
        let timer = usize::from(given.timer);
        given.can_be_overdue()
            && self.has_passed(after(given.at, self.objects()[timer].period))
            && self.may_expire_again(timer)
    }

    /// Whether the timer of the oldest command may have expired before it was started, where nobody knows what time it is. Without
    /// further commands that comes to the same as expiring right after.
    fn may_be_overdue(&self) -> bool {
        let given = self.commands[0];
        self.commands_waiting() > 1
            && given.can_be_overdue()
            && self.may_expire_again(usize::from(given.timer))
    }

    /// The daemon takes one of its courses: it carries out its oldest command, or is told whose callback to call.
    pub(crate) fn serve_timers(&mut self, alternative: u16, taken: &mut Taken) {
        let course = self.courses().into_iter().flatten().nth(usize::from(alternative));
        let before = core::mem::replace(&mut self.daemon, Daemon::IDLE);
        match course {
            Some(Course::Command { overdue }) => {
                let given = self.next_command();
                let place = usize::from(given.timer);
                taken.level = u16::from(given.timer);
                timer::command(&mut self.storage.objects_mut()[place], given, self.now);
                self.begins_to_run(place);
                if overdue {
                    self.count_expiry(place);
                    self.call(place, self.now);
                } else {
                    taken.then = Then::Stays;
                }
            }
            Some(Course::Call { timer }) => {
                let again = before.last == Some(timer as u8);
                taken.level = timer as u16;
                self.call(timer, if again { before.since } else { self.now });
            }
            None => {}
        }
    }

    /// The oldest command, which waits no longer.
    fn next_command(&mut self) -> Given {
        let given = self.commands[0];
        self.commands.rotate_left(1);
        self.commands[COMMANDS - 1] = Given::NONE;
        if let Some(queue) = self.command_queue {
            self.storage.objects_mut()[usize::from(queue)].level -= 1;
        }
        given
    }

    /// The callback of the timer at `place` is about to be called. If the timer reloads and is behind by another period,
    /// as seen at tick `since`, it will be called once more before anything else.
    fn call(&mut self, place: usize, since: u32) {
        timer::called(&mut self.storage.objects_mut()[place]);
        self.begins_to_run(place);
        let timer = &self.objects()[place];
        if self.rules.schedule == Schedule::Free || timer.level != timer::RUNNING {
            return;
        }
        let behind = since.wrapping_sub(timer.deadline) as i32 >= 0;
        if self.rules.clock == Clock::Free {
            self.daemon.last = Some(place as u8);
        } else if behind && self.may_expire_again(place) {
            self.count_expiry(place);
            self.storage.objects_mut()[place].level = timer::DUE;
            (self.daemon.last, self.daemon.since) = (Some(place as u8), since);
        } else if self.has_passed(timer.deadline) && self.may_expire_again(place) {
            // Time has passed since then: seen in the next round, after the commands.
            self.count_expiry(place);
            self.storage.objects_mut()[place].level = timer::DUE;
        }
    }

    pub(crate) fn count_expiry(&mut self, timer: usize) {
        let timer = &mut self.storage.objects_mut()[timer];
        timer.times = timer.times.saturating_add(1);
    }

    /// The daemon waits, and looks for commands first when it is woken.
    pub(crate) fn daemon_waits(&mut self) {
        self.daemon = Daemon::IDLE;
    }

    /// After anything that happened: if the daemon has the processor and there are no commands, it may have seen that.
    pub(crate) fn let_the_daemon_look(&mut self) {
        if self.command_queue.is_none() || self.rules.schedule == Schedule::Free || self.daemon.looked {
            return;
        }
        let waits_here = |place: &usize| {
            let task = &self.tasks()[*place];
            task.role == Role::Daemon && task.is_at(Verb::Serve)
        };
        if let Some(place) = (0..self.tasks().len()).find(waits_here) {
            let ready = self.tasks()[place].standing == Standing::Ready;
            self.daemon.looked = ready && self.commands_waiting() == 0 && self.runs(place);
        }
    }
}
