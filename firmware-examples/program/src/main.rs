//! Tasks that interpret a small operation list, given as the parameter `program`.
//!
//! The tests generate such lists by the thousand and compare what happens here with what happens in memory. What an
//! instruction means is in `tests/program`; here it meets real tasks and real objects.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{
    Interrupt, Line, Mutex, Queue, Semaphore, Stack, Task, Timer, Use, Variable, check, delay, delay_until,
    enter_critical, event, exit_critical, param, phase, tick, toss, yield_now,
};
use fwvs_program::{
    CAPACITY, COMMANDS, DAEMON, DECLARED, Instruction, List, Local, OBJECTS, ObjectSpec, Reader, Request,
    RoleSpec, TASKS,
};
use heapless::Vec;

static STACKS: [Stack<768>; TASKS] = [const { Stack::new() }; TASKS];
static CELLS: [AtomicU32; OBJECTS] = [const { AtomicU32::new(0) }; OBJECTS];

#[derive(Clone, Copy)]
enum Object {
    Semaphore(Semaphore),
    Queue(Queue<u32, 8>),
    Shared(Variable, u8),
    Mutex(Mutex),
}

/// What a list of instructions belongs to, for those who speak of it.
#[derive(Clone, Copy)]
enum Belongs {
    Timer(Timer),
    Line(Line),
}

/// For each list; written in the set-up, read by tasks.
struct Lists(UnsafeCell<[Option<Belongs>; TASKS]>);

// SAFETY: written before any task runs, and only read then.
unsafe impl Sync for Lists {}

static LISTS: Lists = Lists(UnsafeCell::new([None; TASKS]));

fn belongs(list: u8) -> Belongs {
    // SAFETY: nobody writes while tasks run.
    unsafe { (*LISTS.0.get())[usize::from(list)] }.expect("a list of a timer or an interrupt line")
}

fn timer(list: u8) -> Timer {
    match belongs(list) {
        Belongs::Timer(timer) => timer,
        Belongs::Line(_) => panic!("list {list} is not of a timer"),
    }
}

fn line(list: u8) -> Line {
    match belongs(list) {
        Belongs::Line(line) => line,
        Belongs::Timer(_) => panic!("list {list} is not of an interrupt line"),
    }
}

type Objects = Vec<Object, OBJECTS>;

fn setup() {
    let bytes = param!(bytes "program", CAPACITY / 4);
    let mut reader = Reader::new(bytes).expect("a program");
    let mut objects = Objects::new();
    while let Some(spec) = reader.object().expect("an object") {
        let number = objects.len() as u8;
        let object = match spec {
            ObjectSpec::Semaphore { level, max } => {
                let max = if max == 255 { u16::MAX } else { u16::from(max) };
                Object::Semaphore(Semaphore::counting(("semaphore", number), u16::from(level), max))
            }
            ObjectSpec::Queue { capacity } => {
                Object::Queue(Queue::with_capacity(("queue", number), usize::from(capacity)))
            }
            ObjectSpec::NeverFullSemaphore { level, max } => {
                let max = if max == 255 { u16::MAX } else { u16::from(max) };
                Object::Semaphore(Semaphore::never_full(("semaphore", number), u16::from(level), max))
            }
            ObjectSpec::NeverFullQueue { capacity } => {
                Object::Queue(Queue::never_full_with_capacity(("queue", number), usize::from(capacity)))
            }
            ObjectSpec::Shared => Object::Shared(Variable::new(("variable", number)), number),
            ObjectSpec::Mutex { recursive: false } => Object::Mutex(Mutex::new(("mutex", number))),
            ObjectSpec::Mutex { recursive: true } => Object::Mutex(Mutex::recursive(("mutex", number))),
        };
        objects.push(object).ok().expect("at most eight objects");
    }
    OBJECTS_OF_ALL.set(objects.clone());
    // Lines and timers first: tasks speak of them.
    lines_and_timers(reader.clone(), &objects);
    let mut number = 0;
    while let Some(List { role, code }) = reader.task().expect("a task") {
        let task = Task::new(("task", number), &STACKS[usize::from(number)]);
        number += 1;
        let task = match role {
            RoleSpec::Task { priority } => task.priority(priority),
            RoleSpec::Environment => task.environment(),
            RoleSpec::Interrupt { .. } | RoleSpec::Timer { .. } => continue,
        };
        let objects = objects.clone();
        let footprint = footprint(code, &objects, false);
        let task = if code.len() <= DECLARED { task.may(&footprint) } else { task };
        task.start(move || interpret(code, &objects, true));
    }
}

