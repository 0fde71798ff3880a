//! Misuse of RTOS objects, and waits that do not end.

use core::hint::black_box;

use fwvs::{
    Interrupt, Mutex, Queue, Semaphore, Stack, Task, Timer, delay, enter_critical, event, exit_critical,
};

static STACKS: [Stack<640>; 3] = [const { Stack::new() }; 3];

/// What the cases use.
#[derive(Clone, Copy)]
pub(crate) struct World {
    empty: Semaphore,
    full: Semaphore,
    letter: Queue<u32, 1>,
    doors: [Mutex; 3],
    alarm: Timer,
}

/// Everything there is from case 19 on, besides `steady` and `wild`.
pub(crate) fn setup(case: i32) -> World {
    let empty = Semaphore::binary("empty", 0);
    let doors = [0, 1, 2].map(|number| Mutex::new(("door", number)));
    if let 27 | 30 | 39 | 40 = case {
        fwvs::daemon(1, 1);
    }
    let alarm = match case {
        30 => Timer::once("alarm", 5, move || empty.take()),
        39 => Timer::periodic("alarm", 5, move || {
            empty.give();
        }),
        27 | 40 => Timer::once("alarm", 5, || {}),
        _ => Timer::null(),
    };
    let world = World {
        empty,
        full: Semaphore::never_full("full", 1, 1),
        letter: Queue::never_full("letter"),
        doors,
        alarm,
    };
    line(case, world);
    others(case, world);
    world
}

/// The interrupt line, where there is one.
fn line(case: i32, World { empty, doors, .. }: World) {
    let button = Interrupt::new("button", &STACKS[0]);
    match case {
        20 => button.armed().times(1).handler(move || empty.take()),
        21 => button.armed().times(1).handler(move || {
            doors[0].try_lock();
        }),
        31 => button.armed().times(1).handler(|| {
            enter_critical();
            event!("inside");
        }),
        38 => button.armed().handler(move || {
            empty.give();
        }),
        40 => button.times(1).handler(|| {}),
        _ => return,
    };
}

/// Those that `wild` shares its doors with.
fn others(case: i32, World { doors, .. }: World) {
    let ring = match case {
        19 | 35 => 1,
        33 => 2,
        34 => 3,
        _ => 0,
    };
    if ring == 1 {
        Task::new("keeper", &STACKS[1]).start(move || {
            doors[0].lock();
            if case == 19 {
                event!("keeps");
                doors[0].unlock();
            }
        });
    }
    for place in 1..ring {
        Task::new(("keeper", place as u8), &STACKS[place]).start(move || {
            doors[place].lock();
            doors[(place + 1) % ring].lock();
            doors[(place + 1) % ring].unlock();
            doors[place].unlock();
        });
    }
}

/// A function of its own, so that the compiler does not make one place of several, which then has no line in the source.
macro_rules! apart {
    ($all:expr, $world:ident, $body:block) => {{
        #[inline(never)]
        fn apart($world: World) {
            $body
        }
        apart($all)
    }};
}

/// What `wild` does in that case.
#[inline(never)]
pub(crate) fn misbehave(case: i32, world: World) {
    match case {
        19 => apart!(world, world, {
            world.doors[0].unlock();
        }),
        20 | 21 | 31 => {}
        40 => event!("nothing"),
        22 => apart!(world, world, {
            enter_critical();
            world.empty.take();
        }),
        23 => apart!(world, _world, { enter_critical() }),
        24 => apart!(world, _world, {
            enter_critical();
            exit_critical();
            exit_critical();
        }),
        25 => apart!(world, _world, { black_box(Semaphore::null()).take() }),
        26 => apart!(world, world, {
            // SAFETY: none: that a mutex is taken for a semaphore is the misbehaviour.
            let door = unsafe { core::mem::transmute::<Mutex, Semaphore>(black_box(world.doors[0])) };
            door.take();
        }),
        27 => apart!(world, world, {
            world.alarm.start();
            world.alarm.start();
        }),
        28 => apart!(world, world, {
            world.full.give();
        }),
        29 => apart!(world, world, {
            world.letter.send(1);
            let _ = world.letter.try_send(2);
        }),
        30 => world.alarm.start(),
        41 => apart!(world, world, {
            world.letter.send(1);
            let _ = world.letter.send_for(2, 5);
        }),
        32 => apart!(world, world, {
            world.doors[0].lock();
            world.doors[0].lock();
        }),
        33 | 34 => apart!(world, world, {
            world.doors[0].lock();
            world.doors[1].lock();
            world.doors[1].unlock();
            world.doors[0].unlock();
        }),
        35 => apart!(world, world, {
            // Late enough for the keeper to have it, and to have ended.
            delay(1);
            world.doors[0].lock();
        }),
        36 | 37 => apart!(world, world, {
            world.empty.take();
        }),
        38 => apart!(world, world, {
            world.empty.take();
            world.empty.take();
        }),
        _ => apart!(world, world, {
            world.alarm.start();
            world.empty.take();
            world.empty.take();
        }),
    }
}
