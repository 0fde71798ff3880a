//! A link that somebody meddles with: what comes back from the target, and what is in its memory, is untrusted.

use std::time::Duration;

use fwvs_link::{Brake, Debug, Error, Link, Registers, Spent, Stop, Traps};

/// What is done to what goes over a link. By default, nothing.
pub trait Meddling {
    /// The core is about to run.
    fn before_resume(&mut self, _link: &mut dyn Link) -> Result<(), Error> {
        Ok(())
    }

    /// How much time the core is given, of so much that it should have; `None` if it does not get to run at all.
    fn budget(&mut self, budget: Duration) -> Option<Duration> {
        Some(budget)
    }

    /// Whether the link can tell the target's own time.
    fn knows_target_time(&self) -> bool {
        true
    }

    /// The core has stopped.
    fn after_resume(&mut self, stop: Stop) -> Result<Stop, Error> {
        Ok(stop)
    }

    /// Bytes have come back.
    fn after_read(&mut self, _address: u32, _bytes: &mut [u8]) {}
}

/// Only what is read is meddled with.
impl<F: FnMut(u32, &mut [u8])> Meddling for F {
    fn after_read(&mut self, address: u32, bytes: &mut [u8]) {
        self(address, bytes);
    }
}

/// A link, borrowed, and somebody in between.
pub struct Meddled<'a, M> {
    link: &'a mut dyn Link,
    meddling: M,
}

impl<'a, M: Meddling> Meddled<'a, M> {
    /// Somebody between the session and its target.
    pub fn new(link: &'a mut dyn Link, meddling: M) -> Self {
        Self { link, meddling }
    }
}

impl<M: Meddling> Link for Meddled<'_, M> {
    fn reset(&mut self) -> Result<(), Error> {
        self.link.reset()
    }

    fn read(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Error> {
        self.link.read(address, bytes)?;
        self.meddling.after_read(address, bytes);
        Ok(())
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Error> {
        self.link.write(address, bytes)
    }

    fn resume(&mut self, budget: Duration) -> Result<Stop, Error> {
        self.meddling.before_resume(self.link)?;
        let stop = match self.meddling.budget(budget) {
            Some(budget) => self.link.resume(budget)?,
            None => Stop::Budget { pc: self.link.registers()?.pc() & !1 },
        };
        self.meddling.after_resume(stop)
    }

    fn registers(&mut self) -> Result<Registers, Error> {
        self.link.registers()
    }

    fn arm(&mut self, traps: Traps) -> Result<(), Error> {
        self.link.arm(traps)
    }

    fn heed(&mut self, brake: Brake) {
        self.link.heed(brake);
    }

    fn respawn(&mut self) -> Option<Result<(), Error>> {
        self.link.respawn()
    }

    fn knows_target_time(&self) -> bool {
        self.link.knows_target_time() && self.meddling.knows_target_time()
    }

    fn spent(&self) -> Spent {
        self.link.spent()
    }

    fn debug(&mut self) -> Option<&mut dyn Debug> {
        self.link.debug()
    }
}
