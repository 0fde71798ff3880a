//! What the tasks of a program may do, read off their instructions.

use fwvs_kernel::{ObjectId, Use, Verb};
use fwvs_program::{Instruction, Local, RoleSpec};

use crate::program::Program;

/// What a task of the kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Actor {
    /// A list of instructions, once.
    Once(usize),
    /// A list of instructions, whenever its interrupt line fires.
    Handler(usize),
    /// The callbacks of timers.
    Daemon,
    /// Nothing: a timer, the clock.
    Silent,
}

impl Actor {
    /// The list that it begins with.
    pub(crate) fn list(self) -> usize {
        match self {
            Self::Once(list) | Self::Handler(list) => list,
            Self::Daemon | Self::Silent => 0,
        }
    }
}

/// Everything that a program's instructions do, each until its task has gone past it; handlers and callbacks come back.
/// The firmware example `program` declares the same. `objects` has for each list what it belongs to.
pub(crate) fn declared(program: &Program, objects: &[ObjectId], actors: &[Actor]) -> Vec<Use> {
    let mut uses = Vec::new();
    for (task, actor) in actors.iter().enumerate() {
        let runs = |list: usize| match *actor {
            Actor::Once(own) | Actor::Handler(own) => own == list,
            Actor::Daemon => matches!(program.role(list), RoleSpec::Timer { .. }),
            Actor::Silent => false,
        };
        let lists = || program.tasks.iter().enumerate().filter(|(list, _)| runs(*list));
        // The firmware makes lines and timers in the order of their lists: what does not exist yet cannot be declared.
        let too_early = |list: usize, code: &[Instruction]| {
            matches!(actor, Actor::Handler(_)) && code.iter().any(|one| belongs_to(*one) >= Some(list))
        };
        if lists().any(|(list, code)| code.len() > fwvs_program::DECLARED || too_early(list, code)) {
            continue;
        }
        let closed = Use { task: task as u8, until: 0, access: None, object: ObjectId::setup(0) };
        for (_, code) in lists() {
            for (place, instruction) in code.iter().enumerate() {
                if let Some((access, object)) = access(*instruction, objects) {
                    let access = Some(access);
                    let place = if let Actor::Once(_) = actor { place } else { usize::MAX };
                    uses.push(Use { until: Local::phase_at(place), access, object, ..closed });
                }
            }
        }
        uses.push(closed);
    }
    uses
}

/// The list of the line or timer that an instruction is about.
fn belongs_to(instruction: Instruction) -> Option<usize> {
    match instruction {
        Instruction::StartTimer { list }
        | Instruction::StopTimer { list }
        | Instruction::ChangePeriod { list, .. }
        | Instruction::IsActive { list }
        | Instruction::Arm { list }
        | Instruction::Mask { list } => Some(usize::from(list)),
        _ => None,
    }
}

/// What an instruction does to which object; `None` if it touches none.
fn access(instruction: Instruction, objects: &[ObjectId]) -> Option<(Verb, ObjectId)> {
    let setup = ObjectId::setup;
    let belongs = |list: u8| objects[usize::from(list)];
    Some(match instruction {
        Instruction::Take { object }
        | Instruction::TryTake { object }
        | Instruction::TakeFor { object, .. } => (Verb::Take, setup(object)),
        Instruction::Give { object } => (Verb::Give, setup(object)),
        Instruction::Send { object, .. }
        | Instruction::TrySend { object, .. }
        | Instruction::SendFor { object, .. } => (Verb::Send, setup(object)),
        Instruction::Receive { object }
        | Instruction::TryReceive { object }
        | Instruction::ReceiveFor { object, .. } => (Verb::Receive, setup(object)),
        Instruction::Peek { object }
        | Instruction::TryPeek { object }
        | Instruction::PeekFor { object, .. } => (Verb::Peek, setup(object)),
        Instruction::Read { object } => (Verb::Read, setup(object)),
        Instruction::Write { object, .. } => (Verb::Write, setup(object)),
        Instruction::Lock { object }
        | Instruction::TryLock { object }
        | Instruction::LockFor { object, .. } => (Verb::Lock, setup(object)),
        Instruction::Unlock { object } => (Verb::Unlock, setup(object)),
        Instruction::StartTimer { list }
        | Instruction::StopTimer { list }
        | Instruction::ChangePeriod { list, .. }
        | Instruction::IsActive { list } => (Verb::StartTimer, belongs(list)),
        Instruction::Arm { list } => (Verb::Arm, belongs(list)),
        Instruction::Mask { list } => (Verb::Mask, belongs(list)),
        Instruction::EnterCritical => (Verb::EnterCritical, ObjectId::NULL),
        Instruction::Tick => (Verb::Tick, ObjectId::NULL),
        Instruction::Delay { .. }
        | Instruction::DelayUntil { .. }
        | Instruction::ExitCritical
        | Instruction::Yield
        | Instruction::Toss { .. }
        | Instruction::Assert { .. }
        | Instruction::Event
        | Instruction::Crash
        | Instruction::SkipIf { .. } => return None,
    })
}
