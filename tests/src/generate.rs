//! Random small programs, each a function of its seed.
//!
//! Small enough to run every interleaving, and mixed so that what can go wrong does: some deadlock, some fail an
//! assertion, most have several traces.

use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};

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

    pub(crate) fn byte(&mut self, sides: u64) -> u8 {
        self.roll(sides) as u8
    }

    pub(crate) fn one_of<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.roll(among.len() as u64) as usize]
    }

    pub(crate) fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

/// An object that a task may use, and its place.
pub(crate) type Known = (u8, ObjectSpec);

fn all(objects: &[ObjectSpec]) -> Vec<Known> {
    (0..).zip(objects.iter().copied()).collect()
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
                    instruction(&mut dice, &all(&objects), &mut code);
                }
                code
            })
            .collect();
        Self { objects, tasks, ..Self::default() }
    }

    /// The same with a crash somewhere in a task; `None` where it would be the set-up's.
    pub fn random_with_crash(seed: u64) -> Option<Self> {
        let mut program = Self::random(seed);
        let task = seed as usize % program.tasks.len();
        let code = &mut program.tasks[task];
        if matches!(code.first(), None | Some(Instruction::SkipIf { .. })) {
            return None;
        }
        code.insert((1 + seed as usize / 7 % code.len()).min(code.len()), Instruction::Crash);
        Some(program)
    }
}

impl Program {
    /// The random program of a seed, with all that an RTOS has: priorities, mutexes, timeouts, timers, interrupts, clocks.
    pub fn random_rtos(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x5f_7674_6f73);
        let schedule = if dice.one_in(3) { Schedule::Free } else { Schedule::Priority };
        let clock = [Clock::Free, Clock::Ordered, Clock::Idle][dice.roll(3) as usize];
        let until = if dice.one_in(6) { 2 + dice.roll(4) as u32 } else { u32::MAX };
        let rules = Rules { schedule, clock, interrupts: 1, expiries: 1 + dice.roll(2) as u16, until };
        let mut roles: Vec<RoleSpec> =
            (0..1 + dice.roll(2)).map(|_| RoleSpec::Task { priority: 1 + dice.byte(3) }).collect();
        for _ in 0..1 + dice.roll(2) {
            roles.push(match dice.roll(6) {
                0 => RoleSpec::Environment,
                1 | 2 => RoleSpec::Interrupt { times: 1 + dice.byte(2), armed: !dice.one_in(4) },
                3 | 4 => RoleSpec::Timer { period: 1 + dice.byte(3), reload: dice.one_in(3) },
                _ => RoleSpec::Task { priority: 1 + dice.byte(3) },
            });
        }
        let mut objects: Vec<ObjectSpec> = (0..1 + dice.roll(2)).map(|_| object(&mut dice)).collect();
        if dice.one_in(2) {
            objects[0] = ObjectSpec::Mutex { recursive: dice.one_in(4) };
        }
        // What nobody gives, others wait for in vain.
        for object in &mut objects {
            if let ObjectSpec::Semaphore { level, .. } = object
                && dice.one_in(2)
            {
                *level = 0;
            }
        }
        let mut tasks: Vec<Vec<Instruction>> = Vec::new();
        for role in &roles {
            let longest = match role {
                RoleSpec::Task { .. } => [4, 4, 3, 2][roles.len() - 2],
                RoleSpec::Environment => 2,
                RoleSpec::Interrupt { .. } | RoleSpec::Timer { .. } => 1,
            };
            let mut code = Vec::new();
            for _ in 0..1 + dice.roll(longest) {
                rtos_instruction(&mut dice, &all(&objects), &roles, *role, &mut code);
            }
            tasks.push(code);
        }
        // Somebody starts every timer.
        for (list, role) in roles.iter().enumerate() {
            if let RoleSpec::Timer { .. } = role {
                let place = dice.roll(tasks[0].len() as u64 + 1) as usize;
                tasks[0].insert(place, Instruction::StartTimer { list: list as u8 });
            }
        }
        Self { objects, tasks, roles, rules }
    }
}

