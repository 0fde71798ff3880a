//! What is wrong, in words that name tasks, objects and source lines.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use fwvs_kernel::{ObjectId, Operation, TaskId, Wait};
use fwvs_link::Link;
use fwvs_scenario::{Finding, FindingKind, Standing, Step, Waiter, deadlock_message};
use fwvs_wire::{Incident, misuse, room};

use crate::fault;
use crate::session::Session;

/// What ended a path. Who ran is said apart: see [`Session::running`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Nobody can go on, and somebody should.
    Deadlock,
    /// A check does not hold.
    Assertion,
    /// A panic, with its text.
    Panic(String),
    /// A task ran over the end of its stack.
    StackOverflow,
    /// No room for what was created.
    Full(u32),
    /// An operation that makes no sense.
    Misuse {
        /// Which, as in [`misuse`].
        why: u32,
        /// Where it was called from; 0 if unknown.
        pc: u32,
    },
    /// A task did something that it had not declared.
    Undeclared,
    /// A fault exception.
    Fault {
        /// The registers.
        incident: Box<Incident>,
    },
    /// A fault before the shim was started.
    EarlyFault,
    /// A fault inside a fault handler: the core gave up.
    Lockup,
    /// A task that runs for longer than it may without an operation.
    Divergence {
        /// Where it was halted.
        pc: u32,
        /// How long it was given.
        budget: Duration,
    },
}

impl<L: Link> Session<L> {
    /// What the last path found, in full.
    pub fn finding(&self) -> Option<Finding> {
        let wrong = self.wrong()?;
        let (kind, message) = self.explain(wrong);
        Some(Finding {
            kind,
            message,
            steps: self.steps(),
            standing: self.standing(),
            scenario: None,
            count: 1,
        })
    }

    /// What is wrong, as a number: the same for the same kind, tasks, objects and source places. Cheap, since a search
    /// may come to the same finding a million times.
    pub fn finding_key(&self) -> u64 {
        let mut key = DefaultHasher::new();
        let wrong = self.wrong();
        wrong.map(std::mem::discriminant).hash(&mut key);
        self.running().hash(&mut key);
        let steps = self.mirror().steps();
        match wrong {
            Some(Wrong::Deadlock) => {
                for (task, call) in self.mirror().last().tasks().iter().zip(self.mirror().calls(steps.len()))
                {
                    (task.pending, call).hash(&mut key);
                }
            }
            // The place, which stands last and in brackets; numbers in the message make no other finding.
            Some(Wrong::Panic(text)) => text.rsplit(" (").next().hash(&mut key),
            Some(Wrong::Divergence { pc, .. }) => {
                let place = self.firmware().place_of_instruction(*pc);
                (place.map(|place| place.function), steps.last().map(|step| step.pc)).hash(&mut key);
            }
            Some(Wrong::Full(what)) => what.hash(&mut key),
            Some(Wrong::Misuse { why, pc }) => (why, pc).hash(&mut key),
            Some(Wrong::Fault { incident }) => (incident.pc, incident.cfsr).hash(&mut key),
            _ => steps.last().map(|step| (step.transition.task, step.pc)).hash(&mut key),
        }
        key.finish()
    }

    /// The transitions of the last path, in words.
    pub fn steps(&self) -> Vec<Step> {
        let roster = self.roster();
        let in_words = |step: &crate::mirror::Step| {
            let operation = step.taken.operation;
            let event = match operation {
                Operation::Event { name, value } => {
                    Some(format!("\"{}\" = {value}", self.firmware().event_name(name).unwrap_or("?")))
                }
                _ => None,
            };
            Step {
                task: roster.task(step.transition.task).to_owned(),
                operation: word(operation).to_owned(),
                object: operation.object().map(|object| roster.object(object).to_owned()).or(event),
                alternative: matches!(operation, Operation::Toss { .. })
                    .then_some(step.transition.alternative),
                outcome: self.outcome(step),
                place: self.place(step.pc),
            }
        };
        self.mirror().steps().iter().map(in_words).collect()
    }

