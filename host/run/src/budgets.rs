//! Bounds inside the system: which are in force, which of them kept something from happening, and who asked for them.

use fwvs_kernel::Cuts;
use fwvs_scenario::Within;
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::world::World;

/// How many paths each bound inside the system ended. Several may have ended the same one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct EndedBy {
    interrupts: u64,
    expiries: u64,
    until: u64,
}

impl EndedBy {
    /// A path ended where these kept the rest from going on.
    pub(crate) fn count(&mut self, cuts: Cuts) {
        self.interrupts += u64::from(cuts.interrupts);
        self.expiries += u64::from(cuts.expiries);
        self.until += u64::from(cuts.until);
    }
}

/// A bound that is in force.
struct Budget {
    within: Within,
    /// Whether somebody asked for it.
    asked: bool,
}

/// The bounds inside the system that a run had, and what they came to.
pub(crate) struct Budgets(Vec<Budget>);

impl Budgets {
    /// Those in force in that firmware.
    pub(crate) fn new(world: &World, facts: &Facts, cuts: Cuts, ended: EndedBy) -> Self {
        // A number that nobody asked for, and that no line goes by, is nobody's business.
        let asked = world.interrupts.is_some();
        let interrupts = (asked || facts.has_unlimited_line()).then_some(world.interrupts());
        let budget = |bound: String, lets: String, reached, ended, asked| Budget {
            within: Within { bound, lets, reached, ended },
            asked,
        };
        let times = |number: u16| if number == 1 { "once".to_owned() } else { format!("{number} times") };
        let all = [
            world.until_tick.map(|tick| {
                let lets = format!("up to tick {tick}");
                budget(format!("--until-tick {tick}"), lets, cuts.until, ended.until, true)
            }),
            world.expiries.map(|number| {
                let lets =
                    format!("with each timer, and each task's waits, expiring at most {}", times(number));
                budget(format!("--expiries {number}"), lets, cuts.expiries, ended.expiries, true)
            }),
            interrupts.map(|number| {
                let lets = format!("with each interrupt line firing at most {}", times(number));
                let by_default = if asked { "" } else { " (the default)" };
                let bound = format!("--interrupts {number}{by_default}");
                budget(bound, lets, cuts.interrupts, ended.interrupts, asked)
            }),
        ];
        Self(all.into_iter().flatten().collect())
    }

    /// What those cut that nobody asked for, of so many paths.
    pub(crate) fn unasked(&self, paths: u64) -> impl Iterator<Item = String> + '_ {
        let cut = self.0.iter().filter(|budget| !budget.asked && budget.within.reached);
        cut.map(move |budget| budget.within.effect(paths))
    }

    /// The rest: what the question had, and what nobody asked for and came to nothing.
    pub(crate) fn within(self) -> Vec<Within> {
        let kept = self.0.into_iter().filter(|budget| budget.asked || !budget.within.reached);
        kept.map(|budget| budget.within).collect()
    }
}
