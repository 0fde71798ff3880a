//! What counts to a state: two states with the same canonical parts go on alike, whatever comes. One function serves equality
//! and hash.
//!
//! Step numbers differ with the order in which commuting transitions were taken, so of what is counted in steps only ranks
//! count: who waits before whom for the same, which timer expired first. Counters of firings and expiries count where a limit
//! or a budget reads them. With a free clock nothing compares deadlines. Whom a policy would take next is no part of it.

use core::hash::{Hash, Hasher};

use crate::daemon::Daemon;
use crate::kernel::{COMMANDS, Kernel};
use crate::object::{Kind, Object};
use crate::rules::Clock;
use crate::storage::Storage;
use crate::task::{Standing, Task};
use crate::timer::{self, Given};
use crate::wrong::Wrong;
use crate::{commands, line, mutex, queue, semaphore, shared};

/// A part of a canonical state: what is compared and hashed. The numbers in it are no longer those of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Besides {
    now: u32,
    critical: Option<(u8, u8)>,
    wrong: Option<Wrong>,
    daemon: Daemon,
    commands: [Given; COMMANDS],
}

/// One part of a canonical state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Task(Task),
    Object(Object),
    Besides(Besides),
}

impl<S: Storage> Kernel<S> {
    /// Whether whatever happens in one state happens in the other, and changes both alike.
    pub fn is_like(&self, other: &Self) -> bool {
        self.canonical().eq(other.canonical())
    }

    /// Hashes the state: alike states have one hash.
    pub fn hash_alike<H: Hasher>(&self, hasher: &mut H) {
        self.canonical().for_each(|part| part.hash(hasher));
    }

    fn canonical(&self) -> impl Iterator<Item = Part> + '_ {
        let tasks = (0..self.tasks().len()).map(|place| Part::Task(self.canonical_task(place)));
        let objects = (0..self.objects().len()).map(|place| Part::Object(self.canonical_object(place)));
        tasks.chain(objects).chain([Part::Besides(self.canonical_besides())])
    }

    /// The task; if it waits, with how many stand before it in line.
    fn canonical_task(&self, place: usize) -> Task {
        let task = self.tasks()[place];
        let free = self.rules().clock == Clock::Free;
        let deadline = if free { task.deadline.map(|_| 0) } else { task.deadline };
        let expiries = if self.counts_expiries() { task.expiries } else { 0 };
        let line = |task: &Task| {
            let operation = task.pending.filter(|_| task.standing == Standing::Waiting)?;
            let awaits = operation.verb.awaits()?;
            Some((awaits, operation.object().filter(|_| awaits.is_of_one_object())))
        };
        let mine = line(&task);
        let before = |other: &&Task| line(other) == mine && other.in_line < task.in_line;
        let before = if mine.is_some() { self.tasks().iter().filter(before).count() } else { 0 };
        Task { generation: 0, in_line: before as u32, deadline, expiries, last_run: 0, behind: 0, ..task }
    }

    fn canonical_object(&self, place: usize) -> Object {
        let object = &Object { generation: 0, ..self.objects()[place] };
        match object.kind {
            Kind::Semaphore { .. } => semaphore::canonical(object),
            Kind::Queue { .. } => queue::canonical(object),
            Kind::Shared => shared::canonical(object),
            Kind::Mutex { .. } => mutex::canonical(object),
            Kind::Timer { .. } => {
                let clock = self.rules().clock != Clock::Free;
                timer::canonical(object, self.rank(object), clock, self.counts_expiries())
            }
            Kind::Line { .. } => line::canonical(object, self.rules().interrupts != u16::MAX),
            Kind::Commands { .. } => commands::canonical(object),
        }
    }

    /// A timer's place among those whose order matters: those that have expired, or, where those of one tick expire together,
    /// those of one deadline.
    fn rank(&self, timer: &Object) -> u32 {
        let together = self.rules().has_clock();
        let counts = |other: &Object| {
            matches!(other.kind, Kind::Timer { .. })
                && if together { other.level != timer::STOPPED } else { other.level == timer::DUE }
        };
        let before = |other: &&Object| {
            counts(other)
                && other.received < timer.received
                && (!together || other.deadline == timer.deadline)
        };
        if counts(timer) { self.objects().iter().filter(before).count() as u32 } else { 0 }
    }

    fn canonical_besides(&self) -> Besides {
        let free = self.rules().clock == Clock::Free;
        Besides {
            now: self.now(),
            critical: self.critical,
            wrong: self.wrong,
            daemon: self.daemon,
            commands: self.commands.map(|given| if free { Given { at: 0, ..given } } else { given }),
        }
    }

    fn counts_expiries(&self) -> bool {
        self.rules().expiries != u16::MAX
    }
}
