//! Runs a path: writes orders, resumes, reads records, and starts again when the target dies.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fwvs_explore::Plan;
use fwvs_kernel::{Id, Policy, Status, Stop as KernelStop, TaskId, Transition, Waking};
use fwvs_link::{Link, Spent, Stop, Traps};
use fwvs_symbols::Firmware;
use fwvs_wire::{Creation, Decision, Incident, Orders, Record, Report, StopCode};
use zerocopy::{FromBytes, IntoBytes};

use crate::error::{Difference, Error, Impossible};
use crate::finding::Wrong;
use crate::mirror::{Asked, Mirror};
use crate::roster::Roster;

/// How often a target may die on one path before it is given up.
const MOST_DEATHS: u32 = 3;
/// Decisions that sleep at once, at most: what the shim has room for.
const MOST_ASLEEP: usize = 128;

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How long a task may run without an operation.
    pub divergence: Duration,
}

/// Where the time of a session went.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Shares {
    /// What the link spent.
    pub link: Spent,
    /// Replaying records through the host's kernel.
    pub mirror: Duration,
}

/// How a run ended, before anybody thinks about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every task has ended.
    Finished,
    /// With a finding: see [`Session::wrong`].
    Wrong,
    /// By the depth bound.
    Depth,
    /// Everything that could go on sleeps.
    Asleep,
    /// In step mode: the target waits for the next decision.
    Asked,
    /// A decision of the script is not enabled.
    NotEnabled,
}

/// A firmware on a target, and the path that ran last.
#[derive(Debug)]
pub struct Session<L> {
    link: L,
    firmware: Arc<Firmware>,
    settings: Settings,
    /// Addresses and contents of parameters.
    parameters: Vec<(u32, Vec<u8>)>,
    roster: Roster,
    mirror: Mirror,
    wrong: Option<Wrong>,
    running: Option<TaskId>,
    /// How many records to ask for at once: as many as the last path had.
    guess: usize,
    buffer: Vec<u8>,
    /// Of step mode, kept for its memory.
    script: Vec<Transition>,
    mirroring: Duration,
    respawns: u32,
}

impl<L: Link> Session<L> {
    /// Brings the firmware to its initial state. `parameters` are addresses and words.
    pub fn open(
        mut link: L,
        firmware: Arc<Firmware>,
        parameters: &[(u32, Vec<u32>)],
        settings: Settings,
    ) -> Result<Self, Error> {
        let description = firmware.description();
        link.arm(Traps {
            doorbell: description.doorbell,
            store: description.store & !1,
            fault: firmware.hard_fault(),
        })?;
        let bytes = |words: &Vec<u32>| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let nobody = Roster::read(&firmware, &[], true)?;
        let mut session = Self {
            parameters: parameters.iter().map(|(address, words)| (*address, bytes(words))).collect(),
            mirror: Mirror::new(&nobody),
            roster: nobody,
            link,
            firmware,
            settings,
            wrong: None,
            running: None,
            guess: 8,
            buffer: Vec::new(),
            script: Vec::new(),
            mirroring: Duration::ZERO,
            respawns: 0,
        };
        session.write_parameters()?;
        session.first_run()?;
        Ok(session)
    }

    /// The firmware.
    pub fn firmware(&self) -> &Firmware {
        &self.firmware
    }

    /// Who is there.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The states of the last path.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// What the last path found.
    pub fn wrong(&self) -> Option<&Wrong> {
        self.wrong.as_ref()
    }

    /// Who ran when the last path ended by force; `None` for the set-up.
    pub fn running(&self) -> Option<TaskId> {
        self.running
    }

    /// How often the target had to be started again.
    pub fn respawns(&self) -> u32 {
        self.respawns
    }

    /// Where the time went.
    pub fn shares(&self) -> Shares {
        Shares { link: self.link.spent(), mirror: self.mirroring }
    }

    /// The link, for whoever wants to look at the target between paths.
    pub fn link(&mut self) -> &mut L {
        &mut self.link
    }

