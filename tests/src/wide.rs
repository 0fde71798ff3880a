//! Random small programs that do what the other ones never do: objects that are never full, lines that fire as often as the
//! rules allow, timed peeks, timed waits without an end, tosses and further sections inside critical ones, tosses of more than two
//! values or of one, skips over several instructions, commands for timers and lines wherever there is code, tasks above the timer
//! daemon, everything that waits for time or asks for it in every place, and crashes in the midst of all that.

use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_program::{DAEMON, FOREVER, Instruction, ObjectSpec, RoleSpec, UNLIMITED};

use crate::generate::{Dice, look, object};
use crate::program::Program;

/// What a list of instructions can be made of.
struct Means<'a> {
    objects: &'a [ObjectSpec],
    roles: &'a [RoleSpec],
    /// Whether it may wait; those who must not seldom do.
    waits: bool,
}

impl Program {
    /// The random program of a seed, with whatever there is.
    pub fn random_wide(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x77_6964_6521);
        let dice = &mut dice;
        let rules = rules(dice);
        let roles = roles(dice);
        let objects: Vec<ObjectSpec> = (0..1 + dice.roll(2)).map(|_| wide_object(dice)).collect();
        let mut tasks = Vec::new();
        for role in &roles {
            let is_task = matches!(role, RoleSpec::Task { .. } | RoleSpec::Environment);
            let longest = if is_task { [4, 3, 2][roles.len() - 2] } else { 2 };
            let mut code = Vec::new();
            for _ in 0..1 + dice.roll(longest) {
                let waits = is_task || dice.one_in(16);
                statement(dice, &Means { objects: &objects, roles: &roles, waits }, 0, &mut code);
            }
            tasks.push(code);
        }
        // Most timers are started by somebody, and most lines armed.
        for (list, role) in (0..).zip(&roles) {
            let begin = match role {
                RoleSpec::Timer { .. } => Instruction::StartTimer { list },
                RoleSpec::Interrupt { armed: false, .. } => Instruction::Arm { list },
                _ => continue,
            };
            if !dice.one_in(4) {
                let place = dice.roll(tasks[0].len() as u64 + 1) as usize;
                tasks[0].insert(place, begin);
            }
        }
        Self { objects, tasks, roles, rules }
    }
}

impl Program {
    /// The random program of a seed, with whatever there is, and a crash somewhere, though not in the set-up.
    pub fn random_wide_with_crash(seed: u64) -> Self {
        let mut program = Self::random_wide(seed);
        let mut dice = Dice::new(seed ^ 0x6372_6173_6821);
        let list = dice.roll(program.tasks.len() as u64) as usize;
        // What a task does before its first operation may be part of the set-up.
        let first = match program.role(list) {
            RoleSpec::Task { .. } | RoleSpec::Environment => 1,
            RoleSpec::Interrupt { .. } | RoleSpec::Timer { .. } => 0,
        };
        let code = &mut program.tasks[list];
        let place = first + dice.roll((code.len() + 1 - first) as u64) as usize;
        code.insert(place, Instruction::Crash);
        program
    }
}

impl Program {
    /// The random program of a seed, small, and with bounds so narrow that they hold back much of what waits for time, and most
    /// lines. What keeps that from happening, now and then, is most of what its tasks do.
    pub fn random_bounded(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x626f_756e_6421);
        let dice = &mut dice;
        let rules = Rules {
            schedule: dice.one_of(&[Schedule::Free, Schedule::Free, Schedule::Priority]),
            clock: dice.one_of(&[Clock::Free, Clock::Free, Clock::Ordered, Clock::Idle]),
            interrupts: dice.roll(2) as u16,
            expiries: dice.roll(3) as u16,
            until: if dice.one_in(3) { dice.roll(4) as u32 } else { u32::MAX },
        };
        let mut roles = vec![RoleSpec::Task { priority: 1 }];
        for _ in 0..2 {
            roles.push(match dice.roll(6) {
                0 => RoleSpec::Interrupt { times: UNLIMITED, armed: dice.one_in(3) },
                1 => RoleSpec::Timer { period: 1 + dice.byte(3), reload: dice.one_in(3) },
                2 => RoleSpec::Task { priority: 1 + dice.byte(4) },
                _ => RoleSpec::Environment,
            });
        }
        let never_full = dice.one_in(4);
        let semaphore = |max| match never_full {
            true => ObjectSpec::NeverFullSemaphore { level: max, max },
            false => ObjectSpec::Semaphore { level: 0, max },
        };
        let objects = vec![semaphore(1 + dice.byte(2)), ObjectSpec::Queue { capacity: 1 }];
        let mut tasks = vec![Vec::new(); 3];
        for (list, code) in tasks.iter_mut().enumerate() {
            let waits = matches!(roles[list], RoleSpec::Task { .. } | RoleSpec::Environment);
            let means = Means { objects: &objects, roles: &roles, waits };
            for _ in 0..if waits { 2 + dice.roll(2) } else { dice.roll(2) } {
                bounded_statement(dice, &means, code);
            }
        }
        Self { objects, tasks, roles, rules }
    }
}

