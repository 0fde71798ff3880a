//! A program over the bare kernel, as a [`Runner`].

use std::convert::Infallible;
use std::hash::{Hash, Hasher};

use fwvs_explore::{Model as _, Runner, Stepping, TakingBack, TellingApart};
use fwvs_kernel::{Boxed, Event, Kernel, Kind, ObjectId, TaskId, Then, Transition, Use, relation};
use fwvs_model::{Found, Model, Omission, Start, Step, Trace};
use fwvs_path::{End, Plan, Precision, Relation, Waking};
use fwvs_program::{Instruction, Local, ObjectSpec, RoleSpec};
use fwvs_search::{Footprints, Stop, TaskSet};

use crate::flip::{Flip, Form};
use crate::footprint::declared;
use crate::interpreter::{Code, State, Values};
use crate::program::Program;
use crate::rule::Rule;

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
    /// The kernel found something wrong.
    Kernel(fwvs_kernel::Wrong),
}

/// What is left out of what the kernel says.
#[derive(Clone, Copy, Default, Debug)]
pub struct LeftOut {
    /// An entry of the dependency table.
    flip: Option<Flip>,
    /// A rule about what transitions touch, and in which form.
    rule: Option<(Form, Rule)>,
    /// A rule about footprints.
    footprints: Option<fwvs_search::Rule>,
}

/// The kernel's states of the path that ran last.
pub type States = Model<Wrong, LeftOut>;

/// A program, and the states of the path that ran last.
#[derive(Clone, Debug)]
pub struct Memory {
    code: Code,
    /// What there is beside the kernel in the states of the path; those beyond its length are only kept for their memory.
    states: Vec<State>,
    model: States,
}

impl Memory {
    /// The program, with every task at its first operation.
    ///
    /// # Panics
    /// If the program uses an object that it has not, or as something that it is not.
    pub fn new(program: &Program) -> Self {
        Self::leaving_out(program, LeftOut::default())
    }

    fn leaving_out(program: &Program, left_out: LeftOut) -> Self {
        // Lists, the daemon, the clock; each list has at most one object, and the daemon one more.
        let (lists, objects) = (program.tasks.len(), program.objects.len());
        let mut kernel = Kernel::new(Boxed::new(lists + 2, objects + lists + 1));
        kernel.set_rules(program.rules);
        for object in &program.objects {
            let semaphore = |max| Kind::Semaphore { max: if max == 255 { u16::MAX } else { u16::from(max) } };
            let queue = |capacity| Kind::Queue { capacity: u16::from(capacity) };
            let (kind, level, never_full) = match *object {
                ObjectSpec::Semaphore { level, max } => (semaphore(max), level, false),
                ObjectSpec::NeverFullSemaphore { level, max } => (semaphore(max), level, true),
                ObjectSpec::Queue { capacity } => (queue(capacity), 0, false),
                ObjectSpec::NeverFullQueue { capacity } => (queue(capacity), 0, true),
                ObjectSpec::Shared => (Kind::Shared, 0, false),
                ObjectSpec::Mutex { recursive } => (Kind::Mutex { recursive }, 0, false),
            };
            let object = kernel.create_object(kind, u16::from(level)).expect("room for every object");
            kernel.describe_object(object, never_full, 0);
        }
        let encode = |task: &Vec<Instruction>| task.iter().map(|i| i.encode()).collect();
        let mut code = Code {
            lists: program.tasks.iter().map(encode).collect(),
            objects: Vec::new(),
            actors: Vec::new(),
        };
        let mut daemon = false;
        // Lines and timers first: tasks speak of them.
        code.objects = vec![ObjectId::NULL; program.tasks.len()];
        let is_task =
            |list: &usize| matches!(program.role(*list), RoleSpec::Task { .. } | RoleSpec::Environment);
        let (tasks, others): (Vec<usize>, Vec<usize>) = (0..program.tasks.len()).partition(is_task);
        for list in others.into_iter().chain(tasks) {
            code.create(&mut kernel, program.role(list), list, &mut daemon);
        }
        code.create_clock(&mut kernel);
        let objects = kernel.objects().len();
        let mut state = State {
            locals: vec![Local::default(); code.actors.len()],
            lists: code.actors.iter().map(|actor| actor.list()).collect(),
            values: Values { slots: vec![[0; 8]; objects], hands: vec![0; code.actors.len()] },
        };
        for place in 0..code.actors.len() {
            assert!(state.first_arrival(&mut kernel, place, &code), "a program does not crash in its set-up");
        }
        let uses = declared(program, &code.objects, &code.actors);
        let start = Start { kernel, calls: vec![0; code.actors.len()], uses };
        Self { code, states: vec![state], model: Model::omitting(start, left_out) }
    }

