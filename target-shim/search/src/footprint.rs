//! What tasks may do, and the smallest set of tasks that can go on without asking the others: persistent sets.
//!
//! A set is persistent (Godefroid, Peled, Staskauskas 1996; VeriSoft 2003, algorithm 2) if nothing that the other tasks
//! may do, for as long as those of the set stand still, makes a difference to the set. What a task may do is its
//! footprint: what it declared, less what was over in an earlier phase.
//!
//! Whether one task may make a difference to another is what the rules in `matters` say.

use fwvs_kernel::{Kernel, ObjectId, Operation, Storage, Use};
use fwvs_path::Precision;

use crate::closure::Closures;
use crate::rule::Rule;
use crate::task_set::TaskSet;

/// What all tasks may do, and how precisely to take it.
#[derive(Clone, Copy, Debug)]
pub struct Footprints<'a> {
    uses: &'a [Use],
    pub(crate) precision: Precision,
    #[cfg(feature = "leave-out")]
    without: Option<Rule>,
}

impl<'a> Footprints<'a> {
    /// Everything that was declared, and how precisely to take it.
    pub const fn new(uses: &'a [Use], precision: Precision) -> Self {
        Self {
            uses,
            precision,
            #[cfg(feature = "leave-out")]
            without: None,
        }
    }

    /// The same without a rule: for tests that want to see it missed.
    #[cfg(feature = "leave-out")]
    #[must_use]
    pub const fn without(self, rule: Option<Rule>) -> Self {
        Self { without: rule, ..self }
    }

    /// Whether the rule counts. They all do, but for tests.
    #[inline(always)]
    pub(crate) fn keeps(&self, rule: Rule) -> bool {
        #[cfg(feature = "leave-out")]
        return self.without != Some(rule);
        #[cfg(not(feature = "leave-out"))]
        {
            let _ = rule;
            true
        }
    }
}

impl Footprints<'_> {
    /// The smallest persistent set in the present state, counting tasks that can go on. Among several that are as small,
    /// the first one that has the task at `preferred`, or else the first one.
    pub fn persistent<S: Storage>(&self, kernel: &Kernel<S>, preferred: usize) -> TaskSet {
        if kernel.tasks().len() > TaskSet::MOST {
            return TaskSet::EVERYBODY;
        }
        let mut search = Closures::new(self, kernel);
        let places = 0..kernel.tasks().len();
        let enabled = places.filter(|place| kernel.can_go_on(*place));
        let enabled = TaskSet(enabled.fold(0, |set, place| set | 1 << place));
        // Nothing is smaller than the one task that is preferred anyway, and often nothing else is needed.
        let rank = |set: TaskSet| ((set.0 & enabled.0).count_ones(), !set.contains(preferred));
        let alone = search.of(preferred);
        if rank(alone) == (1, false) {
            return alone;
        }
        let mut smallest: Option<TaskSet> = None;
        for seed in enabled.places() {
            let set = search.of(seed);
            if smallest.is_none_or(|smallest| rank(set) < rank(smallest)) {
                smallest = Some(set);
            }
        }
        smallest.unwrap_or(TaskSet::EVERYBODY)
    }

    /// Whether the task at `place`, held at `operation`, had not declared it for its present phase.
    pub fn undeclared<S: Storage>(&self, kernel: &Kernel<S>, place: usize, operation: Operation) -> bool {
        let now = Self { precision: Precision::State, ..*self };
        let Some((access, object)) = Use::of(operation) else { return false };
        let same =
            |one: Use| one.access == Some(access) && (object == ObjectId::NULL || one.object == object);
        self.declares(place) && !now.of(kernel, place).any(same)
    }

    pub(crate) fn declares(&self, place: usize) -> bool {
        self.uses.iter().any(|one| usize::from(one.task) == place)
    }

    /// What a task that declares something may do in the present state or later.
    pub(crate) fn of<S: Storage>(&self, kernel: &Kernel<S>, place: usize) -> impl Iterator<Item = Use> {
        let phase = match self.precision {
            Precision::Task => 0,
            Precision::State | Precision::Runtime => {
                kernel.tasks()[place].phase + u8::from(!self.keeps(Rule::Phase))
            }
        };
        let task = move |one: &Use| usize::from(one.task) == place && one.until >= phase;
        self.uses.iter().copied().filter(task)
    }
}
