//! Whether a search that was put aside fits what is to go on with it.
//!
//! A checkpoint is a file, and may come from anywhere. What it says of states is compared with the states themselves, once its script
//! was followed to its end. How the sequences of a wakeup tree go on cannot be known before they are run: that is seen then, when a
//! decision is not enabled, and ends the search as [`Completion::Astray`](crate::Completion::Astray).

use fwvs_path::{End, Plan};

use crate::checkpoint::{Saved, SavedState};
use crate::explorer::SavedOf;
use crate::model::Model;
use crate::runner::Runner;
use crate::wakeup::Branch;

/// More alternatives than anything has that a task can do.
const MOST_ALTERNATIVES: usize = 1 << 16;

/// Whether the search may go on with this runner, which follows its script for that. Not so a part of another search: whoever
/// handed it over has the rest.
pub fn fits<R: Runner>(runner: &mut R, saved: &SavedOf<R>) -> Result<bool, R::Error> {
    if !is_consistent(saved, runner.model()) {
        return Ok(false);
    }
    runner.run(&Plan::follow(&saved.script))?;
    let model = runner.model();
    // Nobody waits for the end of a path that was interrupted, nor will anybody wait for the next one.
    Ok(model.end() == End::Interrupted || fits_path(saved, model))
}

/// Whether its parts agree with each other, and speak of tasks that there are.
fn is_consistent<M: Model>(saved: &Saved<M::Transition, M::Event>, model: &M) -> bool {
    let length = saved.script.len();
    let whole = saved.floor == 0
        && !saved.root_by_force
        && saved.handed.is_empty()
        && saved.out.is_empty()
        && saved.wishes.is_empty();
    // A wakeup tree says how to go on after the script.
    let states = saved.states.len() == length || saved.states.len() == length + 1;
    let is_task = |transition: &M::Transition| model.task(*transition) < model.tasks();
    let of_state = |state: &SavedState<M::Transition, M::Event>| {
        state.arrived <= state.asleep.len()
            && state.asleep.iter().chain(&state.left).all(is_task)
            && state.wanted.iter().all(|task| *task < model.tasks())
            && state.branches.iter().all(|branch| has_tasks(branch, model))
    };
    let fatal = saved.fatal.iter().all(|(at, transition)| *at < length && is_task(transition));
    whole
        && states
        && (saved.same == 0 || saved.same < length)
        && saved.script.iter().chain(&saved.after).all(is_task)
        && fatal
        && saved.states.iter().all(of_state)
}

/// Whether all that a branch of a wakeup tree speaks of are tasks, each with something it could do.
fn has_tasks<M: Model>(branch: &Branch<M::Transition, M::Event>, model: &M) -> bool {
    let mut left = vec![branch];
    while let Some(Branch { step: (transition, event), below }) = left.pop() {
        if model.task(*transition) >= model.tasks() || !is_one_of(*transition, event, model) {
            return false;
        }
        left.extend(below);
    }
    true
}

/// Whether what it says of states is so in the states of the path, which ran its script.
fn fits_path<M: Model>(saved: &Saved<M::Transition, M::Event>, model: &M) -> bool {
    let (length, end) = (model.length(), model.end());
    // Nobody could know that a step of a sequence ends the path. Of all that comes before it, the path before went the same way.
    let least = if saved.states.len() > saved.script.len() { saved.same + 1 } else { saved.script.len() };
    let followed = match end {
        End::NotEnabled => false,
        End::Finding => length >= least,
        _ => length == saved.script.len(),
    };
    let sleeps = |at: usize, sleeper: &M::Transition| {
        let pending = model.pending(at, model.task(*sleeper));
        pending.is_some_and(|event| is_one_of(*sleeper, &event, model))
    };
    let sleep = |at: usize, asleep: &[M::Transition]| {
        are_distinct(asleep) && asleep.iter().all(|one| sleeps(at, one))
    };
    let of_state = |(at, state): (usize, &SavedState<M::Transition, M::Event>)| {
        let enabled: Vec<_> = model.enabled(at).collect();
        let taken = saved.script.get(at);
        let left = |transition: &M::Transition| enabled.contains(transition) && Some(transition) != taken;
        sleep(at, &state.asleep)
            && are_distinct(&state.left)
            && state.left.iter().all(left)
            && state.branches.iter().all(|branch| enabled.contains(&branch.step.0))
    };
    // In the state in which a path ended by a finding nobody goes on.
    let known = if end == End::Finding { length } else { length + 1 };
    followed
        && saved.script.iter().take(length).enumerate().all(|(at, decision)| model.taken(at) == *decision)
        && saved.states.iter().enumerate().take(known).all(of_state)
        && (end == End::Finding || sleep(length, &saved.after))
}

/// Whether it is an alternative of what is done.
fn is_one_of<M: Model>(transition: M::Transition, event: &M::Event, model: &M) -> bool {
    model.alternatives(event).take(MOST_ALTERNATIVES).any(|alternative| alternative == transition)
}

fn are_distinct<T: PartialEq>(all: &[T]) -> bool {
    all.iter().enumerate().all(|(place, one)| !all[..place].contains(one))
}
