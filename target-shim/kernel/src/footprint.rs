//! What tasks may do, and the smallest set of tasks that can go on without asking the others: persistent sets.
//!
//! A set is persistent (Godefroid, Peled, Staskauskas 1996; VeriSoft 2003, algorithm 2) if nothing that the other tasks
//! may do, for as long as those of the set stand still, makes a difference to the set. What a task may do is its
//! footprint: what it declared, less what was over in an earlier phase.
//!
//! Everything that an operation means for persistent sets is in these rules; who adds an operation, or a reason why a task
//! cannot go on, adds it there and nowhere else:
//!
//! | rule | asks |
//! |---|---|
//! | `shares_time` | whether deadlines are everybody's business: then nobody can be left out |
//! | `shares_cpu` | whether both need the processor, or one may ready somebody who does |
//! | `shares_timers` | whether both touch timers, or the daemon |
//! | `may_conflict` | of a task that can go on: whether what it does next may fail to commute with what another may do |
//! | `may_enable` | of a task that is held: whether what another one may do may let it go on |

use crate::dependence::Touches;
use crate::id::{ObjectId, TaskId};
use crate::kernel::Kernel;
use crate::object::{Kind, Object};
use crate::operation::{Command, Operation, Wait};
use crate::rules::{Clock, Schedule};
use crate::storage::Storage;
use crate::task::Role;

/// How precisely footprints are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Precision {
    /// All that a task may ever do.
    Task,
    /// What a task may do from its present phase on.
    State,
    /// The same, and what it does next is exactly the operation it is held at.
    Runtime,
}

/// What can be done to an object, as far as footprints tell it apart: with and without waiting is the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Nothing: for a task that declares to do nothing else.
    Nothing,
    /// Takes from a semaphore.
    Take,
    /// Gives to a semaphore.
    Give,
    /// Sends to a queue.
    Send,
    /// Receives from a queue.
    Receive,
    /// Looks at a queue's first message.
    Peek,
    /// Reads a variable.
    Read,
    /// Writes a variable.
    Write,
    /// Locks a mutex.
    Lock,
    /// Unlocks a mutex.
    Unlock,
    /// Commands a timer, or asks for it.
    Command,
    /// Arms an interrupt line.
    Arm,
    /// Masks an interrupt line.
    Mask,
    /// Enters critical sections; of no object.
    Critical,
    /// Reads the tick; of no object.
    Tick,
}

impl Access {
    /// What an operation is, if it has to be declared.
    fn of(operation: Operation) -> Option<(Self, ObjectId)> {
        use Operation as O;
        Some(match operation {
            O::Take { semaphore, .. } => (Self::Take, semaphore),
            O::Give { semaphore } => (Self::Give, semaphore),
            O::Send { queue, .. } => (Self::Send, queue),
            O::Receive { queue, .. } => (Self::Receive, queue),
            O::Peek { queue, .. } => (Self::Peek, queue),
            O::Read { variable } => (Self::Read, variable),
            O::Write { variable } => (Self::Write, variable),
            O::Lock { mutex, .. } => (Self::Lock, mutex),
            O::Unlock { mutex } => (Self::Unlock, mutex),
            O::Command { timer, .. } | O::Period { timer, .. } | O::Active { timer } => {
                (Self::Command, timer)
            }
            O::Arm { line } => (Self::Arm, line),
            O::Mask { line } => (Self::Mask, line),
            O::EnterCritical => (Self::Critical, ObjectId::NULL),
            O::Tick => (Self::Tick, ObjectId::NULL),
            _ => return None,
        })
    }

    /// Whether it may ready somebody who waits.
    fn may_wake(self) -> bool {
        matches!(
            self,
            Self::Give | Self::Send | Self::Receive | Self::Peek | Self::Unlock | Self::Command | Self::Arm
        )
    }
}

/// Something that a task may do. A task that declares nothing at all may do anything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// The task's place.
    pub task: u8,
    /// The last phase in which it may do so.
    pub until: u8,
    /// What it may do.
    pub access: Access,
    /// To which object.
    pub object: ObjectId,
}

