//! The shortest path to a finding, by iterative deepening.
//!
//! Sleep sets only: they are the strongest reduction that a bound on the depth does not upset, because what they leave
//! out differs from what was run in the order of transitions, not in their number.

use fwvs_path::End;

use crate::explorer::{Completion, Counts, Limits, Observer, explore};
use crate::model::Model;
use crate::runner::{Runner, TransitionOf};
use crate::sleep::Sleep;

/// What a search for the shortest path came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shortest<T> {
    /// This path ends in a finding that the observer stopped for, and no shorter one does.
    Minimal(Vec<T>),
    /// No path ends in a finding that the observer stopped for.
    Nothing,
    /// No path of so many transitions ends in a finding; the limits did not allow longer ones, or more.
    Bounded(usize),
}

/// Looks for the shortest path to a finding, up to the limits; the runner then stands at its end. The observer sees
/// the paths of every depth.
pub fn shortest<R: Runner>(
    runner: &mut R,
    limits: Limits,
    observer: &mut impl Observer<R>,
) -> Result<(Shortest<TransitionOf<R>>, Counts), R::Error> {
    let mut total = Counts::default();
    for depth in 1..=limits.depth {
        let paths = limits.paths.saturating_sub(total.paths);
        // A search runs its first path before it looks at the bound.
        if paths == 0 {
            return Ok((Shortest::Bounded(depth - 1), total));
        }
        let mut found = None;
        let mut observe = |runner: &R, end: End, counts: &Counts| {
            let flow = observer.path(runner, end, &(total + *counts));
            if end == End::Finding && flow.is_break() {
                let model = runner.model();
                found = Some((0..model.length()).map(|at| model.taken(at)).collect());
            }
            flow
        };
        let limits = Limits { depth, paths, ..limits };
        let (completion, counts) = explore(runner, &mut Sleep::default(), limits, &mut observe)?;
        total = total + counts;
        if let Some(path) = found {
            return Ok((Shortest::Minimal(path), total));
        }
        if completion != Completion::Exhausted {
            return Ok((Shortest::Bounded(depth - 1), total));
        }
        if counts.depth_cuts == 0 {
            return Ok((Shortest::Nothing, total));
        }
    }
    Ok((Shortest::Bounded(limits.depth), total))
}