    fn outcome(&self, step: &crate::mirror::Step) -> Option<String> {
        match step.taken.operation {
            Operation::Assert { holds: false, .. } => Some("fails".to_owned()),
            _ if !step.taken.served => Some("not served".to_owned()),
            _ => None,
        }
    }

    /// Where every task is at the end of the last path.
    fn standing(&self) -> Vec<Standing> {
        let at = self.mirror().steps().len();
        let kernel = self.mirror().kernel(at);
        let calls = self.mirror().calls(at);
        let stands = |(task, call): (&fwvs_kernel::Task, &u32)| {
            let (waits, place) = match task.pending {
                None => ("runs".to_owned(), None),
                Some(Operation::Exit) => ("has ended".to_owned(), None),
                Some(operation) => {
                    let held = if kernel.can_take(operation) { "is about to" } else { "waits to" };
                    let what = self.roster().describe(self.firmware(), operation);
                    (format!("{held} {what}"), self.place(*call))
                }
            };
            Standing { task: self.roster().task(task.id).to_owned(), waits, place }
        };
        kernel.tasks().iter().zip(calls).map(stands).collect()
    }

    fn place(&self, pc: u32) -> Option<String> {
        Some(self.firmware().place_of_return(pc)?.to_string())
    }

    /// " at FILE:LINE", if that is known.
    fn at(&self, place: Option<String>) -> String {
        place.map_or(String::new(), |place| format!(" at {place}"))
    }

    fn explain(&self, wrong: &Wrong) -> (FindingKind, String) {
        let who = self.running().map_or("the set-up", |task| self.roster().task(task));
        match wrong {
            Wrong::Deadlock => (FindingKind::Deadlock, self.who_waits_for_whom()),
            Wrong::Assertion => (FindingKind::Assertion, self.failed_check()),
            Wrong::Panic(text) => (FindingKind::Assertion, format!("{who} panicked: {text}")),
            Wrong::StackOverflow => {
                let call = self.mirror().steps().last().and_then(|step| self.place(step.pc));
                let after = call.map_or(String::new(), |place| format!(" after its operation at {place}"));
                (FindingKind::Crash, format!("{who} ran over the end of its stack{after}"))
            }
            Wrong::Full(what) => {
                let what = match *what {
                    room::TASKS => "tasks",
                    room::OBJECTS => "objects",
                    room::MESSAGES => "bytes for messages",
                    room::CREATIONS => "tasks and objects together",
                    _ => "things",
                };
                (FindingKind::Unexpected, format!("{who} created more {what} than the shim has room for"))
            }
            Wrong::Misuse { why, pc } => {
                let at = self.at(self.place(*pc));
                (FindingKind::Unexpected, format!("{who} {}{at}", misused(*why)))
            }
            Wrong::Undeclared => {
                let step = self.mirror().steps().last();
                let what = step.map_or(String::new(), |step| {
                    self.roster().describe(self.firmware(), step.taken.operation)
                });
                let at = self.at(step.and_then(|step| self.place(step.pc)));
                (FindingKind::Unexpected, format!("{who} did what its footprint does not have: {what}{at}"))
            }
            Wrong::Fault { incident } => {
                let cause = fault::words(incident.cfsr, incident.hfsr, incident.address);
                let place = self.firmware().place_of_instruction(incident.pc).map(|place| place.to_string());
                let place = place.or_else(|| self.place(incident.lr));
                let at = self.at(place);
                (FindingKind::Crash, format!("{who} crashed{at}: {cause} (pc {:#010x})", incident.pc))
            }
            Wrong::EarlyFault => {
                (FindingKind::Crash, "the firmware crashed before it started the shim".to_owned())
            }
            Wrong::Lockup => (FindingKind::Crash, format!("{who} crashed, and the fault handler as well")),
            Wrong::Divergence { pc, budget } => {
                let at = self.at(self.firmware().place_of_instruction(*pc).map(|place| place.to_string()));
                let at = if at.is_empty() {
                    format!(" at {pc:#010x}, which is no line of the source")
                } else {
                    at
                };
                let text = format!("{who} ran for {budget:?} without an operation{at}");
                (FindingKind::Divergence, text)
            }
        }
    }

