//! The gate: every task is held at its next operation until the scheduler lets it go.
//!
//! The scheduler is a plain loop on the main stack: what the host's script or policy says comes next is taken, its
//! task runs to its next operation, and the pair is one record. The meaning of operations is the kernel's.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

use fwvs_kernel::{
    Bodies, Choice, Depth, Footprints, Kernel, Misuse, ObjectId, Operation, Plan, Policy, Role, Schedule,
    Sleepers, Stop, Task as KernelTask, TaskId, Then, Transition, Use, Waking, choose, still_asleep,
};
use fwvs_wire::{Decision, MAGIC, Orders, Record, StopCode, misuse};

use crate::fault;
use crate::mailbox::{self, ASLEEP, CREATIONS, DECISIONS, RECORDS, TASKS, mailbox};
use crate::memory::Memory;
use crate::objects::{init_messages, messages};
use crate::task::Held;

/// What a task asks for, on its own stack while it is held.
#[repr(C)]
pub(crate) struct Request {
    pub(crate) operation: Operation,
    /// The message to send, or where to put the received one.
    pub(crate) body: *mut u8,
    pub(crate) served: bool,
    pub(crate) level: u16,
    pub(crate) tick: u32,
}

/// What came of an operation.
pub(crate) struct Outcome {
    pub(crate) served: bool,
    pub(crate) level: u16,
    pub(crate) tick: u32,
}

/// Holds the calling task at `operation` until it is let go. Inlined all the way into user code, so that the gate's
/// return address is a place in the user's source.
#[inline(always)]
pub(crate) fn operate(operation: Operation, body: *mut u8) -> Outcome {
    let mut request = Request { operation, body, served: false, level: 0, tick: 0 };
    // SAFETY: the request outlives the call; the gate returns on this stack.
    unsafe { crate::arch::gate(&raw mut request) };
    Outcome { served: request.served, level: request.level, tick: request.tick }
}

/// The shim's one piece of global state.
pub(crate) struct Shim {
    pub(crate) kernel: Kernel<Memory>,
    pub(crate) held: heapless::Vec<Held, TASKS>,
    /// What tasks declared that they may do; each is a set-up entry too.
    pub(crate) uses: heapless::Vec<Use, CREATIONS>,
    /// Who runs, for incidents.
    pub(crate) running: Option<TaskId>,
    pub(crate) entries: usize,
    pub(crate) setup_digest: u32,
    orders: Orders,
    asleep: heapless::Vec<Sleepers, ASLEEP>,
    filled: usize,
    trace_digest: u32,
    /// Set-up is over; nothing can be created any more.
    pub(crate) started: bool,
}

// Beside the mailbox and not in the firmware's RAM, so that a stack that overflows does not take the one with it that
// is to say so. Nobody initialises memory there: `init` does.
#[cfg_attr(target_os = "none", unsafe(link_section = ".fwvs_mailbox.shim"))]
static mut SHIM: MaybeUninit<Shim> = MaybeUninit::uninit();
/// In the firmware's RAM, which start-up code clears.
static READY: AtomicBool = AtomicBool::new(false);

/// The shim's state. No reference may live across a switch, a ring or a call into user code.
pub(crate) fn shim() -> &'static mut Shim {
    if !READY.load(Ordering::Relaxed) {
        // Somebody creates something before `start`: there has to be a state to say so with.
        init();
        fault::misuse(misuse::NOT_STARTED);
    }
    let state = &raw mut SHIM;
    // SAFETY: initialised; one core, no preemption of the shim; callers drop the reference before anybody else runs.
    unsafe { (*state).assume_init_mut() }
}

/// An empty kernel.
pub(crate) fn init() {
    let state = &raw mut SHIM;
    // SAFETY: called once after reset, before anybody holds a reference.
    unsafe {
        (*state).write(Shim {
            kernel: Kernel::new(Memory::new()),
            held: heapless::Vec::new(),
            uses: heapless::Vec::new(),
            running: None,
            entries: 0,
            setup_digest: 0,
            orders: Orders::new(Policy::Ask, 0),
            asleep: heapless::Vec::new(),
            filled: 0,
            trace_digest: 0,
            started: false,
        });
    }
    init_messages();
    crate::timer::init();
    READY.store(true, Ordering::Relaxed);
}

/// The rules of this path: the host's, or the schedule that the firmware declares.
pub(crate) fn follow_rules(declared: Schedule) {
    read_orders();
    let shim = shim();
    if let Some(rules) = shim.orders.rules(declared) {
        shim.kernel.set_rules(rules);
    }
    fault::entry(fwvs_wire::Creation::new(fwvs_wire::What::Schedule(shim.kernel.rules().schedule)).words());
}

