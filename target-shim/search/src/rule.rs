//! The reasons why a task may make a difference to another one, by name.
//!
//! What each of them says is in `matters`. Here they have names, so that a test can leave one out and see it missed.

/// Why another task may make a difference to a task that stands still.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Deadlines are everybody's, unless the clock is free and has no horizon.
    Time,
    /// Both share the processor.
    Processor,
    /// The other one may ready somebody of the processor: it is a timer, or declares it, or declares nothing.
    MayReady,
    /// The task itself readies somebody of the processor.
    Readies,
    /// What ends the path keeps everybody from going on.
    Ends,
    /// Two timers: which expired first.
    ExpireExpire,
    /// A timer, and the daemon that looks at it.
    ExpireServe,
    /// A timer, and somebody who may command it.
    ExpireCommand,
    /// The daemon, and a timer.
    ServeExpire,
    /// The daemon, and somebody who may command a timer.
    ServeCommand,
    /// A command, and the daemon.
    CommandServe,
    /// A command, and its timer.
    CommandExpire,
    /// Two who command a timer.
    CommandCommand,
    /// The task begins or ends a critical section.
    Critical,
    /// The other one is in a critical section.
    InCritical,
    /// The other one may begin a critical section.
    MayCritical,
    /// The task reads the tick.
    Tick,
    /// The other one may read the tick that the task changes.
    MayTick,
    /// The task may do this next, for all that its footprint says.
    Own,
    /// The task has declared nothing, so it may do anything next.
    UndeclaredOwn,
    /// What the task does next may fail to commute with what the other one may do to the same object.
    Conflict,
    /// Arming lets a line fire.
    Arm,
    /// What the other one may do may let the task go on.
    Enable,
    /// The other one is the handler of the line that the task arms or masks.
    Line,
    /// The other one has declared nothing, so it may do anything to any object.
    Undeclared,
    /// What a task does in its present phase is not over.
    Phase,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 26] = [
        Self::Time,
        Self::Processor,
        Self::MayReady,
        Self::Readies,
        Self::Ends,
        Self::ExpireExpire,
        Self::ExpireServe,
        Self::ExpireCommand,
        Self::ServeExpire,
        Self::ServeCommand,
        Self::CommandServe,
        Self::CommandExpire,
        Self::CommandCommand,
        Self::Critical,
        Self::InCritical,
        Self::MayCritical,
        Self::Tick,
        Self::MayTick,
        Self::Own,
        Self::UndeclaredOwn,
        Self::Conflict,
        Self::Arm,
        Self::Enable,
        Self::Line,
        Self::Undeclared,
        Self::Phase,
    ];
}
