//! What the tasks of a program may do, read off their instructions.

use fwvs_explore::{Footprints, Precision, System};
use fwvs_kernel::{ObjectId, Operation, TaskId, Wait, may_conflict, may_enable};
use fwvs_program::Instruction;

use crate::memory::Memory;

/// The operation of an instruction, as far as footprints tell operations apart; `None` if it touches no object.
pub(crate) fn operation(instruction: Instruction) -> Option<Operation> {
    let id = ObjectId::setup;
    Some(match instruction {
        Instruction::Take { object } => Operation::Take { semaphore: id(object), wait: Wait::Forever },
        Instruction::TryTake { object } => Operation::Take { semaphore: id(object), wait: Wait::Never },
        Instruction::Give { object } => Operation::Give { semaphore: id(object) },
        Instruction::Send { object, .. } => Operation::Send { queue: id(object), wait: Wait::Forever },
        Instruction::TrySend { object, .. } => Operation::Send { queue: id(object), wait: Wait::Never },
        Instruction::Receive { object } => Operation::Receive { queue: id(object), wait: Wait::Forever },
        Instruction::TryReceive { object } => Operation::Receive { queue: id(object), wait: Wait::Never },
        Instruction::Peek { object } => Operation::Peek { queue: id(object), wait: Wait::Forever },
        Instruction::TryPeek { object } => Operation::Peek { queue: id(object), wait: Wait::Never },
        Instruction::Read { object } => Operation::Read { variable: id(object) },
        Instruction::Write { object, .. } => Operation::Write { variable: id(object) },
        Instruction::Toss { .. }
        | Instruction::Assert { .. }
        | Instruction::Event
        | Instruction::SkipIf { .. } => return None,
    })
}

impl Memory {
    /// What a task may do in state `at` or later.
    fn footprint(&self, precision: Precision, at: usize, task: usize) -> &[Option<Operation>] {
        let all = &self.footprints()[task];
        match precision {
            Precision::Task => all,
            Precision::State | Precision::Runtime => {
                let held = self.local(at, task).next().saturating_sub(1);
                &all[held.min(all.len())..]
            }
        }
    }

    fn held(&self, at: usize, task: usize) -> Option<Operation> {
        self.kernel(at).pending(TaskId::setup(task as u8))
    }
}

impl Footprints for Memory {
    fn may_conflict(&self, precision: Precision, at: usize, task: usize, other: usize) -> bool {
        let Some(held) = self.held(at, task) else { return false };
        if held.ends_path() {
            return true;
        }
        let others = || self.footprint(precision, at, other).iter().flatten().copied();
        let conflicts = |operation| self.kernel(at).may_meet(operation, others(), may_conflict);
        match precision {
            Precision::Runtime => conflicts(held),
            Precision::Task | Precision::State => {
                self.footprint(precision, at, task).iter().flatten().any(|operation| conflicts(*operation))
            }
        }
    }

    fn may_enable(&self, precision: Precision, at: usize, task: usize, other: usize) -> bool {
        let Some(held) = self.held(at, task) else { return false };
        let others = self.footprint(precision, at, other).iter().flatten().copied();
        self.kernel(at).may_meet(held, others, may_enable)
    }

    fn undeclared(&self, at: usize) -> bool {
        let task = self.task(self.taken(at));
        let taken = self.held(at, task).filter(|operation| operation.object().is_some());
        taken.is_some() && !self.footprints()[task].contains(&taken)
    }
}
