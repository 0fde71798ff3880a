//! What is said to the target and heard from it: orders, reports, records.

use std::time::Instant;

use fwvs_kernel::Transition;
use fwvs_link::{Link, Stop};
use fwvs_path::{End, Plan};
use fwvs_wire::{Creation, Decision, Incident, Orders, Record, Report, StopCode};
use zerocopy::{FromBytes, IntoBytes};

use crate::error::{Error, Impossible};
use crate::finding::Wrong;
use crate::session::Session;
use crate::spin::Spin;
use fwvs_model::Step;
use fwvs_model::model::gathered;

/// Entries of a sleep set, at most: what the shim has room for. Each stands for neighbouring alternatives of a task.
const MOST_ASLEEP: usize = 128;

/// In how many slices a task's time is given to it. If it comes to something in one of them, its time begins again.
const SLICES: u32 = 4;

/// How far a path has come, as a core that was halted by force tells it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Progress {
    /// Whether what it tells is of this path. Before, nothing is known of it.
    pub(crate) begun: bool,
    pub(crate) transitions: u32,
    entries: u16,
    running: [u8; 2],
}

impl<L: Link> Session<L> {
    /// Writes orders: as much of the script as fits, from decision `first` on.
    pub(crate) fn send(&mut self, plan: &Plan<'_, Transition>, first: usize) -> Result<(), Error> {
        let description = self.firmware.description();
        let capacity = description.decisions as usize;
        let asleep = gathered(plan.asleep);
        if asleep.len() > MOST_ASLEEP.min(capacity / 4) {
            return Err(Error::TooManyAsleep { asleep: asleep.len(), room: MOST_ASLEEP });
        }
        let rest = &plan.script[first..];
        let part = rest.len().min(capacity - 2 * asleep.len());
        let orders = Orders {
            first: first as u32,
            script: part as u16,
            asleep: asleep.len() as u16,
            more: u8::from(part < rest.len()),
            quiet: plan.same as u32,
            path: self.path,
            ..Orders::new(plan.policy, plan.depth)
                .waking(plan.waking)
                .keeping_to(plan.footprints)
                .ruled(self.settings.schedule, &self.settings.rules)
        };
        self.buffer.clear();
        self.buffer.extend_from_slice(orders.as_bytes());
        for transition in &rest[..part] {
            self.buffer.extend_from_slice(Decision::from(*transition).as_bytes());
        }
        for sleepers in asleep {
            self.buffer.extend_from_slice(Decision::pair(sleepers).as_bytes());
        }
        self.link.write(description.orders, &self.buffer)?;
        Ok(())
    }

    /// Resumes and follows what the target does, until the path ends or the target asks.
    pub(crate) fn follow(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        self.mirror.model.ended(End::Asked, None);
        let mut refilled = 0;
        loop {
            match self.run_on()? {
                Stop::Doorbell => {}
                Stop::Budget { .. } => {
                    let wrong = Wrong::Divergence { spin: Spin::Unknown, budget: self.settings.divergence };
                    if !self.progress.begun {
                        return Ok(self.found(&Report::NONE, wrong));
                    }
                    let report = self.report()?;
                    self.absorb(&report, plan)?;
                    return Ok(self.found(&report, wrong));
                }
                Stop::Lockup { .. } => return Ok(self.found(&Report::NONE, Wrong::Lockup)),
                Stop::Fault { .. } => return Ok(self.found(&Report::NONE, Wrong::EarlyFault)),
                Stop::Breakpoint { pc } => {
                    return Err(Error::Stopped { pc, cause: "a breakpoint".to_owned() });
                }
                Stop::Other { cause, pc } => return Err(Error::Stopped { pc, cause }),
            }
            let report = self.report()?;
            self.check_path(&report)?;
            self.absorb(&report, plan)?;
            let code = stop_code(&report)?;
            match code {
                StopCode::Drain if report.filled > 0 => {}
                StopCode::Refill => {
                    let first = report.transitions as usize;
                    // Each time for what comes later, else it never ends.
                    if first <= refilled || first >= plan.script.len() {
                        return Err(Impossible::Unexpected(code).into());
                    }
                    self.send(plan, first)?;
                    refilled = first;
                }
                StopCode::BadOrders => return Err(Impossible::Orders.into()),
                _ => return self.ended(code, &report, plan),
            }
        }
    }

