//! From reset to the scheduler.

use fwvs_kernel::Schedule;
use fwvs_wire::{Incident, MAGIC, Orders, Report, misuse};

use crate::mailbox::{self, VECTORS, mailbox};
use crate::task::{FILL, create_clock};
use crate::{arch, fault, gate, objects, parameter};

/// Runs `setup`, then its tasks, under the host's control, each task as its own processor. The first thing that `main`
/// calls.
pub fn start(setup: fn()) -> ! {
    start_with(Schedule::Free, setup)
}

/// The same with one processor and fixed priorities, as an RTOS has it. See [`Task::priority`](crate::Task::priority).
pub fn start_rtos(setup: fn()) -> ! {
    start_with(Schedule::Priority, setup)
}

fn start_with(schedule: Schedule, setup: fn()) -> ! {
    debug_assert!(mailbox::version() == fwvs_wire::VERSION);
    let mailbox = mailbox();
    // SAFETY: a field of the mailbox; any bytes will do.
    if unsafe { (&raw const (*mailbox).orders.magic).read_volatile() } == Orders::TAKEN {
        // Nobody wrote orders since: the firmware has reset itself. All there is to say outlived it.
        gate::keep();
        fault::misuse(misuse::RESTARTED);
    }
    gate::init();
    // SAFETY: nobody else runs yet. The mailbox is there; what it has from before the reset is overwritten, but for
    // the orders and the parameters, which the host wrote.
    unsafe {
        arch::take_over_vectors((&raw mut (*mailbox).vectors).cast(), VECTORS);
        (&raw mut (*mailbox).incident).write_volatile(Incident::NONE);
        (&raw mut (*mailbox).report).write_volatile(Report::NONE);
        // From here on the report is of this path, and not before.
        (&raw mut (*mailbox).report.path).write_volatile(gate::path());
        if (&raw const (*mailbox).orders.magic).read_volatile() != MAGIC {
            parameter::set_defaults();
        }
    }
    fill();
    gate::follow_rules(schedule);
    objects::declare_shared();
    setup();
    create_clock();
    gate::first_arrivals();
    gate::schedule()
}

/// Every path starts from the same memory, also where nobody initialised it.
fn fill() {
    let (begin, end) = arch::memory_to_fill();
    // SAFETY: between the end of all initialised data and the main stack.
    unsafe { arch::fill(begin, end, FILL) };
}
