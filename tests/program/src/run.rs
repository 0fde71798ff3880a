//! One task of a program, between its visible operations.

use crate::instruction::{Instruction, Test};

/// Whoever is further on in its list is in this phase too: what the shim knows no later one than.
const LAST_PHASE: usize = 31;

/// What a task wants next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Request {
    Take { object: u8, wait: bool },
    Give { object: u8 },
    Send { object: u8, value: u32, wait: bool },
    Receive { object: u8, wait: bool },
    Peek { object: u8, wait: bool },
    Read { object: u8 },
    Write { object: u8, value: u32 },
    TakeFor { object: u8, ticks: u8 },
    SendFor { object: u8, value: u32, ticks: u8 },
    ReceiveFor { object: u8, ticks: u8 },
    PeekFor { object: u8, ticks: u8 },
    Lock { object: u8, wait: bool },
    LockFor { object: u8, ticks: u8 },
    Unlock { object: u8 },
    Delay { ticks: u8 },
    DelayUntil { tick: u8 },
    Tick,
    EnterCritical,
    ExitCritical,
    Yield,
    StartTimer { list: u8 },
    StopTimer { list: u8 },
    ChangePeriod { list: u8, period: u8 },
    IsActive { list: u8 },
    Arm { list: u8 },
    Mask { list: u8 },
    Toss { bound: u8 },
    Assert { holds: bool },
    Event { value: u32 },
    Crash,
    Exit,
}

/// Where a task is in its list, and its register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Local {
    next: u16,
    register: u32,
}

impl Local {
    /// Of an interrupt handler that is done.
    pub const RETURNED: Self = Self { next: u16::MAX, register: 0 };

    /// The phase of a task that is held at the n-th instruction of its list.
    pub fn phase_at(place: usize) -> u8 {
        place.min(LAST_PHASE) as u8
    }

    /// The phase of the task, held at its operation.
    pub fn phase(&self) -> u8 {
        Self::phase_at(usize::from(self.next).saturating_sub(1))
    }

    /// Runs on to the next visible operation. Bytes that are no instruction end the task.
    pub fn advance(&mut self, code: &[[u8; 4]]) -> Request {
        loop {
            let bytes = code.get(usize::from(self.next)).copied().unwrap_or_default();
            let Ok(instruction) = Instruction::decode(bytes) else { return Request::Exit };
            self.next += 1;
            let amount =
                |value: u8, add: bool| u32::from(value).wrapping_add(if add { self.register } else { 0 });
            return match instruction {
                Instruction::Take { object } => Request::Take { object, wait: true },
                Instruction::TryTake { object } => Request::Take { object, wait: false },
                Instruction::Give { object } => Request::Give { object },
                Instruction::Send { object, value, add } => {
                    Request::Send { object, value: amount(value, add), wait: true }
                }
                Instruction::TrySend { object, value, add } => {
                    Request::Send { object, value: amount(value, add), wait: false }
                }
                Instruction::Receive { object } => Request::Receive { object, wait: true },
                Instruction::TryReceive { object } => Request::Receive { object, wait: false },
                Instruction::Peek { object } => Request::Peek { object, wait: true },
                Instruction::TryPeek { object } => Request::Peek { object, wait: false },
                Instruction::Read { object } => Request::Read { object },
                Instruction::Write { object, value, add } => {
                    Request::Write { object, value: amount(value, add) }
                }
                Instruction::TakeFor { object, ticks } => Request::TakeFor { object, ticks },
                Instruction::SendFor { object, value, ticks } => {
                    Request::SendFor { object, value: u32::from(value), ticks }
                }
                Instruction::ReceiveFor { object, ticks } => Request::ReceiveFor { object, ticks },
                Instruction::PeekFor { object, ticks } => Request::PeekFor { object, ticks },
                Instruction::Lock { object } => Request::Lock { object, wait: true },
                Instruction::TryLock { object } => Request::Lock { object, wait: false },
                Instruction::LockFor { object, ticks } => Request::LockFor { object, ticks },
                Instruction::Unlock { object } => Request::Unlock { object },
                Instruction::Delay { ticks } => Request::Delay { ticks },
                Instruction::DelayUntil { tick } => Request::DelayUntil { tick },
                Instruction::Tick => Request::Tick,
                Instruction::EnterCritical => Request::EnterCritical,
                Instruction::ExitCritical => Request::ExitCritical,
                Instruction::Yield => Request::Yield,
                Instruction::StartTimer { list } => Request::StartTimer { list },
                Instruction::StopTimer { list } => Request::StopTimer { list },
                Instruction::ChangePeriod { list, period } => Request::ChangePeriod { list, period },
                Instruction::IsActive { list } => Request::IsActive { list },
                Instruction::Arm { list } => Request::Arm { list },
                Instruction::Mask { list } => Request::Mask { list },
                Instruction::Toss { bound } => Request::Toss { bound },
                Instruction::Assert { test } => Request::Assert { holds: self.holds(test) },
                Instruction::Crash => Request::Crash,
                Instruction::Event => Request::Event { value: self.register },
                Instruction::SkipIf { test, count } => {
                    if self.holds(test) {
                        self.next = self.next.saturating_add(u16::from(count));
                    }
                    continue;
                }
            };
        }
    }

    /// The instruction whose operation the task is held at.
    pub fn held_at(&self, code: &[[u8; 4]]) -> Option<Instruction> {
        let bytes = code.get(usize::from(self.next).checked_sub(1)?)?;
        Instruction::decode(*bytes).ok()
    }

    /// The operation gave the task a value: a message, a toss, a variable, or whether it was served.
    pub fn learn(&mut self, value: u32) {
        self.register = value;
    }

    fn holds(&self, test: Test) -> bool {
        match test {
            Test::Is(value) => self.register == u32::from(value),
            Test::IsNot(value) => self.register != u32::from(value),
        }
    }
}
