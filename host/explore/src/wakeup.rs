//! Wakeup trees: what is still to be run from a state, as sequences that share their beginnings.
//!
//! A sequence is only added if it is not the same, but for the order of neighbours that commute, as one that is there.

use fwvs_path::Relation;
use serde::{Deserialize, Serialize};

use crate::model::Model;

/// A transition, and the event that it will be.
pub(crate) type Step<M> = (<M as Model>::Transition, <M as Model>::Event);

/// One way to go on, and the ways to go on after it. Without any, how to go on is left to the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Branch<T, E> {
    pub(crate) step: (T, E),
    pub(crate) below: Vec<Branch<T, E>>,
}

/// Adds a sequence to the ways to go on from a state. Where a branch ends that the sequence could begin with, how to go
/// on was left to the system, and what it does leads to the rest by races of its own.
pub(crate) fn insert<M: Model>(
    model: &M,
    mut branches: &mut Vec<Branch<M::Transition, M::Event>>,
    mut sequence: Vec<Step<M>>,
    strangers: bool,
) {
    while let Some(place) =
        branches.iter().position(|branch| leave_out(model, &mut sequence, &branch.step, strangers))
    {
        branches = &mut branches[place].below;
        if branches.is_empty() {
            return;
        }
    }
    for step in sequence {
        branches.push(Branch { step, below: Vec::new() });
        branches = &mut branches.last_mut().expect("it was just added").below;
    }
}

/// Whether the sequence could begin with `first`, as it is or, if `strangers` may, because it commutes with all of it;
/// leaves it out then.
pub(crate) fn leave_out<M: Model>(
    model: &M,
    sequence: &mut Vec<Step<M>>,
    first: &Step<M>,
    strangers: bool,
) -> bool {
    let task = model.task(first.0);
    for (place, (transition, event)) in sequence.iter().enumerate() {
        if model.task(*transition) == task {
            let same = *transition == first.0;
            if same {
                sequence.remove(place);
            }
            return same;
        }
        if model.relation(&first.1, event) != Relation::Independent {
            return false;
        }
    }
    strangers
}
