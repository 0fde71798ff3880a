//! Target and host must agree about how a path ended.

use fwvs_kernel::Transition;
use fwvs_link::Link;
use fwvs_path::{End, Plan};
use fwvs_wire::{Incident, Report, StopCode, misuse};

use crate::error::{Difference, Error, Impossible};
use crate::finding::Wrong;
use crate::roster::Roster;
use crate::session::Session;

/// What a target wrote. Where it may have been cut, it was so at a byte, perhaps in the middle of a letter.
fn text_of(bytes: &[u8], cut: bool) -> String {
    let text = String::from_utf8_lossy(bytes);
    if cut { format!("{}...", text.trim_end_matches(char::REPLACEMENT_CHARACTER)) } else { text.into_owned() }
}

impl<L: Link> Session<L> {
    /// The target says that the path has ended: checks that the host agrees.
    pub(crate) fn ended(
        &mut self,
        code: StopCode,
        report: &Report,
        plan: &Plan<'_, Transition>,
    ) -> Result<End, Error> {
        let wrong = match code {
            StopCode::Assertion => Some(Wrong::Assertion { sides: self.incident()?.sides }),
            StopCode::StackOverflow => Some(Wrong::StackOverflow),
            StopCode::Panic | StopCode::Full | StopCode::Misuse | StopCode::Fault => {
                let incident = self.incident()?;
                Some(match code {
                    StopCode::Panic => {
                        let length = (incident.text_length as usize).min(Incident::TEXT);
                        let (place, text) =
                            incident.text[..length].split_at((incident.place_length as usize).min(length));
                        Wrong::Panic {
                            text: text_of(text, length == Incident::TEXT),
                            place: text_of(place, false),
                            early: incident.code == misuse::NOT_STARTED,
                        }
                    }
                    StopCode::Full => Wrong::Full { what: incident.code, room: incident.numbers[0] },
                    StopCode::Misuse => Wrong::Misuse { incident: Box::new(incident) },
                    _ => Wrong::Fault { incident: Box::new(incident) },
                })
            }
            _ => None,
        };
        self.check_setup(report)?;
        self.check_counts(report)?;
        self.check_assertion(code)?;
        let wrong = match (code, self.mirror.model.last().wrong()) {
            (StopCode::Wrong, Some(kernel)) => Some(Wrong::Kernel(kernel)),
            _ => wrong,
        };
        if let Some(wrong) = wrong {
            return Ok(self.found(report, wrong));
        }
        let step = self.mirror.model.steps().len();
        let (target, host) = (report.kernel, self.mirror.model.last().digest());
        if target != host {
            return Err(Error::Mismatch { step, difference: Difference::State { target, host } });
        }
        let expected = self.mirror.model.expected(plan);
        if matches!(code, StopCode::Drain | StopCode::Wrong) {
            return Err(Impossible::Unexpected(code).into());
        }
        let stop = match expected {
            Err(stop) if StopCode::from(stop) == code => stop,
            expected => {
                let (target, host) = (format!("{code:?}"), format!("{expected:?}"));
                return Err(Error::Mismatch { step, difference: Difference::End { target, host } });
            }
        };
        let end = stop.end(self.mirror.model.last());
        Ok(if end == End::Finding { self.found(report, Wrong::Deadlock) } else { end })
    }

    /// The set-up must be the same on every path.
    pub(crate) fn check_setup(&mut self, report: &Report) -> Result<(), Error> {
        if report.setup == self.roster.digest() {
            return Ok(());
        }
        let entries = self.entries(report)?;
        let now = Roster::read(&self.firmware, &self.settings.rules, &entries, true)?.words(&self.firmware);
        let before = self.roster.words(&self.firmware);
        let longest = before.len().max(now.len());
        let first = (0..longest).find(|number| before.get(*number) != now.get(*number)).unwrap_or(0);
        let word = |words: &[String]| words.get(first).cloned().unwrap_or_else(|| "nothing".to_owned());
        Err(Error::Nondeterministic { step: 0, before: word(&before), now: word(&now) })
    }

    /// Numbers and digests of target and host must be the same.
    pub(crate) fn check_counts(&self, report: &Report) -> Result<(), Error> {
        let step = self.mirror.model.steps().len();
        if report.transitions as usize != step {
            let difference = Difference::Count { target: report.transitions, host: step };
            return Err(Error::Mismatch { step, difference });
        }
        let (target, host) = (report.trace, self.mirror.digest());
        if target != host {
            return Err(Error::Mismatch { step, difference: Difference::State { target, host } });
        }
        Ok(())
    }

    /// A check fails on the target when it does here, and only then.
    fn check_assertion(&self, code: StopCode) -> Result<(), Error> {
        let last = self.mirror.model.steps().last();
        let failed = last.is_some_and(|step| step.taken.operation.ends_path());
        if failed == (code == StopCode::Assertion) {
            return Ok(());
        }
        let host = if failed { "a check that fails" } else { "not a check that fails" };
        let difference = Difference::End { target: format!("{code:?}"), host: host.to_owned() };
        Err(Error::Mismatch { step: self.mirror.model.steps().len(), difference })
    }
}
