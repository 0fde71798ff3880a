//! What is wrong, in words that name tasks, objects and source lines.
//!
//! | file | idea |
//! |---|---|
//! | `wrong` | every kind of wrong, with all that is said about it: add a kind there |
//! | `key` | which findings are the same |
//! | `sentence` | sentences that are longer than a line |
//! | `kernel` | what the kernel found wrong with a step |
//! | `misuse` | what the shim refuses, and what it has no room for |
//! | `fault` | fault status registers |
//! | `whose` | whose code ran, and where |
//! | `steps` | the transitions of a path |

mod fault;
mod kernel;
mod key;
mod misuse;
mod sentence;
mod steps;
mod whose;
mod wrong;

use fwvs_scenario::{Finding, FindingKind};

use crate::scene::Scene;

pub use wrong::Wrong;

impl Scene<'_> {
    /// What the path found, in full.
    pub(crate) fn finding(&self) -> Option<Finding> {
        let about = self.wrong()?.about(*self);
        Some(self.told(about.kind, (about.sentence)()))
    }

    /// A finding of that kind and with that sentence, with how the path came to it and where every task stands.
    pub(crate) fn told(&self, kind: FindingKind, message: String) -> Finding {
        let (steps, standing) = (self.steps(), self.standing());
        Finding { kind, message, steps, standing, scenario: None, count: 1 }
    }

    /// What sort of finding ended the path.
    pub(crate) fn kind(&self) -> Option<FindingKind> {
        Some(self.wrong()?.about(*self).kind)
    }
}
