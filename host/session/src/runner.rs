//! The session as something that runs paths for a search.

use fwvs_explore::Runner;
use fwvs_kernel::Transition;
use fwvs_link::Link;
use fwvs_model::Trace;
use fwvs_path::{End, Plan, Policy};
use fwvs_wire::StopCode;

use crate::error::{Error, Impossible};
use crate::finding::Wrong;
use crate::session::{Session, States};

impl<L: Link> Runner for Session<L> {
    type Model = States;
    type Error = Error;

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<&Trace<Wrong>, Error> {
        let unexpected = |code| Err(Impossible::Unexpected(code).into());
        match self.run_path(plan) {
            Err(Error::Link(fwvs_link::Error::Interrupted)) => {
                self.mirror.model.ended(End::Interrupted, None);
            }
            Ok(End::Asked) if plan.policy != Policy::Ask => return unexpected(StopCode::Asked),
            ended => {
                ended?;
            }
        }
        Ok(self.mirror().trace())
    }

    fn model(&self) -> &States {
        self.mirror()
    }
}
