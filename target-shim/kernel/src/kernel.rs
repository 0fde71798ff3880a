//! Creation, arrival, who can go on, status.
//!
//! The system is in a global state when every task is held at its next visible operation. A transition takes one
//! such operation; the task then runs, invisibly, until it arrives at its next. Where an operation makes a task wait, or
//! readies one of higher priority, the transition ends inside the operation, and the task stays at it.

use fwvs_path::End;

use crate::daemon::Daemon;
use crate::id::{ObjectId, Slot, TaskId};
use crate::object::{Kind, Object};
use crate::operation::{Operation, Verb};
use crate::prospect::Prospect;
use crate::rules::Rules;
#[cfg(feature = "boxed")]
use crate::storage::Boxed;
use crate::storage::{Full, Storage};
use crate::task::{Position, Role, Standing, Task};
use crate::timer::Given;
use crate::wrong::Wrong;

/// One thing that can happen next: a task goes on, with one of its operation's alternatives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transition {
    /// Who.
    pub task: TaskId,
    /// Which alternative; 0 where the operation has only one.
    pub alternative: u16,
}

/// An operation that makes no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// No such task.
    UnknownTask,
    /// No such object.
    UnknownObject,
    /// The object is of another kind.
    WrongKind,
    /// It cannot be removed: somebody uses it, or it goes on or holds something itself.
    InUse,
}

/// Whether the path can go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// Some transition is enabled.
    Running,
    /// Every task has ended, or may wait for ever.
    Finished,
    /// No transition is enabled and some task has not ended.
    Deadlock,
    /// Only a budget of interrupts or expiries, or the horizon, keeps the rest from going on.
    Bounded,
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        match status {
            // A path that ends where nobody was asked any more.
            Status::Running | Status::Finished => Self::Finished,
            Status::Deadlock => Self::Finding,
            Status::Bounded => Self::Budget,
        }
    }
}

/// What keeps somebody from going on in a state, or in one of several: a bound, and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cuts {
    /// The budget of interrupts.
    pub interrupts: bool,
    /// The budget of expiries.
    pub expiries: bool,
    /// The horizon.
    pub until: bool,
}

impl Cuts {
    /// Also what these are.
    pub fn add(&mut self, other: Self) {
        self.interrupts |= other.interrupts;
        self.expiries |= other.expiries;
        self.until |= other.until;
    }

    /// Whether there is any.
    pub fn any(self) -> bool {
        self.interrupts || self.expiries || self.until
    }

    /// As bits, for those who know nothing of what they mean.
    pub fn bits(self) -> u8 {
        u8::from(self.interrupts) | u8::from(self.expiries) << 1 | u8::from(self.until) << 2
    }

    /// Those of the bits.
    pub fn from_bits(bits: u8) -> Self {
        Self { interrupts: bits & 1 != 0, expiries: bits & 2 != 0, until: bits & 4 != 0 }
    }
}

/// Commands that can wait for the timer daemon, at most.
pub const COMMANDS: usize = 10;

/// The kernel: tasks, objects, time, and the number of transitions taken.
#[derive(Clone, Debug)]
pub struct Kernel<S> {
    pub(crate) storage: S,
    pub(crate) steps: u32,
    pub(crate) rules: Rules,
    pub(crate) now: u32,
    /// Who is in a critical section, and how deep.
    pub(crate) critical: Option<(u8, u8)>,
    /// The timer daemon's commands, oldest first.
    pub(crate) commands: [Given; COMMANDS],
    /// The object that stands for them.
    pub(crate) command_queue: Option<u8>,
    pub(crate) daemon: Daemon,
    pub(crate) wrong: Option<Wrong>,
    /// In which state priorities last changed, as steps before it and one more; 0 for none.
    changed: u32,
}

impl<S: Storage> Kernel<S> {
    /// A kernel with no tasks and no objects.
    pub const fn new(storage: S) -> Self {
        Self {
            storage,
            steps: 0,
            changed: 0,
            rules: Rules::FREE,
            now: 0,
            critical: None,
            commands: [Given::NONE; COMMANDS],
            command_queue: None,
            daemon: Daemon::IDLE,
            wrong: None,
        }
    }

