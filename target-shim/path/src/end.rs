//! How a path ended.

/// How a path ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Every task has ended.
    Finished,
    /// Something is wrong; the path's finding says what.
    Finding,
    /// The depth bound cut it.
    Depth,
    /// A bound inside the system, a number of interrupts or a last tick, kept it from going on.
    Budget,
    /// Everything that could go on was asleep: other paths cover it.
    Asleep,
    /// The script has run out, and nothing was to come after it: the path waits for the next decision.
    Asked,
    /// A decision of the script is not enabled.
    NotEnabled,
    /// Nobody waited for its end: it counts for nothing, and has to be run again.
    Interrupted,
}
