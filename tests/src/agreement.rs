//! Whether a reduction finds what running every interleaving finds, and if not, on how small a program.

use fwvs_explore::{Limits, Policy, Reduction, Rung};
use fwvs_program::Instruction;

use crate::memory::Memory;
use crate::outcome::{Outcome, outcome};
use crate::program::Program;

/// Programs with more paths than this are not worth their time.
pub const LIMITS: Limits = Limits { depth: 1000, paths: 20_000, policy: Policy::Fair };

/// What every interleaving gives; `None` if there are too many.
pub fn reference(program: &Program) -> Option<Outcome> {
    outcome(&mut Memory::new(program), &mut *Rung::None.reduction::<Memory>(), LIMITS)
}

/// How a reduction differs from running every interleaving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Ways for paths to end that it does not find.
    Lost(usize),
    /// Ways for paths to end that there are not.
    Invented(usize),
    /// It runs more paths than there are interleavings.
    Endless,
    /// It runs so many of the traces, of so many.
    Traces(usize, usize),
    /// It runs two paths of the same trace.
    Twice,
    /// It should not begin runs that sleep sets end, and began so many.
    InVain(u64),
}

/// How a reduction, run on `memory`, differs from `reference`.
pub fn difference(
    reference: &Outcome,
    memory: &mut Memory,
    rung: Rung,
    policy: Policy,
) -> Option<Difference> {
    let mut reduction: Box<dyn Reduction<Memory>> = rung.reduction();
    let limits = Limits { paths: reference.counts.paths + 1, policy, ..LIMITS };
    let Some(found) = outcome(memory, &mut *reduction, limits) else { return Some(Difference::Endless) };
    let ends = |outcome: &Outcome| match rung {
        // How far others are when a path ends by force is not kept.
        _ if reference.by_force => {
            outcome.findings.iter().filter(|(wrong, _)| wrong.is_some()).copied().collect()
        }
        Rung::Persistent(_) => outcome.findings.clone(),
        _ => outcome.ends.clone(),
    };
    let lost = ends(reference).difference(&ends(&found)).count();
    let invented = ends(&found).difference(&ends(reference)).count();
    let follows_traces = matches!(rung, Rung::Source | Rung::Optimal) && !reference.by_force;
    if lost > 0 {
        Some(Difference::Lost(lost))
    } else if invented > 0 {
        Some(Difference::Invented(invented))
    } else if follows_traces && found.traces.len() != reference.traces.len() {
        Some(Difference::Traces(found.traces.len(), reference.traces.len()))
    } else if follows_traces && found.traces.values().any(|times| *times > 1) {
        Some(Difference::Twice)
    } else if rung == Rung::Optimal && found.counts.sleep_blocked > 0 {
        Some(Difference::InVain(found.counts.sleep_blocked))
    } else {
        None
    }
}

/// The smallest program that still `fails`, by leaving out tasks and instructions as long as that is possible.
pub fn shrink(program: &Program, fails: impl Fn(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    loop {
        let candidates = smaller(&smallest);
        match candidates.into_iter().find(|candidate| fails(candidate)) {
            Some(candidate) => smallest = candidate,
            None => return smallest,
        }
    }
}

/// The program without one of its lists of instructions, unless others speak of it.
fn without_list(program: &Program, list: usize) -> Option<Program> {
    let mut without = program.clone();
    without.tasks.remove(list);
    if list < without.roles.len() {
        without.roles.remove(list);
    }
    for instruction in without.tasks.iter_mut().flatten() {
        if let Instruction::StartTimer { list: other }
        | Instruction::StopTimer { list: other }
        | Instruction::ChangePeriod { list: other, .. }
        | Instruction::IsActive { list: other }
        | Instruction::Arm { list: other }
        | Instruction::Mask { list: other } = instruction
        {
            match usize::from(*other).cmp(&list) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Greater => *other -= 1,
            }
        }
    }
    Some(without)
}

fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for task in 0..program.tasks.len() {
        all.extend(without_list(program, task));
        for place in 0..program.tasks[task].len() {
            let mut without = program.clone();
            without.tasks[task].remove(place);
            all.push(without);
            if let Instruction::SkipIf { .. } = program.tasks[task][place] {
                continue;
            }
            if !matches!(program.tasks[task][place], Instruction::Event) {
                let mut plainer = program.clone();
                plainer.tasks[task][place] = Instruction::Event;
                all.push(plainer);
            }
        }
    }
    all
}
