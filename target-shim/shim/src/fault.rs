//! What ends a path by force: faults, overflows, misuse, and no room. Also the set-up's entries, which can run out.

use fwvs_wire::{Creation, Incident, StopCode, What, misuse, room};

use crate::comparison::Sides;
use crate::gate::{self, running, shim, stop};
use crate::mailbox::{CREATIONS, mailbox};
use crate::objects::Name;

/// Writes the incident and stops for good.
fn end(code: StopCode, incident: Incident) -> ! {
    if !gate::is_ready() {
        // Before the start there has to be a state to say it with.
        gate::init();
    }
    // SAFETY: a field of the mailbox, which nobody else writes while the core runs.
    unsafe { (&raw mut (*mailbox()).incident).write_volatile(incident) };
    loop {
        stop(code);
    }
}

/// More was created than there is room for.
pub(crate) fn full(what: u32, room: usize) -> ! {
    end(StopCode::Full, Incident { code: what, numbers: [room as u32, 0], ..Incident::NONE })
}

/// Something that makes no sense.
pub(crate) fn misuse(why: u32) -> ! {
    misuse_at(why, 0)
}

/// Something that makes no sense, about what is called that, with the numbers to say why.
pub(crate) fn misuse_of(why: u32, name: Name, numbers: [u32; 2]) -> ! {
    let (name, name_length, index) = name.parts();
    let index = index.into();
    end(StopCode::Misuse, Incident { code: why, numbers, name, name_length, index, ..Incident::NONE })
}

/// Something that makes no sense, called from there.
pub(crate) fn misuse_at(why: u32, pc: u32) -> ! {
    end(StopCode::Misuse, Incident { code: why, pc, ..Incident::NONE })
}

/// An operation where no task could be held.
pub(crate) extern "C" fn operation_without_task(pc: u32) -> ! {
    misuse_at(if gate::is_ready() { misuse::NO_TASK } else { misuse::NOT_STARTED }, pc)
}

/// The running task's guard is gone.
pub(crate) fn stack_overflow() -> ! {
    end(StopCode::StackOverflow, Incident::NONE)
}

/// A check that does not hold compared these. That the path ends with it, the scheduler says.
pub(crate) fn compared(sides: Sides) {
    // SAFETY: as in `end`.
    unsafe { (&raw mut (*mailbox()).incident.sides).write_volatile(sides) };
}

/// A panic, with a text that begins with its place.
#[cfg_attr(
    not(all(feature = "panic-handler", target_os = "none")),
    expect(dead_code, reason = "no panic handler")
)]
pub(crate) fn panic(text: [u8; Incident::TEXT], place: usize, length: usize) -> ! {
    let code = if gate::is_ready() { 0 } else { misuse::NOT_STARTED };
    let (place_length, text_length) = (place as u32, length as u32);
    end(StopCode::Panic, Incident { text, place_length, text_length, code, ..Incident::NONE })
}

/// Every fault exception, with the frame that the core pushed.
pub(crate) extern "C" fn fault(frame: *const u32) -> ! {
    if let Some(task) = running()
        && let Some(held) = shim().held.get(usize::from(task.0.index))
        && !held.guard_intact()
    {
        stack_overflow();
    }
    let (cfsr, hfsr, address) = crate::arch::fault_registers();
    // A stack that was run off its end may be anywhere: only RAM is worth reading.
    let readable = (0x2000_0000..0x4000_0000).contains(&(frame as usize)) && frame.is_aligned();
    // SAFETY: the frame has eight words; checked to be in the RAM region, where reads do not fault on known boards.
    let word = |number| if readable { unsafe { frame.add(number).read_volatile() } } else { 0 };
    end(StopCode::Fault, Incident { pc: word(6), lr: word(5), cfsr, hfsr, address, ..Incident::NONE })
}

/// A creation into the set-up's entries.
pub(crate) fn creation(what: What, nth: u8, name: Name) {
    let (name, name_length, index) = name.parts();
    let creation = Creation { nth, index, name, name_length, ..Creation::new(what) };
    entry(creation.words());
}

/// One more entry of the set-up.
pub(crate) fn entry(words: [u32; 4]) {
    let shim = shim();
    if shim.entries == CREATIONS {
        full(room::CREATIONS, CREATIONS);
    }
    // SAFETY: a field of the mailbox, below its length.
    unsafe { (&raw mut (*mailbox()).setup[shim.entries]).write(words) };
    shim.entries += 1;
    // For the host, should the set-up never end.
    // SAFETY: as above.
    unsafe { (&raw mut (*mailbox()).report.creations).write_volatile(shim.entries as u16) };
    shim.setup_digest = words.iter().fold(shim.setup_digest, |digest, word| fwvs_wire::mix(digest, *word));
}
