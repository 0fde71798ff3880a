//! Why a run is to end before it is done. Anybody may say so, from any thread; the first one counts.

use std::sync::OnceLock;

/// Why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
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
    pub(crate) fn cut(self) -> &'static str {
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
pub(crate) struct Stop(OnceLock<Reason>);

impl Stop {
    pub(crate) fn because(&self, reason: Reason) {
        // Who was first is the reason.
        let _ = self.0.set(reason);
    }

    pub(crate) fn reason(&self) -> Option<Reason> {
        self.0.get().copied()
    }
}
