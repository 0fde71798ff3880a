//! What there is in a random program, and what is found there: for the histograms that say how good a net is.

use fwvs_kernel::{Cuts, Rules};
use fwvs_program::{DAEMON, FOREVER, Instruction, ObjectSpec, RoleSpec, UNLIMITED};

use crate::agreement::Difference;
use crate::memory::Wrong;
use crate::outcome::Outcome;
use crate::program::Program;

/// What there is in a program, and what is found there.
pub fn of(program: &Program, reference: &Outcome) -> Vec<String> {
    let rules = program.rules;
    let mut has = vec![
        format!("schedule {:?}", rules.schedule).to_lowercase(),
        format!("clock {:?}", rules.clock).to_lowercase(),
    ];
    has.extend(program.roles.iter().map(|role| match role {
        RoleSpec::Task { priority } if *priority > DAEMON => "a task above the daemon".to_owned(),
        RoleSpec::Task { .. } => "a task".to_owned(),
        RoleSpec::Environment => "environment".to_owned(),
        RoleSpec::Interrupt { times: UNLIMITED, .. } => "an interrupt without a limit".to_owned(),
        RoleSpec::Interrupt { .. } => "an interrupt".to_owned(),
        RoleSpec::Timer { .. } => "a timer".to_owned(),
    }));
    has.extend(program.objects.iter().map(|object| match object {
        ObjectSpec::Semaphore { .. } => "a semaphore".to_owned(),
        ObjectSpec::Queue { .. } => "a queue".to_owned(),
        ObjectSpec::NeverFullSemaphore { .. } => "a semaphore that is never full".to_owned(),
        ObjectSpec::NeverFullQueue { .. } => "a queue that is never full".to_owned(),
        ObjectSpec::Shared => "a variable".to_owned(),
        ObjectSpec::Mutex { .. } => "a mutex".to_owned(),
    }));
    has.extend(reference.ends.iter().filter_map(|(wrong, _)| {
        Some(match (*wrong)? {
            Wrong::Deadlock => "finds nobody who can go on".to_owned(),
            Wrong::Crash { .. } => "finds a crash".to_owned(),
            Wrong::Assertion { .. } => "finds a failed assertion".to_owned(),
            Wrong::Kernel(wrong) => {
                let kind = format!("{wrong:?}");
                format!("finds {}", kind.split('(').next().unwrap_or(&kind))
            }
        })
    }));
    let mut also = |what: &str, is: bool| has.extend(is.then(|| what.to_owned()));
    let deadlock = |wrong| matches!(wrong, Wrong::Deadlock | Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_)));
    also("finds a deadlock", reference.found(deadlock));
    also("a horizon", rules.until != u32::MAX);
    also("a path that a budget cuts", reference.counts.budget_cuts > 0);
    also("several traces", reference.traces.len() > 1);
    also("the same in every state", is_settled(program));
    let cuts = Cuts::from_bits(reference.held_back.0);
    also("nothing is held back", !cuts.any());
    also("expiries are held back", cuts.expiries);
    also("interrupts are held back", cuts.interrupts);
    also("the horizon holds something back", cuts.until);
    for (list, code) in program.tasks.iter().enumerate() {
        has.extend(code_features(program.role(list), code));
    }
    has
}

/// What there is in a list of instructions.
fn code_features(role: RoleSpec, code: &[Instruction]) -> Vec<String> {
    use Instruction as I;
    let mut has = Vec::new();
    let mut also = |what: &str, is: bool| has.extend(is.then(|| what.to_owned()));
    let called = matches!(role, RoleSpec::Interrupt { .. } | RoleSpec::Timer { .. });
    let mut depth = 0;
    for instruction in code {
        match instruction {
            I::EnterCritical => depth += 1,
            I::ExitCritical => depth -= 1,
            _ => {}
        }
        also("a critical section", depth == 1);
        also("a critical section in another one", depth == 2);
        let commands_timer = matches!(
            instruction,
            I::StartTimer { .. } | I::StopTimer { .. } | I::ChangePeriod { .. } | I::IsActive { .. }
        );
        let commands_line = matches!(instruction, I::Arm { .. } | I::Mask { .. });
        also("a command for a timer in a handler or callback", called && commands_timer);
        also("a command for a line in a handler or callback", called && commands_line);
        also("a command in a critical section", depth > 0 && (commands_timer || commands_line));
        also("a toss in a critical section", depth > 0 && matches!(instruction, I::Toss { .. }));
        also("a timed peek", matches!(instruction, I::PeekFor { .. }));
        also(
            "a timed wait without an end",
            match instruction {
                I::TakeFor { ticks, .. }
                | I::SendFor { ticks, .. }
                | I::ReceiveFor { ticks, .. }
                | I::PeekFor { ticks, .. }
                | I::LockFor { ticks, .. } => *ticks == FOREVER,
                _ => false,
            },
        );
        also("a toss of one value", matches!(instruction, I::Toss { bound: 0 }));
        also("a toss of more than two values", matches!(instruction, I::Toss { bound: 2.. }));
        also("a skip over several instructions", matches!(instruction, I::SkipIf { count: 2.., .. }));
        also("asks for the tick", matches!(instruction, I::Tick));
        also("delays until a tick", matches!(instruction, I::DelayUntil { .. }));
    }
    has
}

/// Whether every operation is the same thing in every state, so that wakeup trees plan nothing in vain.
pub fn is_settled(program: &Program) -> bool {
    use Instruction as I;
    let free =
        Rules { expiries: program.rules.expiries, interrupts: program.rules.interrupts, ..Rules::FREE };
    let settled = |list: usize, instruction: &Instruction| match instruction {
        // Served or not; locked by somebody who is stuck; with no right to.
        I::TakeFor { .. } | I::SendFor { .. } | I::ReceiveFor { .. } | I::PeekFor { .. } => false,
        I::LockFor { .. } => false,
        I::Lock { .. } | I::Unlock { .. } | I::ExitCritical => false,
        // A handler must not wait.
        I::Take { .. } | I::Send { .. } | I::Receive { .. } | I::Peek { .. } => {
            !matches!(program.role(list), RoleSpec::Interrupt { .. })
        }
        _ => true,
    };
    // Whether there is room makes a difference to more than who comes next.
    let never_full = program.objects.iter().any(|object| {
        matches!(object, ObjectSpec::NeverFullSemaphore { .. } | ObjectSpec::NeverFullQueue { .. })
    });
    // Of a timer that does not run, nobody knows that it would let time pass.
    let timer = program.roles.iter().any(|role| matches!(role, RoleSpec::Timer { .. }));
    let mut lists = program.tasks.iter().enumerate();
    program.rules == free
        && !timer
        && !never_full
        && lists.all(|(list, code)| code.iter().all(|one| settled(list, one)))
}

/// Where an operation may be something else in another state, wakeup trees may begin runs in vain.
pub fn excused(program: &Program, difference: &Difference) -> bool {
    matches!(difference, Difference::InVain(_)) && !is_settled(program)
}
