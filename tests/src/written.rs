//! Transitions and events as numbers, for searches that are put aside.

use fwvs_explore::Saved;
use fwvs_kernel::{Event, ObjectId, Operation, TaskId, Transition, Wait};

/// Task and alternative.
pub type WrittenTransition = (u8, u16);
/// Task, operation, object or argument, argument, serial number, capacity.
pub type WrittenEvent = (u8, u8, u16, u32, u32, u16);

/// A search as numbers.
pub fn write(saved: Saved<Transition, Event>) -> Saved<WrittenTransition, WrittenEvent> {
    saved
        .map(&mut |it| Some(write_transition(it)), &mut |it| Some(write_event(it)))
        .expect("all can be written")
}

/// A search from numbers; `None` if they make no sense.
pub fn read(saved: Saved<WrittenTransition, WrittenEvent>) -> Option<Saved<Transition, Event>> {
    saved.map(&mut |it| Some(read_transition(it)), &mut read_event)
}

fn write_transition(transition: Transition) -> WrittenTransition {
    (transition.task.0.nth, transition.alternative)
}

fn read_transition((task, alternative): WrittenTransition) -> Transition {
    Transition { task: TaskId::setup(task), alternative }
}

fn write_event(event: Event) -> WrittenEvent {
    let place = event.operation.object().map_or(0, |object| u16::from(object.0.nth));
    let waits = |wait| u32::from(wait == Wait::Forever);
    let (code, place, argument) = match event.operation {
        Operation::Take { wait, .. } => (0, place, waits(wait)),
        Operation::Give { .. } => (1, place, 0),
        Operation::Send { wait, .. } => (2, place, waits(wait)),
        Operation::Receive { wait, .. } => (3, place, waits(wait)),
        Operation::Peek { wait, .. } => (4, place, waits(wait)),
        Operation::Read { .. } => (5, place, 0),
        Operation::Write { .. } => (6, place, 0),
        Operation::Toss { bound } => (7, bound, 0),
        Operation::Assert { holds } => (8, u16::from(holds), 0),
        Operation::Event { name, value } => (9, name, value),
        Operation::Exit => (10, 0, 0),
    };
    (event.task.0.nth, code, place, argument, event.serial, event.capacity)
}

fn read_event((task, code, place, argument, serial, capacity): WrittenEvent) -> Option<Event> {
    let object = ObjectId::setup(place as u8);
    let wait = if argument == 1 { Wait::Forever } else { Wait::Never };
    let operation = match code {
        0 => Operation::Take { semaphore: object, wait },
        1 => Operation::Give { semaphore: object },
        2 => Operation::Send { queue: object, wait },
        3 => Operation::Receive { queue: object, wait },
        4 => Operation::Peek { queue: object, wait },
        5 => Operation::Read { variable: object },
        6 => Operation::Write { variable: object },
        7 => Operation::Toss { bound: place },
        8 => Operation::Assert { holds: place == 1 },
        9 => Operation::Event { name: place, value: argument },
        10 => Operation::Exit,
        _ => return None,
    };
    Some(Event { task: TaskId::setup(task), operation, serial, capacity })
}