    /// Claims that a task does nothing with any object.
    pub fn hide_footprint(&mut self, task: usize) {
        let hidden = self.model.uses_mut().iter_mut().filter(|one| usize::from(one.task) == task);
        hidden.for_each(|one| one.access = None);
    }

    /// Where a task is, in state `at` of the last path.
    pub fn local(&self, at: usize, task: usize) -> &Local {
        &self.states[at].locals[task]
    }

    /// The program, with an entry of the dependency table left out.
    pub fn flipped(program: &Program, flip: Flip) -> Self {
        Self::leaving_out(program, LeftOut { flip: Some(flip), ..LeftOut::default() })
    }

    /// The program, with a rule about what transitions touch left out.
    pub fn without_rule(program: &Program, form: Form, rule: Rule) -> Self {
        Self::leaving_out(program, LeftOut { rule: Some((form, rule)), ..LeftOut::default() })
    }

    /// The program, with a rule about footprints left out.
    pub fn without_footprint_rule(program: &Program, rule: fwvs_search::Rule) -> Self {
        Self::leaving_out(program, LeftOut { footprints: Some(rule), ..LeftOut::default() })
    }

    /// What the last path found.
    pub fn wrong(&self) -> Option<Wrong> {
        self.model.found().map(|found| found.wrong)
    }

    /// The final state of the last path: object levels, values, and where each task is.
    pub fn final_state(&self) -> impl Ord + std::hash::Hash + Clone + std::fmt::Debug + use<> {
        let (kernel, state) = (self.model.last(), &self.states[self.model.length()]);
        let levels: Vec<u16> = kernel.objects().iter().map(|object| object.level).collect();
        let priorities: Vec<u8> = kernel.tasks().iter().map(|task| task.priority).collect();
        (levels, priorities, kernel.now(), state.values.contents(kernel), state.locals.clone())
    }

    /// The kernel in state `at` of the last path.
    pub fn kernel(&self, at: usize) -> &Kernel<Boxed> {
        self.model.kernel(at)
    }

    /// The persistent set of the initial state, for a search that would go on with the task at `preferred`.
    pub fn persistent_set(&self, precise: Precision, preferred: usize) -> TaskSet {
        self.model.footprints(precise).persistent(self.kernel(0), preferred)
    }

    /// A system whose initial state is the one after `transition`.
    pub fn after(&self, transition: Transition) -> Self {
        let mut next = self.clone();
        next.model.back_to(0, &[]);
        next.take(transition);
        let start = next.model.start_at(1);
        let mut model = Model::omitting(start, *self.model.omission());
        model.ended(next.model.end(), next.model.found().cloned());
        Self { code: next.code, states: vec![next.states.swap_remove(1)], model }
    }

    /// Takes one transition, and says whether the path can go on.
    fn take(&mut self, transition: Transition) -> bool {
        let at = self.model.length();
        if self.states.len() == at + 1 {
            self.states.push(self.states[at].clone());
        } else {
            let (before, after) = self.states.split_at_mut(at + 1);
            after[0].copy_from(&before[at]);
        }
        let (state, code) = (&mut self.states[at + 1], &self.code);
        let taken = self
            .model
            .push_with(transition, state, |kernel, taken, state| state.run(kernel, transition, taken, code))
            .expect("a program uses its own objects as what they are");
        let place = usize::from(transition.task.0.index);
        let is_complete = self.model.steps().last().is_none_or(Step::is_complete);
        let crashed = taken.then == Then::Runs && !is_complete;
        let (wrong, by_force) = match (taken.operation.ends_path(), crashed, self.model.last().wrong()) {
            (true, _, _) => (Wrong::Assertion { task: place }, false),
            (_, true, _) => (Wrong::Crash { task: place }, true),
            // Unless it was seen only by where the task arrived.
            (_, _, Some(wrong)) => (Wrong::Kernel(wrong), !self.model.was_foreseen()),
            (_, _, None) => return true,
        };
        self.found(wrong, by_force);
        false
    }

