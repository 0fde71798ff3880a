//! Who waits for what, and for whom: where every task stands, and the sentence for a deadlock.

use fwvs_kernel::{
    Kernel, Kind, ObjectId, Operation, Role, Schedule, Storage, Task, TaskId, Verb, Wait, timer,
};
use fwvs_scenario::{FindingKind, OtherEnd, Priority, Standing, Waiter, WaitsTo, deadlock_message};

use crate::scene::Scene;

impl Scene<'_> {
    /// Where every task is at the end of the last path.
    pub(crate) fn standing(&self) -> Vec<Standing> {
        let calls = self.mirror().calls(self.mirror().steps().len());
        let stands = |(task, call): (&Task, &u32)| {
            let (waits, called) = self.stands(task);
            let kept_waiting = self.mirror().last().is_kept_waiting(usize::from(task.id.0.index));
            let waits_for = task.pending.filter(|_| kept_waiting);
            Standing {
                task: self.roster().task(task.id).to_owned(),
                priority: self.priority(task),
                waits,
                fill: waits_for.and_then(|operation| self.fill(self.mirror().steps().len(), operation)),
                holds: self.holds(task.id),
                place: if called { self.place(*call) } else { None },
            }
        };
        let is_somebody = |(task, _): &(&Task, &u32)| task.role != Role::Clock;
        self.mirror().last().tasks().iter().zip(calls).filter(is_somebody).map(stands).collect()
    }

    /// How a task stands, and whether that has a place in the source.
    fn stands(&self, task: &Task) -> (String, bool) {
        let kernel = self.mirror().last();
        let waits = self.is_stuck(task) || kernel.is_kept_waiting(usize::from(task.id.0.index));
        let pending = task.pending.map(|operation| (operation.verb, operation));
        match (task.role, pending) {
            (Role::Timer { timer }, _) => (timer_stands(kernel, timer).to_owned(), false),
            (Role::Interrupt { line }, Some((Verb::Fire, _))) => {
                (line_stands(kernel, task.id, line).to_owned(), false)
            }
            (_, None) => ("runs".to_owned(), false),
            (_, Some((Verb::Exit, _))) => ("has ended".to_owned(), false),
            (_, Some((Verb::Resume, _))) => ("was preempted".to_owned(), true),
            (_, Some((Verb::Serve, _))) if waits => ("waits for timers".to_owned(), false),
            (_, Some((Verb::Delay, Operation { argument: ticks, .. }))) if waits => {
                (format!("waits for {ticks} ticks"), true)
            }
            (_, Some((Verb::DelayUntil, Operation { argument: tick, .. }))) if waits => {
                (format!("waits until tick {tick}"), true)
            }
            (_, Some((_, operation))) => {
                let what = self.roster().describe(self.firmware(), operation);
                // The sentence for a deadlock says it already.
                let deadlock = self.kind() == Some(FindingKind::Deadlock);
                let held = if waits && !deadlock { self.held(task.id, operation) } else { String::new() };
                let about = if waits { "waits to" } else { "is about to" };
                (format!("{about} {what}{held}"), true)
            }
        }
    }

    /// " held by SOMEBODY", if an operation waits for what can be held and somebody does.
    pub(crate) fn held(&self, task: TaskId, operation: Operation) -> String {
        let takes = matches!(operation.verb, Verb::Take | Verb::Lock);
        match operation.object().filter(|_| takes).and_then(|object| self.holder(object)) {
            Some(holder) if holder == task => ", which it holds itself".to_owned(),
            Some(holder) => format!(" held by {}", self.roster().task(holder)),
            None => String::new(),
        }
    }

    /// Its priority, where there are priorities and it is one of those who have one.
    pub(crate) fn priority(&self, task: &Task) -> Option<Priority> {
        let has_one = matches!(task.role, Role::Firmware | Role::Daemon);
        let priorities = self.roster().schedule() == Schedule::Priority;
        (has_one && priorities).then_some(Priority { own: task.base, now: task.priority })
    }

    /// Every waiting task, what it waits for, and who has that; of tasks that wait for each other's mutexes, only these.
    pub(crate) fn who_waits_for_whom(&self) -> String {
        let kernel = self.mirror().last();
        let tasks = kernel.tasks();
        let in_cycle = self.cycle();
        let waiters: Vec<Waiter> = if in_cycle.is_empty() {
            let waits = |task: &&Task| kernel.is_kept_waiting(usize::from(task.id.0.index));
            tasks.iter().filter(waits).filter_map(|task| self.waiter(task)).collect()
        } else {
            let task = |task: &TaskId| kernel.task_place(*task).map(|place| &tasks[place]);
            in_cycle.iter().filter_map(task).filter_map(|task| self.waiter(task)).collect()
        };
        deadlock_message(&waiters)
    }

    /// A task that should go on and waits for an object.
    fn waiter(&self, task: &Task) -> Option<Waiter> {
        self.waits_for_object(task).filter(|_| task.should_go_on())
    }

    /// Any task that waits for an object, a server too.
    pub(crate) fn waits_for_object(&self, task: &Task) -> Option<Waiter> {
        let operation = task.pending.filter(|_| !task.has_ended())?;
        let object = operation.object()?;
        let name = |task: TaskId| self.roster().task(task).to_owned();
        let holder = self.holder(object).map(|holder| match self.has_ended(holder) {
            true if holder != task.id => format!("{}, which has ended", name(holder)),
            _ => name(holder),
        });
        Some(Waiter {
            task: name(task.id),
            priority: self.priority(task),
            operation: waits_to(operation),
            object: self.roster().object(object).to_owned(),
            held_by: holder,
            other_end: self.other_end(operation).map(|other| OtherEnd {
                task: name(other),
                has_ended: other != task.id && self.has_ended(other),
            }),
        })
    }

    /// The tasks that wait for each other's mutexes, each for the next one's, where the kernel found that; or those that wait
    /// for a mutex whose owner has just ended.
    pub(crate) fn cycle(&self) -> Vec<TaskId> {
        let kernel = self.mirror().last();
        let mut found = Vec::new();
        let Some(fwvs_kernel::Wrong::Cycle(mut task)) = kernel.wrong() else { return found };
        if self.has_ended(task) {
            let waits_for_it = |other: &&Task| match other.pending {
                Some(lock) if (lock.verb, lock.wait()) == (Verb::Lock, Wait::Forever) => {
                    self.owner(lock.subject) == Some(task)
                }
                _ => false,
            };
            return kernel.tasks().iter().filter(waits_for_it).map(|other| other.id).collect();
        }
        while !found.contains(&task)
            && let Some(lock) = kernel.pending(task).filter(|lock| lock.verb == Verb::Lock)
        {
            found.push(task);
            let Some(owner) = self.owner(lock.subject) else { break };
            task = owner;
        }
        found
    }

    /// Whether it was the task that made the kernel end the path, by waiting for ever.
    fn is_stuck(&self, task: &Task) -> bool {
        let cycle = matches!(self.mirror().last().wrong(), Some(fwvs_kernel::Wrong::Cycle(_)));
        cycle && self.cycle().first() == Some(&task.id)
    }

    fn has_ended(&self, task: TaskId) -> bool {
        let kernel = self.mirror().last();
        kernel.task_place(task).is_some_and(|place| kernel.tasks()[place].has_ended())
    }

    /// Who owns a mutex.
    pub(crate) fn owner(&self, mutex: ObjectId) -> Option<TaskId> {
        let kernel = self.mirror().last();
        kernel.objects()[kernel.object_place(mutex)?].owner
    }

    /// Who owns the mutex, or took the semaphore last of those that took it more often than they gave it. One that
    /// somebody gives without having taken it is a signal, and nobody holds it.
    pub(crate) fn holder(&self, semaphore: ObjectId) -> Option<TaskId> {
        if let Some(owner) = self.owner(semaphore) {
            return Some(owner);
        }
        let mut holders: Vec<(TaskId, i64)> = Vec::new();
        for step in self.mirror().steps().iter().filter(|step| step.taken.served) {
            let task = step.transition.task;
            let change = match step.taken.operation.verb {
                Verb::Take if step.taken.operation.subject == semaphore => 1,
                Verb::Give if step.taken.operation.subject == semaphore => -1,
                _ => continue,
            };
            let held = holders.iter().position(|(holder, _)| *holder == task);
            let count = held.map_or(0, |place| holders.remove(place).1) + change;
            if count < 0 {
                return None;
            }
            holders.push((task, count));
        }
        holders.into_iter().rev().find(|(_, count)| *count > 0).map(|(task, _)| task)
    }

    /// Who receives what a sender sends, or the other way around, if it was always the same one on this path.
    fn other_end(&self, operation: Operation) -> Option<TaskId> {
        let opposite = |other: Operation| match (operation.verb, other.verb) {
            (Verb::Send, Verb::Receive) | (Verb::Receive | Verb::Peek, Verb::Send) => {
                operation.subject == other.subject
            }
            _ => false,
        };
        let steps = self.mirror().steps().iter().filter(|step| opposite(step.taken.operation));
        let mut tasks = steps.map(|step| step.transition.task);
        let first = tasks.next()?;
        tasks.all(|task| task == first).then_some(first)
    }
}

