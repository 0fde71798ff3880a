//! The gate: every task is held at its next operation until the scheduler lets it go.
//!
//! The scheduler is a plain loop on the main stack: what the host's script or policy says comes next is taken, its
//! task runs to its next operation, and the pair is one record. The meaning of operations is the kernel's.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

use fwvs_kernel::{
    Bodies, Choice, Kernel, Misuse, ObjectId, Operation, Role, Schedule, Slot, Task as KernelTask, TaskId,
    Then, Transition, Use, Verb,
};
use fwvs_path::{Policy, Precision, Waking};
use fwvs_search::{Extension, Footprints, Sleepers, choose, follow, still_asleep};
use fwvs_wire::{Decision, MAGIC, Orders, Record, StopCode, misuse};

use crate::fault;
use crate::mailbox::{self, ASLEEP, CREATIONS, DECISIONS, RECORDS, ROOM, mailbox};
use crate::memory::Memory;
use crate::objects::{init_messages, messages};
use crate::task::Held;

/// What a task asks for, on its own stack while it is held.
#[repr(C)]
pub(crate) struct Request {
    pub(crate) operation: Operation,
    /// The message to send, or where to put the received one; of a check that fails, its sides or nothing.
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
    crate::arch::keep_apart();
    Outcome { served: request.served, level: request.level, tick: request.tick }
}

/// The shim's one piece of global state.
pub(crate) struct Shim {
    pub(crate) kernel: Kernel<Memory>,
    pub(crate) held: heapless::Vec<Held, ROOM>,
    /// What tasks declared that they may do; each is a set-up entry too.
    pub(crate) uses: heapless::Vec<Use, CREATIONS>,
    pub(crate) entries: usize,
    pub(crate) setup_digest: u32,
    orders: Orders,
    /// What the orders say of every transition beyond the script, understood once.
    policy: Policy,
    waking: Waking,
    precision: Option<Precision>,
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
    if !is_ready() {
        fault::misuse(misuse::NOT_STARTED);
    }
    // SAFETY: just looked.
    unsafe { initialised() }
}

/// Whether there is a state: whether the shim was started.
pub(crate) fn is_ready() -> bool {
    READY.load(Ordering::Relaxed)
}

/// The state is there, from before a reset.
pub(crate) fn keep() {
    READY.store(true, Ordering::Relaxed);
}

/// The same for the scheduler, which has no time to look whether there is a state.
///
/// # Safety
/// [`init`] must have been called.
unsafe fn initialised() -> &'static mut Shim {
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
            entries: 0,
            setup_digest: 0,
            orders: Orders::new(Policy::Ask, 0),
            policy: Policy::Ask,
            waking: Waking::Always,
            precision: None,
            asleep: heapless::Vec::new(),
            filled: 0,
            trace_digest: 0,
            started: false,
        });
    }
    set_running(None);
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
        let arrival = match role {
            Role::Timer { timer } => arrive_unheard(task, Operation::expire(timer)),
            Role::Clock => arrive_unheard(task, Operation::pass()),
            Role::Firmware | Role::Environment if with_priorities => arrive_unheard(task, Operation::start()),
            _ => run(place, task),
        };
        let wide = complete(&mut record, task, Some(arrival));
        fault::entry(record.words());
        if let Some(wide) = wide {
            fault::entry([wide, 0, 0, 0]);
        }
    }
}

/// A task is at its first operation without having run.
fn arrive_unheard(task: TaskId, operation: Operation) -> Arrival {
    // The operation is of the shim's own making.
    let _ = shim().kernel.arrive(task, operation);
    Arrival { operation, pc: 0 }
}

