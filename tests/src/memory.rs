//! A program over the bare kernel, as a [`System`].

use std::borrow::Cow;
use std::convert::Infallible;

use fwvs_explore::{Bounds, Replay, System};
use fwvs_kernel::{Boxed, Event, Kernel, Kind, ObjectId, TaskId, Transition, Use, relation};
use fwvs_path::{End, Plan, Precision, Relation, Waking};
use fwvs_program::{Instruction, Local, ObjectSpec, RoleSpec};
use fwvs_search::{Extension, Footprints, Sleepers, Stop, TaskSet, choose, follow, still_asleep};

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

/// A program, and the states of the path that ran last.
#[derive(Clone, Debug)]
pub struct Memory {
    code: Code,
    /// What every instruction does, and when it is over.
    uses: Vec<Use>,
    /// States of the path; those beyond `length` are only kept for their memory.
    states: Vec<State>,
    taken: Vec<Transition>,
    wrong: Option<Wrong>,
    /// The entry of the dependency table to leave out.
    flip: Option<Flip>,
    /// The rule to leave out, and in which form.
    rule: Option<(Form, Rule)>,
    /// The rule about footprints to leave out.
    footprint_rule: Option<fwvs_search::Rule>,
}

impl Memory {
    /// The program, with every task at its first operation.
    ///
    /// # Panics
    /// If the program uses an object that it has not, or as something that it is not.
    pub fn new(program: &Program) -> Self {
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
            kernel,
        };
        for place in 0..code.actors.len() {
            assert!(state.first_arrival(place, &code), "a program does not crash in its set-up");
        }
        Self {
            uses: declared(program, &code.objects, &code.actors),
            code,
            states: vec![state],
            taken: Vec::new(),
            wrong: None,
            flip: None,
            rule: None,
            footprint_rule: None,
        }
    }

    /// Claims that a task does nothing with any object.
    pub fn hide_footprint(&mut self, task: usize) {
        let hidden = self.uses.iter_mut().filter(|one| usize::from(one.task) == task);
        hidden.for_each(|one| one.access = None);
    }

    /// What tasks may do, as precisely as that.
    fn footprints(&self, precise: Precision) -> Footprints<'_> {
        Footprints::new(&self.uses, precise).without(self.footprint_rule)
    }

    /// Where a task is, in state `at` of the last path.
    pub fn local(&self, at: usize, task: usize) -> &Local {
        &self.states[at].locals[task]
    }

    /// The program, with an entry of the dependency table left out.
    pub fn flipped(program: &Program, flip: Flip) -> Self {
        Self { flip: Some(flip), ..Self::new(program) }
    }

    /// The program, with a rule about what transitions touch left out.
    pub fn without_rule(program: &Program, form: Form, rule: Rule) -> Self {
        Self { rule: Some((form, rule)), ..Self::new(program) }
    }

    /// The program, with a rule about footprints left out.
    pub fn without_footprint_rule(program: &Program, rule: fwvs_search::Rule) -> Self {
        Self { footprint_rule: Some(rule), ..Self::new(program) }
    }

    /// Whether the dependency table says nothing about what two tasks are held at, because the entry was left out.
    fn left_out(&self, form: Form, kernel: &Kernel<Boxed>, a: TaskId, b: TaskId) -> bool {
        if a == b || self.flip.is_none() && self.rule.is_none() {
            return false;
        }
        let (Some(x), Some(y)) = (kernel.event(a), kernel.event(b)) else { return false };
        let rule = self.rule.filter(|(of, _)| *of == form);
        let without = rule.is_some_and(|(_, rule)| match (rule.without(x, y), form) {
            (None, _) => true,
            (Some((x, y)), Form::InState) => !kernel.dependent_events(&x, &y),
            (Some((x, y)), Form::Always) => relation(&y, &x) == Relation::Independent,
        });
        without || self.flip.is_some_and(|flip| flip.hits(form, x.operation, y.operation))
    }

    /// What the last path found.
    pub fn wrong(&self) -> Option<Wrong> {
        self.wrong
    }

    /// The final state of the last path: object levels, values, and where each task is.
    pub fn final_state(&self) -> impl Ord + std::hash::Hash + Clone + std::fmt::Debug + use<> {
        let state = &self.states[self.taken.len()];
        let levels: Vec<u16> = state.kernel.objects().iter().map(|object| object.level).collect();
        let priorities: Vec<u8> = state.kernel.tasks().iter().map(|task| task.priority).collect();
        let contents = state.values.contents(&state.kernel);
        (levels, priorities, state.kernel.now(), contents, state.locals.clone())
    }

    /// The kernel in state `at` of the last path.
    pub fn kernel(&self, at: usize) -> &Kernel<Boxed> {
        &self.states[at].kernel
    }

    /// The persistent set of the initial state, for a search that would go on with the task at `preferred`.
    pub fn persistent_set(&self, precise: Precision, preferred: usize) -> TaskSet {
        self.footprints(precise).persistent(self.kernel(0), preferred)
    }

    /// The state after the first `at` transitions of the path and those at the places `then`, if all of them can be taken and
    /// none of them ends the path.
    fn after_these(&self, at: usize, then: &[usize]) -> Option<Cow<'_, State>> {
        let mut state = Cow::Borrowed(&self.states[at]);
        for place in then {
            let transition = self.taken[*place];
            if !state.kernel.is_enabled(transition) || state.to_mut().step(transition, &self.code).is_some() {
                return None;
            }
        }
        Some(state)
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
        self.states[at + 1].step(transition, &self.code)
    }
}