    /// Sets the rules. Only before anything was taken.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Adds a task, in the first slot that is free. It exists, but is not held anywhere until it arrives.
    pub fn create_task(&mut self, position: Position) -> Result<TaskId, Full> {
        let free = self.tasks().iter().position(|task| task.id == TaskId::NULL);
        let place = free.unwrap_or(self.tasks().len());
        let id = TaskId(slot(place).ok_or(Full::Tasks)?);
        let Position { role, priority, server } = position;
        let priority = if let Role::Interrupt { .. } = role { u8::MAX } else { priority };
        let task = Task { id, role, server, base: priority, priority, ..Task::EMPTY };
        match free {
            Some(place) => {
                let slot = &mut self.storage.tasks_mut()[place];
                *slot = Task { generation: slot.generation, ..task };
            }
            None => self.storage.add_task(task)?,
        }
        Ok(id)
    }

    /// Adds an object, in the first slot that is free.
    pub fn create_object(&mut self, kind: Kind, level: u16) -> Result<ObjectId, Full> {
        let free = self.objects().iter().position(|object| object.id == ObjectId::NULL);
        let place = free.unwrap_or(self.objects().len());
        let id = ObjectId(slot(place).ok_or(Full::Objects)?);
        let object = Object::new(id, kind, level);
        match free {
            Some(place) => {
                let slot = &mut self.storage.objects_mut()[place];
                *slot = Object { generation: slot.generation, ..object };
            }
            None => self.storage.add_object(object)?,
        }
        if let Kind::Commands { .. } = kind {
            self.command_queue = Some(place as u8);
        }
        Ok(id)
    }

    /// Removes a task that has ended and holds nothing. Its slot is free from then on.
    pub fn remove_task(&mut self, task: TaskId) -> Result<(), Misuse> {
        let place = self.task_place(task).ok_or(Misuse::UnknownTask)?;
        if self.tasks()[place].id != task {
            return Err(Misuse::UnknownTask);
        }
        let holds = self.objects().iter().any(|object| object.owner == Some(task));
        if !self.tasks()[place].has_ended() || holds || self.critical_owner() == Some(place) {
            return Err(Misuse::InUse);
        }
        let slot = &mut self.storage.tasks_mut()[place];
        let generation = slot.generation.wrapping_add(1);
        *slot = Task { generation, standing: Standing::Ended, ..Task::EMPTY };
        Ok(())
    }

    /// Removes an object that no task owns, is held at or belongs to. Its slot is free from then on.
    pub fn remove_object(&mut self, object: ObjectId) -> Result<(), Misuse> {
        let place = self.object_place(object).ok_or(Misuse::UnknownObject)?;
        if self.objects()[place].id != object {
            return Err(Misuse::UnknownObject);
        }
        let is_used = |task: &Task| {
            let belongs = match task.role {
                Role::Interrupt { line: own } | Role::Timer { timer: own } => own == object,
                Role::Firmware | Role::Environment | Role::Daemon | Role::Clock => false,
            };
            belongs || task.pending.and_then(Operation::object) == Some(object)
        };
        let commanded = self.commands.iter().take(self.commands_waiting());
        let in_use = self.objects()[place].owner.is_some()
            || self.command_queue == Some(place as u8)
            || commanded.into_iter().any(|given| usize::from(given.timer) == place)
            || self.tasks().iter().any(is_used);
        if in_use {
            return Err(Misuse::InUse);
        }
        let slot = &mut self.storage.objects_mut()[place];
        let generation = slot.generation.wrapping_add(1);
        *slot = Object { generation, ..Object::EMPTY };
        Ok(())
    }

    /// How many tasks had that slot before the one that is in it, or that is to be next.
    pub fn generation(&self, place: usize) -> u16 {
        self.tasks()[place].generation
    }

