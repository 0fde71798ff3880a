//! What every listener is.

use std::io;

use fwvs_scenario::RunEvent;

/// Somebody who is told what happens in a run.
pub trait Reporter {
    /// This has happened. An error says that nobody can hear it any more, such as a closed pipe.
    fn event(&mut self, event: &RunEvent) -> io::Result<()>;
}
