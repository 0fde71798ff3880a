//! A program over the bare kernel, as a [`System`].

use std::convert::Infallible;

use fwvs_explore::{End, Footprints, Plan, Policy, Relation, System, Waking};
use fwvs_kernel::{
    Bodies, Boxed, Depth, Event, Kernel, Kind, ObjectId, Operation, Status, Stop, TaskId, Transition, Wait,
    choose, relation, still_asleep,
};
use fwvs_program::{Local, ObjectSpec, Request};

use crate::flip::{Flip, Form};
use crate::footprint::operation;
use crate::program::Program;

/// What a path that ended in a finding found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wrong {
    /// Nobody can go on.
    Deadlock,
    /// This task crashed.
    Crash {
        /// The task.
        task: usize,
    },
    /// This task's assertion failed, as its n-th instruction.
    Assertion {
        /// The task.
        task: usize,
    },
}

/// A program, and the states of the path that ran last.
#[derive(Clone, Debug)]
pub struct Memory {
    code: Vec<Vec<[u8; 4]>>,
    /// For each task and instruction, what it does.
    footprints: Vec<Vec<Option<Operation>>>,
    /// States of the path; those beyond `length` are only kept for their memory.
    states: Vec<State>,
    taken: Vec<Transition>,
    wrong: Option<Wrong>,
    /// The entry of the dependency table to leave out.
    flip: Option<Flip>,
}

/// Everything there is in one global state.
#[derive(Clone, Debug)]
struct State {
    kernel: Kernel<Boxed>,
    locals: Vec<Local>,
    values: Values,
}

/// Messages in queues, values of variables, and what a held task has in its hands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Values {
    slots: Vec<[u32; 8]>,
    hands: Vec<u32>,
}

impl Bodies for Values {
    fn put(&mut self, task: usize, queue: usize, slot: u16) {
        self.slots[queue][usize::from(slot)] = self.hands[task];
    }
    fn get(&mut self, task: usize, queue: usize, slot: u16) {
        self.hands[task] = self.slots[queue][usize::from(slot)];
    }
}

impl Memory {
    /// The program, with every task at its first operation.
    ///
    /// # Panics
    /// If the program uses an object that it has not, or as something that it is not.
    pub fn new(program: &Program) -> Self {
        let code: Vec<Vec<[u8; 4]>> =
            program.tasks.iter().map(|task| task.iter().map(|i| i.encode()).collect()).collect();
        let mut kernel = Kernel::new(Boxed::new(code.len(), program.objects.len()));
        for object in &program.objects {
            let (kind, level) = match *object {
                ObjectSpec::Semaphore { level, max: 255 } => (Kind::Semaphore { max: u16::MAX }, level),
                ObjectSpec::Semaphore { level, max } => (Kind::Semaphore { max: u16::from(max) }, level),
                ObjectSpec::Queue { capacity } => (Kind::Queue { capacity: u16::from(capacity) }, 0),
                ObjectSpec::Shared => (Kind::Shared, 0),
            };
            kernel.create_object(kind, u16::from(level)).expect("room for every object");
        }
        let mut state = State {
            kernel,
            locals: vec![Local::default(); code.len()],
            values: Values { slots: vec![[0; 8]; program.objects.len()], hands: vec![0; code.len()] },
        };
        for code in &code {
            let task = state.kernel.create_task().expect("room for every task");
            assert!(state.arrive(task, code), "a program does not crash in its set-up");
        }
        let footprints =
            program.tasks.iter().map(|task| task.iter().map(|i| operation(*i)).collect()).collect();
        Self { code, footprints, states: vec![state], taken: Vec::new(), wrong: None, flip: None }
    }

    /// What each of a task's instructions does.
    pub(crate) fn footprints(&self) -> &[Vec<Option<Operation>>] {
        &self.footprints
    }

    /// Claims that a task does nothing with any object.
    pub fn hide_footprint(&mut self, task: usize) {
        self.footprints[task].fill(None);
    }

    /// Where a task is, in state `at` of the last path.
    pub fn local(&self, at: usize, task: usize) -> &Local {
        &self.states[at].locals[task]
    }

    /// The program, with an entry of the dependency table left out.
    pub fn flipped(program: &Program, flip: Flip) -> Self {
        Self { flip: Some(flip), ..Self::new(program) }
    }

    /// Whether the dependency table says nothing about what two tasks are held at, because the entry was left out.
    fn left_out(&self, form: Form, kernel: &Kernel<Boxed>, a: Transition, b: Transition) -> bool {
        let Some(flip) = self.flip else { return false };
        let (Some(x), Some(y)) = (kernel.pending(a.task), kernel.pending(b.task)) else { return false };
        a.task != b.task && flip.hits(form, x, y)
    }

