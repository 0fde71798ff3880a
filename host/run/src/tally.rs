//! What was seen on all paths of a run, apart from how many there were.

use std::collections::BTreeSet;

use fwvs_explore::{Counts, End, Model, Runner};
use fwvs_kernel::{Cuts, Verb};
use serde::{Deserialize, Serialize};

use crate::budgets::EndedBy;
use crate::findings::Findings;
use crate::standstills::Standstills;
use crate::target::AnySession;
use crate::without_effect::{asks_for_time, waits_for_time};
use crate::world::World;

/// Whether somebody on the last path asked for the tick.
fn reads_tick(session: &AnySession) -> bool {
    session.mirror().steps().iter().any(|step| step.taken.operation.verb == Verb::Tick)
}

/// What was seen. Plain data: it can be put aside and gone on with.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) findings: Findings,
    /// A digest of every sequence of toss values.
    pub(crate) tosses: BTreeSet<u64>,
    /// Of each task, timer and line, whether it ever did anything.
    pub(crate) ran: Vec<bool>,
    /// Which bounds inside the system cut something.
    pub(crate) cuts: Cuts,
    /// How many paths each of those ended.
    pub(crate) ended_by: EndedBy,
    /// Whether anybody waited for time, where that makes a difference.
    pub(crate) timed: bool,
    /// Whether anybody asked for the tick.
    #[serde(default)]
    pub(crate) reads_tick: bool,
    pub(crate) standstills: Standstills,
}

impl Tally {
    /// Looks at the path that was just run; what it found is looked at apart.
    pub(crate) fn look(&mut self, world: &World, session: &AnySession, end: End, counts: &Counts) {
        let model = session.model();
        self.ran.resize(model.tasks(), false);
        for at in 0..model.length() {
            self.ran[model.task(model.taken(at))] = true;
            session.passed(at).for_each(|place| self.ran[place] = true);
        }
        if end != End::Asleep {
            self.tosses.insert(session.mirror().tosses());
        }
        self.cuts.add(Cuts::from_bits(counts.held_back.0));
        self.timed = self.timed || asks_for_time(world) && waits_for_time(session);
        self.reads_tick = self.reads_tick || reads_tick(session);
        if end == End::Budget {
            self.ended_by.count(session.mirror().last().cuts());
        }
        self.standstills.look(session, matches!(end, End::Depth | End::Budget));
    }
}
