//! Two robots collect what a third one drops on a table, and sometimes both stop for ever.
//!
//! Six tasks: an operator who throws objects, the robot that drops them, two collectors, and an arm for each of these.
//! They share a table, under a semaphore. `objects` counts what lies on the table and nobody has claimed. A collector
//! claims an object, moves its arm, locks the table and looks for the object: `while` the cell is empty, the next one.
//! It has claimed one, so one must be there.
//!
//! But a gripper takes all that lies in a cell. The collector then tries to claim the rest as well, to keep the count
//! right. If the other collector has claimed it already and is only on its way, the count is wrong by one, the table
//! is empty, and the other one looks for its object for ever, with the table locked. With `fixed=1` a gripper takes
//! only what is claimed.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use cortex_m_rt::entry;
use fwvs::{Semaphore, Stack, Task, param, toss};

const MOST_CELLS: usize = 4;
const COLLECTORS: usize = 2;

static STACKS: [Stack<512>; 6] = [const { Stack::new() }; 6];

/// How many objects lie in each cell. Protected by `table`.
static CELLS: [AtomicU32; MOST_CELLS] = [const { AtomicU32::new(0) }; MOST_CELLS];
/// Nothing more will be dropped. Protected by `table`.
static CLOSED: AtomicBool = AtomicBool::new(false);
/// Where the next object falls: handed over with `thrown`.
static AIM: AtomicU32 = AtomicU32::new(0);
/// Whether an arm need not move again: handed over with its `go`.
static PARKED: [AtomicBool; COLLECTORS] = [const { AtomicBool::new(false) }; COLLECTORS];

#[derive(Clone, Copy)]
struct Arm {
    go: Semaphore,
    there: Semaphore,
}

#[derive(Clone, Copy)]
struct Table {
    cells: usize,
    fixed: bool,
    lock: Semaphore,
    /// Objects that nobody has claimed.
    objects: Semaphore,
    /// Objects that were taken away.
    collected: Semaphore,
}

impl Table {
    /// Takes a claimed object, and whatever the gripper gets besides. Returns how many.
    fn pick_up(self, from: usize) -> u32 {
        let mut cell = from;
        while CELLS[cell].load(Relaxed) == 0 {
            cell = (cell + 1) % self.cells;
        }
        if self.fixed {
            CELLS[cell].store(CELLS[cell].load(Relaxed) - 1, Relaxed);
            return 1;
        }
        let objects = CELLS[cell].swap(0, Relaxed);
        for _ in 1..objects {
            self.objects.try_take();
        }
        objects
    }
}

fn setup() {
    let objects = param!("OBJECTS", 2, 1..=4) as u16;
    let table = Table {
        cells: param!("CELLS", 2, 1..=4) as usize,
        fixed: param!("fixed", 0, 0..=1) == 1,
        lock: Semaphore::binary("table", 1),
        objects: Semaphore::counting("objects", 0, u16::MAX),
        collected: Semaphore::counting("collected", 0, u16::MAX),
    };
    let thrown = Semaphore::binary("thrown", 0);
    let dropped = Semaphore::binary("dropped", 0);

    Task::new("operator", &STACKS[0]).start(move || {
        for _ in 0..objects {
            AIM.store(u32::from(toss(table.cells as u16 - 1)), Relaxed);
            thrown.give();
            dropped.take();
        }
    });

    Task::new("dropper", &STACKS[1]).start(move || {
        for _ in 0..objects {
            thrown.take();
            table.lock.take();
            CELLS[AIM.load(Relaxed) as usize].fetch_add(1, Relaxed);
            table.lock.give();
            table.objects.give();
            dropped.give();
        }
        for _ in 0..objects {
            table.collected.take();
        }
        table.lock.take();
        CLOSED.store(true, Relaxed);
        table.lock.give();
        for _ in 0..COLLECTORS {
            table.objects.give();
        }
    });

    for robot in 0..COLLECTORS {
        let number = robot as u8;
        let arm =
            Arm { go: Semaphore::binary(("go", number), 0), there: Semaphore::binary(("there", number), 0) };
        Task::new(("collector", number), &STACKS[2 + robot]).start(move || collect(table, arm, robot));
        Task::new(("arm", number), &STACKS[4 + robot]).start(move || {
            while {
                arm.go.take();
                !PARKED[robot].load(Relaxed)
            } {
                arm.there.give();
            }
        });
    }
}

fn collect(table: Table, arm: Arm, robot: usize) {
    loop {
        table.objects.take();
        arm.go.give();
        arm.there.take();
        table.lock.take();
        if CLOSED.load(Relaxed) {
            break;
        }
        // Each begins at its own end of the table.
        let collected = table.pick_up(robot * (table.cells - 1));
        table.lock.give();
        for _ in 0..collected {
            table.collected.give();
        }
    }
    table.lock.give();
    PARKED[robot].store(true, Relaxed);
    arm.go.give();
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