    /// What the last path found.
    pub fn wrong(&self) -> Option<Wrong> {
        self.wrong
    }

    /// The final state of the last path: object levels, values, and where each task is.
    pub fn final_state(&self) -> impl Ord + std::hash::Hash + Clone + std::fmt::Debug + use<> {
        let state = &self.states[self.taken.len()];
        let levels: Vec<u16> = state.kernel.objects().iter().map(|object| object.level).collect();
        (levels, state.values.contents(&state.kernel), state.locals.clone())
    }

    /// The kernel in state `at` of the last path.
    pub fn kernel(&self, at: usize) -> &Kernel<Boxed> {
        &self.states[at].kernel
    }

    /// A system whose initial state is the one after `transition`.
    pub fn after(&self, transition: Transition) -> Self {
        let mut next = Self { states: self.states[..1].to_vec(), taken: Vec::new(), ..self.clone() };
        next.wrong = next.step(transition);
        Self { states: next.states.split_off(1), taken: Vec::new(), ..next }
    }

    /// Takes one transition on the top state.
    fn step(&mut self, transition: Transition) -> Option<Wrong> {
        let at = self.taken.len();
        if self.states.len() == at + 1 {
            self.states.push(self.states[at].clone());
        } else {
            let (before, after) = self.states.split_at_mut(at + 1);
            after[0].copy_from(&before[at]);
        }
        self.taken.push(transition);
        let task = usize::from(transition.task.0.nth);
        self.states[at + 1].step(transition, &self.code[task])
    }
}

impl State {
    fn copy_from(&mut self, other: &Self) {
        self.kernel.copy_from(&other.kernel);
        self.locals.copy_from_slice(&other.locals);
        self.values.slots.copy_from_slice(&other.values.slots);
        self.values.hands.copy_from_slice(&other.values.hands);
    }

    fn step(&mut self, transition: Transition, code: &[[u8; 4]]) -> Option<Wrong> {
        let place = usize::from(transition.task.0.nth);
        let taken = self.kernel.take(transition, &mut self.values);
        let local = &mut self.locals[place];
        match taken.operation {
            Operation::Take { wait: Wait::Never, .. }
            | Operation::Send { wait: Wait::Never, .. }
            | Operation::Give { .. } => local.learn(u32::from(taken.served)),
            Operation::Receive { .. } | Operation::Peek { .. } => {
                local.learn(if taken.served { self.values.hands[place] } else { 0 });
            }
            Operation::Toss { .. } => local.learn(u32::from(transition.alternative)),
            Operation::Read { variable } => local.learn(self.values.slots[usize::from(variable.0.nth)][0]),
            Operation::Write { variable } => {
                self.values.slots[usize::from(variable.0.nth)][0] = self.values.hands[place];
            }
            Operation::Assert { holds: false, .. } => return Some(Wrong::Assertion { task: place }),
            _ => {}
        }
        (!self.arrive(transition.task, code)).then_some(Wrong::Crash { task: place })
    }

    /// Runs the task on to its next operation. False if it crashes on the way.
    fn arrive(&mut self, task: TaskId, code: &[[u8; 4]]) -> bool {
        let place = usize::from(task.0.nth);
        let wait = |wait| if wait { Wait::Forever } else { Wait::Never };
        let request = self.locals[place].advance(code);
        if let Request::Send { value, .. } | Request::Write { value, .. } = request {
            self.values.hands[place] = value;
        }
        let operation = match request {
            Request::Take { object, wait: w } => {
                Operation::Take { semaphore: ObjectId::setup(object), wait: wait(w) }
            }
            Request::Give { object } => Operation::Give { semaphore: ObjectId::setup(object) },
            Request::Send { object, wait: w, .. } => {
                Operation::Send { queue: ObjectId::setup(object), wait: wait(w) }
            }
            Request::Receive { object, wait: w } => {
                Operation::Receive { queue: ObjectId::setup(object), wait: wait(w) }
            }
            Request::Peek { object, wait: w } => {
                Operation::Peek { queue: ObjectId::setup(object), wait: wait(w) }
            }
            Request::Read { object } => Operation::Read { variable: ObjectId::setup(object) },
            Request::Write { object, .. } => Operation::Write { variable: ObjectId::setup(object) },
            Request::Toss { bound } => Operation::Toss { bound: u16::from(bound) },
            Request::Assert { holds } => Operation::Assert { holds, name: 0 },
            Request::Event { value } => Operation::Event { name: 0, value },
            Request::Crash => return false,
            Request::Exit => Operation::Exit,
        };
        self.kernel.arrive(task, operation).expect("a program uses its own objects as what they are");
        true
    }
}