    /// The object just created, or another one of the set-up, has these particulars.
    pub fn describe_object(&mut self, object: ObjectId, never_full: bool, period: u32) {
        if let Some(place) = self.object_place(object) {
            let object = &mut self.storage.objects_mut()[place];
            (object.never_full, object.period) = (never_full, period);
        }
    }

    /// The tasks, slot by slot.
    pub fn tasks(&self) -> &[Task] {
        self.storage.tasks()
    }

    pub(crate) fn tasks_mut(&mut self) -> &mut [Task] {
        self.storage.tasks_mut()
    }

    /// The objects, slot by slot.
    pub fn objects(&self) -> &[Object] {
        self.storage.objects()
    }

    /// Transitions taken so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What tick it is.
    pub fn now(&self) -> u32 {
        self.now
    }

    pub(crate) fn set_now(&mut self, now: u32) {
        self.now = now;
    }

    /// What was wrong with the last step.
    pub fn wrong(&self) -> Option<Wrong> {
        self.wrong
    }

    /// Who is in a critical section, as a place.
    pub fn critical_owner(&self) -> Option<usize> {
        self.critical.map(|(owner, _)| usize::from(owner))
    }

    /// How deep the critical section is.
    pub(crate) fn critical_depth(&self) -> u8 {
        self.critical.map_or(0, |(_, depth)| depth)
    }

    /// The task's place in [`Kernel::tasks`]. Whether there is a task, only [`Kernel::arrive`] and removals look: nobody is held
    /// anywhere who is not there.
    pub fn task_place(&self, task: TaskId) -> Option<usize> {
        place(task.0, self.tasks().len())
    }

    /// The object's place in [`Kernel::objects`]. Whether there is an object, only [`Kernel::arrive`] and removals look: what a
    /// task is held at is not removed.
    pub fn object_place(&self, object: ObjectId) -> Option<usize> {
        place(object.0, self.objects().len())
    }

    /// The task is held at its next operation.
    pub fn arrive(&mut self, task: TaskId, operation: Operation) -> Result<(), Misuse> {
        if let Some(object) = operation.object() {
            let place = self.object_place(object).ok_or(Misuse::UnknownObject)?;
            if self.objects()[place].id != object {
                return Err(Misuse::UnknownObject);
            }
            if !self.objects()[place].accepts(operation) {
                return Err(Misuse::WrongKind);
            }
        }
        let place = self.task_place(task).ok_or(Misuse::UnknownTask)?;
        let held = &mut self.storage.tasks_mut()[place];
        if held.id != task {
            return Err(Misuse::UnknownTask);
        }
        held.pending = Some(operation);
        if operation.verb == Verb::Serve && self.steps == 0 {
            // Before anything happened the daemon has nothing to do, so it waits.
            held.standing = Standing::Waiting;
        }
        self.let_the_daemon_look();
        Ok(())
    }

    /// The operation the task is held at.
    pub fn pending(&self, task: TaskId) -> Option<Operation> {
        self.tasks()[self.task_place(task)?].pending
    }

    /// The phase the task is in.
    pub fn phase(&self, task: TaskId) -> u8 {
        self.task_place(task).map_or(0, |place| self.tasks()[place].phase)
    }

    /// The task is in that phase from now on.
    pub fn enter(&mut self, task: TaskId, phase: u8) {
        if let Some(place) = self.task_place(task) {
            self.storage.tasks_mut()[place].phase = phase;
        }
    }

    /// Whether this is the first call in this state: priorities change once.
    pub fn may_change_priorities(&mut self) -> bool {
        let now = self.steps.wrapping_add(1);
        core::mem::replace(&mut self.changed, now) != now
    }

    /// The task falls behind all others.
    pub fn fall_behind(&mut self, task: TaskId, change: u8) {
        if let Some(place) = self.task_place(task) {
            self.storage.tasks_mut()[place].behind = change;
        }
    }

    /// Forgets who fell behind: for a state that a path goes on from which is not the one that it was reached with.
    pub fn forget_priorities(&mut self) {
        self.changed = 0;
        self.storage.tasks_mut().iter_mut().for_each(|task| task.behind = 0);
    }

