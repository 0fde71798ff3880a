//! Random small programs whose tasks share little, each a function of its seed: what persistent sets are for.
//!
//! Most have the free schedule and the free clock, for with others nearly everybody is everybody's business; each list of
//! instructions knows only some of the objects, and other ones in its second half than in its first. Some tasks declare
//! nothing.

use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_program::{DECLARED, Instruction, ObjectSpec, RoleSpec, Test};

use crate::generate::{Dice, Known, object, rtos_instruction};
use crate::program::Program;

impl Program {
    /// The random program of a seed whose tasks share little.
    pub fn random_apart(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x61_7061_7274);
        let free = !dice.one_in(3);
        let clock = if dice.one_in(16) { Clock::Ordered } else { Clock::Free };
        let until = if dice.one_in(24) { 2 + dice.roll(4) as u32 } else { u32::MAX };
        let schedule = if free { Schedule::Free } else { Schedule::Priority };
        let rules = Rules { schedule, clock, interrupts: 1, expiries: 1 + dice.roll(2) as u16, until };
        let roles = roles(&mut dice, free);
        let objects = objects(&mut dice);
        let all: Vec<Known> = (0..).zip(objects.iter().copied()).collect();
        let mut tasks: Vec<Vec<Instruction>> = Vec::new();
        for role in &roles {
            let longest = match role {
                RoleSpec::Task { .. } | RoleSpec::Environment => [4, 3, 2][roles.len().min(4) - 2],
                RoleSpec::Interrupt { .. } | RoleSpec::Timer { .. } => 1,
            };
            let (first, then) = (dice.one_of(&all), dice.one_of(&all));
            let length = 1 + dice.roll(longest);
            let mut code = Vec::new();
            for place in 0..length {
                let known = if place * 2 < length { first } else { then };
                // Now and then something that others may have to do with.
                let known = if dice.one_in(5) { dice.one_of(&all) } else { known };
                rtos_instruction(&mut dice, &[known], &roles, *role, &mut code);
            }
            tasks.push(code);
        }
        for (list, role) in roles.iter().enumerate() {
            if let RoleSpec::Timer { .. } = role {
                let place = dice.roll(tasks[0].len() as u64 + 1) as usize;
                tasks[0].insert(place, Instruction::StartTimer { list: list as u8 });
            }
        }
        for code in tasks.iter_mut().filter(|code| !code.is_empty()) {
            if dice.one_in(12) {
                say_nothing(code);
            }
        }
        Self { objects, tasks, roles, rules }
    }
}

/// A task on the processor, or several where each has one; then others.
fn roles(dice: &mut Dice, free: bool) -> Vec<RoleSpec> {
    let task = |dice: &mut Dice| RoleSpec::Task { priority: 1 + dice.byte(3) };
    let mut roles = vec![task(dice)];
    if dice.one_in(2) {
        roles.push(task(dice));
    }
    for _ in 0..1 + dice.roll(3) {
        roles.push(match dice.roll(8) {
            0 => RoleSpec::Interrupt { times: 1 + dice.byte(2), armed: !dice.one_in(3) },
            1 => RoleSpec::Timer { period: 1 + dice.byte(3), reload: dice.one_in(3) },
            2..=4 if free => task(dice),
            _ => RoleSpec::Environment,
        });
    }
    roles
}

fn objects(dice: &mut Dice) -> Vec<ObjectSpec> {
    let one = |dice: &mut Dice| match dice.roll(3) {
        0 => ObjectSpec::Mutex { recursive: dice.one_in(4) },
        _ => match object(dice) {
            // What nobody gives, others wait for in vain.
            ObjectSpec::Semaphore { max, .. } if dice.one_in(2) => ObjectSpec::Semaphore { level: 0, max },
            object => object,
        },
    };
    (0..2 + dice.roll(3)).map(|_| one(dice)).collect()
}

/// Makes the list so long that its task declares nothing, by what nobody sees.
fn say_nothing(code: &mut Vec<Instruction>) {
    code.resize(DECLARED + 1, Instruction::SkipIf { test: Test::Is(0), count: 0 });
}