    /// Resumes until the target stops by itself, or until it has come to nothing in as much time as a task may take. However
    /// long a halted core was kept from running, it goes on where it was.
    pub(crate) fn run_on(&mut self) -> Result<Stop, Error> {
        let slice = self.settings.divergence / SLICES;
        let mut idle = 0;
        loop {
            let stop = self.link.resume(slice)?;
            if !matches!(stop, Stop::Budget { .. }) {
                return Ok(stop);
            }
            let now = self.progress()?;
            idle = if now == self.progress { idle + 1 } else { 0 };
            self.progress = now;
            if idle == SLICES {
                return Ok(stop);
            }
        }
    }

    /// How far a halted core has come. It may be in the middle of its reset, with the report of another path.
    pub(crate) fn progress(&mut self) -> Result<Progress, Error> {
        let mut bytes = [0; Report::BYTES];
        self.link.read(self.firmware.description().report, &mut bytes)?;
        let report = Report::read_from_bytes(&bytes).expect("as long as it is");
        let Report { transitions, creations: entries, running, .. } = report;
        let begun = report.path == self.path;
        Ok(if begun { Progress { begun, transitions, entries, running } } else { Progress::default() })
    }

    /// What the target tells is of this path. One that cannot read its orders does not know which that is.
    pub(crate) fn check_path(&self, report: &Report) -> Result<(), Error> {
        let (told, asked) = (report.path, self.path);
        if told == asked || report.stop == StopCode::BadOrders as u32 {
            Ok(())
        } else {
            Err(Impossible::Path { told, asked }.into())
        }
    }

    /// Reads report and records.
    pub(crate) fn report(&mut self) -> Result<Report, Error> {
        let description = self.firmware.description();
        let room = description.records as usize;
        let guess = self.guess.min(room);
        self.buffer.resize(Report::BYTES + guess * Record::BYTES, 0);
        self.link.read(description.report, &mut self.buffer)?;
        let report = Report::read_from_bytes(&self.buffer[..Report::BYTES]).expect("as long as it is");
        let filled = usize::from(report.filled);
        if filled > room {
            return Err(Impossible::Filled { filled, room }.into());
        }
        self.buffer.resize(Report::BYTES + filled * Record::BYTES, 0);
        if filled > guess {
            let known = Report::BYTES + guess * Record::BYTES;
            self.link.read(description.report + known as u32, &mut self.buffer[known..])?;
        }
        self.guess = filled.max(4);
        Ok(report)
    }

    /// Replays the records that [`Session::report`] read.
    pub(crate) fn absorb(&mut self, report: &Report, plan: &Plan<'_, Transition>) -> Result<(), Error> {
        let begin = Instant::now();
        let places = &self.buffer[Report::BYTES..];
        let filled = usize::from(report.filled);
        let mut at = 0;
        while at < filled {
            let complete = self.mirror.model.steps().last().is_none_or(Step::is_complete);
            if !complete {
                // The one before this; of those that were drained before, the last has no number here.
                return Err(Impossible::Incomplete(at.saturating_sub(1)).into());
            }
            at += self.mirror.follow(&places[at * Record::BYTES..], at, plan)?;
        }
        self.mirroring += begin.elapsed();
        Ok(())
    }

    pub(crate) fn entries(&mut self, report: &Report) -> Result<Vec<u8>, Error> {
        let description = self.firmware.description();
        let (filled, room) = (usize::from(report.creations), description.creations as usize);
        if filled > room {
            return Err(Impossible::Creations { filled, room }.into());
        }
        let mut entries = vec![0; filled * Creation::BYTES];
        self.link.read(description.setup, &mut entries)?;
        Ok(entries)
    }

    pub(crate) fn incident(&mut self) -> Result<Incident, Error> {
        let mut bytes = [0; Incident::BYTES];
        self.link.read(self.firmware.description().incident, &mut bytes)?;
        Ok(Incident::read_from_bytes(&bytes).expect("as long as it is"))
    }
}

pub(crate) fn stop_code(report: &Report) -> Result<StopCode, Error> {
    Ok(StopCode::from_code(report.stop).ok_or(Impossible::Stop(report.stop))?)
}
