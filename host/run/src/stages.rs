//! A search by stages, for firmware whose paths do not end: at which stage it is, and what those before came to.

use fwvs_explore::{Counts, Stage};
use fwvs_scenario::number::count;
use serde::{Deserialize, Serialize};

/// More stages than any search by stages comes to.
const MOST: usize = 1 << 20;

/// How far a search by stages is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Stages {
    /// Which stage it is, if the search goes by stages.
    pub(crate) at: Option<usize>,
    /// What the stages before it came to.
    pub(crate) earlier: Counts,
}

impl Stages {
    /// Whether a search by stages can have come so far.
    pub(crate) fn is_sound(&self) -> bool {
        self.at.is_none_or(|stage| stage <= MOST)
    }

    /// How far it came, in words, with paths of at most that many steps.
    pub(crate) fn reached(&self, depth: usize) -> Option<String> {
        Some(in_words(Stage::all(depth).take(self.at?)))
    }
}

fn in_words(done: impl Iterator<Item = Stage>) -> String {
    let each = |stage: Stage| match stage.delays {
        0 => format!("up to {} steps without a delay", count(stage.depth as u64)),
        delays => format!("{} with {delays}", count(stage.depth as u64)),
    };
    let reached: Vec<String> = Stage::reached(done).into_iter().map(each).collect();
    match reached.is_empty() {
        true => "paths do not end, and not even the shortest were all run".to_owned(),
        false => format!("paths do not end; all of them were run {}", reached.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_that_are_done_are_told_by_their_delays() {
        let reached = |at| Stages { at, ..Stages::default() }.reached(1000);
        assert_eq!(reached(None), None);
        assert_eq!(
            reached(Some(0)).as_deref(),
            Some("paths do not end, and not even the shortest were all run")
        );
        let three = "paths do not end; all of them were run up to 128 steps without a delay, 32 with 1";
        assert_eq!(reached(Some(3)).as_deref(), Some(three));
    }
}
