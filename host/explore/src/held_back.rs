//! What bounds inside the system hold back in states that no path goes through.
//!
//! A reduction runs one order of what commutes, and goes through the states of that order only. Something that time or a
//! line would bring, were its budget not used up, may be possible in another one of them and nowhere else: it waits for a
//! unit, and on the path the unit came first. Were there budget left, that would be a race, and the other order would be run
//! for it; but an operation that cannot be taken races with nothing. So those states are looked at here, by leaving out
//! events of the path and all that needs them. Nothing more has to be run: whoever is held back does nothing, so whatever
//! the others do then is on some path anyway.

use std::collections::HashSet;
use std::ops::BitOr;

use fwvs_path::Relation;
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::model::Model;

/// How many states are looked at for one operation at one step of a path. With more than that, what they might have is taken
/// for held back: a search that says too much of its bounds is better than one that hides one.
const MOST_STATES: usize = 1000;

/// Some of the bounds inside a system, by bits that the system gives them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Bounds(pub u8);

impl Bounds {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Those that are not among `others`.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl BitOr for Bounds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The bounds that were seen to hold something back beside the states of paths.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct HeldBack {
    found: Bounds,
}

/// Something that a task is held at and a bound may hold back.
struct Candidate<E> {
    task: usize,
    /// The task's event before it, and the one with which the task went on.
    previous: Option<usize>,
    next: Option<usize>,
    /// What it is, as widely as it may be.
    event: E,
    bounds: Bounds,
}

impl HeldBack {
    pub(crate) fn found(&self) -> Bounds {
        self.found
    }

    /// Looks at all states that consist of events of the path, one after the first `same` among them.
    pub(crate) fn look<M: Model>(&mut self, model: &M, history: &History<M::Event>, same: usize) {
        for task in 0..model.tasks() {
            let places = history.places(task);
            for nth in 0..=places.len() {
                let (previous, next) = (nth.checked_sub(1).map(|nth| places[nth]), places.get(nth).copied());
                let last = next.unwrap_or(history.len());
                // A deadline may be moved while its timer waits for it.
                let states = previous.map_or(0, |previous| previous + 1)..=last;
                let bounds = states.fold(Bounds::NONE, |all, at| all | model.exhausted(at, task));
                let bounds = bounds.without(self.found);
                if let Some(event) = model.pending(last, task).filter(|_| bounds != Bounds::NONE) {
                    let candidate = Candidate { task, previous, next, event: model.widest(&event), bounds };
                    self.look_for(model, history, same, &candidate);
                }
            }
        }
    }

    fn look_for<M: Model>(
        &mut self,
        model: &M,
        history: &History<M::Event>,
        same: usize,
        candidate: &Candidate<M::Event>,
    ) {
        let since = candidate.previous.map_or(0, |previous| previous + 1);
        for until in (same + 1).max(since)..=history.len() {
            let mut whole: Vec<usize> = (0..until).collect();
            if let Some(next) = candidate.next {
                whole.retain(|event| !history.before(next, *event));
            }
            // States without the last event were looked at where the path was shorter.
            if whole.last() != Some(&(until - 1)) {
                continue;
            }
            let (mut seen, mut left) = (HashSet::new(), vec![whole]);
            while let Some(events) = left.pop() {
                if candidate.bounds.without(self.found) == Bounds::NONE {
                    return;
                }
                if seen.len() == MOST_STATES {
                    self.found = self.found | candidate.bounds;
                    return;
                }
                let from = events.iter().zip(0..).take_while(|(event, place)| *event == place).count();
                self.found = self.found | model.held_back(from, &events[from..]);
                for fewer in one_fewer(model, history, candidate, &events) {
                    if seen.insert(fewer.clone()) {
                        left.push(fewer);
                    }
                }
            }
        }
    }
}

/// The events without one that may make a difference to the candidate, and without what needs that one.
fn one_fewer<M: Model>(
    model: &M,
    history: &History<M::Event>,
    candidate: &Candidate<M::Event>,
    events: &[usize],
) -> impl Iterator<Item = Vec<usize>> {
    let needed = |event: usize| {
        history.task(event) == candidate.task
            || candidate.previous.is_some_and(|previous| history.before(event, previous))
            || events.last().is_some_and(|last| history.before(event, *last))
    };
    let matters =
        |event: usize| model.relation(history.event(event), &candidate.event) != Relation::Independent;
    let out = events.iter().copied().filter(move |event| !needed(*event) && matters(*event));
    out.map(|out| events.iter().copied().filter(|event| !history.before(out, *event)).collect())
}