    fn failed_check(&self) -> String {
        let Some(step) = self.mirror().steps().last() else { return "a check failed".to_owned() };
        let text = match step.taken.operation {
            Operation::Assert { name, .. } => self.firmware().event_name(name).unwrap_or("a check"),
            _ => "a check",
        };
        let who = self.roster().task(step.transition.task);
        format!("{who}: `{text}` does not hold{}", self.at(self.place(step.pc)))
    }

    /// Every waiting task, what it waits for, and who has that.
    fn who_waits_for_whom(&self) -> String {
        let waiter = |task: &fwvs_kernel::Task| {
            let operation = task.pending.filter(|operation| *operation != Operation::Exit)?;
            let object = operation.object()?;
            let holder = self.holder(object).map(|holder| self.roster().task(holder).to_owned());
            Some(Waiter {
                task: self.roster().task(task.id).to_owned(),
                operation: word(operation).to_owned(),
                object: Some(self.roster().object(object).to_owned()),
                held_by: holder,
            })
        };
        let waiters: Vec<Waiter> = self.mirror().last().tasks().iter().filter_map(waiter).collect();
        deadlock_message(&waiters)
    }

    /// Who took a semaphore last of those that took it more often than they gave it.
    fn holder(&self, semaphore: ObjectId) -> Option<TaskId> {
        let mut holders: Vec<(TaskId, i64)> = Vec::new();
        for step in self.mirror().steps().iter().filter(|step| step.taken.served) {
            let task = step.transition.task;
            let change = match step.taken.operation {
                Operation::Take { semaphore: taken, .. } if taken == semaphore => 1,
                Operation::Give { semaphore: given } if given == semaphore => -1,
                _ => continue,
            };
            let held = holders.iter().position(|(holder, _)| *holder == task);
            let count = held.map_or(0, |place| holders.remove(place).1) + change;
            holders.push((task, count));
        }
        holders.into_iter().rev().find(|(_, count)| *count > 0).map(|(task, _)| task)
    }
}

fn misused(why: u32) -> &'static str {
    match why {
        misuse::UNKNOWN_OBJECT => "used a handle of no object",
        misuse::WRONG_KIND => "used a handle of another kind of object",
        misuse::LATE_CREATION => "created something while tasks ran; create it in the set-up",
        misuse::NO_TASK => "called an operation where no task runs",
        misuse::BAD_SIZE => "created an object with a size that makes no sense",
        misuse::SMALL_STACK => "started a task on a stack that is too small",
        misuse::NOT_STARTED => "created something before the shim was started",
        _ => "misused the shim",
    }
}

/// What an operation is called.
pub fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::Take { wait: Wait::Forever, .. } => "take",
        Operation::Take { wait: Wait::Never, .. } => "try to take",
        Operation::Give { .. } => "give",
        Operation::Send { wait: Wait::Forever, .. } => "send",
        Operation::Send { wait: Wait::Never, .. } => "try to send",
        Operation::Receive { wait: Wait::Forever, .. } => "receive",
        Operation::Receive { wait: Wait::Never, .. } => "try to receive",
        Operation::Peek { wait: Wait::Forever, .. } => "peek",
        Operation::Peek { wait: Wait::Never, .. } => "try to peek",
        Operation::Read { .. } => "read",
        Operation::Write { .. } => "write",
        Operation::Toss { .. } => "toss",
        Operation::Assert { .. } => "check",
        Operation::Event { .. } => "event",
        Operation::Exit => "exit",
    }
}