/// The scheduler.
pub(crate) fn schedule() -> ! {
    loop {
        // SAFETY: this is what happens after `init`.
        let shim = unsafe { initialised() };
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
        let choice = if scripted {
            follow(&shim.kernel, decision(at).into())
        } else {
            let extension = Extension {
                policy: shim.policy,
                depth: shim.orders.depth,
                asleep: &shim.asleep,
                footprints: shim.precision.map(|precision| Footprints::new(&shim.uses, precision)),
            };
            choose(&mut shim.kernel, &extension)
        };
        match choice {
            Ok(choice) => {
                if !scripted && !shim.asleep.is_empty() {
                    shim.wake(choice.transition);
                }
                step(choice);
            }
            Err(reason) => stop(reason.into()),
        }
    }
}

/// Takes a transition and runs its task to its next operation: one record.
fn step(choice: Choice) {
    let transition = choice.transition;
    // SAFETY: the scheduler calls this.
    let shim = unsafe { initialised() };
    let place = usize::from(transition.task.0.index);
    let taken = {
        let Shim { kernel, held, .. } = shim;
        kernel.take_chosen(choice, &mut Bytes { held })
    };
    let loud = shim.kernel.steps() > shim.orders.quiet;
    let mut record = Record::taken(transition, taken.level, taken.served);
    if loud {
        // Half filled, so that a crash leaves the name of its task.
        let [who, what, ..] = record.words();
        write_trace(shim.filled, 0, [who, what]);
        shim.fill(shim.filled + 1);
    }
    // How far it has come, for a host that halts it by force.
    // SAFETY: as in `stop`.
    unsafe { (&raw mut (*mailbox()).report.transitions).write_volatile(shim.kernel.steps()) };
    if taken.operation.ends_path() || taken.then == Then::Ends {
        set_running(Some(transition.task));
        if taken.operation.ends_path()
            && let Some(sides) = shim.held[place].sides()
        {
            fault::compared(sides);
        }
        loop {
            stop(if taken.then == Then::Ends { StopCode::Wrong } else { StopCode::Assertion });
        }
    }
    // What is answered now may be heard later: after somebody of higher priority.
    let answered = matches!(taken.then, Then::Runs | Then::Preempted);
    if answered && !matches!(taken.operation.verb, Verb::Start | Verb::Resume) {
        shim.held[place].answer(taken.served, taken.level, taken.tick);
    }
    let arrival = (taken.then == Then::Runs).then(|| run(place, transition.task));
    let wide = complete(&mut record, transition.task, arrival);
    // SAFETY: the scheduler calls this.
    let shim = unsafe { initialised() };
    shim.trace_digest = record.digest(shim.trace_digest, wide);
    if loud {
        // Whoever halts the core in between finds a record that says that it is not complete.
        let [who, what, object, pc] = record.words();
        write_trace(shim.filled - 1, 2, [object, pc]);
        if let Some(wide) = wide {
            write_trace(shim.filled, 0, [wide, 0, 0, 0]);
        }
        write_trace(shim.filled - 1, 0, [who, what]);
        if wide.is_some() {
            shim.fill(shim.filled + 1);
        }
    }
}

/// Where a task has come to.
struct Arrival {
    operation: Operation,
    /// Where it was called from.
    pc: u32,
}

/// Lets a task run to its next operation.
#[inline(always)]
fn run(place: usize, task: TaskId) -> Arrival {
    set_running(Some(task));
    // SAFETY: tasks run after `init`.
    let stack = unsafe { initialised() }.held[place].stack;
    // SAFETY: the stack holds a frame, of the gate or of a new task.
    let arrived = unsafe { crate::arch::switch_to(stack) };
    // SAFETY: as above.
    let shim = unsafe { initialised() };
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
    set_running(None);
    Arrival { operation, pc }
}

/// The second half of a record: the task has come to its next operation, or is still where it was.
#[inline(always)]
fn complete(record: &mut Record, task: TaskId, arrival: Option<Arrival>) -> Option<u32> {
    // SAFETY: there are tasks after `init`.
    record.in_phase(unsafe { initialised() }.kernel.phase(task));
    match arrival {
        Some(Arrival { operation, pc }) => record.arrived(operation, pc),
        None => {
            record.stayed();
            None
        }
    }
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
        running: name(running()),
        path: path(),
    };
    // SAFETY: a field of the mailbox, which nobody else writes while the core runs.
    unsafe { (&raw mut (*mailbox()).report).write_volatile(report) };
    mailbox::ring();
    self::shim().fill(0);
    read_orders();
}