    /// Runs one path: the script, then on by the policy. Of the decisions that are those of the path before, only
    /// the digest is compared.
    pub fn run_path(&mut self, plan: &Plan<'_, Transition>) -> Result<Ended, Error> {
        self.run(&Asked {
            script: plan.script,
            policy: match plan.policy {
                fwvs_explore::Policy::Fair => Policy::Fair,
                fwvs_explore::Policy::First => Policy::First,
                fwvs_explore::Policy::Stay => Policy::Stay,
                fwvs_explore::Policy::Random { seed } => Policy::Random { seed },
                fwvs_explore::Policy::Priorities { seed, changes, length } => {
                    Policy::Priorities { seed, changes, length }
                }
            },
            depth: plan.depth.try_into().unwrap_or(u32::MAX),
            quiet: plan.same.min(self.mirror.steps().len()),
            asleep: plan.asleep,
            waking: match plan.waking {
                fwvs_explore::Waking::InState => Waking::InState,
                fwvs_explore::Waking::Always => Waking::Always,
            },
        })
    }

    /// Runs the first path twice: a firmware that is not deterministic is best told at once. Says whether the path
    /// came to an end of its own.
    pub fn rehearse(&mut self, depth: usize) -> Result<bool, Error> {
        let depth = depth.try_into().unwrap_or(u32::MAX);
        let first = Asked { policy: Policy::First, depth, ..Asked::STEP };
        self.run(&first)?;
        let path: Vec<Transition> = self.mirror.steps().iter().map(|step| step.transition).collect();
        let complete = self.mirror.steps().last().is_none_or(|step| step.arrived.is_some());
        let known = path.len() - usize::from(!complete);
        Ok(self.run(&Asked { script: &path, quiet: known, ..first })? != Ended::Depth)
    }

    /// Follows a script to its end and no further.
    pub fn follow_script(&mut self, script: &[Transition]) -> Result<Ended, Error> {
        self.run(&Asked { script, ..Asked::STEP })
    }

    /// Restarts in step mode: nothing happens until [`Session::step`].
    pub fn restart(&mut self) -> Result<Ended, Error> {
        self.run(&Asked::STEP)
    }

    /// Takes one transition in step mode and waits for the next decision.
    pub fn step(&mut self, transition: Transition) -> Result<Ended, Error> {
        let mut script = std::mem::take(&mut self.script);
        script.truncate(self.mirror.steps().len());
        script.extend(self.mirror.steps()[script.len()..].iter().map(|step| step.transition));
        script.push(transition);
        let asked = Asked { script: &script, ..Asked::STEP };
        let ended = self.send(&asked, script.len() - 1).and_then(|()| self.follow(&asked));
        self.script = script;
        ended.map(|ended| self.undeclared(ended))
    }

    fn write_parameters(&mut self) -> Result<(), Error> {
        for (address, bytes) in &self.parameters {
            self.link.write(*address, bytes)?;
        }
        Ok(())
    }

    /// Finds out who is there.
    fn first_run(&mut self) -> Result<(), Error> {
        self.link.reset()?;
        self.send(&Asked::STEP, 0)?;
        let stop = self.link.resume(self.settings.divergence)?;
        let (report, cut) = match stop {
            Stop::Doorbell => {
                let report = self.report()?;
                let cut = !matches!(stop_code(&report)?, StopCode::Asked | StopCode::End);
                (report, cut)
            }
            Stop::Budget { .. } => (self.report()?, true),
            Stop::Lockup { .. } => return self.respawn(),
            Stop::Fault { .. } | Stop::Other { .. } => return Ok(()),
        };
        let entries = self.entries(&report)?;
        self.roster = Roster::read(&self.firmware, &entries, cut)?;
        self.mirror = Mirror::new(&self.roster);
        Ok(())
    }

    /// Runs, and runs again if the target dies: nothing that was found is lost with it.
    fn run(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        let mut deaths = 0;
        loop {
            // Of the path before, a target that died may have left less than there was.
            let quiet = asked.quiet.min(self.mirror.steps().len());
            match self.attempt(&Asked { quiet, ..*asked }) {
                Err(Error::Link(last @ fwvs_link::Error::Died { .. })) => {
                    deaths += 1;
                    tracing::warn!(%last, deaths, "the target died");
                    if deaths == MOST_DEATHS {
                        return Err(Error::KeepsDying { times: deaths, last });
                    }
                    self.respawn()?;
                }
                other => return other.map(|ended| self.undeclared(ended)),
            }
        }
    }