/// What a task would do that waits at the operation.
fn waits_to(operation: Operation) -> WaitsTo {
    match (operation.verb, operation.wait()) {
        (Verb::Take, Wait::Forever) => WaitsTo::Take,
        (Verb::Lock, Wait::Forever) => WaitsTo::Lock,
        (Verb::Receive, Wait::Forever) => WaitsTo::Receive,
        (Verb::Peek, Wait::Forever) => WaitsTo::Peek,
        (Verb::Send, Wait::Forever) => WaitsTo::Send,
        _ => WaitsTo::Other(operation.word().to_owned()),
    }
}

fn timer_stands<S: Storage>(kernel: &Kernel<S>, timer: ObjectId) -> &'static str {
    match kernel.object_place(timer).map(|place| kernel.objects()[place].level) {
        Some(timer::RUNNING) => "is started",
        Some(timer::DUE) => "has expired, and its callback is to come",
        _ => "is stopped",
    }
}

fn line_stands<S: Storage>(kernel: &Kernel<S>, handler: TaskId, line: ObjectId) -> &'static str {
    let Some(line) = kernel.object_place(line).map(|place| &kernel.objects()[place]) else {
        return "is masked";
    };
    match line.kind {
        _ if kernel.task_place(handler).is_some_and(|place| kernel.can_go_on(place)) => "may fire",
        Kind::Line { limit } if line.times >= limit => "does not fire again",
        _ if line.level == 0 => "is masked",
        // The device could.
        Kind::Line { limit: u16::MAX } if line.times >= kernel.rules().interrupts => {
            "has fired as often as --interrupts lets it"
        }
        _ => "cannot fire now",
    }
}
