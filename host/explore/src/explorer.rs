//! The one loop: plan, run, count, observe.
//!
//! What to run next is the reduction's; what to do about findings, clocks and Ctrl-C is the observer's.

use std::ops::ControlFlow;

use fwvs_path::{End, Plan, Policy};
use serde::{Deserialize, Serialize};

use crate::checkpoint::Saved;
use crate::estimate::{Estimate, Ways};
use crate::held_back::Bounds;
use crate::model::Model;
use crate::runner::Runner;
use crate::subtree::Returned;

/// Decides which paths are worth running.
pub trait Reduction<M: Model> {
    /// The next path.
    fn next(&self, limits: &Limits) -> Plan<'_, M::Transition>;

    /// How many ways to go on were left out because of a bound: then even an exhausted search is not complete.
    fn cuts(&self) -> u64 {
        0
    }

    /// Which bounds inside the system were seen to hold something back in states that no path went through.
    fn held_back(&self) -> Bounds {
        Bounds::NONE
    }

    /// How often the search started over, having found out that it cannot go on as it was.
    fn started_over(&self) -> u64 {
        0
    }

    /// A path was run; its states from the script's length on are new.
    fn ran(&mut self, model: &M, end: End);

    /// The ways to go on that state `at` of the path at hand has, as far as they are known. Of no use in searches by chance.
    fn ways(&self, model: &M, at: usize) -> Ways {
        let _ = (model, at);
        Ways::default()
    }

    /// Hands over a part of what is left, as a search of the same kind for another runner: [`Reduction::restore`] begins it. After
    /// a path was run, before the search moves on. `None` if there is nothing to hand over, or if searches of this kind cannot
    /// be split.
    fn split(&mut self, model: &M) -> Option<Saved<M::Transition, M::Event>> {
        let _ = model;
        None
    }

    /// What a part that has run all it had hands back; `None` where the search that it was handed over from need not know.
    fn hand_back(&mut self) -> Option<Returned<M::Transition>> {
        None
    }

    /// Takes back a part that was handed over; the model is still of the path that ran last. A search that had nothing more to run
    /// may then move on to another path.
    fn join(&mut self, model: &M, part: Returned<M::Transition>) {
        let _ = (model, part);
    }

    /// Whether some part was not taken back yet.
    fn is_waiting(&self) -> bool {
        false
    }

    /// The search between two paths, to be put aside.
    fn save(&self) -> Saved<M::Transition, M::Event>;

    /// A search of the same kind goes on; the model is of a runner that has not run anything.
    fn restore(&mut self, saved: Saved<M::Transition, M::Event>);

    /// Moves on to the next path. False when every path has been run, but for those of parts that were handed over.
    fn advance(&mut self, model: &M) -> bool;
}

/// A search put aside, of what a runner runs.
pub type SavedOf<R> =
    Saved<<<R as Runner>::Model as Model>::Transition, <<R as Runner>::Model as Model>::Event>;

/// Looks at every path.
pub trait Observer<R: Runner> {
    /// A path was run. `Break` ends the search.
    fn path(&mut self, runner: &R, end: End, counts: &Counts) -> ControlFlow<()>;

    /// Between two paths: the search can be put aside.
    fn between(&mut self, counts: &Counts, save: &dyn Fn() -> SavedOf<R>) {
        let _ = (counts, save);
    }

    /// The observer, the bound on paths or an interruption ended the search, and paths are left: the last chance to put it aside.
    fn stopped(&mut self, counts: &Counts, save: &dyn Fn() -> SavedOf<R>) {
        let _ = (counts, save);
    }

    /// Now and then: how far the search is.
    fn progress(&mut self, counts: &Counts, estimate: &Estimate) {
        let _ = (counts, estimate);
    }
}

impl<R: Runner, F: FnMut(&R, End, &Counts) -> ControlFlow<()>> Observer<R> for F {
    fn path(&mut self, runner: &R, end: End, counts: &Counts) -> ControlFlow<()> {
        self(runner, end, counts)
    }
}

/// Where to stop, and how to get there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Transitions a path may have.
    pub depth: usize,
    /// Paths the search may run.
    pub paths: u64,
    /// How paths go on after their scripts.
    pub policy: Policy,
}

impl Limits {
    /// The script, and then on as the search does everywhere.
    pub(crate) fn plan<'a, T>(&self, script: &'a [T], same: usize) -> Plan<'a, T> {
        let depth = self.depth.try_into().unwrap_or(u32::MAX);
        Plan { same, ..Plan::new(script, self.policy, depth) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 1000, paths: u64::MAX, policy: Policy::default() }
    }
}

/// How much was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Paths that came to an end of their own, or of the depth bound.
    pub paths: u64,
    /// Edges of the explored tree, each once.
    pub transitions: u64,
    /// Transitions executed again to come back to a state.
    pub replayed: u64,
    /// Paths that the depth bound cut.
    pub depth_cuts: u64,
    /// Ways to go on that a bound of the search left out.
    pub bound_cuts: u64,
    /// Paths that ended because a bound inside the system was used up.
    #[serde(default)]
    pub budget_cuts: u64,
    /// Which bounds inside the system held something back in any state that can be reached, at the end of a path or before.
    #[serde(default)]
    pub held_back: Bounds,
    /// Runs that ended because other paths cover the rest.
    pub sleep_blocked: u64,
    /// How often the search started over with another reduction; what was run before is counted too.
    #[serde(default)]
    pub started_over: u64,
    /// The longest path.
    pub deepest: usize,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// Every path that the reduction asked for was run.
    Exhausted,
    /// The bound on paths was reached with paths left.
    Paths,
    /// The observer ended it.
    Stopped,
    /// In the middle of a path, which is the next one to run.
    Interrupted,
    /// It came to a decision that is not enabled. Only a search that somebody else put aside can say such a thing.
    Astray,
}