    fn respawn(&mut self) -> Result<(), Error> {
        self.respawns += 1;
        if let Some(respawned) = self.link.respawn() {
            respawned?;
        }
        self.write_parameters()
    }

    fn attempt(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        match self.restart_and_follow(asked) {
            // With a prefix of which only the digest is known, trouble may have begun anywhere in it.
            Err(Error::Mismatch { .. } | Error::Impossible(_)) | Ok(Ended::NotEnabled) if asked.quiet > 0 => {
                self.compare_prefix(asked)
            }
            Ok(Ended::Wrong) if self.wrong == Some(Wrong::Lockup) => self.find_lockup(asked),
            other => other,
        }
    }

    fn restart_and_follow(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        self.link.reset()?;
        self.mirror.back_to(asked.quiet, asked.asleep);
        self.send(asked, 0)?;
        self.follow(asked)
    }

    /// Runs again with every record, and compares with what the same decisions led to before.
    fn compare_prefix(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        let same = asked.quiet;
        let before = self.mirror.steps()[..same].to_vec();
        let result = self.restart_and_follow(&Asked { quiet: 0, ..*asked });
        let now = self.mirror.steps();
        let differs = |(number, step): (usize, &crate::mirror::Step)| now.get(number) != Some(step);
        let first = before.iter().enumerate().position(differs);
        let words = |step: Option<&crate::mirror::Step>| match step {
            Some(step) => {
                let arrived = step.arrived.map_or("nothing".to_owned(), |(operation, _)| {
                    self.roster.describe(&self.firmware, operation)
                });
                format!("{} at {arrived}", self.roster.task(step.transition.task))
            }
            None => "the end of the path".to_owned(),
        };
        match (first, result) {
            // It did not come as far as that.
            (Some(first), Err(error)) if first == now.len() => Err(error),
            (Some(first), _) => Err(Error::Nondeterministic {
                step: first + 1,
                before: words(before.get(first)),
                now: words(now.get(first)),
            }),
            (None, Ok(_)) => Err(Error::Nondeterministic {
                step: same,
                before: "one set of records".to_owned(),
                now: "another, and then again to the first".to_owned(),
            }),
            (None, error) => error,
        }
    }

    /// Writes orders: as much of the script as fits, from decision `first` on.
    fn send(&mut self, asked: &Asked<'_>, first: usize) -> Result<(), Error> {
        let description = self.firmware.description();
        let capacity = description.decisions as usize;
        let asleep = asked.asleep;
        if asleep.len() > MOST_ASLEEP.min(capacity / 2) {
            return Err(Error::TooManyAsleep { asleep: asleep.len(), room: MOST_ASLEEP });
        }
        let rest = &asked.script[first..];
        let part = rest.len().min(capacity - asleep.len());
        let orders = Orders {
            first: first as u32,
            script: part as u16,
            asleep: asleep.len() as u16,
            more: u8::from(part < rest.len()),
            quiet: asked.quiet as u32,
            ..Orders::new(asked.policy, asked.depth).waking(asked.waking)
        };
        self.buffer.clear();
        self.buffer.extend_from_slice(orders.as_bytes());
        for transition in rest[..part].iter().chain(asleep) {
            self.buffer.extend_from_slice(Decision::from(*transition).as_bytes());
        }
        self.link.write(description.orders, &self.buffer)?;
        Ok(())
    }

