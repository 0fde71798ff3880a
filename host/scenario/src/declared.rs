//! What a firmware declares, kind by kind.

use serde::{Deserialize, Serialize};

/// How many there are of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Declared {
    /// Of what.
    pub kind: DeclaredKind,
    /// How many; never none.
    pub number: u64,
}

/// What a firmware can declare, in the order in which a person would count it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum DeclaredKind {
    Task,
    EnvironmentTask,
    Interrupt,
    Timer,
    Queue,
    Semaphore,
    Mutex,
    SharedVariable,
}

impl DeclaredKind {
    /// One of them, and many.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Task => ("task", "tasks"),
            Self::EnvironmentTask => ("environment task", "environment tasks"),
            Self::Interrupt => ("interrupt", "interrupts"),
            Self::Timer => ("timer", "timers"),
            Self::Queue => ("queue", "queues"),
            Self::Semaphore => ("semaphore", "semaphores"),
            Self::Mutex => ("mutex", "mutexes"),
            Self::SharedVariable => ("shared variable", "shared variables"),
        }
    }
}