    /// The path does not go on.
    fn stopped(&mut self, stop: Stop) {
        match stop.end(self.model.last()) {
            End::Finding => match self.model.last().wrong() {
                Some(wrong) => self.found(Wrong::Kernel(wrong), !self.model.was_foreseen()),
                None => self.found(Wrong::Deadlock, false),
            },
            end => self.model.ended(end, None),
        }
    }

    /// The path ends with this.
    fn found(&mut self, wrong: Wrong, by_force: bool) {
        let running = self.model.steps().last().map(|step| step.transition.task);
        self.model.ended(End::Finding, Some(Found { wrong, running, by_force }));
    }
}

impl Omission for LeftOut {
    fn leaves_out(&self, waking: Waking, kernel: &Kernel<Boxed>, a: TaskId, b: TaskId) -> bool {
        if a == b || self.flip.is_none() && self.rule.is_none() {
            return false;
        }
        let form = match waking {
            Waking::InState => Form::InState,
            Waking::Always => Form::Always,
        };
        let (Some(x), Some(y)) = (kernel.event(a), kernel.event(b)) else { return false };
        let rule = self.rule.filter(|(of, _)| *of == form);
        let without = rule.is_some_and(|(_, rule)| match (rule.without(x, y), form) {
            (None, _) => true,
            (Some((x, y)), Form::InState) => !kernel.dependent_events(&x, &y),
            (Some((x, y)), Form::Always) => relation(&y, &x) == Relation::Independent,
        });
        without || self.flip.is_some_and(|flip| flip.hits(form, x.operation, y.operation))
    }

    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        let flip = self.flip.filter(|_| earlier.task != later.task);
        if flip.is_some_and(|flip| flip.hits(Form::Always, earlier.operation, later.operation)) {
            return Relation::Independent;
        }
        let rule = self.rule.filter(|(form, _)| *form == Form::Always && earlier.task != later.task);
        match rule.map(|(_, rule)| rule.without(*earlier, *later)) {
            Some(None) => Relation::Independent,
            Some(Some((earlier, later))) => relation(&earlier, &later),
            None => relation(earlier, later),
        }
    }

    fn footprints<'a>(&self, uses: &'a [Use], precision: Precision) -> Footprints<'a> {
        Footprints::new(uses, precision).without(self.footprints)
    }
}

impl Runner for Memory {
    type Model = States;
    type Error = Infallible;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<&Trace<Wrong>, Infallible> {
        self.model.back_to(plan.same, plan.asleep);
        let stop = loop {
            match self.model.expected(plan) {
                Ok(transition) => {
                    self.model.wake(transition, plan);
                    if !self.take(transition) {
                        return Ok(self.model.trace());
                    }
                }
                Err(stop) => break stop,
            }
        };
        self.stopped(stop);
        Ok(self.model.trace())
    }

    fn model(&self) -> &States {
        &self.model
    }

    fn stepping(&mut self) -> Option<&mut dyn Stepping<Transition, Infallible>> {
        Some(self)
    }

    fn taking_back(&mut self) -> Option<&mut dyn TakingBack> {
        Some(self)
    }

    fn telling_apart(&self) -> Option<&dyn TellingApart> {
        Some(self)
    }
}

impl Stepping<Transition, Infallible> for Memory {
    fn step(&mut self, transition: Transition) -> Result<End, Infallible> {
        if self.model.found().is_some() || !self.model.last().is_enabled(transition) {
            return Ok(End::NotEnabled);
        }
        self.model.ended(End::Asked, None);
        if self.take(transition)
            && let Err(stop) = self.model.expected(&Plan::follow(&[]))
        {
            self.stopped(stop);
        }
        Ok(self.model.end())
    }
}

impl TakingBack for Memory {
    fn take_back(&mut self) -> bool {
        let before = self.model.length().checked_sub(1);
        before.inspect(|before| self.model.back_to(*before, &[])).is_some()
    }
}

impl TellingApart for Memory {
    fn canonical(&self) -> Vec<u8> {
        let (kernel, state) = (self.model.last(), &self.states[self.model.length()]);
        let mut all = All::default();
        kernel.hash_alike(&mut all);
        (&state.locals, &state.lists, &state.values.hands).hash(&mut all);
        state.values.contents(kernel).hash(&mut all);
        all.0
    }
}

/// Forgets nothing of what it is told.
#[derive(Default)]
struct All(Vec<u8>);

impl Hasher for All {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("nobody wants a number")
    }
}