/// One visible operation, or a pair of them with something in between.
pub(crate) fn rtos_instruction(
    dice: &mut Dice,
    objects: &[Known],
    roles: &[RoleSpec],
    role: RoleSpec,
    code: &mut Vec<Instruction>,
) {
    let is_task = matches!(role, RoleSpec::Task { .. } | RoleSpec::Environment);
    let ticks = 1 + dice.byte(3);
    if is_task && dice.one_in(3) {
        let list = dice.roll(roles.len() as u64) as usize;
        let number = list as u8;
        code.push(match (dice.roll(8), roles[list]) {
            (0..=2, _) => Instruction::Delay { ticks: dice.byte(3) },
            (3, _) => Instruction::DelayUntil { tick: ticks },
            (4, _) => Instruction::Tick,
            (5, _) => Instruction::Yield,
            (_, RoleSpec::Timer { .. }) => match dice.roll(4) {
                0 => Instruction::StartTimer { list: number },
                1 => Instruction::IsActive { list: number },
                2 => Instruction::ChangePeriod { list: number, period: ticks },
                _ => Instruction::StopTimer { list: number },
            },
            (_, RoleSpec::Interrupt { .. }) => match dice.roll(2) {
                0 => Instruction::Arm { list: number },
                _ => Instruction::Mask { list: number },
            },
            _ => Instruction::Delay { ticks },
        });
        look(dice, code);
        return;
    }
    if is_task && dice.one_in(8) {
        code.push(Instruction::EnterCritical);
        rtos_object(dice, objects, ticks, false, code);
        code.push(Instruction::ExitCritical);
        return;
    }
    let waits = is_task || dice.one_in(12);
    rtos_object(dice, objects, ticks, waits, code);
}

/// An operation on an object; those who must not wait seldom do.
fn rtos_object(dice: &mut Dice, objects: &[Known], ticks: u8, waits: bool, code: &mut Vec<Instruction>) {
    let (object, spec) = dice.one_of(objects);
    let value = 1 + dice.byte(2);
    let timed = waits && dice.one_in(4);
    match spec {
        ObjectSpec::Mutex { .. } if waits && !dice.one_in(6) => {
            code.push(match dice.roll(4) {
                0 => Instruction::LockFor { object, ticks },
                _ => Instruction::Lock { object },
            });
            if dice.one_in(2) {
                rtos_object(dice, objects, ticks, waits, code);
            }
            code.push(Instruction::Unlock { object });
        }
        ObjectSpec::Semaphore { .. } if timed => code.push(Instruction::TakeFor { object, ticks }),
        ObjectSpec::Queue { .. } if timed => code.push(match dice.roll(2) {
            0 => Instruction::SendFor { object, value, ticks },
            _ => Instruction::ReceiveFor { object, ticks },
        }),
        ObjectSpec::Semaphore { .. } if !waits => code.push(Instruction::Give { object }),
        ObjectSpec::Queue { .. } if !waits => code.push(match dice.roll(3) {
            0 => Instruction::TryReceive { object },
            _ => Instruction::TrySend { object, value, add: false },
        }),
        ObjectSpec::Semaphore { .. } if dice.one_in(3) => code.push(Instruction::Take { object }),
        ObjectSpec::Queue { .. } if dice.one_in(3) => code.push(Instruction::Receive { object }),
        _ => return instruction(dice, objects, code),
    }
    look(dice, code);
}

pub(crate) fn object(dice: &mut Dice) -> ObjectSpec {
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
fn instruction(dice: &mut Dice, objects: &[Known], code: &mut Vec<Instruction>) {
    let (object, spec) = dice.one_of(objects);
    let (value, add) = (1 + dice.byte(2), dice.one_in(4));
    let chosen = match spec {
        _ if dice.one_in(10) => Instruction::Toss { bound: 1 },
        ObjectSpec::Semaphore { .. } | ObjectSpec::NeverFullSemaphore { .. } => match dice.roll(6) {
            0..=2 => Instruction::Take { object },
            3 => Instruction::TryTake { object },
            _ => Instruction::Give { object },
        },
        ObjectSpec::Queue { .. } | ObjectSpec::NeverFullQueue { .. } => match dice.roll(10) {
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
        ObjectSpec::Mutex { .. } => match dice.roll(6) {
            0 | 1 => Instruction::Lock { object },
            2 => Instruction::TryLock { object },
            _ => Instruction::Unlock { object },
        },
    };
    code.push(chosen);
    look(dice, code);
}

/// Sometimes an assertion or a skip that looks at what the last operation gave.
pub(crate) fn look(dice: &mut Dice, code: &mut Vec<Instruction>) {
    if dice.one_in(3) {
        let expected = dice.byte(3);
        let test = if dice.one_in(3) { Test::Is(expected) } else { Test::IsNot(expected) };
        code.push(match dice.roll(3) {
            0 | 1 => Instruction::Assert { test },
            _ => Instruction::SkipIf { test, count: 1 },
        });
    }
}