impl System for Memory {
    type Transition = Transition;
    type Event = Event;
    type Error = Infallible;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Infallible> {
        self.taken.truncate(plan.same);
        self.states[self.taken.len()].kernel.forget_priorities();
        self.wrong = None;
        let mut ascending = plan.asleep.to_vec();
        ascending.sort_unstable();
        let mut asleep: Vec<Sleepers> = Sleepers::gather(ascending).collect();
        loop {
            let at = self.taken.len();
            let extension = Extension {
                policy: plan.policy,
                depth: plan.depth,
                asleep: &asleep,
                footprints: plan
                    .footprints
                    .map(|precise| Footprints::new(&self.uses, precise).without(self.footprint_rule)),
            };
            let kernel = &mut self.states[at].kernel;
            let chosen = match plan.script.get(at) {
                Some(scripted) => follow(kernel, *scripted),
                None => choose(kernel, &extension),
            };
            let chosen = chosen.map(|choice| choice.transition);
            let kernel = &self.states[at].kernel;
            match chosen {
                Ok(transition) => {
                    if at >= plan.script.len() && !asleep.is_empty() {
                        let form = match plan.waking {
                            Waking::InState => Form::InState,
                            Waking::Always => Form::Always,
                        };
                        let still_asleep = still_asleep(kernel, plan.waking, transition);
                        asleep.retain(|sleepers| {
                            self.left_out(form, kernel, sleepers.task, transition.task)
                                || still_asleep(sleepers)
                        });
                    }
                    self.wrong = self.step(transition);
                    if self.wrong.is_some() {
                        return Ok(End::Finding);
                    }
                }
                Err(Stop::End) => {
                    let end = kernel.status().into();
                    self.wrong = (end == End::Finding).then_some(Wrong::Deadlock);
                    return Ok(end);
                }
                Err(Stop::Depth) => return Ok(End::Depth),
                Err(Stop::Asleep) => return Ok(End::Asleep),
                Err(Stop::Wrong(wrong)) => {
                    self.wrong = Some(Wrong::Kernel(wrong));
                    return Ok(End::Finding);
                }
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
        !self.left_out(Form::InState, kernel, a.task, b.task) && kernel.dependent(a, b)
    }

    fn by_itself(&self, at: usize, transition: Transition) -> bool {
        self.states[at].kernel.is_by_itself(transition)
    }

    fn tasks(&self) -> usize {
        self.code.actors.len()
    }

    fn task(&self, transition: Transition) -> usize {
        usize::from(transition.task.0.nth)
    }

    fn alternatives(&self, event: &Event) -> impl Iterator<Item = Transition> {
        let task = event.task;
        let alternatives = 0..self.states[0].kernel.most_alternatives(event.operation);
        alternatives.map(move |alternative| Transition { task, alternative: alternative as u16 })
    }

    fn pending(&self, at: usize, task: usize) -> Option<Event> {
        let mut event = self.states[at].kernel.event(TaskId::setup(task as u8))?;
        event.ends |= self.fatal(at) && self.task(self.taken(at)) == task;
        Some(event)
    }

    fn relation(&self, earlier: &Event, later: &Event) -> Relation {
        let flip = self.flip.filter(|_| earlier.task != later.task);
        if flip.is_some_and(|flip| flip.hits(Form::Always, earlier.operation, later.operation)) {
            return Relation::Independent;
        }
        let rule = self.rule.filter(|(form, _)| *form == Form::Always && earlier.task != later.task);
        let (earlier, later) = match rule.map(|(_, rule)| rule.without(*earlier, *later)) {
            Some(None) => return Relation::Independent,
            Some(Some(events)) => events,
            None => (*earlier, *later),
        };
        relation(&earlier, &later)
    }

    fn if_taken(&self, at: usize, then: &[usize], event: &Event) -> Option<Event> {
        let kernel = &self.states[at].kernel;
        if let Some(answer) = kernel.if_taken_instead(event, self.taken[at]) {
            return answer;
        }
        self.after_these(at, then)?.kernel.enabled_event(event.task)
    }

    fn held_back(&self, at: usize, then: &[usize]) -> Bounds {
        if at == self.length() && self.wrong.is_some_and(|wrong| wrong != Wrong::Deadlock) {
            // The path ended in the middle of a step.
            return Bounds::NONE;
        }
        self.after_these(at, then).map_or(Bounds::NONE, |state| Bounds(state.kernel.cuts().bits()))
    }

    fn exhausted(&self, at: usize, task: usize) -> Bounds {
        Bounds(self.kernel(at).exhausted(task).bits())
    }

    fn replay(&self, at: usize, steps: &[Replay<Transition>]) -> Vec<Event> {
        let mut state = self.states[at].clone();
        let mut events = Vec::new();
        for step in steps {
            let transition = match *step {
                Replay::Again(place) => self.taken[place],
                Replay::Instead(transition) => transition,
            };
            let Some(event) =
                state.kernel.event(transition.task).filter(|_| state.kernel.is_enabled(transition))
            else {
                break;
            };
            events.push(event);
            state.step(transition, &self.code);
        }
        events
    }

    fn widest(&self, event: &Event) -> Event {
        self.states[0].kernel.widest(event)
    }

    fn is_settled(&self, event: &Event) -> bool {
        self.states[0].kernel.is_settled(event)
    }

    fn by_time(&self, event: &Event) -> bool {
        self.states[0].kernel.by_time(event)
    }

    fn fatal(&self, at: usize) -> bool {
        at + 1 == self.length()
            && match self.wrong {
                Some(Wrong::Crash { .. }) => true,
                // Seen only after the step, by where its task arrived.
                Some(Wrong::Kernel(_)) => {
                    !self.states[at].kernel.event(self.taken[at].task).is_some_and(|event| event.ends)
                }
                _ => false,
            }
    }

    fn persistent(&self, precise: Precision, at: usize) -> Vec<usize> {
        let taken = self.task(self.taken(at));
        let set = self.footprints(precise).persistent(self.kernel(at), taken);
        (0..self.tasks()).filter(|task| set.contains(*task)).collect()
    }

    fn undeclared(&self, at: usize) -> bool {
        let (transition, kernel) = (self.taken(at), self.kernel(at));
        let taken = kernel.pending(transition.task).expect("what was taken was pending");
        self.footprints(Precision::State).undeclared(kernel, self.task(transition), taken)
    }
}
