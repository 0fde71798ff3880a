//! Random small programs in which several are often due in the same tick, each a function of its seed.

use fwvs_explore::{Limits, Model, Rung, Runner, explore};
use fwvs_kernel::{Clock, Operation, Rules, Schedule};
use fwvs_program::{Instruction, RoleSpec};

use crate::agreement::LIMITS;
use crate::generate::Dice;
use crate::memory::Memory;
use crate::program::Program;

impl Program {
    /// The random program of a seed, with priorities and a clock: those with all that an RTOS has, but that waits take one
    /// or two ticks, and most tasks begin with one.
    pub fn random_ticks(seed: u64) -> Self {
        let mut program = Self::random_rtos(seed);
        let mut dice = Dice::new(seed ^ 0x7469_636b_7321);
        let clock = dice.one_of(&[Clock::Ordered, Clock::Idle]);
        program.rules = Rules { schedule: Schedule::Priority, clock, ..program.rules };
        for (list, role) in program.roles.iter_mut().enumerate() {
            match role {
                RoleSpec::Timer { period, .. } => *period = short(*period),
                RoleSpec::Task { .. } | RoleSpec::Environment if !dice.one_in(4) => {
                    let ticks = 1 + dice.byte(2);
                    program.tasks[list].insert(0, Instruction::Delay { ticks });
                }
                _ => {}
            }
        }
        program.tasks.iter_mut().flatten().for_each(shorten);
        program
    }

    /// The same program with another clock.
    #[must_use]
    pub fn with_clock(&self, clock: Clock) -> Self {
        Self { rules: Rules { clock, ..self.rules }, ..self.clone() }
    }
}

fn short(ticks: u8) -> u8 {
    ticks.min(2)
}

fn shorten(instruction: &mut Instruction) {
    match instruction {
        Instruction::Delay { ticks }
        | Instruction::TakeFor { ticks, .. }
        | Instruction::SendFor { ticks, .. }
        | Instruction::ReceiveFor { ticks, .. }
        | Instruction::LockFor { ticks, .. }
        | Instruction::DelayUntil { tick: ticks }
        | Instruction::ChangePeriod { period: ticks, .. } => *ticks = short(*ticks),
        _ => {}
    }
}

/// How many are due at most in one tick of the program.
pub fn most_at_once(program: &Program) -> usize {
    let mut most = 0;
    let mut look = |memory: &Memory, _, _: &_| {
        let ticks = (0..memory.model().length()).filter(|at| {
            memory.kernel(*at).pending(memory.model().taken(*at).task) == Some(Operation::pass())
        });
        most = ticks.map(|at| memory.kernel(at).due_next().count()).fold(most, usize::max);
        std::ops::ControlFlow::Continue(())
    };
    let limits = Limits { paths: 200, ..LIMITS };
    let Ok(_) = explore(&mut Memory::new(program), &mut *Rung::Sleep.reduction(), limits, &mut look);
    most
}