/// Something that waits for time, lets others wait, or keeps them from it.
fn bounded_statement(dice: &mut Dice, means: &Means<'_>, code: &mut Vec<Instruction>) {
    let next = match dice.roll(10) {
        0 if means.waits => Instruction::Delay { ticks: 1 + dice.byte(3) },
        1 if means.waits => Instruction::DelayUntil { tick: 1 + dice.byte(3) },
        2 => {
            code.push(Instruction::EnterCritical);
            Instruction::ExitCritical
        }
        3..=5 => command(dice, means.roles).unwrap_or(Instruction::Give { object: 0 }),
        _ => on_object(dice, means, code),
    };
    code.push(next);
}

fn rules(dice: &mut Dice) -> Rules {
    Rules {
        schedule: dice.one_of(&[Schedule::Free, Schedule::Priority]),
        clock: dice.one_of(&[Clock::Free, Clock::Free, Clock::Ordered, Clock::Idle]),
        interrupts: 1 + dice.one_in(4) as u16,
        expiries: 1 + dice.one_in(3) as u16,
        until: if dice.one_in(6) { 1 + dice.roll(4) as u32 } else { u32::MAX },
    }
}

/// A task, then others; above, at, and below the priority of the timer daemon.
fn roles(dice: &mut Dice) -> Vec<RoleSpec> {
    let task = |dice: &mut Dice| RoleSpec::Task { priority: DAEMON - 2 + dice.byte(5) };
    let mut roles = vec![task(dice)];
    for _ in 0..1 + dice.roll(3) {
        roles.push(match dice.roll(8) {
            0 | 1 => RoleSpec::Environment,
            2 => RoleSpec::Interrupt { times: 1, armed: !dice.one_in(3) },
            3 => RoleSpec::Interrupt { times: UNLIMITED, armed: !dice.one_in(3) },
            4 | 5 => RoleSpec::Timer { period: 1 + dice.byte(3), reload: dice.one_in(2) },
            _ => task(dice),
        });
    }
    roles
}

fn wide_object(dice: &mut Dice) -> ObjectSpec {
    let object = match dice.roll(5) {
        0 => return ObjectSpec::Mutex { recursive: dice.one_in(4) },
        _ => object(dice),
    };
    let never_full = dice.one_in(3);
    match object {
        ObjectSpec::Semaphore { level, max } if never_full => ObjectSpec::NeverFullSemaphore { level, max },
        // What nobody gives, others wait for in vain.
        ObjectSpec::Semaphore { max, .. } if dice.one_in(2) => ObjectSpec::Semaphore { level: 0, max },
        ObjectSpec::Queue { capacity } if never_full => ObjectSpec::NeverFullQueue { capacity },
        object => object,
    }
}

