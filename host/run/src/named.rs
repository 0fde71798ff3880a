//! The choices of a job by their names: those of the command line, which scenarios, checkpoints and summaries have too.

use fwvs_explore::{Precision, Rung};
use fwvs_kernel::{Clock, Schedule};
use serde::{Deserialize, Deserializer, Serializer};

use crate::job::Search;

/// A choice among few things, each with a name.
pub trait Named: Copy + PartialEq + 'static {
    /// All of them.
    const NAMES: &'static [(Self, &'static str)];

    /// What it is called.
    fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(value, _)| *value == self);
        named.map(|(_, name)| *name).expect("every value has a row with its name")
    }

    /// The one that is called so.
    fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(value, _)| *value)
    }
}

impl Named for Schedule {
    const NAMES: &'static [(Self, &'static str)] = &[(Self::Free, "free"), (Self::Priority, "priority")];
}

impl Named for Clock {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Free, "free"), (Self::Ordered, "ordered"), (Self::Idle, "idle")];
}

impl Named for Search {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Dfs, "dfs"),
        (Self::Shortest, "shortest"),
        (Self::Random, "random"),
        (Self::Pct, "pct"),
    ];
}

impl Named for Precision {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Task, "task"), (Self::State, "state"), (Self::Runtime, "runtime")];
}

/// With the precision of footprints, which [`reduction`] leaves out.
impl Named for Rung {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::None, "none"),
        (Self::Sleep, "sleep"),
        (Self::Persistent(Precision::Task), "persistent-task"),
        (Self::Persistent(Precision::State), "persistent-state"),
        (Self::Persistent(Precision::Runtime), "persistent-runtime"),
        (Self::Source, "source"),
        (Self::Optimal, "optimal"),
    ];
}

/// What a reduction is called wherever it does not matter how precisely footprints are used.
pub fn reduction(rung: Rung) -> &'static str {
    match rung {
        Rung::Persistent(_) => "persistent",
        other => other.name(),
    }
}

/// For `#[serde(with)]`: the name.
pub(crate) fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

/// For `#[serde(with)]`: the value of that name.
pub(crate) fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?;
    T::of_name(&name).ok_or_else(|| unknown::<T, D::Error>(&name))
}

fn unknown<T: Named, E: serde::de::Error>(name: &str) -> E {
    let known: Vec<&str> = T::NAMES.iter().map(|(_, name)| *name).collect();
    E::custom(format!("`{name}` is none of {}", known.join(", ")))
}

/// The same for what may be left open.
pub(crate) mod option {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Named, unknown};

    pub(crate) fn serialize<T: Named, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.map(Named::name).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: Named, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        name.map(|name| T::of_name(&name).ok_or_else(|| unknown::<T, D::Error>(&name))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Debug;

    use super::*;

    fn names_and_values_fit<T: Named + Debug>() {
        let names: BTreeSet<&str> = T::NAMES.iter().map(|(_, name)| *name).collect();
        assert_eq!(names.len(), T::NAMES.len());
        for (value, name) in T::NAMES {
            assert_eq!((value.name(), T::of_name(name)), (*name, Some(*value)));
        }
        assert_eq!(T::of_name("no such thing"), None);
    }

    #[test]
    fn every_value_has_one_name_of_its_own() {
        names_and_values_fit::<Schedule>();
        names_and_values_fit::<Clock>();
        names_and_values_fit::<Search>();
        names_and_values_fit::<Precision>();
        names_and_values_fit::<Rung>();
        assert_eq!(Rung::NAMES.len(), Rung::ALL.len());
    }
}
