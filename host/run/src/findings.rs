//! Distinct findings, each with the shortest way to it that was seen.

use std::collections::BTreeMap;
use std::path::Path;

use fwvs_scenario::Finding;
use fwvs_scenario::run_directory::scenario_name;
use serde::{Deserialize, Serialize};

/// What was found, in the order in which it was.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Findings {
    found: Vec<Finding>,
    /// Where each is, by the key that says what is wrong.
    places: BTreeMap<u64, usize>,
}

/// How a finding stands to those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// There is one with that key.
    First,
    /// There is one at that place, and this way to it is shorter.
    Shorter(usize),
    /// There is one, and a way to it that is no longer.
    Again,
}

impl Findings {
    /// A path of that length ended with what has that key. What is known is counted.
    pub(crate) fn meet(&mut self, key: u64, length: usize) -> Seen {
        let Some(place) = self.places.get(&key).copied() else { return Seen::First };
        let known = &mut self.found[place];
        known.count += 1;
        if length < known.steps.len() { Seen::Shorter(place) } else { Seen::Again }
    }

    /// Keeps what is new.
    pub(crate) fn add(&mut self, key: u64, finding: Finding) {
        self.places.insert(key, self.found.len());
        self.found.push(finding);
    }

    /// Keeps a shorter way to one of them. Its count and the place of its file stay.
    pub(crate) fn shorten(&mut self, place: usize, shorter: Finding) {
        let longer = &mut self.found[place];
        let (scenario, count) = (longer.scenario.take(), longer.count);
        *longer = Finding { scenario, count, ..shorter };
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Finding] {
        &self.found
    }

    /// Whether every key has its finding and every scenario a name that runs give, as it is in whatever a run writes.
    pub(crate) fn is_sound(&self) -> bool {
        let mut scenarios = self.found.iter().filter_map(|finding| finding.scenario.as_deref());
        self.places.values().all(|place| *place < self.found.len())
            && scenarios.all(|path| scenario_name(path).is_some())
    }

    /// Their scenarios are in that directory now, wherever they were: it may have been moved, or be seen from another folder, or
    /// be somebody else's.
    pub(crate) fn are_in(&mut self, directory: &Path) {
        for finding in &mut self.found {
            let name = finding.scenario.as_deref().and_then(scenario_name);
            finding.scenario = name.map(|name| directory.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use fwvs_scenario::{FindingKind, Step};

    use super::*;

    fn finding(steps: usize) -> Finding {
        Finding {
            kind: FindingKind::Deadlock,
            message: String::new(),
            steps: vec![Step::default(); steps],
            standing: Vec::new(),
            scenario: None,
            count: 1,
        }
    }

    #[test]
    fn the_shortest_way_is_kept_and_every_one_is_counted() {
        let mut findings = Findings::default();
        assert_eq!(findings.meet(7, 5), Seen::First);
        findings.add(7, Finding { scenario: Some("scenario-1.json".into()), ..finding(5) });
        assert_eq!(findings.meet(7, 5), Seen::Again);
        assert_eq!(findings.meet(7, 3), Seen::Shorter(0));
        findings.shorten(0, finding(3));
        assert_eq!(findings.meet(8, 1), Seen::First);
        let [only] = findings.all() else { panic!("one finding") };
        assert_eq!((only.steps.len(), only.count), (3, 3));
        assert_eq!(only.scenario.as_deref(), Some("scenario-1.json".as_ref()));
        assert!(findings.is_sound());
    }
}
