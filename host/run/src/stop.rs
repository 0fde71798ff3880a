//! Why a run is to end before it is done. Anybody may say so, from any thread; the first one counts.

use std::sync::OnceLock;

/// Why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The user at the terminal.
    CtrlC,
    /// Somebody ended the program kindly: a service manager, a CI system whose time is up.
    Terminated,
    /// The terminal is gone.
    HungUp,
    /// What is printed cannot be printed.
    NobodyReads,
}

impl Reason {
    /// As a bound that cut the search.
    pub fn cut(self) -> &'static str {
        match self {
            Self::CtrlC => "interrupted by Ctrl-C",
            Self::Terminated => "ended by SIGTERM",
            Self::HungUp => "ended by SIGHUP: the terminal is gone",
            Self::NobodyReads => "nobody reads the output any more",
        }
    }
}

/// Whether to stop, and why.
#[derive(Default, Debug)]
pub struct Stop(OnceLock<Reason>);

impl Stop {
    /// The run is to end, for that reason unless there is one already.
    pub fn because(&self, reason: Reason) {
        // Who was first is the reason.
        let _ = self.0.set(reason);
    }

    /// Why the run is to end, if it is.
    pub fn reason(&self) -> Option<Reason> {
        self.0.get().copied()
    }
}
