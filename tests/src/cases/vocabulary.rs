//! Short words for what cases are made of: rules, objects, lists of instructions, and what programs do.

use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec};

use super::Case;
use crate::program::Program;

const fn priorities(clock: Clock) -> Rules {
    Rules { schedule: Schedule::Priority, clock, ..Rules::FREE }
}

/// Time passes only when there is nothing else to do: one order of things, mostly.
pub(super) const CALM: Rules = priorities(Clock::Idle);
/// Time passes at any moment.
pub(super) const BUSY: Rules = priorities(Clock::Ordered);
/// Nobody knows what time it is.
pub(super) const TIMELESS: Rules = priorities(Clock::Free);

pub(super) const TOKEN: ObjectSpec = ObjectSpec::Semaphore { level: 0, max: 1 };
pub(super) const QUEUE: ObjectSpec = ObjectSpec::Queue { capacity: 4 };
pub(super) const MUTEX: ObjectSpec = ObjectSpec::Mutex { recursive: false };
pub(super) const RECURSIVE: ObjectSpec = ObjectSpec::Mutex { recursive: true };

pub(super) type List = (RoleSpec, Vec<Instruction>);

pub(super) fn task<const N: usize>(priority: u8, code: [Instruction; N]) -> List {
    (RoleSpec::Task { priority }, code.to_vec())
}

pub(super) fn environment<const N: usize>(code: [Instruction; N]) -> List {
    (RoleSpec::Environment, code.to_vec())
}

/// A handler whose line fires once, at any moment.
pub(super) fn handler<const N: usize>(code: [Instruction; N]) -> List {
    (RoleSpec::Interrupt { times: 1, armed: true }, code.to_vec())
}

pub(super) fn timer<const N: usize>(period: u8, code: [Instruction; N]) -> List {
    (RoleSpec::Timer { period, reload: false }, code.to_vec())
}

pub(super) fn periodic<const N: usize>(period: u8, code: [Instruction; N]) -> List {
    (RoleSpec::Timer { period, reload: true }, code.to_vec())
}

pub(super) fn case(
    name: &'static str,
    rules: Rules,
    objects: &[ObjectSpec],
    lists: impl IntoIterator<Item = List>,
    expected: &'static [&'static str],
) -> Case {
    let (roles, tasks) = lists.into_iter().unzip();
    Case { name, program: Program { objects: objects.to_vec(), tasks, roles, rules }, expected }
}

// Short names for what programs do; the number is the object's place.

pub(super) const SAY: Instruction = Instruction::Event;
pub(super) const TICK: Instruction = Instruction::Tick;
pub(super) const ENTER: Instruction = Instruction::EnterCritical;
pub(super) const EXIT: Instruction = Instruction::ExitCritical;
pub(super) const YIELD: Instruction = Instruction::Yield;

pub(super) const fn take(object: u8) -> Instruction {
    Instruction::Take { object }
}
pub(super) const fn try_take(object: u8) -> Instruction {
    Instruction::TryTake { object }
}
pub(super) const fn take_for(object: u8, ticks: u8) -> Instruction {
    Instruction::TakeFor { object, ticks }
}
pub(super) const fn give(object: u8) -> Instruction {
    Instruction::Give { object }
}
pub(super) const fn send(object: u8, value: u8) -> Instruction {
    Instruction::Send { object, value, add: false }
}
pub(super) const fn try_send(object: u8, value: u8) -> Instruction {
    Instruction::TrySend { object, value, add: false }
}
pub(super) const fn send_for(object: u8, value: u8, ticks: u8) -> Instruction {
    Instruction::SendFor { object, value, ticks }
}
pub(super) const fn receive(object: u8) -> Instruction {
    Instruction::Receive { object }
}
pub(super) const fn try_receive(object: u8) -> Instruction {
    Instruction::TryReceive { object }
}
pub(super) const fn receive_for(object: u8, ticks: u8) -> Instruction {
    Instruction::ReceiveFor { object, ticks }
}
pub(super) const fn peek(object: u8) -> Instruction {
    Instruction::Peek { object }
}
pub(super) const fn try_peek(object: u8) -> Instruction {
    Instruction::TryPeek { object }
}
pub(super) const fn lock(object: u8) -> Instruction {
    Instruction::Lock { object }
}
pub(super) const fn try_lock(object: u8) -> Instruction {
    Instruction::TryLock { object }
}
pub(super) const fn lock_for(object: u8, ticks: u8) -> Instruction {
    Instruction::LockFor { object, ticks }
}
pub(super) const fn unlock(object: u8) -> Instruction {
    Instruction::Unlock { object }
}
pub(super) const fn delay(ticks: u8) -> Instruction {
    Instruction::Delay { ticks }
}
pub(super) const fn delay_until(tick: u8) -> Instruction {
    Instruction::DelayUntil { tick }
}
pub(super) const fn start(list: u8) -> Instruction {
    Instruction::StartTimer { list }
}
pub(super) const fn stop(list: u8) -> Instruction {
    Instruction::StopTimer { list }
}
pub(super) const fn change_period(list: u8, period: u8) -> Instruction {
    Instruction::ChangePeriod { list, period }
}
pub(super) const fn is_active(list: u8) -> Instruction {
    Instruction::IsActive { list }
}
