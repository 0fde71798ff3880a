//! Random small programs, each a function of its seed.
//!
//! Small enough to run every interleaving, and mixed so that what can go wrong does: some deadlock, some fail an
//! assertion, most have several traces.

use fwvs_program::{Instruction, ObjectSpec, Test};

use crate::program::Program;

/// A stream of numbers that is a function of its seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The stream of that seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of `0..sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn byte(&mut self, sides: u64) -> u8 {
        self.roll(sides) as u8
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

impl Program {
    /// The random program of a seed.
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let tasks = 2 + dice.roll(3) as usize;
        let objects: Vec<ObjectSpec> = (0..1 + dice.roll(3)).map(|_| object(&mut dice)).collect();
        let longest = [5, 4, 3][tasks - 2];
        let tasks = (0..tasks)
            .map(|_| {
                let mut code = Vec::new();
                for _ in 0..1 + dice.roll(longest) {
                    instruction(&mut dice, &objects, &mut code);
                }
                code
            })
            .collect();
        Self { objects, tasks }
    }
}

fn object(dice: &mut Dice) -> ObjectSpec {
    match dice.roll(6) {
        0 => ObjectSpec::Semaphore { level: dice.byte(3), max: 255 },
        1 | 2 => {
            let max = 1 + dice.byte(2);
            ObjectSpec::Semaphore { level: dice.byte(u64::from(max) + 1), max }
        }
        3 | 4 => ObjectSpec::Queue { capacity: 1 + dice.byte(2) },
        _ => ObjectSpec::Shared,
    }
}

/// One visible operation; sometimes with an assertion or a skip that looks at what it gave.
fn instruction(dice: &mut Dice, objects: &[ObjectSpec], code: &mut Vec<Instruction>) {
    let place = dice.roll(objects.len() as u64);
    let object = place as u8;
    let (value, add) = (1 + dice.byte(2), dice.one_in(4));
    let chosen = match objects[place as usize] {
        _ if dice.one_in(10) => Instruction::Toss { bound: 1 },
        ObjectSpec::Semaphore { .. } => match dice.roll(6) {
            0..=2 => Instruction::Take { object },
            3 => Instruction::TryTake { object },
            _ => Instruction::Give { object },
        },
        ObjectSpec::Queue { .. } => match dice.roll(10) {
            0..=2 => Instruction::Send { object, value, add },
            3 => Instruction::TrySend { object, value, add },
            4..=6 => Instruction::Receive { object },
            7 => Instruction::TryReceive { object },
            8 => Instruction::Peek { object },
            _ => Instruction::TryPeek { object },
        },
        ObjectSpec::Shared => match dice.roll(2) {
            0 => Instruction::Read { object },
            _ => Instruction::Write { object, value, add },
        },
    };
    code.push(chosen);
    if dice.one_in(3) {
        let expected = dice.byte(3);
        let test = if dice.one_in(3) { Test::Is(expected) } else { Test::IsNot(expected) };
        code.push(match dice.roll(3) {
            0 | 1 => Instruction::Assert { test },
            _ => Instruction::SkipIf { test, count: 1 },
        });
    }
}
