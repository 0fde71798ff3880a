//! Programs: a list of objects and a list of instructions a task.

use fwvs_kernel::Rules;
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};

/// A system to explore.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Program {
    /// Its objects.
    pub objects: Vec<ObjectSpec>,
    /// Its tasks, interrupt handlers, and callbacks of timers.
    pub tasks: Vec<Vec<Instruction>>,
    /// Which of these each is; a plain task if there is nothing said.
    pub roles: Vec<RoleSpec>,
    /// Schedule and clock.
    pub rules: Rules,
}

impl Program {
    /// The dining philosophers of the VeriSoft papers. In `ordered` ones the last takes its forks the other way round.
    pub fn philosophers(count: u8, ordered: bool) -> Self {
        let task = |left: u8| {
            let right = (left + 1) % count;
            let (first, second) = if ordered && right < left { (right, left) } else { (left, right) };
            vec![
                Instruction::Take { object: first },
                Instruction::Take { object: second },
                Instruction::Give { object: first },
                Instruction::Give { object: second },
            ]
        };
        Self {
            objects: vec![ObjectSpec::Semaphore { level: 1, max: 1 }; usize::from(count)],
            tasks: (0..count).map(task).collect(),
            ..Self::default()
        }
    }

    /// One task crashes, which nobody could know, and behind that another one's assertion fails.
    pub fn crash_and_assertion() -> Self {
        let give = |object| Instruction::Give { object };
        Self {
            objects: vec![ObjectSpec::Semaphore { level: 0, max: 255 }; 2],
            tasks: vec![
                vec![give(0), Instruction::Crash],
                vec![give(1), give(1), Instruction::Assert { test: Test::Is(9) }],
            ],
            ..Self::default()
        }
    }

    /// The same, with semaphores and queues of which it is declared that they are never full.
    #[must_use]
    pub fn never_full(mut self) -> Self {
        for object in &mut self.objects {
            *object = match *object {
                ObjectSpec::Semaphore { level, max } => ObjectSpec::NeverFullSemaphore { level, max },
                ObjectSpec::Queue { capacity } => ObjectSpec::NeverFullQueue { capacity },
                other => other,
            };
        }
        self
    }

    /// What a list of instructions belongs to.
    pub fn role(&self, list: usize) -> RoleSpec {
        self.roles.get(list).copied().unwrap_or_default()
    }

    /// As the bytes that the firmware example `program` takes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.objects.len() as u8, self.tasks.len() as u8];
        bytes.extend(self.objects.iter().flat_map(|object| object.encode()));
        for (list, task) in self.tasks.iter().enumerate() {
            bytes.extend(self.role(list).encode());
            bytes.push(task.len() as u8);
            bytes.extend(task.iter().flat_map(|instruction| instruction.encode()));
        }
        bytes
    }
}