/// One visible operation, or a critical section with some; `depth` sections deep.
fn statement(dice: &mut Dice, means: &Means<'_>, depth: u32, code: &mut Vec<Instruction>) {
    if depth < 2 && dice.one_in(if depth == 0 { 8 } else { 4 }) {
        code.push(Instruction::EnterCritical);
        let waits = means.waits && dice.one_in(8);
        for _ in 0..1 + dice.roll(2) {
            statement(dice, &Means { waits, ..*means }, depth + 1, code);
        }
        code.push(Instruction::ExitCritical);
        return;
    }
    let chosen = match dice.roll(12) {
        0 if means.waits => Instruction::Delay { ticks: dice.byte(4) },
        1 if means.waits => Instruction::DelayUntil { tick: 1 + dice.byte(3) },
        2 => Instruction::Tick,
        3 if means.waits => Instruction::Yield,
        3 | 4 => Instruction::Toss { bound: dice.one_of(&[0, 1, 1, 1, 2, 3]) },
        5..=7 => match command(dice, means.roles) {
            Some(command) => command,
            None => on_object(dice, means, code),
        },
        _ => on_object(dice, means, code),
    };
    code.push(chosen);
    look(dice, code);
    if let Some(Instruction::SkipIf { count, .. }) = code.last_mut() {
        *count = dice.one_of(&[1, 1, 2, 3]);
    }
}

/// Something for one of the timers or lines, if there are any.
fn command(dice: &mut Dice, roles: &[RoleSpec]) -> Option<Instruction> {
    let list = dice.byte(roles.len() as u64);
    Some(match roles[usize::from(list)] {
        RoleSpec::Timer { .. } => match dice.roll(5) {
            0 | 1 => Instruction::StopTimer { list },
            2 => Instruction::IsActive { list },
            3 => Instruction::ChangePeriod { list, period: 1 + dice.byte(3) },
            _ => Instruction::StartTimer { list },
        },
        RoleSpec::Interrupt { .. } if dice.one_in(2) => Instruction::Arm { list },
        RoleSpec::Interrupt { .. } => Instruction::Mask { list },
        RoleSpec::Task { .. } | RoleSpec::Environment => return None,
    })
}

/// An operation on an object: waiting for as long as it takes, for a while, or not at all. A lock may come with its unlock and
/// something in between, of which the last is returned.
fn on_object(dice: &mut Dice, means: &Means<'_>, code: &mut Vec<Instruction>) -> Instruction {
    let object = dice.byte(means.objects.len() as u64);
    let (value, add) = (1 + dice.byte(2), dice.one_in(4));
    let ticks = if dice.one_in(8) { FOREVER } else { 1 + dice.byte(3) };
    let wait = if means.waits { dice.roll(4) } else { 3 };
    match means.objects[usize::from(object)] {
        ObjectSpec::Semaphore { .. } | ObjectSpec::NeverFullSemaphore { .. } => match (dice.roll(2), wait) {
            (0, _) => Instruction::Give { object },
            (_, 0 | 1) => Instruction::TakeFor { object, ticks },
            (_, 2) => Instruction::Take { object },
            _ => Instruction::TryTake { object },
        },
        ObjectSpec::Queue { .. } | ObjectSpec::NeverFullQueue { .. } => match (dice.roll(5), wait) {
            (0 | 1, 0) => Instruction::SendFor { object, value, ticks },
            (0 | 1, 1) => Instruction::Send { object, value, add },
            (0 | 1, _) => Instruction::TrySend { object, value, add },
            (2 | 3, 0 | 1) => Instruction::ReceiveFor { object, ticks },
            (2 | 3, 2) => Instruction::Receive { object },
            (2 | 3, _) => Instruction::TryReceive { object },
            (_, 0 | 1) => Instruction::PeekFor { object, ticks },
            (_, 2) => Instruction::Peek { object },
            _ => Instruction::TryPeek { object },
        },
        ObjectSpec::Shared if dice.one_in(2) => Instruction::Read { object },
        ObjectSpec::Shared => Instruction::Write { object, value, add },
        ObjectSpec::Mutex { .. } => {
            if !dice.one_in(4) {
                code.push(match wait {
                    0 => Instruction::LockFor { object, ticks },
                    1 | 2 => Instruction::Lock { object },
                    _ => Instruction::TryLock { object },
                });
                if dice.one_in(2) {
                    code.push(Instruction::Event);
                }
            }
            Instruction::Unlock { object }
        }
    }
}
