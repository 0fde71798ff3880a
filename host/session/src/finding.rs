//! What is wrong, in words that name tasks, objects and source lines.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use fwvs_kernel::{ObjectId, Operation, Role, TaskId, Then, Verb, Wait};
use fwvs_link::Link;
use fwvs_scenario::{Finding, FindingKind, Step};
use fwvs_wire::value::Value;
use fwvs_wire::{Incident, misuse, room};

use crate::roster::name_of;
use crate::session::Session;
use crate::spin::Spin;
use crate::{facts, fault};

/// What ended a path. Who ran is said apart: see [`Session::running`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Nobody can go on, and somebody should.
    Deadlock,
    /// A check does not hold.
    Assertion {
        /// What it compared, as far as that is known.
        sides: [Value; 2],
    },
    /// A panic.
    Panic {
        /// Its message, or as much of it as there was room for.
        text: String,
        /// Where, as "FILE:LINE".
        place: String,
        /// Whether it came before the shim was started.
        early: bool,
    },
    /// A task ran over the end of its stack.
    StackOverflow,
    /// No room for what was created.
    Full {
        /// Of what, as in [`room`].
        what: u32,
        /// How much there is.
        room: u32,
    },
    /// An operation that makes no sense.
    Misuse {
        /// Which, as in [`misuse`], of what, and where.
        incident: Box<Incident>,
    },
    /// A task did something that it had not declared.
    Undeclared,
    /// The kernel found something wrong.
    Kernel(fwvs_kernel::Wrong),
    /// A task is kept waiting for too long.
    Livelock {
        /// Who.
        task: TaskId,
        /// For how many states on end, at least.
        states: u32,
    },
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
        /// Where it goes round.
        spin: Spin,
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
        let steps = self.mirror().steps();
        // Where tasks that wait for each other stand, whoever came last and wherever others are.
        let cycle = self.cycle();
        // Who happened to run when somebody had waited too long makes no other finding.
        if cycle.is_empty() && !matches!(wrong, Some(Wrong::Livelock { .. })) {
            self.running().hash(&mut key);
        }
        // Two calls can have one place in the program, where the compiler has merged them.
        let last = steps.last().map(|step| (step.pc, subject(step.taken.operation)));
        match wrong {
            Some(Wrong::Deadlock | Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_))) => {
                for (task, call) in self.mirror().last().tasks().iter().zip(self.mirror().calls(steps.len()))
                {
                    if cycle.is_empty() || cycle.contains(&task.id) {
                        (task.id, task.pending, call).hash(&mut key);
                    }
                }
            }
            // Numbers in the message make no other finding.
            Some(Wrong::Panic { place, .. }) => place.hash(&mut key),
            Some(Wrong::Divergence { spin, .. }) => (spin, last).hash(&mut key),
            Some(Wrong::Full { what, .. }) => what.hash(&mut key),
            Some(Wrong::Kernel(kernel)) => {
                (kernel, last).hash(&mut key);
            }
            Some(Wrong::Livelock { task, .. }) => {
                let waits_for = self.mirror().last().pending(*task).map(subject);
                (task, waits_for, self.mirror().calls(steps.len()).get(usize::from(task.0.nth)))
                    .hash(&mut key);
            }
            Some(Wrong::Misuse { incident }) => (incident.code, incident.pc).hash(&mut key),
            Some(Wrong::Fault { incident }) => (incident.pc, incident.cfsr).hash(&mut key),
            _ => (steps.last().map(|step| step.transition.task), last).hash(&mut key),
        }
        key.finish()
    }

    /// The transitions of the last path, in words.
    pub fn steps(&self) -> Vec<Step> {
        let roster = self.roster();
        let time_matters = self.time_matters();
        let in_words = |(at, step): (usize, &crate::mirror::Step)| {
            let operation = step.taken.operation;
            let passing = (operation.verb == Verb::Pass).then(|| self.passing(at, step));
            let (tick, due) = passing.unzip();
            let event = (operation.verb == Verb::Event).then(|| {
                let name = operation.name().and_then(|name| self.firmware().event_name(name));
                format!("\"{}\" = {}", name.unwrap_or("?"), operation.argument)
            });
            Step {
                task: roster.task(step.transition.task).to_owned(),
                operation: operation.word().to_owned(),
                object: operation.object().map(|object| roster.object(object).to_owned()).or(event).or(tick),
                alternative: (operation.verb == Verb::Toss || step.transition.alternative > 0)
                    .then_some(step.transition.alternative),
                outcome: self.outcome(step),
                due: due.unwrap_or_default(),
                stays: matches!(step.taken.then, Then::Waits | Then::Expired),
                fill: self.fill(at + 1, operation),
                tick: time_matters.then(|| self.mirror().kernel(at + 1).now()),
                place: self.place(step.pc),
            }
        };
        self.mirror().steps().iter().enumerate().map(in_words).collect()
    }

    fn outcome(&self, step: &crate::mirror::Step) -> Option<String> {
        let operation = step.taken.operation;
        match operation.verb {
            Verb::Assert if operation.ends_path() => Some("fails".to_owned()),
            Verb::Serve if step.taken.then != Then::Waits => {
                let timer = self.roster().object(ObjectId::setup(step.taken.level as u8));
                let what = match (step.taken.then, step.transition.alternative) {
                    (Then::Stays, _) => "command for",
                    (_, 1) => "overdue callback of",
                    _ => "callback of",
                };
                Some(format!("{what} {timer}"))
            }
            Verb::Lock if operation.wait() == Wait::Forever && step.taken.then == Then::Ends => {
                Some("would wait for ever".to_owned())
            }
            _ => match step.taken.then {
                Then::Waits => Some("waits".to_owned()),
                Then::Expired => Some("time is up".to_owned()),
                Then::Preempted => Some("preempted".to_owned()),
                _ if step.taken.served => None,
                _ if operation.verb == Verb::DelayUntil => Some("overdue".to_owned()),
                _ => Some("not served".to_owned()),
            },
        }
    }

    /// Whether the firmware says where its code comes from: of the operations that tasks begin with and those of the last path,
    /// the line of at least one is known, be it the shim's own.
    pub fn knows_lines(&self) -> bool {
        let steps = self.mirror().steps().iter().map(|step| step.pc);
        let calls = self.roster().first_calls().iter().copied().chain(steps);
        let mut calls = calls.filter_map(|pc| (pc & !1).checked_sub(2)).peekable();
        calls.peek().is_none() || calls.any(|call| self.firmware().place_of_instruction(call).is_some())
    }

    pub(crate) fn place(&self, pc: u32) -> Option<String> {
        Some(self.firmware().place_of_return(pc)?.to_string())
    }

    /// " at FILE:LINE", if that is known.
    fn at(&self, place: Option<String>) -> String {
        place.map_or(String::new(), |place| format!(" at {place}"))
    }

    fn explain(&self, wrong: &Wrong) -> (FindingKind, String) {
        let who = self.running().map_or("the set-up".to_owned(), |task| self.whose_code(task));
        match wrong {
            Wrong::Deadlock => (FindingKind::Deadlock, self.who_waits_for_whom()),
            Wrong::Assertion { sides } => (FindingKind::Assertion, self.failed_check(sides)),
            Wrong::Panic { text, place, early } => {
                let who = if *early { "before fwvs::start, the firmware" } else { &who };
                (FindingKind::Assertion, format!("{who} panicked: {text} ({place})"))
            }
            Wrong::StackOverflow => {
                let call = self.mirror().steps().last().and_then(|step| self.place(step.pc));
                let after = call.map_or(String::new(), |place| format!(" after its operation at {place}"));
                (FindingKind::Crash, format!("{who} ran over the end of its stack{after}"))
            }
            Wrong::Full { what, room } => {
                let (what, counts) = match *what {
                    room::TASKS => {
                        ("tasks", "; interrupt handlers, timers and the timer daemon are tasks too")
                    }
                    room::OBJECTS => {
                        ("objects", "; shared variables, timers and interrupt lines are objects too")
                    }
                    room::MESSAGES => ("bytes for messages", "; all messages of all queues share them"),
                    room::CREATIONS => (
                        "tasks and objects together",
                        "; what they declare to do and first operations count too",
                    ),
                    _ => ("things", ""),
                };
                let text =
                    format!("{who} created more {what} than the shim has room for, which is {room}{counts}");
                (FindingKind::Unexpected, text)
            }
            Wrong::Misuse { incident } => {
                let who = if incident.code == misuse::NOT_STARTED { "the firmware" } else { &who };
                let at = self.at(self.place(incident.pc));
                let (what, hint) = self.misused(incident);
                (FindingKind::Unexpected, format!("{who} {what}{at}{hint}"))
            }
            Wrong::Undeclared => {
                let step = self.mirror().steps().last();
                let what = step.map_or(String::new(), |step| {
                    self.roster().describe(self.firmware(), step.taken.operation)
                });
                let at = self.at(step.and_then(|step| self.place(step.pc)));
                (FindingKind::Unexpected, format!("{who} did what its footprint does not have: {what}{at}"))
            }
            Wrong::Kernel(kernel) => self.explain_kernel(*kernel),
            Wrong::Livelock { task, states } => {
                let known = &self.mirror().last().tasks()[usize::from(task.0.nth)];
                let priority = self.priority(known).map_or(String::new(), |own| format!(" (priority {own})"));
                let name = format!("{}{priority}", self.roster().task(*task));
                let calls = self.mirror().calls(self.mirror().steps().len());
                let at = self.at(calls.get(usize::from(task.0.nth)).and_then(|call| self.place(*call)));
                let what = self.mirror().last().pending(*task).map_or(String::new(), |operation| {
                    let what = self.roster().describe(self.firmware(), operation);
                    format!("{what}{}", self.held(*task, operation))
                });
                let text = format!(
                    "{name} has been waiting to {what} for more than {states} states while others went on{at}"
                );
                (FindingKind::Livelock, text)
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
            Wrong::Divergence { spin, budget } => {
                let at = match (spin, self.mirror().steps().last()) {
                    (Spin::Unknown, Some(step)) => {
                        let place = self.place(step.pc);
                        place.map_or(String::new(), |place| format!(" after the one at {place}"))
                    }
                    _ => spin.words(self.firmware()),
                };
                (FindingKind::Divergence, format!("{who} ran for {budget:?} without an operation{at}"))
            }
        }
    }

    /// What the kernel found, with names and priorities.
    fn explain_kernel(&self, wrong: fwvs_kernel::Wrong) -> (FindingKind, String) {
        use fwvs_kernel::Wrong as W;
        let step = self.mirror().steps().last();
        let at = self.at(step.and_then(|step| self.place(step.pc)));
        let who = self.whose_code(wrong.task());
        let operation = step.map(|step| step.taken.operation);
        let what =
            operation.map_or(String::new(), |operation| self.roster().describe(self.firmware(), operation));
        let object = operation.and_then(Operation::object);
        let name = object.map_or("the object", |object| self.roster().object(object));
        let text = match wrong {
            W::Cycle(_) => return (FindingKind::Deadlock, self.who_waits_for_whom()),
            W::NeverFull(_) => {
                let gives = operation.is_some_and(|operation| operation.verb == Verb::Give);
                let what = if gives { "give" } else { "send to" };
                format!("{who} could not {what} {name}: it is full, and was declared never to be{at}")
            }
            W::NotOwner(_) => {
                let owner = object.and_then(|object| self.owner(object));
                let owner = owner.map_or("nobody", |owner| self.roster().task(owner));
                format!("{who} unlocked {name}, which {owner} owns{at}")
            }
            W::BlocksInHandler(_) | W::BlocksInCallback(_) => format!("{who} would wait to {what}{at}"),
            W::BlocksInCritical(_) => format!("{who} would wait to {what} inside a critical section{at}"),
            W::MutexInHandler(_) => format!("{who} used the mutex {name}{at}"),
            W::NotInCritical(_) => format!("{who} ended a critical section that it is not in{at}"),
            W::EndsInCritical(task) => {
                let began = self.at(self.critical_section(task));
                format!("{who} ended inside the critical section that it began{began}")
            }
            W::CommandsFull(_) => {
                format!("{who} could not {what}: there is no room left for timer commands{at}")
            }
        };
        (FindingKind::Unexpected, text)
    }

    /// The timer whose callback was called last.
    fn callback(&self) -> Option<ObjectId> {
        let served = |step: &&crate::mirror::Step| {
            let runs = matches!(step.taken.then, Then::Runs | Then::Preempted);
            runs && step.taken.operation.verb == Verb::Serve
        };
        let step = self.mirror().steps().iter().rev().find(served)?;
        Some(ObjectId::setup(step.taken.level as u8))
    }

    /// Whose code a task runs: a task's own, the handler of an interrupt, the callback of a timer.
    fn whose_code(&self, task: TaskId) -> String {
        let kernel = self.mirror().last();
        let name = self.roster().task(task);
        match kernel.task_place(task).map(|place| kernel.tasks()[place].role) {
            Some(Role::Interrupt { .. }) => format!("the handler of {name}"),
            Some(Role::Daemon) => {
                let timer = self.callback().map(|timer| self.roster().object(timer));
                timer.map_or(name.to_owned(), |timer| format!("the callback of {timer}"))
            }
            _ => name.to_owned(),
        }
    }

    /// Where the task began its last critical section.
    fn critical_section(&self, task: TaskId) -> Option<String> {
        let begins = |step: &&crate::mirror::Step| {
            step.transition.task == task && step.taken.operation.verb == Verb::EnterCritical
        };
        let step = self.mirror().steps().iter().rev().find(begins)?;
        self.place(step.pc)
    }

    fn failed_check(&self, sides: &[Value; 2]) -> String {
        let Some(step) = self.mirror().steps().last() else { return "a check failed".to_owned() };
        let check = Some(step.taken.operation).filter(|operation| operation.verb == Verb::Assert);
        let name = check.and_then(Operation::name).and_then(|name| self.firmware().event_name(name));
        let text = name.unwrap_or("a check");
        // A long condition has the line breaks that the compiler gave it.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let who = self.whose_code(step.transition.task);
        format!("{who}: `{text}` does not hold{}{}", facts::sides(sides), self.at(self.place(step.pc)))
    }

    /// What somebody did, and what to say after the place where.
    fn misused(&self, incident: &Incident) -> (String, &'static str) {
        let Incident { code, numbers: [first, second], name, name_length, index, .. } = *incident;
        let name = name_of(&self.firmware, name, name_length, index).unwrap_or("something".to_owned());
        let plainly = |what: &str, hint| (what.to_owned(), hint);
        match code {
            misuse::UNKNOWN_OBJECT => plainly("used a handle of no object", ""),
            misuse::WRONG_KIND => plainly("used a handle of another kind of object", ""),
            misuse::LATE_CREATION => {
                plainly("created something while tasks ran", "; create it in the set-up")
            }
            misuse::NO_TASK => plainly(
                "called an operation where no task runs",
                "; call it in a task, a handler or a callback",
            ),
            misuse::NOT_STARTED => plainly(
                "used fwvs before fwvs::start",
                "; create everything in the set-up that start is given",
            ),
            misuse::NULL_HANDLE => plainly("used a null handle", ": it was not given its object yet"),
            misuse::SECOND_DAEMON => plainly(
                "declared the timer daemon when it was there already",
                "; declare it once, before the first timer",
            ),
            misuse::RESTARTED => plainly("reset the firmware", "; a path ends where all tasks have"),
            misuse::BAD_SEMAPHORE => {
                let what = format!("created the semaphore {name} with {first} of {second} units");
                (what, "; it needs a maximum, and no more than that to begin with")
            }
            misuse::BAD_QUEUE => {
                let what = format!("created the queue {name} for {first} of at most {second} messages");
                (what, "; it needs room for one, and no more than its type has")
            }
            misuse::BAD_COMMANDS => {
                let what = format!("declared a timer daemon with room for {first} commands");
                (
                    what,
                    if first == 0 { "; it needs room for one" } else { ", which is more than there can be" },
                )
            }
            misuse::SMALL_STACK => {
                let what = format!("started {name} on a stack of {first} bytes");
                (format!("{what}, where {second} are the least"), "; what it calls needs more")
            }
            misuse::SHARED_STACK => {
                let owner = self.roster().task(TaskId::setup(first as u8));
                (
                    format!("started {name}, which was given the stack of {owner}"),
                    "; every task needs its own",
                )
            }
            _ => plainly("misused the shim", ""),
        }
    }
}

/// What an operation is about, values aside: its object, or the text of its check.
fn subject(operation: Operation) -> (&'static str, Option<ObjectId>, Option<u16>) {
    let check = operation.name().filter(|_| operation.verb == Verb::Assert);
    (operation.word(), operation.object(), check)
}
