//! Who may end a wait before its time, and who is told when it becomes a long one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Brake;

/// Hears what the user should know while a link is waited for.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Whoever stands behind a link. Clones share what was told.
#[derive(Clone, Default)]
pub struct Supervisor {
    /// Ends every wait.
    pub brake: Option<Brake>,
    /// Is told what a user should know.
    pub tell: Option<Tell>,
    was_told_of_a_stall: Arc<AtomicBool>,
}

impl Supervisor {
    /// With somebody to ask and somebody to tell.
    pub fn new(brake: Option<Brake>, tell: Option<Tell>) -> Self {
        Self { brake, tell, ..Self::default() }
    }

    /// Whether nobody wants to wait any longer.
    pub(crate) fn wants_an_end(&self) -> bool {
        self.brake.as_ref().is_some_and(|brake| brake())
    }

    /// Tells the user something.
    pub(crate) fn tell(&self, message: &str) {
        if let Some(tell) = &self.tell {
            tell(message);
        }
    }

    /// Tells the user, once, that the target gets no time.
    pub(crate) fn tell_of_a_stall(&self) {
        if !self.was_told_of_a_stall.swap(true, Ordering::Relaxed) {
            self.tell(
                "the emulator makes no progress: it is stopped or gets no processor time; waiting for it",
            );
        }
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor").finish_non_exhaustive()
    }
}