    /// Whether the task at `place` can go on, with any of its alternatives.
    pub fn can_go_on(&self, place: usize) -> bool {
        let Some(operation) = self.tasks()[place].pending else { return false };
        let mut alternatives = 0..self.distinct_alternatives(operation);
        alternatives.any(|alternative| self.prospect_of(place, operation, alternative as u16).is_some())
    }

    /// Whether the task at `place` cannot go on because of what its operation needs, not because others go first.
    pub fn is_kept_waiting(&self, place: usize) -> bool {
        let task = &self.tasks()[place];
        let waits = task.standing == Standing::Waiting || !self.on_cpu(task) && !self.can_go_on(place);
        waits && !task.has_ended()
    }

    /// Whether the task at `place` can go on without time passing.
    pub(crate) fn goes_on_by_itself(&self, place: usize) -> bool {
        let Some(operation) = self.tasks()[place].pending else { return false };
        (0..self.distinct_alternatives(operation))
            .any(|alternative| self.goes_on_without_time(place, operation, alternative as u16))
    }

    /// Whether a transition that is enabled is its task going on by itself: no time passes, no line fires.
    pub fn is_by_itself(&self, transition: Transition) -> bool {
        match (self.task_place(transition.task), self.prospect(transition)) {
            (Some(place), Some(prospect)) => self.comes_by_itself(place, prospect),
            _ => false,
        }
    }

    /// Whether the task at `place` goes on by itself with that prospect: no time passes, no line fires.
    pub(crate) fn comes_by_itself(&self, place: usize, prospect: Prospect) -> bool {
        prospect != Prospect::Expire && !self.tasks()[place].is_at(Verb::Fire)
    }

    /// Alternatives that may differ in whether they are enabled: those of a toss do not.
    fn distinct_alternatives(&self, operation: Operation) -> u32 {
        match operation.verb {
            Verb::Toss => 1,
            _ => self.alternatives(operation),
        }
    }

    /// Whether the transition is enabled.
    pub fn is_enabled(&self, transition: Transition) -> bool {
        self.prospect(transition).is_some()
    }

