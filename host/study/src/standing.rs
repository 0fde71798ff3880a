//! How answers stand to what was expected.

use crate::asking::{Answer, Found};
use crate::file::Question;

/// How an answer stands to its expectation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is what was expected.
    AsExpected,
    /// Nothing was expected.
    Answered,
    /// It is something else.
    Differs,
    /// A bound cut the search before there was an answer.
    Cut,
    /// There was no exploration, or none that came to a verdict.
    CouldNotRun,
}

impl Standing {
    /// Of that answer to that question.
    pub fn of(question: &Question, answer: &Answer) -> Self {
        match (&answer.found, question.expect) {
            (Found::CouldNotRun(_), _) => Self::CouldNotRun,
            (Found::Cut(_), _) => Self::Cut,
            (Found::Value(_), None) => Self::Answered,
            (Found::Value(value), Some(expected)) if *value == expected => Self::AsExpected,
            (Found::Value(_), Some(_)) => Self::Differs,
        }
    }

    /// As it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::AsExpected => "as expected",
            Self::Answered => "answered",
            Self::Differs => "differs",
            Self::Cut => "cut",
            Self::CouldNotRun => "could not run",
        }
    }
}