    /// Resumes and follows what the target does, until the path ends or the target asks.
    fn follow(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        (self.wrong, self.running) = (None, None);
        let mut refilled = 0;
        loop {
            let stop = self.link.resume(self.settings.divergence)?;
            match stop {
                Stop::Doorbell => {}
                Stop::Budget { pc } => {
                    let report = self.report()?;
                    self.absorb(&report, asked)?;
                    let budget = self.settings.divergence;
                    return Ok(self.found(&report, Wrong::Divergence { pc, budget }));
                }
                Stop::Lockup { .. } => return Ok(self.found(&Report::NONE, Wrong::Lockup)),
                Stop::Fault { .. } => return Ok(self.found(&Report::NONE, Wrong::EarlyFault)),
                Stop::Other { signal, pc } => return Err(Error::Stopped { pc, signal }),
            }
            let report = self.report()?;
            self.absorb(&report, asked)?;
            let code = stop_code(&report)?;
            match code {
                StopCode::Drain if report.filled > 0 => {}
                StopCode::Refill => {
                    let first = report.transitions as usize;
                    // Each time for what comes later, else it never ends.
                    if first <= refilled || first >= asked.script.len() {
                        return Err(Impossible::Unexpected(code).into());
                    }
                    self.send(asked, first)?;
                    refilled = first;
                }
                StopCode::BadOrders => return Err(Impossible::Orders.into()),
                _ => return self.ended(code, &report, asked),
            }
        }
    }