    /// Every enabled transition, by task and then by alternative: a function of the state alone.
    pub fn enabled(&self) -> impl Iterator<Item = Transition> + '_ {
        self.tasks().iter().enumerate().flat_map(move |(place, task)| {
            let alternatives = match task.pending {
                Some(operation) if self.can_go_on(place) => self.alternatives(operation),
                _ => 0,
            };
            let task = task.id;
            (0..alternatives)
                .map(move |alternative| Transition { task, alternative: alternative as u16 })
                .filter(move |transition| alternatives == 1 || self.is_enabled(*transition))
        })
    }

    /// Whether the path can go on. Only meaningful in a global state.
    pub fn status(&self) -> Status {
        if self.enabled().next().is_some() {
            Status::Running
        } else if (0..self.tasks().len()).any(|place| self.is_cut(place)) {
            Status::Bounded
        } else if self.tasks().iter().all(|task| task.has_ended() || !task.should_go_on()) {
            Status::Finished
        } else {
            Status::Deadlock
        }
    }

    /// Whether a budget, or the horizon, may ever keep somebody from going on.
    pub fn can_be_cut(&self) -> bool {
        let bounded_line = |object: &Object| object.kind == Kind::Line { limit: u16::MAX };
        self.rules.expiries != u16::MAX
            || self.rules.until != u32::MAX
            || self.rules.interrupts != u16::MAX && self.objects().iter().any(bounded_line)
    }

    /// Which budgets, or the horizon, keep somebody from going on, whatever others can do.
    pub fn cuts(&self) -> Cuts {
        let mut cuts = Cuts::default();
        for place in (0..self.tasks().len()).filter(|place| self.is_cut(*place)) {
            if self.tasks()[place].is_at(Verb::Fire) {
                cuts.interrupts = true;
            } else if self.is_over_budget(place) {
                cuts.expiries = true;
            } else {
                cuts.until = true;
            }
        }
        cuts
    }

    /// Which budgets are used up that the operation needs which the task, timer or line at `place` is held at, or whether the
    /// horizon is too near for it; whatever else it needs.
    pub fn exhausted(&self, place: usize) -> Cuts {
        let task = &self.tasks()[place];
        let mut cuts = Cuts::default();
        match task.pending {
            Some(fire) if fire.verb == Verb::Fire => cuts.interrupts = self.is_line_over_budget(fire.subject),
            // Whoever may be due in some state, whether or not it is in this one.
            Some(pass) if pass.verb == Verb::Pass && self.rules.has_clock() => {
                let its = |place: &usize| self.is_the_clock_s(&self.tasks()[*place]);
                (0..self.tasks().len()).filter(its).for_each(|place| cuts.add(self.out_of_time(place)));
            }
            Some(_) if !self.is_the_clock_s(task) => cuts = self.out_of_time(place),
            _ => {}
        }
        cuts
    }

    /// Whether the budget of expiries is used up, or the horizon too near, for what the task or timer at `place` is held at.
    fn out_of_time(&self, place: usize) -> Cuts {
        match self.tasks()[place].pending {
            Some(operation) if operation.waits_for_ticks() => Cuts {
                expiries: self.is_over_budget(place),
                until: self.is_beyond_horizon(place),
                ..Cuts::default()
            },
            _ => Cuts::default(),
        }
    }

    /// Whether only a budget or the horizon keeps the task, timer or line at `place` from going on.
    fn is_cut(&self, place: usize) -> bool {
        match self.tasks()[place].pending {
            Some(fire) if fire.verb == Verb::Fire => {
                self.may_fire(place, fire.subject, false) && !self.may_fire(place, fire.subject, true)
            }
            Some(operation) => self.waits_for_time(place, operation) && self.is_held_back(place),
            None => false,
        }
    }

    /// A number that target and host must agree on when a path stops; differs if somebody wrote over the kernel.
    pub fn digest(&self) -> u32 {
        let mut digest = self.tasks().len() as u32 | (self.objects().len() as u32) << 8;
        let mut mix = |value: u32| digest = (digest.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b1);
        mix(self.steps);
        mix(self.now);
        for object in self.objects() {
            mix(u32::from(object.level));
            mix(object.received);
            let owner = object.owner.map_or(0, |owner| 1 + u32::from(owner.0.index));
            mix(owner | u32::from(object.times) << 16);
            mix(object.deadline);
        }
        for task in self.tasks() {
            let id =
                task.pending.and_then(Operation::object).map_or(0, |object| 1 + u32::from(object.0.index));
            let standing = match task.standing {
                Standing::Ready => 0,
                Standing::Waiting => 1,
                Standing::Ended => 2,
            };
            mix(id
                | u32::from(task.pending.is_some()) << 16
                | standing << 17
                | u32::from(task.priority) << 24);
        }
        digest
    }
}

#[cfg(feature = "boxed")]
impl Kernel<Boxed> {
    /// Becomes equal to `other` without allocating, if it was a state of the same system.
    pub fn copy_from(&mut self, other: &Self) {
        // By name, so that nothing that is added to a kernel is forgotten here.
        let Self { storage, steps, rules, now, critical, commands, command_queue, daemon, wrong, changed } =
            other;
        self.storage.copy_from(storage);
        (self.steps, self.rules, self.now, self.critical) = (*steps, *rules, *now, *critical);
        (self.commands, self.command_queue, self.daemon) = (*commands, *command_queue, *daemon);
        (self.wrong, self.changed) = (*wrong, *changed);
    }
}

fn place(slot: Slot, count: usize) -> Option<usize> {
    let place = usize::from(slot.index);
    (slot.mark == Slot::MARK && place < count).then_some(place)
}

/// The slot at a place; the last is never used.
fn slot(place: usize) -> Option<Slot> {
    u8::try_from(place).ok().filter(|index| *index < u8::MAX).map(Slot::at)
}