impl Use {
    /// The operations that it stands for.
    pub fn operations(self) -> impl Iterator<Item = Operation> {
        let object = self.object;
        let waiting = move |wait| match self.access {
            Access::Take => Some(Operation::Take { semaphore: object, wait }),
            Access::Send => Some(Operation::Send { queue: object, wait }),
            Access::Receive => Some(Operation::Receive { queue: object, wait }),
            Access::Peek => Some(Operation::Peek { queue: object, wait }),
            Access::Lock => Some(Operation::Lock { mutex: object, wait }),
            _ => None,
        };
        let plain = match self.access {
            Access::Give => Some(Operation::Give { semaphore: object }),
            Access::Read => Some(Operation::Read { variable: object }),
            Access::Write => Some(Operation::Write { variable: object }),
            Access::Unlock => Some(Operation::Unlock { mutex: object }),
            Access::Command => {
                Some(Operation::Command { timer: object, command: Command::Start, wait: Wait::Never })
            }
            Access::Arm => Some(Operation::Arm { line: object }),
            Access::Mask => Some(Operation::Mask { line: object }),
            Access::Critical => Some(Operation::EnterCritical),
            Access::Tick => Some(Operation::Tick),
            _ => None,
        };
        [waiting(Wait::Forever), waiting(Wait::Never), plain].into_iter().flatten()
    }
}

/// Some of the tasks, by their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TaskSet(u32);

impl TaskSet {
    /// All tasks, however many there are.
    pub const EVERYBODY: Self = Self(u32::MAX);
    /// Sets of more tasks than this are not worked out.
    const MOST: usize = 32;

    /// Whether it has the task at that place.
    pub fn contains(self, place: usize) -> bool {
        place >= Self::MOST || self.0 & 1 << place != 0
    }

    fn places(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |place| self.contains(*place))
    }
}

/// What all tasks may do, and how precisely to take it.
#[derive(Clone, Copy, Debug)]
pub struct Footprints<'a> {
    /// Everything that was declared.
    pub uses: &'a [Use],
    /// How precisely.
    pub precision: Precision,
}

