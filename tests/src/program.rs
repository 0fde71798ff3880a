//! Programs: a list of objects and a list of instructions a task.

use fwvs_program::{Instruction, ObjectSpec};

/// A system to explore.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// Its objects.
    pub objects: Vec<ObjectSpec>,
    /// Its tasks.
    pub tasks: Vec<Vec<Instruction>>,
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
        }
    }

    /// As the bytes that the firmware example `program` takes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.objects.len() as u8, self.tasks.len() as u8];
        bytes.extend(self.objects.iter().flat_map(|object| object.encode()));
        for task in &self.tasks {
            bytes.push(task.len() as u8);
            bytes.extend(task.iter().flat_map(|instruction| instruction.encode()));
        }
        bytes
    }
}
