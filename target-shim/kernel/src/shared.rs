//! Declared shared variables: reads commute, anything with a write does not.

use crate::operation::{Operation, Verb};

pub(crate) fn dependent(a: Operation, b: Operation) -> bool {
    (a.verb, b.verb) != (Verb::Read, Verb::Read)
}
