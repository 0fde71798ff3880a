//! The numbers of the VeriSoft papers, in memory.

use std::collections::HashSet;
use std::ops::ControlFlow;

use fwvs_explore::{Completion, Counts, End, Exhaustive, Limits, explore};
use fwvs_kernel::Kernel;
use fwvs_tests::{Memory, Program, Wrong};

fn exhaust(program: &Program) -> (Completion, Counts, u64) {
    let mut deadlocks = 0;
    let mut observe = |memory: &Memory, _: End, _: &Counts| {
        deadlocks += u64::from(memory.wrong() == Some(Wrong::Deadlock));
        ControlFlow::Continue(())
    };
    let Ok((completion, counts)) =
        explore(&mut Memory::new(program), &mut Exhaustive::default(), Limits::default(), &mut observe);
    (completion, counts, deadlocks)
}

#[test]
fn every_interleaving_is_run_once() {
    let full = std::env::var_os("FWVS_FULL").is_some();
    let rows = [(2, 18, 4), (3, 1_680, 396), (4, 386_816, 104_704), (5, 354_940_010, 104_652_200)];
    for (count, transitions, paths) in rows.into_iter().take(if full { 4 } else { 3 }) {
        let (completion, counts, deadlocks) = exhaust(&Program::philosophers(count, false));
        assert_eq!(completion, Completion::Exhausted);
        assert_eq!((counts.transitions, counts.paths), (transitions, paths), "{count} philosophers");
        assert!(deadlocks > 0);
    }
}

#[test]
fn ordered_philosophers_cannot_deadlock() {
    for count in 2..=4 {
        assert_eq!(exhaust(&Program::philosophers(count, true)).2, 0, "{count} philosophers");
    }
}

/// A second method: states are remembered, every edge is walked once.
#[test]
fn the_state_space_is_that_of_the_papers() {
    for (count, states, transitions) in
        [(2, 17, 18), (3, 75, 123), (4, 321, 708), (5, 1_363, 3_765), (6, 5_777, 19_158)]
    {
        let program = Program::philosophers(count, false);
        let start = Memory::new(&program);
        let mut seen = HashSet::new();
        let mut edges = 0;
        let mut open = vec![start];
        seen.insert(key(open[0].kernel(0)));
        while let Some(memory) = open.pop() {
            for transition in memory.kernel(0).enabled().collect::<Vec<_>>() {
                edges += 1;
                let next = memory.after(transition);
                if seen.insert(key(next.kernel(0))) {
                    open.push(next);
                }
            }
        }
        assert_eq!((seen.len(), edges), (states, transitions), "{count} philosophers");
    }
}

/// What of a kernel makes two states different; steps taken do not.
fn key(kernel: &Kernel<fwvs_kernel::Boxed>) -> impl std::hash::Hash + Eq + use<> {
    let levels: Vec<u16> = kernel.objects().iter().map(|object| object.level).collect();
    let pending: Vec<_> = kernel.tasks().iter().map(|task| task.pending).collect();
    (levels, pending)
}
