//! What random programs are like: how many of them have each of some features.

use std::collections::{BTreeMap, BTreeSet};

/// How many programs have what.
#[derive(Clone, Default, Debug)]
pub struct Histogram {
    /// Programs that were looked at.
    pub programs: u64,
    /// Programs with more interleavings than are worth their time.
    pub too_large: u64,
    with: BTreeMap<String, u64>,
}

impl Histogram {
    /// One more program, and what it has, however often.
    pub fn add(&mut self, features: impl IntoIterator<Item = String>) {
        self.programs += 1;
        for what in features.into_iter().collect::<BTreeSet<_>>() {
            *self.with.entry(what).or_default() += 1;
        }
    }

    /// The programs of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.programs += other.programs;
        self.too_large += other.too_large;
        for (what, count) in other.with {
            *self.with.entry(what).or_default() += count;
        }
        self
    }

    /// Asserts that at least one in `share` programs has it.
    ///
    /// # Panics
    /// If fewer have.
    pub fn enough(&self, what: &str, share: u64) {
        let count = self.with.get(what).copied().unwrap_or(0);
        assert!(count * share >= self.programs, "too few programs with {what}: {self:#?}");
    }
}

/// For a feature that counts something: up to 1, 10, 100, ...
pub fn magnitude(count: u64, what: &str) -> String {
    format!(
        "up to {:>6} {what}",
        10_u64.pow(count.saturating_sub(1).checked_ilog10().map_or(0, |log| log + 1))
    )
}