    /// Reads report and records.
    fn report(&mut self) -> Result<Report, Error> {
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
    fn absorb(&mut self, report: &Report, asked: &Asked<'_>) -> Result<(), Error> {
        let begin = Instant::now();
        let places = &self.buffer[Report::BYTES..];
        let filled = usize::from(report.filled);
        let mut at = 0;
        while at < filled {
            let complete = self.mirror.steps().last().is_none_or(|step| step.arrived.is_some());
            if !complete {
                // The one before this; of those that were drained before, the last has no number here.
                return Err(Impossible::Incomplete(at.saturating_sub(1)).into());
            }
            at += self.mirror.follow(&places[at * Record::BYTES..], at, asked)?;
        }
        self.mirroring += begin.elapsed();
        Ok(())
    }

    fn entries(&mut self, report: &Report) -> Result<Vec<u8>, Error> {
        let description = self.firmware.description();
        let (filled, room) = (usize::from(report.creations), description.creations as usize);
        if filled > room {
            return Err(Impossible::Creations { filled, room }.into());
        }
        let mut entries = vec![0; filled * Creation::BYTES];
        self.link.read(description.setup, &mut entries)?;
        Ok(entries)
    }

    fn incident(&mut self) -> Result<Incident, Error> {
        let mut bytes = [0; Incident::BYTES];
        self.link.read(self.firmware.description().incident, &mut bytes)?;
        Ok(Incident::read_from_bytes(&bytes).expect("as long as it is"))
    }

    fn found(&mut self, report: &Report, wrong: Wrong) -> Ended {
        let [creator, nth] = report.running;
        self.running = (creator == Id::SETUP).then_some(TaskId(Id { creator, nth }));
        self.wrong = Some(wrong);
        Ended::Wrong
    }

    /// The host ends the path after so many transitions, with a finding of its own.
    pub(crate) fn cut_at(&mut self, length: usize, wrong: Wrong) -> Ended {
        self.mirror.cut(length);
        self.running = self.mirror.steps().last().map(|step| step.transition.task);
        self.wrong = Some(wrong);
        Ended::Wrong
    }

    /// The target says that the path has ended: checks that the host agrees.
    fn ended(&mut self, code: StopCode, report: &Report, asked: &Asked<'_>) -> Result<Ended, Error> {
        let wrong = match code {
            StopCode::Assertion => Some(Wrong::Assertion),
            StopCode::StackOverflow => Some(Wrong::StackOverflow),
            StopCode::Panic | StopCode::Full | StopCode::Misuse | StopCode::Fault => {
                let incident = self.incident()?;
                Some(match code {
                    StopCode::Panic => {
                        let length = (incident.text_length as usize).min(Incident::TEXT);
                        Wrong::Panic(String::from_utf8_lossy(&incident.text[..length]).into_owned())
                    }
                    StopCode::Full => Wrong::Full(incident.code),
                    StopCode::Misuse => Wrong::Misuse { why: incident.code, pc: incident.pc },
                    _ => Wrong::Fault { incident: Box::new(incident) },
                })
            }
            _ => None,
        };
        self.check_setup(report)?;
        self.check_counts(report)?;
        self.check_assertion(code)?;
        if let Some(wrong) = wrong {
            return Ok(self.found(report, wrong));
        }
        let step = self.mirror.steps().len();
        let (target, host) = (report.kernel, self.mirror.last().digest());
        if target != host {
            return Err(Error::Mismatch { step, difference: Difference::State { target, host } });
        }
        let expected = self.mirror.expected(asked);
        let same = match code {
            StopCode::End => KernelStop::End,
            StopCode::Asked => KernelStop::Asked,
            StopCode::Depth => KernelStop::Depth,
            StopCode::Asleep => KernelStop::Asleep,
            StopCode::NotEnabled => KernelStop::NotEnabled,
            other => return Err(Impossible::Unexpected(other).into()),
        };
        if expected != Err(same) {
            let (target, host) = (format!("{code:?}"), format!("{expected:?}"));
            return Err(Error::Mismatch { step, difference: Difference::End { target, host } });
        }
        Ok(match code {
            StopCode::End if self.mirror.last().status() == Status::Deadlock => {
                self.found(report, Wrong::Deadlock)
            }
            StopCode::End => Ended::Finished,
            StopCode::Asked => Ended::Asked,
            StopCode::Depth => Ended::Depth,
            StopCode::Asleep => Ended::Asleep,
            _ => Ended::NotEnabled,
        })
    }

    /// The set-up must be the same on every path.
    fn check_setup(&mut self, report: &Report) -> Result<(), Error> {
        if report.setup == self.roster.digest() {
            return Ok(());
        }
        let entries = self.entries(report)?;
        let now = Roster::read(&self.firmware, &entries, true)?.words(&self.firmware);
        let before = self.roster.words(&self.firmware);
        let longest = before.len().max(now.len());
        let first = (0..longest).find(|number| before.get(*number) != now.get(*number)).unwrap_or(0);
        let word = |words: &[String]| words.get(first).cloned().unwrap_or_else(|| "nothing".to_owned());
        Err(Error::Nondeterministic { step: 0, before: word(&before), now: word(&now) })
    }

    /// Numbers and digests of target and host must be the same.
    fn check_counts(&self, report: &Report) -> Result<(), Error> {
        let step = self.mirror.steps().len();
        if report.transitions as usize != step {
            let difference = Difference::Count { target: report.transitions, host: step };
            return Err(Error::Mismatch { step, difference });
        }
        let (target, host) = (report.trace, self.mirror.trace());
        if target != host {
            return Err(Error::Mismatch { step, difference: Difference::State { target, host } });
        }
        Ok(())
    }

    /// A check fails on the target when it does here, and only then.
    fn check_assertion(&self, code: StopCode) -> Result<(), Error> {
        let last = self.mirror.steps().last();
        let failed = last.is_some_and(|step| step.taken.operation.ends_path());
        if failed == (code == StopCode::Assertion) {
            return Ok(());
        }
        let host = if failed { "a check that fails" } else { "not a check that fails" };
        let difference = Difference::End { target: format!("{code:?}"), host: host.to_owned() };
        Err(Error::Mismatch { step: self.mirror.steps().len(), difference })
    }

    /// The core locked up and took its records with it: goes the same way again, step by step, to see who it was.
    fn find_lockup(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        self.respawn()?;
        let mut last = None;
        let mut ended = self.restart_and_follow(&Asked { asleep: asked.asleep, ..Asked::STEP })?;
        loop {
            if self.wrong == Some(Wrong::Lockup) {
                self.respawn()?;
                if let Some(transition) = last {
                    self.mirror.push(transition, None);
                }
                self.running = last.map(|transition| transition.task);
                return Ok(Ended::Wrong);
            }
            let Ok(next) = self.mirror.expected(asked) else { break };
            if ended != Ended::Asked {
                break;
            }
            self.mirror.wake(next, asked);
            last = Some(next);
            ended = self.step(next)?;
        }
        Err(Error::Nondeterministic {
            step: self.mirror.steps().len(),
            before: "a lockup of the core".to_owned(),
            now: "none".to_owned(),
        })
    }
}

fn stop_code(report: &Report) -> Result<StopCode, Error> {
    Ok(StopCode::from_code(report.stop).ok_or(Impossible::Stop(report.stop))?)
}
