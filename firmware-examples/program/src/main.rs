//! Tasks that interpret a small operation list, given as the parameter `program`.
//!
//! The tests generate such lists by the thousand and compare what happens here with what happens in memory. What an
//! instruction means is in `tests/program`; here it meets real tasks and real objects.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{Queue, Semaphore, Stack, Task, Variable, check, event, param, toss};
use fwvs_program::{CAPACITY, Local, OBJECTS, ObjectSpec, Reader, Request, TASKS};
use heapless::Vec;

static STACKS: [Stack<768>; TASKS] = [const { Stack::new() }; TASKS];
static CELLS: [AtomicU32; OBJECTS] = [const { AtomicU32::new(0) }; OBJECTS];

#[derive(Clone, Copy)]
enum Object {
    Semaphore(Semaphore),
    Queue(Queue<u32, 8>),
    Shared(Variable, u8),
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
            ObjectSpec::Shared => Object::Shared(Variable::new(("variable", number)), number),
        };
        objects.push(object).ok().expect("at most eight objects");
    }
    let mut number = 0;
    while let Some(code) = reader.task().expect("a task") {
        let objects = objects.clone();
        Task::new(("task", number), &STACKS[usize::from(number)]).start(move || interpret(code, &objects));
        number += 1;
    }
}

fn interpret(code: &'static [[u8; 4]], objects: &Objects) {
    let mut local = Local::default();
    loop {
        let request = local.advance(code);
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

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
