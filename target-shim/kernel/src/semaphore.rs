//! Binary and counting semaphores.

use crate::object::{Effect, Object};
use crate::operation::{Operation, Verb, Wait};

pub(crate) fn serves(object: &Object, max: u16, operation: Operation) -> bool {
    match operation.verb {
        Verb::Take => object.level > 0,
        _ => object.level < max,
    }
}

pub(crate) fn apply(object: &mut Object, max: u16, operation: Operation) -> Effect {
    match operation.verb {
        Verb::Take if object.level > 0 => object.level -= 1,
        Verb::Give if object.level < max => object.level += 1,
        _ => return Effect::Refused,
    }
    Effect::Served
}

/// In the present state. A give at the maximum is refused, so near the maximum gives stop commuting too.
pub(crate) fn dependent(object: &Object, max: u16, a: Operation, b: Operation) -> bool {
    use Verb::{Give, Take};
    let level = u32::from(object.level);
    let max = u32::from(max);
    match (a.verb, b.verb) {
        (Take, Take) if (a.wait(), b.wait()) == (Wait::Never, Wait::Never) => level == 1,
        (Take, Take) => level < 2,
        (Take, Give) | (Give, Take) => level == 0 || level == max,
        (Give, Give) => level + 2 > max,
        _ => true,
    }
}
