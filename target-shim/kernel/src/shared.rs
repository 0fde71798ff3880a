//! Declared shared variables: reads commute, anything with a write does not.

use crate::operation::Operation;

pub(crate) fn dependent(a: Operation, b: Operation) -> bool {
    !matches!((a, b), (Operation::Read { .. }, Operation::Read { .. }))
}