impl Footprints<'_> {
    /// The smallest persistent set in the present state, counting tasks that can go on. Among several that are as small,
    /// the first one that has the task at `preferred`, or else the first one.
    pub fn persistent<S: Storage>(&self, kernel: &Kernel<S>, preferred: usize) -> TaskSet {
        if kernel.tasks().len() > TaskSet::MOST {
            return TaskSet::EVERYBODY;
        }
        let mut search = Closures { footprints: self, kernel, known: 0, matters: [0; TaskSet::MOST] };
        let places = 0..kernel.tasks().len();
        let enabled = places.filter(|place| kernel.can_go_on(*place));
        let enabled = TaskSet(enabled.fold(0, |set, place| set | 1 << place));
        // Nothing is smaller than the one task that is preferred anyway, and often nothing else is needed.
        let rank = |set: TaskSet| ((set.0 & enabled.0).count_ones(), !set.contains(preferred));
        let alone = search.of(preferred);
        if rank(alone) == (1, false) {
            return alone;
        }
        let mut smallest: Option<TaskSet> = None;
        for seed in enabled.places() {
            let set = search.of(seed);
            if smallest.is_none_or(|smallest| rank(set) < rank(smallest)) {
                smallest = Some(set);
            }
        }
        smallest.unwrap_or(TaskSet::EVERYBODY)
    }

    /// Whether the task at `place`, held at `operation`, had not declared it for its present phase.
    pub fn undeclared<S: Storage>(&self, kernel: &Kernel<S>, place: usize, operation: Operation) -> bool {
        let now = Self { precision: Precision::State, ..*self };
        let Some((access, object)) = Access::of(operation) else { return false };
        let same = |one: Use| one.access == access && (object == ObjectId::NULL || one.object == object);
        self.declares(place) && !now.of(kernel, place).any(same)
    }

    fn declares(&self, place: usize) -> bool {
        self.uses.iter().any(|one| usize::from(one.task) == place)
    }

    /// What a task that declares something may do in the present state or later.
    fn of<S: Storage>(&self, kernel: &Kernel<S>, place: usize) -> impl Iterator<Item = Use> {
        let phase = match self.precision {
            Precision::Task => 0,
            Precision::State | Precision::Runtime => kernel.tasks()[place].phase,
        };
        let task = move |one: &Use| usize::from(one.task) == place && one.until >= phase;
        self.uses.iter().copied().filter(task)
    }

    /// Whether the task at `other` may make a difference to the one at `place`, while that one stands still.
    fn matters<S: Storage>(&self, kernel: &Kernel<S>, place: usize, other: usize) -> bool {
        let task = &kernel.tasks()[place];
        let Some(held) = task.pending else { return false };
        if shares_time(kernel) || self.shares_cpu(kernel, place, other) {
            return true;
        }
        // What ends the path keeps everybody from going on.
        if kernel.event(task.id).is_some_and(|event| event.ends) {
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
        let own = self.precision != Precision::Runtime;
        own && self.of(kernel, place).any(|one| one.operations().any(next))
            || self.may_conflict(kernel, place, held, other)
    }

    /// Whether a task may do this to any object, or to that one.
    fn may<S: Storage>(
        &self,
        kernel: &Kernel<S>,
        place: usize,
        access: Access,
        object: Option<ObjectId>,
    ) -> bool {
        if let Role::Timer { .. } = kernel.tasks()[place].role {
            return false;
        }
        let is = |one: Use| one.access == access && object.is_none_or(|object| one.object == object);
        !self.declares(place) || self.of(kernel, place).any(is)
    }

    /// Whether both are of the processor, or the one at `other` may ready somebody of the processor.
    fn shares_cpu<S: Storage>(&self, kernel: &Kernel<S>, place: usize, other: usize) -> bool {
        if kernel.rules().schedule == Schedule::Free {
            return false;
        }
        let (task, another) = (&kernel.tasks()[place], &kernel.tasks()[other]);
        match (kernel.on_cpu(task), kernel.on_cpu(another)) {
            (true, true) => true,
            (true, false) => {
                matches!(another.role, Role::Timer { .. })
                    || !self.declares(other)
                    || self.of(kernel, other).any(|one| one.access.may_wake())
            }
            (false, true) => kernel.event(task.id).is_some_and(|event| event.touches.has(Touches::READY)),
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
        match (kernel.tasks()[place].role, next) {
            (Role::Timer { timer }, _) => {
                matches!(another, Role::Timer { .. } | Role::Daemon)
                    || self.may(kernel, other, Access::Command, (!queued).then_some(timer))
            }
            (_, Operation::Serve { .. }) => {
                matches!(another, Role::Timer { .. }) || self.may(kernel, other, Access::Command, None)
            }
            (
                _,
                Operation::Command { timer, .. }
                | Operation::Period { timer, .. }
                | Operation::Active { timer },
            ) => match another {
                Role::Daemon => true,
                Role::Timer { timer: its } => queued || its == timer,
                _ => self.may(kernel, other, Access::Command, (!queued).then_some(timer)),
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
        if matches!(next, Operation::EnterCritical | Operation::ExitCritical) {
            // Time waits for its end too, and nobody declares to wait for time.
            return !outside(place);
        }
        let shut_out = !outside(place) || waits_for_time(next);
        shut_out
            && !outside(other)
            && (kernel.critical_owner() == Some(other) || self.may(kernel, other, Access::Critical, None))
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
        next == Operation::Tick || passes && self.may(kernel, other, Access::Tick, None)
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
        let conflicts = |next: Operation| self.meets(kernel, next, other, conflict);
        match self.precision {
            Precision::Runtime => conflicts(held),
            Precision::Task | Precision::State => {
                let known = self.declares(place) || matches!(kernel.tasks()[place].role, Role::Timer { .. });
                !known
                    || conflicts(held)
                    || self.of(kernel, place).any(|one| one.operations().any(&conflicts))
            }
        }
    }

    /// Whether something that the task at `other` may do now or later may let one go on that is held at `held` and
    /// cannot be.
    fn may_enable<S: Storage>(&self, kernel: &Kernel<S>, held: Operation, other: usize) -> bool {
        match held {
            Operation::Fire { line } => self.may(kernel, other, Access::Arm, Some(line)),
            _ => self.meets(kernel, held, other, enable),
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
            Role::Interrupt { line } if line == object => return true,
            _ if !self.declares(other) => return true,
            _ => {}
        }
        let Some(place) = kernel.object_place(object) else { return true };
        let kind = kernel.objects()[place].kind;
        let mut same = self.of(kernel, other).filter(|declared| declared.object == object);
        same.any(|declared| declared.operations().any(|theirs| relation(kind, one, theirs)))
    }
}

/// Who makes a difference to whom in one state, found out when it is asked for.
struct Closures<'a, S> {
    footprints: &'a Footprints<'a>,
    kernel: &'a Kernel<S>,
    /// For which tasks it is known.
    known: u32,
    matters: [u32; TaskSet::MOST],
}

impl<S: Storage> Closures<'_, S> {
    /// The tasks that may make a difference to `seed`, to each other, or to whether one of them can go on.
    fn of(&mut self, seed: usize) -> TaskSet {
        let (mut set, mut done) = (1_u32 << seed, 0_u32);
        while set != done {
            let place = (set & !done).trailing_zeros() as usize;
            set |= self.row(place);
            done |= 1 << place;
        }
        TaskSet(set)
    }

    fn row(&mut self, place: usize) -> u32 {
        if self.known & 1 << place == 0 {
            let others = 0..self.kernel.tasks().len();
            let others = others.filter(|other| self.footprints.matters(self.kernel, place, *other));
            self.matters[place] = others.fold(0, |set, other| set | 1 << other);
            self.known |= 1 << place;
        }
        self.matters[place]
    }
}

/// Whether deadlines are everybody's: whoever waits for time may have to wait for others to be done with it first.
fn shares_time<S: Storage>(kernel: &Kernel<S>) -> bool {
    kernel.rules().clock != Clock::Free || kernel.rules().until != u32::MAX
}

/// Whether an operation may wait for time to pass.
fn waits_for_time(operation: Operation) -> bool {
    matches!(operation, Operation::DelayUntil { .. }) || matches!(operation.wait(), Wait::Ticks(_))
}

/// Two tasks, whoever they are.
const ONE: TaskId = TaskId::setup(0);
const OTHER: TaskId = TaskId::setup(1);

/// Whether two operations of different tasks on the same object fail to commute in some state in which both can be taken.
fn conflict(kind: Kind, a: Operation, b: Operation) -> bool {
    objects(kind)
        .any(|object| can_take(&object, ONE, a) && can_take(&object, OTHER, b) && object.dependent(a, b))
}

/// Whether there is a state in which `held` cannot be taken, but can after `other` on the same object. Who waits for time
/// too cannot go on by it where time does not pass: with no expiries left, or in somebody's critical section.
fn enable(kind: Kind, held: Operation, other: Operation) -> bool {
    let goes_on = |object: &Object| held.wait() == Wait::Never || object.serves(ONE, held);
    objects(kind).any(|mut object| {
        !goes_on(&object) && can_take(&object, OTHER, other) && {
            object.apply(OTHER, other);
            goes_on(&object)
        }
    })
}

/// Whether an operation can be taken where those that cannot be served are disabled.
fn can_take(object: &Object, task: TaskId, operation: Operation) -> bool {
    operation.wait() != Wait::Forever || object.serves(task, operation)
}

/// An object of that kind at each level. One without a maximum, and a large one, is like one with room for four.
fn objects(kind: Kind) -> impl Iterator<Item = Object> {
    let (kind, highest) = match kind {
        Kind::Semaphore { max: u16::MAX } => (kind, 4),
        Kind::Semaphore { max } => (Kind::Semaphore { max: max.min(4) }, max.min(4)),
        Kind::Queue { capacity } => (Kind::Queue { capacity: capacity.min(4) }, capacity.min(4)),
        Kind::Mutex { .. } => (kind, 1),
        _ => (kind, 0),
    };
    (0..=highest).map(move |level| {
        let owner = (matches!(kind, Kind::Mutex { .. }) && level > 0).then_some(OTHER);
        Object { owner, ..Object::new(ObjectId::setup(0), kind, level) }
    })
}
