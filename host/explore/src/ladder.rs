//! The ladder of reductions, by name.

use fwvs_path::Precision;

use crate::explorer::Reduction;
use crate::model::Model;
use crate::none::Exhaustive;
use crate::optimal::Optimal;
use crate::persistent::Persistent;
use crate::sleep::Sleep;
use crate::source::Source;

/// A rung of the ladder: how much is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Rung {
    /// Nothing: every interleaving.
    None,
    /// What sleep sets leave out.
    Sleep,
    /// What persistent sets and sleep sets leave out.
    Persistent(Precision),
    /// What source sets and sleep sets leave out.
    #[default]
    Source,
    /// The same, and no run is begun in vain.
    Optimal,
}

impl Rung {
    /// All of them, from the bottom up.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Sleep,
        Self::Persistent(Precision::Task),
        Self::Persistent(Precision::State),
        Self::Persistent(Precision::Runtime),
        Self::Source,
        Self::Optimal,
    ];

    /// A search that has not begun.
    pub fn reduction<M: Model + 'static>(self) -> Box<dyn Reduction<M>>
    where
        M::Transition: 'static,
        M::Event: 'static,
    {
        match self {
            Self::None => Box::new(Exhaustive::default()),
            Self::Sleep => Box::new(Sleep::default()),
            Self::Persistent(precision) => Box::new(Persistent::new(precision)),
            Self::Source => Box::new(Source::default()),
            Self::Optimal => Box::new(Optimal::default()),
        }
    }
}