impl Shim {
    /// Who does not commute with a transition that the target has chosen itself sleeps no longer.
    #[inline(never)]
    fn wake(&mut self, taken: Transition) {
        let Self { kernel, asleep, waking, .. } = self;
        asleep.retain(still_asleep(kernel, *waking, taken));
    }

    /// How much of the trace is filled, for the shim and, should the task never come back, for the host.
    fn fill(&mut self, places: usize) {
        self.filled = places;
        // SAFETY: as in `stop`.
        unsafe { (&raw mut (*mailbox()).report.filled).write_volatile(places as u16) };
    }
}

/// Who runs: the host has to know it too, should the task never come back.
fn set_running(task: Option<TaskId>) {
    let name = u16::from_le_bytes(name(task));
    // SAFETY: as in `stop`. One store and not one a byte.
    unsafe { (&raw mut (*mailbox()).report.running).cast::<u16>().write_volatile(name) };
}

/// Who runs, if somebody does.
pub(crate) fn running() -> Option<TaskId> {
    // SAFETY: as in `stop`.
    let [mark, index] = unsafe { (&raw const (*mailbox()).report.running).read_volatile() };
    (mark == Slot::MARK).then_some(TaskId(Slot { mark, index }))
}

/// Which path it is, whatever else the orders say.
pub(crate) fn path() -> u16 {
    // SAFETY: a field of the mailbox; any bytes will do.
    unsafe { (&raw const (*mailbox()).orders.path).read_volatile() }
}

fn name(task: Option<TaskId>) -> [u8; 2] {
    task.map_or([0, 0], |task| [task.0.mark, task.0.index])
}

fn read_orders() {
    loop {
        // SAFETY: a field of the mailbox; any bytes are valid orders as far as Rust is concerned.
        let orders = unsafe { (&raw const (*mailbox()).orders).read_volatile() };
        let (script, asleep) = (usize::from(orders.script), usize::from(orders.asleep));
        let shim = shim();
        let sound = (orders.magic == MAGIC || orders.magic == Orders::TAKEN)
            && orders.rules(Schedule::Free).is_some()
            && script + 2 * asleep <= DECISIONS
            && asleep <= ASLEEP;
        if let (true, Some(policy), Ok(precision)) = (sound, orders.policy(), orders.precision()) {
            // SAFETY: as above; nobody else writes it while the core runs.
            unsafe { (&raw mut (*mailbox()).orders.magic).write_volatile(Orders::TAKEN) };
            (shim.orders, shim.policy, shim.precision) = (orders, policy, precision);
            shim.waking = orders.how_to_wake().unwrap_or(Waking::Always);
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
        let stop = StopCode::BadOrders as u32;
        let report = fwvs_wire::Report { stop, path: path(), ..fwvs_wire::Report::NONE };
        // SAFETY: as in `stop`.
        unsafe { (&raw mut (*mailbox()).report).write_volatile(report) };
        mailbox::ring();
    }
}

fn decision(place: usize) -> Decision {
    // SAFETY: a field of the mailbox; `place` is below its length, checked when the orders were read.
    unsafe { (&raw const (*mailbox()).decisions[place]).read_volatile() }
}

/// Writes some of the four words of a place of the trace, in order with what else the host may see.
#[inline(always)]
fn write_trace<const WORDS: usize>(place: usize, first: usize, words: [u32; WORDS]) {
    // SAFETY: a field of the mailbox; the scheduler keeps `place` below its length, and there are words enough.
    unsafe {
        (&raw mut (*mailbox()).trace[place])
            .cast::<u32>()
            .add(first)
            .cast::<[u32; WORDS]>()
            .write_volatile(words)
    };
}
