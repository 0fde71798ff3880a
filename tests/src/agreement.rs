//! Whether a reduction finds what running every interleaving finds, and if not, on how small a program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use fwvs_explore::{Bounds, Counts, Limits, Policy, Reduction, Rung};
use fwvs_program::Instruction;

use crate::histogram::Histogram;
use crate::memory::{Memory, States};
use crate::outcome::{Outcome, outcome};
use crate::program::Program;

/// Programs with more paths than this are not worth their time.
pub const LIMITS: Limits = Limits { depth: 1000, paths: 20_000, policy: Policy::Fair };

/// How paths go on after their scripts: reductions are used with the first two, searches with few delays and by chance with the
/// others.
pub const POLICIES: [Policy; 4] = [Policy::Fair, Policy::First, Policy::Stay, Policy::Random { seed: 7 }];

/// What every interleaving gives; `None` if there are too many.
pub fn reference(program: &Program) -> Option<Outcome> {
    reference_within(program, LIMITS.paths)
}

/// The same if there are no more than so many.
pub fn reference_within(program: &Program, paths: u64) -> Option<Outcome> {
    let limits = Limits { paths, ..LIMITS };
    outcome(&mut Memory::new(program), &mut *Rung::None.reduction(), limits)
}

/// How a reduction differs from running every interleaving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Ways for paths to end that it does not find.
    Lost(usize),
    /// Ways for paths to end that there are not.
    Invented(usize),
    /// It says that these bounds held something back, and it was those.
    HeldBack(Bounds, Bounds),
    /// It counts so many paths, of so many.
    Paths(u64, u64),
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
    let mut reduction: Box<dyn Reduction<States>> = rung.reduction();
    // A search that starts over keeps the count of what it had run, and goes on without wakeup trees.
    let times = if reference.by_force { 2 } else { 1 };
    let limits = Limits { paths: times * reference.counts.paths + 1, policy, ..LIMITS };
    let Some(found) = outcome(memory, &mut *reduction, limits) else { return Some(Difference::Endless) };
    let ends = |outcome: &Outcome| match rung {
        // How far others are when a path ends by force is not kept.
        _ if reference.by_force => {
            outcome.findings.iter().filter(|(wrong, _)| wrong.is_some()).copied().collect()
        }
        Rung::Persistent(_) => outcome.findings.clone(),
        _ => outcome.ends.clone(),
    };
    let steps = |counts: Counts| (counts.paths, counts.transitions, counts.budget_cuts, counts.deepest);
    let lost = ends(reference).difference(&ends(&found)).count();
    let invented = ends(&found).difference(&ends(reference)).count();
    let follows_traces = matches!(rung, Rung::Source | Rung::Optimal) && !reference.by_force;
    if lost > 0 {
        Some(Difference::Lost(lost))
    } else if invented > 0 {
        Some(Difference::Invented(invented))
    } else if found.held_back != reference.held_back {
        Some(Difference::HeldBack(found.held_back, reference.held_back))
    } else if rung == Rung::None && steps(found.counts) != steps(reference.counts) {
        Some(Difference::Paths(found.counts.paths, reference.counts.paths))
    } else if follows_traces && found.traces.len() != reference.traces.len() {
        Some(Difference::Traces(found.traces.len(), reference.traces.len()))
    } else if follows_traces && found.traces.values().any(|times| *times > 1) {
        Some(Difference::Twice)
    } else if rung == Rung::Optimal && !reference.by_force && found.counts.sleep_blocked > 0 {
        Some(Difference::InVain(found.counts.sleep_blocked))
    } else {
        None
    }
}

/// Random programs, and the rungs that are to find there what every interleaving finds.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The program of a seed.
    pub generate: fn(u64) -> Program,
    /// How many seeds.
    pub seeds: u64,
    /// Programs with more interleavings than this do not count.
    pub paths: u64,
    /// Which rungs.
    pub rungs: &'static [Rung],
    /// Whether a rung may differ in this way.
    pub excused: fn(&Program, &Difference) -> bool,
    /// What is worth counting about a program.
    pub features: fn(&Program, &Outcome) -> Vec<String>,
}

impl Comparison {
    /// The first difference on a program.
    pub fn check(&self, program: &Program, reference: &Outcome) -> Option<(Rung, Policy, Difference)> {
        let runs = self.rungs.iter().flat_map(|rung| POLICIES.map(|policy| (*rung, policy)));
        runs.into_iter().find_map(|(rung, policy)| {
            let found = difference(reference, &mut Memory::new(program), rung, policy);
            found.filter(|found| !(self.excused)(program, found)).map(|found| (rung, policy, found))
        })
    }

    /// Compares, two programs at a time, and says what they were like.
    ///
    /// # Panics
    /// If a rung differs; then the smallest program is named on which it does, in any way.
    pub fn run(&self) -> Histogram {
        let next = AtomicU64::new(0);
        let worker = || {
            let mut seen = Histogram::default();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= self.seeds {
                    return seen;
                }
                let program = (self.generate)(seed);
                let Some(reference) = reference_within(&program, self.paths) else {
                    seen.too_large += 1;
                    continue;
                };
                if let Some((rung, policy, found)) = self.check(&program, &reference) {
                    let small = shrink(&program, |candidate| self.differs(candidate));
                    panic!("seed {seed}, {rung:?}, {policy:?}: {found:?}, for example on {small:?}");
                }
                seen.add((self.features)(&program, &reference));
            }
        };
        let seen = thread::scope(|scope| {
            let workers = [scope.spawn(worker), scope.spawn(worker)];
            let seen = workers.into_iter().map(|worker| worker.join().expect("every program agrees"));
            seen.fold(Histogram::default(), Histogram::and)
        });
        println!("{seen:#?}");
        assert!(seen.programs * 5 >= self.seeds * 3, "too few programs are small enough: {seen:?}");
        seen
    }

    fn differs(&self, program: &Program) -> bool {
        reference_within(program, self.paths)
            .is_some_and(|reference| self.check(program, &reference).is_some())
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