/// Brings every task to its first operation; what each runs until then belongs to the set-up. With priorities a task
/// that has not had the processor yet has not run at all.
pub(crate) fn first_arrivals() {
    shim().started = true;
    for place in 0..shim().held.len() {
        let KernelTask { id: task, role, .. } = shim().kernel.tasks()[place];
        let mut record = Record::taken(Transition { task, alternative: 0 }, 0, true);
        let with_priorities = shim().kernel.rules().schedule == Schedule::Priority;
        let wide = match role {
            Role::Timer { timer } => arrive_unheard(task, Operation::Expire { timer }, &mut record),
            Role::Firmware | Role::Environment if with_priorities => {
                arrive_unheard(task, Operation::Start, &mut record)
            }
            _ => run(place, task, &mut record),
        };
        fault::entry(record.words());
        if let Some(wide) = wide {
            fault::entry([wide, 0, 0, 0]);
        }
    }
}

/// A task is at its first operation without having run.
fn arrive_unheard(task: TaskId, operation: Operation, record: &mut Record) -> Option<u32> {
    // The operation is of the shim's own making.
    let _ = shim().kernel.arrive(task, operation);
    record.arrived(operation, 0)
}

/// The scheduler.
pub(crate) fn schedule() -> ! {
    loop {
        let shim = shim();
        if shim.filled + 2 > RECORDS {
            stop(StopCode::Drain);
            continue;
        }
        let at = shim.kernel.steps().wrapping_sub(shim.orders.first) as usize;
        let scripted = at < usize::from(shim.orders.script);
        if !scripted && shim.orders.more != 0 {
            stop(StopCode::Refill);
            continue;
        }
        let plan = Plan {
            scripted: scripted.then(|| decision(at).into()),
            policy: shim.orders.policy().unwrap_or(Policy::Ask),
            depth: Depth(shim.orders.depth),
            asleep: &shim.asleep,
            footprints: shim
                .orders
                .precision()
                .unwrap_or(None)
                .map(|precision| Footprints { uses: &shim.uses, precision }),
        };
        match choose(&mut shim.kernel, &plan) {
            Ok(choice) => {
                if !scripted && !shim.asleep.is_empty() {
                    let waking = shim.orders.how_to_wake().unwrap_or(Waking::Always);
                    let Shim { kernel, asleep, .. } = shim;
                    asleep.retain(|sleepers| still_asleep(kernel, waking, *sleepers, choice.transition));
                }
                step(choice);
            }
            Err(reason) => stop(match reason {
                Stop::End => StopCode::End,
                Stop::Asked => StopCode::Asked,
                Stop::Depth => StopCode::Depth,
                Stop::Asleep => StopCode::Asleep,
                Stop::NotEnabled => StopCode::NotEnabled,
                Stop::Wrong(_) => StopCode::Wrong,
            }),
        }
    }
}

/// Takes a transition and runs its task to its next operation: one record.
fn step(choice: Choice) {
    let transition = choice.transition;
    let shim = shim();
    let place = usize::from(transition.task.0.nth);
    let taken = {
        let Shim { kernel, held, .. } = shim;
        kernel.take_chosen(choice, &mut Bytes { held })
    };
    let loud = shim.kernel.steps() > shim.orders.quiet;
    let mut record = Record::taken(transition, taken.level, taken.served);
    if loud {
        // Half filled, so that a crash leaves the name of its task.
        write_trace(shim.filled, record.words());
        fill(shim.filled + 1);
    }
    let shim = self::shim();
    if taken.operation.ends_path() || taken.then == Then::Ends {
        set_running(Some(transition.task));
        loop {
            stop(if taken.then == Then::Ends { StopCode::Wrong } else { StopCode::Assertion });
        }
    }
    // What is answered now may be heard later: after somebody of higher priority.
    let answered = matches!(taken.then, Then::Runs | Then::Preempted);
    if answered && !matches!(taken.operation, Operation::Start | Operation::Resume) {
        shim.held[place].answer(taken.served, taken.level, taken.tick);
    }
    let wide = if taken.then == Then::Runs {
        run(place, transition.task, &mut record)
    } else {
        record.in_phase(shim.kernel.phase(transition.task));
        record.stayed();
        None
    };
    let shim = self::shim();
    shim.trace_digest = record.digest(shim.trace_digest, wide);
    if loud {
        write_trace(shim.filled - 1, record.words());
        if let Some(wide) = wide {
            write_trace(shim.filled, [wide, 0, 0, 0]);
            fill(shim.filled + 1);
        }
    }
}