fn lines_and_timers(mut reader: Reader<'static>, objects: &Objects) {
    let mut number = 0;
    let mut callbacks: Vec<&[[u8; 4]], TASKS> = Vec::new();
    while let Some(List { role, code }) = reader.task().expect("a task") {
        let list = number;
        number += 1;
        let belongs = match role {
            RoleSpec::Interrupt { times, armed } => {
                let interrupt = Interrupt::new(("line", list), &STACKS[usize::from(list)])
                    .times(fwvs_program::times(times));
                let interrupt = if armed { interrupt.armed() } else { interrupt };
                // What does not exist yet cannot be declared.
                let short = code.len() <= DECLARED && !speaks_of_later(code, list);
                let declared = short.then(|| footprint(code, objects, true));
                let interrupt = match &declared {
                    Some(footprint) => interrupt.may(footprint),
                    None => interrupt,
                };
                let objects = objects.clone();
                Belongs::Line(interrupt.handler(move || interpret(code, &objects, false)))
            }
            RoleSpec::Timer { period, reload } => {
                if !any_timer() {
                    fwvs::daemon(DAEMON, usize::from(COMMANDS));
                }
                let callback = move || interpret(code, OBJECTS_OF_ALL.get(), false);
                callbacks.push(code).expect("as many as lists");
                let (name, period) = (("timer", list), u32::from(period));
                Belongs::Timer(if reload {
                    Timer::periodic(name, period, callback)
                } else {
                    Timer::once(name, period, callback)
                })
            }
            RoleSpec::Task { .. } | RoleSpec::Environment => continue,
        };
        // SAFETY: no task runs yet.
        unsafe { (*LISTS.0.get())[usize::from(list)] = Some(belongs) };
    }
    if callbacks.iter().any(|code| code.len() > DECLARED) {
        return;
    }
    let footprints = callbacks.iter().flat_map(|code| footprint(code, objects, true));
    fwvs::callbacks_may(&footprints.collect::<Vec<Use, { 3 * DECLARED }>>());
}

/// Whether a list of instructions speaks of a line or timer that is made with a later one.
fn speaks_of_later(code: &[[u8; 4]], list: u8) -> bool {
    let later = |bytes: &[u8; 4]| match Instruction::decode(*bytes) {
        Ok(
            Instruction::StartTimer { list: other }
            | Instruction::StopTimer { list: other }
            | Instruction::ChangePeriod { list: other, .. }
            | Instruction::IsActive { list: other }
            | Instruction::Arm { list: other }
            | Instruction::Mask { list: other },
        ) => other >= list,
        _ => false,
    };
    code.iter().any(later)
}

/// Whether there is a timer already.
fn any_timer() -> bool {
    // SAFETY: no task runs yet.
    unsafe { (*LISTS.0.get()).iter().any(|belongs| matches!(belongs, Some(Belongs::Timer(_)))) }
}

/// What the first instructions do, each until the task has gone past it, or for ever where they come `again`.
fn footprint(code: &[[u8; 4]], objects: &Objects, again: bool) -> Vec<Use, DECLARED> {
    let mut footprint = Vec::new();
    for (place, bytes) in code.iter().take(DECLARED).enumerate() {
        let place = if again { usize::MAX } else { place };
        let declared = match Instruction::decode(*bytes) {
            Ok(
                Instruction::Take { object }
                | Instruction::TryTake { object }
                | Instruction::TakeFor { object, .. },
            ) => semaphore(objects, object).taking(),
            Ok(Instruction::Give { object }) => semaphore(objects, object).giving(),
            Ok(
                Instruction::Send { object, .. }
                | Instruction::TrySend { object, .. }
                | Instruction::SendFor { object, .. },
            ) => queue(objects, object).sending(),
            Ok(
                Instruction::Receive { object }
                | Instruction::TryReceive { object }
                | Instruction::ReceiveFor { object, .. },
            ) => queue(objects, object).receiving(),
            Ok(
                Instruction::Lock { object }
                | Instruction::TryLock { object }
                | Instruction::LockFor { object, .. },
            ) => mutex(objects, object).locking(),
            Ok(Instruction::Unlock { object }) => mutex(objects, object).unlocking(),
            Ok(
                Instruction::StartTimer { list }
                | Instruction::StopTimer { list }
                | Instruction::ChangePeriod { list, .. }
                | Instruction::IsActive { list },
            ) => timer(list).commanding(),
            Ok(Instruction::Arm { list }) => line(list).arming(),
            Ok(Instruction::Mask { list }) => line(list).masking(),
            Ok(Instruction::EnterCritical) => Use::critical_sections(),
            Ok(Instruction::Tick) => Use::ticks(),
            Ok(
                Instruction::Peek { object }
                | Instruction::TryPeek { object }
                | Instruction::PeekFor { object, .. },
            ) => queue(objects, object).peeking(),
            Ok(Instruction::Read { object }) => variable(objects, object).0.may_read(),
            Ok(Instruction::Write { object, .. }) => variable(objects, object).0.may_write(),
            _ => continue,
        };
        footprint.push(declared.until(Local::phase_at(place))).expect("as many as were taken");
    }
    footprint
}

