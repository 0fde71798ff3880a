//! What FreeRTOS does, case by case: a small program, the rules it runs by, and every outcome that it can have.
//!
//! Expected outcomes were derived by hand from what the FreeRTOS kernel V11 does; none was copied from a run. Those with
//! priorities and without an environment were then run over the real kernel, V11.1 and V11.3, with ticks, interrupts and
//! time slices at random moments: whatever came of that is among the outcomes here, but for budgets, which the real kernel
//! does not know. The cases in `ticks` are younger, and were derived by hand only. An outcome is what the tasks announce, in the order in which they do: `a1 b0` says that the first list announced 1 and then the
//! second one 0. `D` is the timer daemon, so whatever a callback announces. At the end stands what was found, if
//! anything was: `!deadlock`.
//!
//! Left for later, with the objects themselves: overwriting and resetting queues, queue sets, notifications, event groups,
//! suspending and resuming, deleting and creating at run time, suspending the scheduler, setting priorities, the heap.

mod interrupts;
mod mutexes;
mod objects;
mod processor;
mod ticks;
mod time;
mod timers;
mod vocabulary;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fwvs_explore::{Completion, Counts, End, Limits, Model, Rung, explore};
use fwvs_kernel::Verb;
use fwvs_program::RoleSpec;

use crate::judge::Judge;
use crate::memory::Wrong;
use crate::program::Program;

/// A fact about FreeRTOS.
#[derive(Clone, Debug)]
pub struct Case {
    /// The fact.
    pub name: &'static str,
    /// What shows it.
    pub program: Program,
    /// Every outcome that it can have.
    pub expected: &'static [&'static str],
}

/// Everything that a search found, one outcome a path.
///
/// # Panics
/// If the search does not end by itself.
pub fn outcomes<S: Judge>(case: &Case, system: &mut S, rung: Rung) -> Result<BTreeSet<String>, S::Error> {
    let names = names(&case.program);
    let mut outcomes = BTreeSet::new();
    let mut look = |system: &S, end: End, _: &Counts| {
        if end != End::Asleep {
            outcomes.insert(outcome(&names, system, end));
        }
        ControlFlow::Continue(())
    };
    let (completion, _) = explore(system, &mut *rung.reduction(), Limits::default(), &mut look)?;
    assert_eq!(completion, Completion::Exhausted, "{}", case.name);
    Ok(outcomes)
}

/// The same without the order between tasks: all that a reduction has to keep.
pub fn by_task<'a>(outcomes: impl IntoIterator<Item = &'a str>) -> BTreeSet<Vec<&'a str>> {
    let sorted = |outcome: &'a str| {
        let mut words: Vec<&str> = outcome.split_whitespace().collect();
        words.sort_by_key(|word| word.chars().next());
        words
    };
    outcomes.into_iter().map(sorted).collect()
}

fn outcome<S: Judge>(names: &[char], system: &S, end: End) -> String {
    let mut words = Vec::new();
    for at in 0..system.model().length() {
        let task = system.model().task(system.model().taken(at));
        let event = system.model().pending(at, task).expect("what was taken was pending");
        if event.operation.verb == Verb::Event {
            words.push(format!("{}{}", names[task], event.operation.argument));
        }
    }
    let named = |what: &str, task: usize| format!("!{what} {}", names[task]);
    match (system.judge(), end) {
        (Some(Wrong::Deadlock), _) => words.push("!deadlock".to_owned()),
        (Some(Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_))), _) => words.push("!cycle".to_owned()),
        (Some(Wrong::Kernel(wrong)), _) => {
            let text = format!("{wrong:?}");
            let what = text.split('(').next().unwrap_or_default();
            words.push(named(what, usize::from(wrong.task().0.index)));
        }
        (Some(Wrong::Assertion { task }), _) => words.push(named("assertion", task)),
        (Some(Wrong::Crash { task }), _) => words.push(named("crash", task)),
        (None, End::Budget) => words.push("!bounded".to_owned()),
        (None, End::Finished) => {}
        (None, end) => panic!("a case does not end by {end:?}"),
    }
    words.join(" ")
}

/// What each task of the kernel is called, in the order in which a program's are created.
fn names(program: &Program) -> Vec<char> {
    let letter = |list: usize| char::from(b'a' + list as u8);
    let is_task = |list: &usize| matches!(program.role(*list), RoleSpec::Task { .. } | RoleSpec::Environment);
    let (tasks, others): (Vec<usize>, Vec<usize>) = (0..program.tasks.len()).partition(is_task);
    let mut names = Vec::new();
    for list in others {
        if let RoleSpec::Timer { .. } = program.role(list)
            && !names.contains(&'D')
        {
            names.push('D');
        }
        names.push(letter(list));
    }
    names.into_iter().chain(tasks.into_iter().map(letter)).collect()
}

/// All cases.
pub fn all() -> Vec<Case> {
    let topics = [
        processor::running(),
        time::timeouts(),
        processor::wake_order(),
        mutexes::inheritance(),
        mutexes::misuse(),
        objects::semaphores_and_queues(),
        timers::timers(),
        time::delays(),
        ticks::tasks(),
        ticks::timers(),
    ];
    topics.into_iter().flatten().chain(interrupts::interrupts_and_critical_sections()).collect()
}
