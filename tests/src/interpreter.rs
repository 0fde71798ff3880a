//! What the tasks of a program do between their operations: a program's state, and how a step changes it.

use fwvs_kernel::{
    Bodies, Boxed, Kernel, Kind, ObjectId, Operation, Position, Role, Schedule, Taken, Task, Then,
    Transition, Verb, Wait,
};
use fwvs_model::Arrived;
use fwvs_program::{Instruction, Local, Request, RoleSpec};

use crate::footprint::Actor;

/// Whose instructions are where.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) lists: Vec<Vec<[u8; 4]>>,
    /// For each list, the object that it belongs to: a line or a timer.
    pub(crate) objects: Vec<ObjectId>,
    /// For each task of the kernel, what it runs.
    pub(crate) actors: Vec<Actor>,
}

/// What there is in a global state beside the kernel.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) locals: Vec<Local>,
    /// Which list each task of the kernel is in: the daemon is in the callback that it calls.
    pub(crate) lists: Vec<usize>,
    pub(crate) values: Values,
}

/// Messages in queues, values of variables, and what a held task has in its hands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Values {
    pub(crate) slots: Vec<[u32; 8]>,
    pub(crate) hands: Vec<u32>,
}

impl Bodies for State {
    fn put(&mut self, task: usize, queue: usize, slot: u16) {
        self.values.slots[queue][usize::from(slot)] = self.values.hands[task];
    }
    fn get(&mut self, task: usize, queue: usize, slot: u16) {
        self.values.hands[task] = self.values.slots[queue][usize::from(slot)];
    }
}

impl Code {
    /// Creates what a list of instructions belongs to, in the order in which the firmware does.
    pub(crate) fn create(
        &mut self,
        kernel: &mut Kernel<Boxed>,
        role: RoleSpec,
        list: usize,
        daemon: &mut bool,
    ) {
        const ROOM: &str = "room for every task and object";
        let plain = Position::PLAIN;
        let (role, priority) = match role {
            RoleSpec::Task { priority } => (Role::Firmware, priority),
            RoleSpec::Environment => (Role::Environment, 0),
            RoleSpec::Interrupt { times, armed } => {
                let kind = Kind::Line { limit: fwvs_program::times(times) };
                (Role::Interrupt { line: kernel.create_object(kind, u16::from(armed)).expect(ROOM) }, 0)
            }
            RoleSpec::Timer { period, reload } => {
                if !std::mem::replace(daemon, true) {
                    let kind = Kind::Commands { capacity: u16::from(fwvs_program::COMMANDS) };
                    kernel.create_object(kind, 0).expect(ROOM);
                    let position = Position { role: Role::Daemon, priority: fwvs_program::DAEMON, ..plain };
                    kernel.create_task(position).expect(ROOM);
                    self.actors.push(Actor::Daemon);
                }
                let timer = kernel.create_object(Kind::Timer { reload }, 0).expect(ROOM);
                kernel.describe_object(timer, false, u32::from(period));
                (Role::Timer { timer }, 0)
            }
        };
        if let Role::Interrupt { line: object } | Role::Timer { timer: object } = role {
            self.objects[list] = object;
        }
        kernel.create_task(Position { role, priority, ..plain }).expect(ROOM);
        self.actors.push(match role {
            Role::Interrupt { .. } => Actor::Handler(list),
            Role::Timer { .. } => Actor::Silent,
            _ => Actor::Once(list),
        });
    }

    /// Creates the clock, where there is one.
    pub(crate) fn create_clock(&mut self, kernel: &mut Kernel<Boxed>) {
        if kernel.rules().has_clock() {
            kernel.create_task(Position::CLOCK).expect("room for the clock");
            self.actors.push(Actor::Silent);
        }
    }

    /// The list that belongs to a timer, by its place among the objects.
    pub(crate) fn callback(&self, timer: u16) -> usize {
        let is = |object: &ObjectId| *object != ObjectId::NULL && u16::from(object.0.index) == timer;
        self.objects.iter().position(is).expect("a timer has a callback")
    }
}