fn interpret(code: &'static [[u8; 4]], objects: &Objects, phases: bool) {
    let mut local = Local::default();
    loop {
        let request = local.advance(code);
        if phases {
            phase(local.phase());
        }
        match request {
            Request::Take { object, wait: true } => semaphore(objects, object).take(),
            Request::Take { object, wait: false } => {
                local.learn(u32::from(semaphore(objects, object).try_take()));
            }
            Request::Give { object } => local.learn(u32::from(semaphore(objects, object).give())),
            Request::Send { object, value, wait: true } => queue(objects, object).send(value),
            Request::Send { object, value, wait: false } => {
                local.learn(u32::from(queue(objects, object).try_send(value).is_ok()));
            }
            Request::Receive { object, wait: true } => local.learn(queue(objects, object).receive()),
            Request::Receive { object, wait: false } => {
                local.learn(queue(objects, object).try_receive().unwrap_or(0));
            }
            Request::Peek { object, wait: true } => local.learn(queue(objects, object).peek()),
            Request::Peek { object, wait: false } => {
                local.learn(queue(objects, object).try_peek().unwrap_or(0));
            }
            Request::Read { object } => {
                let (variable, cell) = variable(objects, object);
                variable.reading();
                local.learn(cell.load(Relaxed));
            }
            Request::Write { object, value } => {
                let (variable, cell) = variable(objects, object);
                variable.writing();
                cell.store(value, Relaxed);
            }
            Request::TakeFor { object, ticks } => {
                local.learn(u32::from(semaphore(objects, object).take_for(fwvs_program::ticks(ticks))));
            }
            Request::SendFor { object, value, ticks } => {
                local.learn(u32::from(
                    queue(objects, object).send_for(value, fwvs_program::ticks(ticks)).is_ok(),
                ));
            }
            Request::ReceiveFor { object, ticks } => {
                local.learn(queue(objects, object).receive_for(fwvs_program::ticks(ticks)).unwrap_or(0));
            }
            Request::PeekFor { object, ticks } => {
                local.learn(queue(objects, object).peek_for(fwvs_program::ticks(ticks)).unwrap_or(0));
            }
            Request::Lock { object, wait: true } => mutex(objects, object).lock(),
            Request::Lock { object, wait: false } => {
                local.learn(u32::from(mutex(objects, object).try_lock()));
            }
            Request::LockFor { object, ticks } => {
                local.learn(u32::from(mutex(objects, object).lock_for(fwvs_program::ticks(ticks))));
            }
            Request::Unlock { object } => local.learn(u32::from(mutex(objects, object).unlock())),
            Request::Delay { ticks } => delay(ticks.into()),
            Request::DelayUntil { tick } => {
                let mut previous = 0;
                local.learn(u32::from(delay_until(&mut previous, tick.into())));
            }
            Request::Tick => local.learn(tick()),
            Request::EnterCritical => enter_critical(),
            Request::ExitCritical => exit_critical(),
            Request::Yield => yield_now(),
            Request::StartTimer { list } => timer(list).start(),
            Request::StopTimer { list } => timer(list).stop(),
            Request::ChangePeriod { list, period } => timer(list).change_period(period.into()),
            Request::IsActive { list } => local.learn(u32::from(timer(list).is_active())),
            Request::Arm { list } => line(list).arm(),
            Request::Mask { list } => line(list).mask(),
            Request::Toss { bound } => local.learn(u32::from(toss(u16::from(bound)))),
            Request::Assert { holds } => check!(holds),
            Request::Event { value } => event!("register", value),
            Request::Crash => panic!("the program says so"),
            Request::Exit => return,
        }
    }
}

fn semaphore(objects: &Objects, number: u8) -> Semaphore {
    match objects[usize::from(number)] {
        Object::Semaphore(semaphore) => semaphore,
        _ => panic!("object {number} is not a semaphore"),
    }
}

fn queue(objects: &Objects, number: u8) -> Queue<u32, 8> {
    match objects[usize::from(number)] {
        Object::Queue(queue) => queue,
        _ => panic!("object {number} is not a queue"),
    }
}

fn variable(objects: &Objects, number: u8) -> (Variable, &'static AtomicU32) {
    match objects[usize::from(number)] {
        Object::Shared(variable, cell) => (variable, &CELLS[usize::from(cell)]),
        _ => panic!("object {number} is not a shared variable"),
    }
}

fn mutex(objects: &Objects, number: u8) -> Mutex {
    match objects[usize::from(number)] {
        Object::Mutex(mutex) => mutex,
        _ => panic!("object {number} is not a mutex"),
    }
}

/// The objects, for callbacks, which capture no more than a few words.
struct Shared(UnsafeCell<Objects>);

// SAFETY: written before any task runs, and only read then.
unsafe impl Sync for Shared {}

impl Shared {
    fn set(&self, objects: Objects) {
        // SAFETY: no task runs yet, and nobody holds a reference.
        unsafe { *self.0.get() = objects };
    }

    fn get(&self) -> &Objects {
        // SAFETY: nobody writes while tasks run.
        unsafe { &*self.0.get() }
    }
}

static OBJECTS_OF_ALL: Shared = Shared(UnsafeCell::new(Objects::new()));

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
