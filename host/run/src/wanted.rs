//! Which findings somebody is after: of a kind, or with certain words.

use fwvs_scenario::FindingKind;
use serde::{Deserialize, Serialize};

/// What a finding must be like. By default, anything counts.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// What sort of thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FindingKind>,
    /// Part of the sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Wanted {
    /// Whether a finding of that kind, with that sentence, is one.
    pub fn matches(&self, kind: FindingKind, message: &str) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
            && self.message.as_deref().is_none_or(|part| message.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_words_must_both_fit() {
        let wanted = |kind, message: Option<&str>| Wanted { kind, message: message.map(str::to_owned) };
        let fits = |wanted: &Wanted| wanted.matches(FindingKind::Deadlock, "A waits for B");
        assert!(fits(&Wanted::default()));
        assert!(fits(&wanted(Some(FindingKind::Deadlock), Some("waits"))));
        assert!(!fits(&wanted(Some(FindingKind::Crash), None)));
        assert!(!fits(&wanted(Some(FindingKind::Deadlock), Some("C"))));
    }
}