impl State {
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.locals.copy_from_slice(&other.locals);
        self.lists.copy_from_slice(&other.lists);
        self.values.slots.copy_from_slice(&other.values.slots);
        self.values.hands.copy_from_slice(&other.values.hands);
    }

    /// The first operation of a task: what it begins with, or where handlers, daemon and timers wait.
    pub(crate) fn first_arrival(&mut self, kernel: &mut Kernel<Boxed>, place: usize, code: &Code) -> bool {
        let Task { id, role, .. } = kernel.tasks()[place];
        let priorities = kernel.rules().schedule == Schedule::Priority;
        let operation = match role {
            Role::Firmware | Role::Environment if priorities => Operation::start(),
            Role::Firmware | Role::Environment => match self.arrive(kernel, place, code) {
                Some(operation) => operation,
                None => return false,
            },
            Role::Interrupt { line } => Operation::fire(line),
            Role::Timer { timer } => Operation::expire(timer),
            Role::Clock => Operation::pass(),
            Role::Daemon => serve(kernel),
        };
        kernel.arrive(id, operation).expect("of the program's own making");
        kernel.enter(id, self.phase(kernel, place, code));
        true
    }

    /// What a task does after a transition: where it arrives, and in which phase.
    pub(crate) fn run(
        &mut self,
        kernel: &Kernel<Boxed>,
        transition: Transition,
        taken: &Taken,
        code: &Code,
    ) -> (Arrived, u8) {
        let place = usize::from(transition.task.0.index);
        if taken.operation.ends_path() {
            // As on the target: a check that fails is the last that its task comes to.
            return (Arrived::Never, 0);
        }
        if matches!(taken.then, Then::Runs | Then::Preempted) {
            self.learn(place, transition, taken, code);
        }
        match taken.then {
            Then::Runs => {
                let operation = self.arrive(kernel, place, code);
                let arrived = operation.map_or(Arrived::Never, |operation| Arrived::At(operation, 0));
                (arrived, self.phase(kernel, place, code))
            }
            Then::Ends => (Arrived::Never, 0),
            _ => (Arrived::Stays, kernel.tasks()[place].phase),
        }
    }

    /// In which phase a task is that has just arrived.
    fn phase(&self, kernel: &Kernel<Boxed>, place: usize, code: &Code) -> u8 {
        match code.actors[place] {
            Actor::Once(_) => self.locals[place].phase(),
            _ => kernel.tasks()[place].phase,
        }
    }

    /// What the operation gives to its task.
    fn learn(&mut self, place: usize, transition: Transition, taken: &Taken, code: &Code) {
        use Verb as V;
        let local = &mut self.locals[place];
        let served = u32::from(taken.served);
        let Operation { verb, subject, .. } = taken.operation;
        match verb {
            V::Take | V::Send | V::Lock => {
                use Instruction as I;
                // A timed wait says whether it was served, however long it is.
                let held_at = local.held_at(&code.lists[self.lists[place]]);
                if !matches!(held_at, Some(I::Take { .. } | I::Send { .. } | I::Lock { .. })) {
                    local.learn(served);
                }
            }
            V::Give | V::Unlock | V::DelayUntil | V::Active => local.learn(served),
            V::Receive | V::Peek => {
                local.learn(if taken.served { self.values.hands[place] } else { 0 });
            }
            V::Tick => local.learn(taken.tick),
            V::Toss => local.learn(u32::from(transition.alternative)),
            V::Read => local.learn(self.values.slots[usize::from(subject.0.index)][0]),
            V::Write => {
                self.values.slots[usize::from(subject.0.index)][0] = self.values.hands[place];
            }
            V::Fire => *local = Local::default(),
            V::Serve => {
                *local = Local::default();
                self.lists[place] = code.callback(taken.level);
            }
            _ => {}
        }
    }

    /// Runs the task on to its next operation; `None` if it crashes on the way.
    fn arrive(&mut self, kernel: &Kernel<Boxed>, place: usize, code: &Code) -> Option<Operation> {
        let Task { role, pending, .. } = kernel.tasks()[place];
        debug_assert!(pending.is_none(), "it runs");
        let wait = |wait| if wait { Wait::Forever } else { Wait::Never };
        let ticks = |ticks| Wait::for_ticks(fwvs_program::ticks(ticks));
        let object = ObjectId::setup;
        let belongs = |list: u8| code.objects[usize::from(list)];
        let after_return = match role {
            Role::Interrupt { line } if self.returned(place) => Some(Operation::fire(line)),
            _ => None,
        };
        let request = match after_return {
            Some(_) => Request::Exit,
            None => self.locals[place].advance(&code.lists[self.lists[place]]),
        };
        if let Request::Send { value, .. } | Request::SendFor { value, .. } | Request::Write { value, .. } =
            request
        {
            self.values.hands[place] = value;
        }
        let operation = match request {
            Request::Take { object: o, wait: w } => Operation::take(object(o), wait(w)),
            Request::TakeFor { object: o, ticks: t } => Operation::take(object(o), ticks(t)),
            Request::Give { object: o } => Operation::give(object(o)),
            Request::Send { object: o, wait: w, .. } => Operation::send(object(o), wait(w)),
            Request::SendFor { object: o, ticks: t, .. } => Operation::send(object(o), ticks(t)),
            Request::Receive { object: o, wait: w } => Operation::receive(object(o), wait(w)),
            Request::ReceiveFor { object: o, ticks: t } => Operation::receive(object(o), ticks(t)),
            Request::PeekFor { object: o, ticks: t } => Operation::peek(object(o), ticks(t)),
            Request::Peek { object: o, wait: w } => Operation::peek(object(o), wait(w)),
            Request::Read { object: o } => Operation::read(object(o)),
            Request::Write { object: o, .. } => Operation::write(object(o)),
            Request::Lock { object: o, wait: w } => Operation::lock(object(o), wait(w)),
            Request::LockFor { object: o, ticks: t } => Operation::lock(object(o), ticks(t)),
            Request::Unlock { object: o } => Operation::unlock(object(o)),
            Request::Delay { ticks } => Operation::delay(u32::from(ticks)),
            Request::DelayUntil { tick } => Operation::delay_until(u32::from(tick)),
            Request::Tick => Operation::tick(),
            Request::EnterCritical => Operation::enter_critical(),
            Request::ExitCritical => Operation::exit_critical(),
            Request::Yield => Operation::yield_now(),
            Request::StartTimer { list } => Operation::start_timer(belongs(list), Wait::Never),
            Request::StopTimer { list } => Operation::stop_timer(belongs(list), Wait::Never),
            Request::ChangePeriod { list, period } => Operation::change_period(belongs(list), period.into()),
            Request::IsActive { list } => Operation::active(belongs(list)),
            Request::Arm { list } => Operation::arm(belongs(list)),
            Request::Mask { list } => Operation::mask(belongs(list)),
            Request::Toss { bound } => Operation::toss(u16::from(bound)),
            Request::Assert { holds } => Operation::assert(0, holds),
            Request::Event { value } => Operation::event(0, value),
            Request::Crash => return None,
            Request::Exit => match (after_return, role) {
                (Some(fire), _) => fire,
                (None, Role::Interrupt { line }) => Operation::return_from(line),
                (None, Role::Daemon) => serve(kernel),
                _ => Operation::exit(),
            },
        };
        if operation.verb == Verb::Return {
            self.locals[place] = Local::RETURNED;
        }
        Some(operation)
    }

    /// Whether an interrupt handler is done.
    fn returned(&self, place: usize) -> bool {
        self.locals[place] == Local::RETURNED
    }
}

/// Where the daemon waits.
fn serve(kernel: &Kernel<Boxed>) -> Operation {
    let commands = |object: &&fwvs_kernel::Object| matches!(object.kind, Kind::Commands { .. });
    let commands = kernel.objects().iter().find(commands).expect("a daemon has commands");
    Operation::serve(commands.id)
}

impl Values {
    /// What is in the queues and variables, oldest message first.
    pub(crate) fn contents(&self, kernel: &Kernel<Boxed>) -> Vec<Vec<u32>> {
        let contents = |(object, slots): (&fwvs_kernel::Object, &[u32; 8])| match object.kind {
            Kind::Queue { capacity } => {
                let slot = |n| (object.received() + n) as usize % usize::from(capacity);
                (0..u32::from(object.level)).map(|n| slots[slot(n)]).collect()
            }
            Kind::Shared => vec![slots[0]],
            _ => Vec::new(),
        };
        kernel.objects().iter().zip(&self.slots).map(contents).collect()
    }
}
