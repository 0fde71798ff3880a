//! Software timers, and the daemon that calls their callbacks.
//!
//! A timer expires at a moment that the search chooses. Callbacks run one after the other in the daemon, a task of its
//! own; with priorities, commands go through its queue, as in FreeRTOS.

use core::mem::MaybeUninit;

use fwvs_kernel::{COMMANDS, Kind, ObjectId, Operation, Role, TaskId, Verb, Wait};
use fwvs_wire::{Particulars, misuse, room};

use crate::fault;
use crate::gate::{is_ready, operate};
use crate::mailbox::OBJECTS;
use crate::objects::{Name, create, ticks};
use crate::task::{Stack, Task, Use, create_timer, declare};

/// The daemon's stack.
static STACK: Stack<1024> = Stack::new();

/// Words that a callback may capture: a handle is half of one.
const CAPTURES: usize = 4;

/// A closure that was moved into the shim's memory.
#[derive(Clone, Copy)]
struct Callback {
    call: Option<unsafe fn(*mut u32)>,
    captured: [MaybeUninit<u32>; CAPTURES],
}

/// Everything about timers that is the shim's and not the kernel's.
struct Timers {
    callbacks: [Callback; OBJECTS],
    commands: Option<ObjectId>,
    daemon: Option<TaskId>,
}

#[cfg_attr(target_os = "none", unsafe(link_section = ".fwvs_mailbox.timers"))]
static mut TIMERS: MaybeUninit<Timers> = MaybeUninit::uninit();

/// No timers yet.
pub(crate) fn init() {
    let timers = &raw mut TIMERS;
    let none = Callback { call: None, captured: [MaybeUninit::uninit(); CAPTURES] };
    // SAFETY: called once after reset, before anybody uses it.
    unsafe { (*timers).write(Timers { callbacks: [none; OBJECTS], commands: None, daemon: None }) };
}

/// As with the shim's state, no reference may live across a switch.
fn timers() -> &'static mut Timers {
    if !is_ready() {
        fault::misuse(misuse::NOT_STARTED);
    }
    let timers = &raw mut TIMERS;
    // SAFETY: initialised with the shim's state, as was just looked; one core, no preemption.
    unsafe { (*timers).assume_init_mut() }
}

/// Declares the timer daemon: its priority, and how many commands can wait for it. Without this, it is made with the first
/// timer, with priority 31 and room for 5.
pub fn daemon(priority: u8, commands: usize) {
    if timers().commands.is_some() {
        fault::misuse(misuse::SECOND_DAEMON);
    }
    if commands == 0 || commands > COMMANDS {
        let numbers = [commands as u32, COMMANDS as u32];
        fault::misuse_of(misuse::BAD_COMMANDS, "timer commands".into(), numbers);
    }
    let kind = Kind::Commands { capacity: commands as u16 };
    let commands = create(Particulars::new(kind), "timer commands".into());
    timers().commands = Some(commands);
    let daemon = Task::new("timer daemon", &STACK).priority(priority).role(Role::Daemon).create(move || {
        loop {
            let timer = operate(Operation::serve(commands), core::ptr::null_mut()).level;
            let callback: *mut Callback = &raw mut timers().callbacks[usize::from(timer)];
            // SAFETY: a place of the table, which does not change after the set-up. The closure is called where it lies;
            // callbacks run one after the other.
            unsafe {
                if let Some(call) = (*callback).call {
                    call((&raw mut (*callback).captured).cast());
                }
            }
        }
    });
    timers().daemon = Some(daemon);
}

/// Declares all that the callbacks of timers will ever do to objects: see [`Task::may`]. After the first timer was made.
pub fn callbacks_may(footprint: &[Use]) {
    if let Some(daemon) = timers().daemon {
        declare(daemon, footprint);
    }
}

/// A software timer.
#[derive(Clone, Copy, Debug)]
pub struct Timer(ObjectId);

impl Timer {
    /// Expires once, `period` ticks after it was started. The callback may capture a few handles; it must not wait.
    pub fn once<F: FnMut() + Copy + 'static>(name: impl Into<Name>, period: u32, callback: F) -> Self {
        Self::create(name.into(), period, false, callback)
    }

    /// Expires every `period` ticks after it was started.
    pub fn periodic<F: FnMut() + Copy + 'static>(name: impl Into<Name>, period: u32, callback: F) -> Self {
        Self::create(name.into(), period, true, callback)
    }

    fn create<F: FnMut() + Copy + 'static>(name: Name, period: u32, reload: bool, callback: F) -> Self {
        const { assert!(size_of::<F>() <= CAPTURES * 4, "a callback captures 16 bytes at most") };
        const { assert!(align_of::<F>() <= 4, "a callback captures nothing that is aligned to more than 4 bytes") };
        if timers().commands.is_none() {
            daemon(31, 5);
        }
        let timer = create(Particulars { period, ..Particulars::new(Kind::Timer { reload }) }, name);
        let Some(place) = timers().callbacks.get_mut(usize::from(timer.0.index)) else {
            fault::full(room::OBJECTS, OBJECTS)
        };
        place.call = Some(call::<F>);
        // SAFETY: size and alignment are checked above.
        unsafe { (&raw mut place.captured).cast::<F>().write(callback) };
        create_timer(name, timer);
        Self(timer)
    }

    /// A handle of nothing yet; to use it is a finding.
    pub const fn null() -> Self {
        Self(ObjectId::NULL)
    }

    /// It expires a period from now, whether it runs or not. That there is no room for the command is a finding.
    #[inline(always)]
    pub fn start(self) {
        operate(Operation::start_timer(self.0, Wait::Never), core::ptr::null_mut());
    }

    /// It does not expire any more, once the command is carried out.
    #[inline(always)]
    pub fn stop(self) {
        operate(Operation::stop_timer(self.0, Wait::Never), core::ptr::null_mut());
    }

    /// As [`Timer::start`].
    #[inline(always)]
    pub fn reset(self) {
        operate(Operation::reset_timer(self.0, Wait::Never), core::ptr::null_mut());
    }

    /// It has another period, and starts.
    #[inline(always)]
    pub fn change_period(self, period: u32) {
        operate(Operation::change_period(self.0, period), core::ptr::null_mut());
    }

    /// As [`Timer::start`], and waits for so many ticks for room.
    #[inline(always)]
    pub fn start_for(self, ticks: u32) -> bool {
        operate(Operation::start_timer(self.0, self::ticks(ticks)), core::ptr::null_mut()).served
    }

    /// As [`Timer::stop`], and waits for so many ticks for room.
    #[inline(always)]
    pub fn stop_for(self, ticks: u32) -> bool {
        operate(Operation::stop_timer(self.0, self::ticks(ticks)), core::ptr::null_mut()).served
    }

    /// Whether it runs, as far as the daemon knows.
    #[inline(always)]
    pub fn is_active(self) -> bool {
        operate(Operation::active(self.0), core::ptr::null_mut()).served
    }

    /// That a task may command it: see [`Task::may`].
    pub fn commanding(self) -> Use {
        Use::new(Verb::StartTimer, self.0)
    }
}

/// Calls a closure where it lies.
unsafe fn call<F: FnMut()>(captured: *mut u32) {
    // SAFETY: `create` wrote the closure there; it is called by the daemon only, one callback after the other.
    unsafe { (*captured.cast::<F>())() };
}
