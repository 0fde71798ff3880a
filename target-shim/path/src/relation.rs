//! How two events of a path stand to each other.

/// How a later event stands to an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// They commute in every state in which both are enabled.
    Independent,
    /// The later one needs the earlier one: ordered, but no other order is possible.
    Edge,
    /// They do not commute and may come in the other order: a race unless something else orders them.
    Race,
}