/// Lets a task run to its next operation and completes the record with it.
fn run(place: usize, task: TaskId, record: &mut Record) -> Option<u32> {
    set_running(Some(task));
    let stack = shim().held[place].stack;
    // SAFETY: the stack holds a frame, of the gate or of a new task.
    let arrived = unsafe { crate::arch::switch_to(stack) };
    let shim = self::shim();
    let held = &mut shim.held[place];
    held.arrive(arrived as u32 as *mut Request, (arrived >> 32) as u32 as *mut u32);
    if !held.guard_intact() {
        fault::stack_overflow();
    }
    let (operation, pc) = (held.operation(), held.return_address());
    match shim.kernel.arrive(task, operation) {
        Ok(()) => {}
        Err(Misuse::WrongKind) => fault::misuse_at(misuse::WRONG_KIND, pc),
        Err(_) if operation.object() == Some(ObjectId::NULL) => fault::misuse_at(misuse::NULL_HANDLE, pc),
        Err(_) => fault::misuse_at(misuse::UNKNOWN_OBJECT, pc),
    }
    record.in_phase(shim.kernel.phase(task));
    set_running(None);
    record.arrived(operation, pc)
}

/// Moves messages between a held task's request and a queue's slots.
struct Bytes<'a> {
    held: &'a [Held],
}

impl Bodies for Bytes<'_> {
    fn put(&mut self, task: usize, queue: usize, slot: u16) {
        messages().put(queue, slot, self.held[task].body());
    }
    fn get(&mut self, task: usize, queue: usize, slot: u16) {
        messages().get(queue, slot, self.held[task].body());
    }
}

/// Fills in the report, rings, and reads new orders when the host resumes.
pub(crate) fn stop(code: StopCode) {
    let shim = shim();
    let report = fwvs_wire::Report {
        stop: code as u32,
        transitions: shim.kernel.steps(),
        setup: shim.setup_digest,
        trace: shim.trace_digest,
        kernel: shim.kernel.digest(),
        filled: shim.filled as u16,
        creations: shim.entries as u16,
        running: name(shim.running),
        spare: 0,
    };
    // SAFETY: a field of the mailbox, which nobody else writes while the core runs.
    unsafe { (&raw mut (*mailbox()).report).write_volatile(report) };
    mailbox::ring();
    fill(0);
    read_orders();
}

/// How much of the trace is filled, for the shim and, should the task never come back, for the host.
fn fill(places: usize) {
    shim().filled = places;
    // SAFETY: as in `stop`.
    unsafe { (&raw mut (*mailbox()).report.filled).write_volatile(places as u16) };
}

/// Who runs, likewise.
fn set_running(task: Option<TaskId>) {
    shim().running = task;
    // SAFETY: as in `stop`.
    unsafe { (&raw mut (*mailbox()).report.running).write_volatile(name(task)) };
}

fn name(task: Option<TaskId>) -> [u8; 2] {
    task.map_or([0, 0], |task| [task.0.creator, task.0.nth])
}

fn read_orders() {
    loop {
        // SAFETY: a field of the mailbox; any bytes are valid orders as far as Rust is concerned.
        let orders = unsafe { (&raw const (*mailbox()).orders).read_volatile() };
        let (script, asleep) = (usize::from(orders.script), usize::from(orders.asleep));
        let sound = orders.magic == MAGIC
            && orders.policy().is_some()
            && orders.rules(Schedule::Free).is_some()
            && orders.precision().is_ok()
            && script + 2 * asleep <= DECISIONS
            && asleep <= ASLEEP;
        let shim = shim();
        if sound {
            shim.orders = orders;
            shim.asleep.clear();
            for pair in 0..asleep {
                let place = script + 2 * pair;
                let sleepers = Decision::sleepers([decision(place), decision(place + 1)]);
                if shim.asleep.push(sleepers).is_err() {
                    break;
                }
            }
            return;
        }
        let report = fwvs_wire::Report { stop: StopCode::BadOrders as u32, ..fwvs_wire::Report::NONE };
        // SAFETY: as in `stop`.
        unsafe { (&raw mut (*mailbox()).report).write_volatile(report) };
        mailbox::ring();
    }
}

fn decision(place: usize) -> Decision {
    // SAFETY: a field of the mailbox; `place` is below its length, checked when the orders were read.
    unsafe { (&raw const (*mailbox()).decisions[place]).read_volatile() }
}

fn write_trace(place: usize, words: [u32; 4]) {
    // SAFETY: a field of the mailbox; the scheduler keeps `place` below its length.
    unsafe { (&raw mut (*mailbox()).trace[place]).write(words) };
}