/// Runs every path that the reduction asks for.
pub fn explore<R: Runner>(
    runner: &mut R,
    reduction: &mut (impl Reduction<R::Model> + ?Sized),
    limits: Limits,
    observer: &mut impl Observer<R>,
) -> Result<(Completion, Counts), R::Error> {
    resume(runner, reduction, limits, Counts::default(), observer)
}

/// As [`explore`], for a restored reduction, and with what had been counted when it was saved.
pub fn resume<R: Runner>(
    runner: &mut R,
    reduction: &mut (impl Reduction<R::Model> + ?Sized),
    limits: Limits,
    mut counts: Counts,
    observer: &mut impl Observer<R>,
) -> Result<(Completion, Counts), R::Error> {
    // The first path of a runner that has not run anything has nothing in common with the one before.
    let mut first = true;
    let mut estimate = Estimate::default();
    // Paths of a search that was given up say nothing of the one that started over.
    let mut before = 0;
    loop {
        let end = path(runner, reduction, limits, first, &mut counts)?;
        if end == End::Interrupted {
            observer.stopped(&counts, &|| reduction.save());
            return Ok((Completion::Interrupted, counts));
        }
        if end == End::NotEnabled {
            return Ok((Completion::Astray, counts));
        }
        first = false;
        let model = runner.model();
        if observer.path(runner, end, &counts).is_break() {
            if reduction.advance(model) {
                observer.stopped(&counts, &|| reduction.save());
            }
            return Ok((Completion::Stopped, counts));
        }
        if worth_a_sample(counts.paths) {
            estimate.sample(counts.paths - before, (0..model.length()).map(|at| reduction.ways(model, at)));
            observer.progress(&counts, &estimate);
        }
        if !reduction.advance(model) {
            return Ok((Completion::Exhausted, counts));
        }
        if counts.started_over != reduction.started_over() {
            counts.started_over = reduction.started_over();
            (estimate, before) = (Estimate::default(), counts.paths);
        }
        observer.between(&counts, &|| reduction.save());
        if counts.paths >= limits.paths {
            observer.stopped(&counts, &|| reduction.save());
            return Ok((Completion::Paths, counts));
        }
    }
}

/// Runs the next path that the reduction asks for and counts it, for whoever drives a search by hand. `first` says that the runner
/// has not run the search's last path: then it has nothing in common with the one before.
pub fn path<R: Runner>(
    runner: &mut R,
    reduction: &mut (impl Reduction<R::Model> + ?Sized),
    limits: Limits,
    first: bool,
    counts: &mut Counts,
) -> Result<End, R::Error> {
    let next = reduction.next(&limits);
    let (length, same) = (next.script.len(), next.same);
    runner.run(&Plan { same: if first { 0 } else { same }, ..next })?;
    let model = runner.model();
    let end = model.end();
    if matches!(end, End::Interrupted | End::NotEnabled) {
        return Ok(end);
    }
    reduction.ran(model, end);
    counts.count(model.length(), length.min(same), end);
    counts.bound_cuts = reduction.cuts();
    let states = length.min(same)..=model.length();
    counts.held_back =
        states.fold(counts.held_back | reduction.held_back(), |all, at| all | model.held_back(at, &[]));
    Ok(end)
}

/// Looking at every path would cost as much as running it.
fn worth_a_sample(paths: u64) -> bool {
    paths < 64 || paths.is_multiple_of(61)
}

impl std::ops::Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            paths: self.paths + other.paths,
            transitions: self.transitions + other.transitions,
            replayed: self.replayed + other.replayed,
            depth_cuts: self.depth_cuts + other.depth_cuts,
            bound_cuts: self.bound_cuts + other.bound_cuts,
            budget_cuts: self.budget_cuts + other.budget_cuts,
            held_back: self.held_back | other.held_back,
            sleep_blocked: self.sleep_blocked + other.sleep_blocked,
            started_over: self.started_over + other.started_over,
            deepest: self.deepest.max(other.deepest),
        }
    }
}

impl Counts {
    fn count(&mut self, length: usize, replayed: usize, end: End) {
        self.transitions += (length - replayed.min(length)) as u64;
        self.replayed += replayed.min(length) as u64;
        self.deepest = self.deepest.max(length);
        match end {
            End::Asleep => self.sleep_blocked += 1,
            End::Depth => {
                self.depth_cuts += 1;
                self.paths += 1;
            }
            End::Budget => {
                self.budget_cuts += 1;
                self.paths += 1;
            }
            End::Finished | End::Finding => self.paths += 1,
            End::Asked => unreachable!("a search goes on after its scripts"),
            End::NotEnabled | End::Interrupted => {
                unreachable!("a path that did not come to its end counts for nothing")
            }
        }
    }
}
