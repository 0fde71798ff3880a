//! The end of a path that could have gone on: who waits there without a timeout, for what, and who could still go on.

use fwvs_kernel::{Awaits, Kind, ObjectId, Role, Task, Verb, Wait, timer};
use fwvs_scenario::{Finding, FindingKind, Waiter};
use serde::{Deserialize, Serialize};

use crate::scene::Scene;

/// What a task waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Want {
    /// What whoever likes may bring: a unit of a semaphore, a message in a queue, room in one.
    Brought(Awaits),
    /// A mutex, which only its owner gives back.
    Mutex {
        /// The owner's place.
        owner: u8,
    },
}

/// A task that waits without a timeout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Waits {
    /// Its place.
    pub task: u8,
    /// Whether it may wait for ever without anything being wrong.
    pub server: bool,
    /// The place of what it waits for.
    pub object: u8,
    /// What of it.
    pub want: Want,
}

/// The end of a path at which tasks wait without a timeout.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Standstill {
    /// All of those.
    pub waits: Vec<Waits>,
    /// Who does nothing any more: tasks that have ended, lines that the firmware lets fire no more.
    pub gone: Vec<u8>,
    /// Timers and lines that could still go on.
    pub outside: Vec<u8>,
    /// Whether tasks could, too.
    pub others: bool,
}

impl Scene<'_> {
    /// Who waits without a timeout at the end of the last path, if anybody does who should go on.
    pub(crate) fn standstill(&self) -> Option<Standstill> {
        let kernel = self.mirror().last();
        let mut end = Standstill { waits: vec![], gone: vec![], outside: vec![], others: false };
        for (place, task) in kernel.tasks().iter().enumerate() {
            let nth = task.id.0.index;
            match (task.role, self.goes_on(place, task)) {
                (Role::Interrupt { line: object } | Role::Timer { timer: object }, Some(_)) => {
                    end.outside.push(object.0.index);
                }
                (Role::Interrupt { line }, None) if self.is_spent(line) => end.gone.push(nth),
                (Role::Firmware | Role::Environment, _) if task.has_ended() => end.gone.push(nth),
                (Role::Firmware | Role::Environment, _) => {
                    match self.waits_in(self.mirror().steps().len(), task) {
                        Some(one) => end.waits.push(one),
                        None => end.others = true,
                    }
                }
                _ => {}
            }
        }
        end.waits.iter().any(|waits| !waits.server).then_some(end)
    }

    /// What somebody is that could still go on at the end of the last path, if it is no task that waits without a timeout.
    fn goes_on(&self, place: usize, task: &Task) -> Option<&'static str> {
        let kernel = self.mirror().last();
        let object = |object: ObjectId| kernel.object_place(object).map(|place| &kernel.objects()[place]);
        let goes_on = match task.role {
            Role::Timer { timer } => object(timer)?.level != timer::STOPPED,
            Role::Interrupt { line } => {
                let runs = !task.is_at(Verb::Fire);
                runs || object(line)?.level > 0 && !self.is_spent(line)
            }
            Role::Daemon => kernel.can_go_on(place),
            // Those whose deadlines are its own are told instead.
            Role::Clock => return None,
            Role::Firmware | Role::Environment => {
                !task.has_ended() && self.waits_in(self.mirror().steps().len(), task).is_none()
            }
        };
        goes_on.then_some(match task.role {
            Role::Timer { .. } => "timer",
            Role::Interrupt { .. } => "interrupt",
            Role::Daemon => "timer daemon",
            Role::Firmware | Role::Environment | Role::Clock => "task",
        })
    }

    /// Whether the firmware lets the line fire no more.
    fn is_spent(&self, line: ObjectId) -> bool {
        let kernel = self.mirror().last();
        let line = kernel.object_place(line).map(|place| &kernel.objects()[place]);
        line.is_some_and(|line| matches!(line.kind, Kind::Line { limit } if line.times >= limit))
    }

    /// What the task waits for without a timeout in state `at`, as it stands there.
    fn waits_in(&self, at: usize, task: &Task) -> Option<Waits> {
        let kernel = self.mirror().kernel(at);
        let pending = kernel.tasks()[usize::from(task.id.0.index)].pending?;
        if pending.wait() != Wait::Forever || !kernel.is_kept_waiting(usize::from(task.id.0.index)) {
            return None;
        }
        let object = &kernel.objects()[kernel.object_place(pending.object()?)?];
        let want = match pending.verb.awaits()? {
            Awaits::Ownership => Want::Mutex { owner: object.owner?.0.index },
            awaits if awaits.is_of_one_object() => Want::Brought(awaits),
            _ => return None,
        };
        Some(Waits { task: task.id.0.index, server: task.server, object: object.id.0.index, want })
    }

    /// After how many steps of the last path everything was as at its end, but for what timers, their daemon and interrupt
    /// handlers did.
    pub(crate) fn standstill_begins(&self, end: &Standstill) -> usize {
        let kernel = self.mirror().last();
        let mut at = self.mirror().steps().len();
        let outside = |at: usize| {
            let task = self.mirror().steps()[at].transition.task;
            let role = kernel.task_place(task).map(|place| kernel.tasks()[place].role);
            !matches!(role, None | Some(Role::Firmware | Role::Environment))
        };
        let same = |at: usize, waits: &Waits| {
            self.waits_in(at, &kernel.tasks()[usize::from(waits.task)]) == Some(*waits)
        };
        while at > 0 && outside(at - 1) && end.waits.iter().all(|waits| same(at - 1, waits)) {
            at -= 1;
        }
        at
    }

    /// Who could still go on at the end of the last path, each with what it is.
    pub(crate) fn could_go_on(&self) -> Vec<String> {
        let tasks = self.mirror().last().tasks().iter().enumerate();
        let named = |(place, task): (usize, &Task)| {
            Some(format!("{} ({})", self.roster().task(task.id), self.goes_on(place, task)?))
        };
        // A daemon is only as alive as its timers.
        let timers = self.mirror().last().tasks().iter().enumerate();
        let timers = timers.filter(|(place, task)| {
            matches!(task.role, Role::Timer { .. }) && self.goes_on(*place, task).is_some()
        });
        let silent = timers.count() > 0;
        tasks.filter(|(_, task)| !(silent && task.role == Role::Daemon)).filter_map(named).collect()
    }

    /// The timers and lines that could still go on at that end, each with what it is.
    pub(crate) fn outside_in_words(&self, end: &Standstill) -> Vec<String> {
        let tasks = self.mirror().last().tasks();
        let in_words = |object: &u8| {
            let of_it = tasks.iter().find_map(|task| match task.role {
                Role::Interrupt { line } if line.0.index == *object => Some((task, "interrupt")),
                Role::Timer { timer } if timer.0.index == *object => Some((task, "timer")),
                _ => None,
            });
            of_it.map(|(task, what)| format!("{} ({what})", self.roster().task(task.id))).unwrap_or_default()
        };
        end.outside.iter().map(in_words).collect()
    }

    /// How the last path came to where it stands, with that sentence for what is wrong there.
    pub(crate) fn standing_still(&self, message: String) -> Finding {
        self.told(FindingKind::Deadlock, message)
    }

    /// What one of them waits for, and for whom, in words.
    pub(crate) fn in_words(&self, waits: &Waits) -> Option<Waiter> {
        let task = self.mirror().last().tasks().get(usize::from(waits.task))?;
        self.waits_for_object(task)
    }
}
