//! What a search found: the ways in which paths end, and which paths are the same but for the order of neighbours
//! that commute.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use fwvs_explore::{Bounds, Completion, Counts, End, Limits, Model, Reduction, Relation, Runner, explore};

use crate::memory::{Memory, States, Wrong};

/// What was found by a search.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// What was wrong, if anything, and a digest of the state in which a path ended.
    pub ends: BTreeSet<(Option<Wrong>, u64)>,
    /// The same for reductions that keep what goes wrong, but not how far others are when an assertion fails.
    pub findings: BTreeSet<(Option<Wrong>, u64)>,
    /// Whether some path ended by what nobody could know before it happened.
    pub by_force: bool,
    /// Which bounds inside the system held something back: with any, the verdict is not *complete*.
    pub held_back: Bounds,
    /// How often each trace was run, by a digest of its happens-before.
    pub traces: BTreeMap<u64, u32>,
    /// How much was done.
    pub counts: Counts,
}

impl Outcome {
    /// Whether some path found it.
    pub fn found(&self, is: impl Fn(Wrong) -> bool) -> bool {
        self.ends.iter().any(|(wrong, _)| wrong.is_some_and(&is))
    }

    /// A path was run.
    pub fn look(&mut self, memory: &Memory, end: End) {
        if end == End::Asleep {
            return;
        }
        let state = digest(&memory.final_state());
        let finding = match memory.wrong() {
            Some(Wrong::Assertion { task } | Wrong::Crash { task }) => {
                digest(memory.local(memory.model().length(), task))
            }
            // Whoever closes the circle, or comes first to one that is closed: it is the same one.
            Some(Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_))) => 0,
            Some(Wrong::Kernel(wrong)) => {
                digest(memory.local(memory.model().length(), usize::from(wrong.task().0.index)))
            }
            Some(Wrong::Deadlock) | None => state,
        };
        self.by_force |= memory.model().length() > 0 && memory.model().fatal(memory.model().length() - 1);
        let wrong = memory.wrong().map(|wrong| match wrong {
            Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_)) => {
                Wrong::Kernel(fwvs_kernel::Wrong::Cycle(fwvs_kernel::TaskId::setup(0)))
            }
            wrong => wrong,
        });
        self.ends.insert((wrong, state));
        self.findings.insert((wrong, finding));
        *self.traces.entry(trace(memory)).or_default() += 1;
    }
}

/// Runs a search to its end; `None` if it would take more paths than the limit.
pub fn outcome(
    memory: &mut Memory,
    reduction: &mut (impl Reduction<States> + ?Sized),
    limits: Limits,
) -> Option<Outcome> {
    let mut outcome = Outcome::default();
    let mut observe = |memory: &Memory, end: End, _: &Counts| {
        outcome.look(memory, end);
        ControlFlow::Continue(())
    };
    let Ok((completion, counts)) = explore(memory, reduction, limits, &mut observe);
    outcome.counts = counts;
    outcome.held_back = counts.held_back;
    (completion == Completion::Exhausted).then_some(outcome)
}

fn digest(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The path's happens-before, whatever the order in which the path went through it: for each event of each task, how
/// many events of every task come before it. Computed the slow way, from the definition.
fn trace(memory: &Memory) -> u64 {
    let mut tasks = vec![Vec::new(); memory.model().tasks()];
    let mut events: Vec<(usize, fwvs_kernel::Event, Vec<u32>)> = Vec::new();
    for at in 0..memory.model().length() {
        let transition = memory.model().taken(at);
        let task = memory.model().task(transition);
        let event = memory.model().pending(at, task).expect("what was taken was pending");
        let mut clock = vec![0; memory.model().tasks()];
        for (other, earlier, before) in &events {
            if *other == task || memory.model().relation(earlier, &event) != Relation::Independent {
                clock
                    .iter_mut()
                    .zip(before)
                    .for_each(|(mine, theirs): (&mut u32, _)| *mine = (*mine).max(*theirs));
            }
        }
        clock[task] += 1;
        tasks[task].push((transition.alternative, clock.clone()));
        events.push((task, event, clock));
    }
    digest(&tasks)
}