impl Values {
    /// What is in the queues and variables, oldest message first.
    fn contents(&self, kernel: &Kernel<Boxed>) -> Vec<Vec<u32>> {
        let contents = |(object, slots): (&fwvs_kernel::Object, &[u32; 8])| match object.kind {
            Kind::Semaphore { .. } => Vec::new(),
            Kind::Queue { capacity } => {
                let slot = |n| (object.received() + n) as usize % usize::from(capacity);
                (0..u32::from(object.level)).map(|n| slots[slot(n)]).collect()
            }
            Kind::Shared => vec![slots[0]],
        };
        kernel.objects().iter().zip(&self.slots).map(contents).collect()
    }
}

impl System for Memory {
    type Transition = Transition;
    type Event = Event;
    type Error = Infallible;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Infallible> {
        self.taken.truncate(plan.same);
        self.wrong = None;
        let mut asleep = plan.asleep.to_vec();
        let waking = match plan.waking {
            Waking::InState => fwvs_kernel::Waking::InState,
            Waking::Always => fwvs_kernel::Waking::Always,
        };
        let policy = match plan.policy {
            Policy::Fair => fwvs_kernel::Policy::Fair,
            Policy::First => fwvs_kernel::Policy::First,
            Policy::Stay => fwvs_kernel::Policy::Stay,
            Policy::Random { seed } => fwvs_kernel::Policy::Random { seed },
            Policy::Priorities { seed, changes, length } => {
                fwvs_kernel::Policy::Priorities { seed, changes, length }
            }
        };
        loop {
            let at = self.taken.len();
            let kernel = &self.states[at].kernel;
            let order = fwvs_kernel::Plan {
                scripted: plan.script.get(at).copied(),
                policy,
                depth: Depth(plan.depth as u32),
                asleep: &asleep,
            };
            match choose(kernel, &order) {
                Ok(transition) => {
                    if at >= plan.script.len() {
                        let form = match plan.waking {
                            Waking::InState => Form::InState,
                            Waking::Always => Form::Always,
                        };
                        asleep.retain(|sleeper| {
                            self.left_out(form, kernel, *sleeper, transition)
                                || still_asleep(kernel, waking, *sleeper, transition)
                        });
                    }
                    self.wrong = self.step(transition);
                    if self.wrong.is_some() {
                        return Ok(End::Finding);
                    }
                }
                Err(Stop::End) => {
                    self.wrong = (kernel.status() == Status::Deadlock).then_some(Wrong::Deadlock);
                    return Ok(if self.wrong.is_some() { End::Finding } else { End::Finished });
                }
                Err(Stop::Depth) => return Ok(End::Depth),
                Err(Stop::Asleep) => return Ok(End::Asleep),
                Err(Stop::Asked | Stop::NotEnabled) => unreachable!("a search scripts only what is enabled"),
            }
        }
    }

    fn length(&self) -> usize {
        self.taken.len()
    }

    fn taken(&self, at: usize) -> Transition {
        self.taken[at]
    }

    fn enabled(&self, at: usize) -> impl Iterator<Item = Transition> + '_ {
        self.states[at].kernel.enabled()
    }

    fn dependent(&self, at: usize, a: Transition, b: Transition) -> bool {
        let kernel = &self.states[at].kernel;
        !self.left_out(Form::InState, kernel, a, b) && kernel.dependent(a, b)
    }

    fn tasks(&self) -> usize {
        self.code.len()
    }

    fn task(&self, transition: Transition) -> usize {
        usize::from(transition.task.0.nth)
    }

    fn first(&self, task: usize) -> Transition {
        Transition { task: TaskId::setup(task as u8), alternative: 0 }
    }

    fn pending(&self, at: usize, task: usize) -> Option<Event> {
        let mut event = self.states[at].kernel.event(TaskId::setup(task as u8))?;
        event.ends |= self.fatal(at) && self.task(self.taken(at)) == task;
        (event.operation != Operation::Exit).then_some(event)
    }

    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        let flip = self.flip.filter(|_| earlier.task != later.task);
        if flip.is_some_and(|flip| flip.hits(Form::Always, earlier.operation, later.operation)) {
            return Relation::Independent;
        }
        match relation(earlier, later) {
            fwvs_kernel::Relation::Independent => Relation::Independent,
            fwvs_kernel::Relation::Edge => Relation::Edge,
            fwvs_kernel::Relation::Race => Relation::Race,
        }
    }

    fn if_taken(&self, at: usize, event: &Event) -> Option<Event> {
        let kernel = &self.states[at].kernel;
        kernel.can_take(event.operation).then(|| kernel.event_of(event.task, event.operation))
    }

    fn fatal(&self, at: usize) -> bool {
        at + 1 == self.length() && matches!(self.wrong, Some(Wrong::Crash { .. }))
    }

    fn footprints(&self) -> Option<&dyn Footprints> {
        Some(self)
    }
}
