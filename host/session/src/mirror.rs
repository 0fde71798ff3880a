//! The target's path, rebuilt from its records: each is followed in the host's own kernel, and both must agree.

use fwvs_kernel::{Then, Transition};
pub(crate) use fwvs_model::Step;
use fwvs_model::{Arrived, Model, Start};
use fwvs_path::Plan;
use fwvs_wire::Record;
use zerocopy::FromBytes;

use crate::error::{Difference, Error, Impossible};
use crate::finding::Wrong;
use crate::roster::Roster;

/// The states of the target's path, and a digest of the records up to each of them.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    pub(crate) model: Model<Wrong>,
    digests: Vec<u32>,
}

impl Mirror {
    /// Of a system in its initial state.
    pub(crate) fn new(roster: &Roster) -> Self {
        let start = Start {
            kernel: roster.kernel().clone(),
            calls: roster.first_calls().to_vec(),
            uses: roster.uses().to_vec(),
        };
        Self { model: Model::new(start), digests: vec![0] }
    }

    /// Digest of all records.
    pub(crate) fn digest(&self) -> u32 {
        self.digests[self.model.steps().len()]
    }

    /// Follows one record, and says how many 16-byte places it took. A record that is not complete ends the path.
    pub(crate) fn follow(
        &mut self,
        places: &[u8],
        at: usize,
        plan: &Plan<'_, Transition>,
    ) -> Result<usize, Error> {
        let record = Record::read_from_bytes(&places[..Record::BYTES]).expect("16 bytes");
        let step = self.model.steps().len() + 1;
        let mismatch = |difference| Error::Mismatch { step, difference };
        let transition = record.transition();
        let expected = self.model.expected(plan);
        if expected != Ok(transition) {
            let host = format!("{expected:?}");
            return Err(mismatch(Difference::Transition { target: format!("{transition:?}"), host }));
        }
        let wide = match (record.wide(), places.get(Record::BYTES..Record::BYTES + 4)) {
            (false, _) => None,
            (true, Some(word)) => Some(u32::from_le_bytes(word.try_into().expect("four bytes"))),
            (true, None) => return Err(Impossible::Incomplete(at).into()),
        };
        let why = |why| Impossible::Record { at, why };
        let arrived = match (record.complete(), record.stays()) {
            (false, _) => Arrived::Never,
            (true, true) => Arrived::Stays,
            (true, false) => Arrived::At(record.operation(wide.unwrap_or(0)).map_err(why)?, record.pc),
        };
        self.model.wake(transition, plan);
        let taken =
            self.model.push(transition, arrived, record.phase()).map_err(|_| Impossible::Object { at })?;
        let runs = taken.then == Then::Runs;
        let agrees = match arrived {
            Arrived::Never => runs || taken.then == Then::Ends,
            Arrived::Stays => !runs,
            Arrived::At(..) => runs,
        };
        if !agrees || (record.level, record.served()) != (taken.level, taken.served) {
            return Err(mismatch(Difference::Outcome {
                target: record.level,
                target_served: record.served(),
                host: taken.level,
                host_served: taken.served,
            }));
        }
        let before = self.digests[step - 1];
        self.told(step, if record.complete() { record.digest(before, wide) } else { before });
        Ok(1 + usize::from(wide.is_some()))
    }

    /// A transition was taken of which nobody told anything more.
    pub(crate) fn never_arrived(&mut self, transition: Transition) {
        if self.model.push(transition, Arrived::Never, 0).is_ok() {
            let step = self.model.steps().len();
            self.told(step, self.digests[step - 1]);
        }
    }

    fn told(&mut self, step: usize, digest: u32) {
        self.digests.truncate(step);
        self.digests.push(digest);
    }
}
