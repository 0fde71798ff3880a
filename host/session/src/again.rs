//! The same way again, before anything is believed that may be no fault of the firmware: what a target tells that disagrees with
//! what was known, a task that comes to no operation, a core that locked up.

use fwvs_kernel::Transition;
use fwvs_link::Link;
use fwvs_model::{Arrived, Found, Step};
use fwvs_path::{End, Plan};

use crate::error::Error;
use crate::finding::Wrong;
use crate::session::Session;
use crate::spin::{Spin, Stuck};

/// How often something is tried that comes out otherwise each time.
pub(crate) const MOST_TRIES: u32 = 6;
/// How often what a target tells makes no sense before it is told.
pub(crate) const MOST_FAILURES: u32 = 3;

/// Whether what a path came to may be due to something else than the firmware: to an emulator that was paused or that lost
/// something.
fn is_doubtful<L: Link>(
    session: &Session<L>,
    outcome: &Result<End, Error>,
    plan: &Plan<'_, Transition>,
) -> bool {
    match outcome {
        Ok(End::NotEnabled) => plan.same > 0,
        Ok(End::Finding) => matches!(session.wrong(), Some(Wrong::Divergence { .. })),
        Ok(_) => false,
        Err(error) => error.is_doubtful(),
    }
}

impl<L: Link> Session<L> {
    /// Believes what a path came to, or goes the same way again.
    pub(crate) fn believe(
        &mut self,
        plan: &Plan<'_, Transition>,
        outcome: Result<End, Error>,
    ) -> Result<End, Error> {
        if matches!(outcome, Ok(End::Finding)) && self.wrong() == Some(&Wrong::Lockup) {
            return self.find_lockup(plan);
        }
        if !is_doubtful(self, &outcome, plan) {
            return outcome;
        }
        let known = self.mirror.model.steps()[..plan.same.min(self.mirror.model.steps().len())].to_vec();
        let budget = self.settings.divergence;
        let believed = self.again(plan, &known, outcome);
        self.settings.divergence = budget;
        if let Some(Found { wrong: Wrong::Divergence { budget: given, .. }, .. }) =
            self.mirror.model.found_mut()
        {
            *given = budget;
        }
        believed
    }

    /// Runs again, with every record, until two runs agree: with what was known, or in that they disagree with it.
    fn again(
        &mut self,
        plan: &Plan<'_, Transition>,
        known: &[Step],
        mut outcome: Result<End, Error>,
    ) -> Result<End, Error> {
        let whole = Plan { same: 0, ..*plan };
        // Of a prefix that is not told again, only a digest says that it went another way.
        let by_digest = matches!(outcome, Err(Error::Mismatch { .. }) | Ok(End::NotEnabled));
        let mut differing = u32::from(by_digest && plan.same > 0);
        let (mut agreeing, mut failures, mut stuck) = (0, 0, None);
        for run in 0..MOST_TRIES {
            if run > 0 {
                outcome = self.restart_and_follow(&whole);
            }
            // What the first run has told of the prefix is what was known before it.
            let difference = if run == 0 { None } else { self.difference(known) };
            outcome = match (difference, outcome) {
                (Some(error), _) | (None, Err(error @ Error::Nondeterministic { .. })) => {
                    differing += 1;
                    Err(error)
                }
                (None, Ok(ended)) if is_doubtful(self, &Ok(ended), &whole) => {
                    if let Some(spin) = self.convinced(&mut stuck)? {
                        let wrong = Wrong::Divergence { spin, budget: self.settings.divergence };
                        self.mirror.model.found_mut().expect("it ended in a finding").wrong = wrong;
                        return Ok(ended);
                    }
                    Ok(ended)
                }
                (None, Ok(ended)) => {
                    agreeing += u32::from(run > 0);
                    Ok(ended)
                }
                (None, Err(error)) if !error.is_doubtful() => return Err(error),
                (None, Err(error)) => {
                    failures += 1;
                    if failures == MOST_FAILURES - 1 {
                        self.renew()?;
                    }
                    Err(error)
                }
            };
            let enough = if differing > 0 { 2 } else { 1 };
            if differing > 1 || failures == MOST_FAILURES || agreeing == enough {
                break;
            }
        }
        match outcome {
            Ok(_) if agreeing == 0 => {
                Err(Error::Starved { tries: MOST_TRIES, budget: self.settings.divergence })
            }
            Ok(ended) => {
                let disagreed = differing + failures;
                tracing::warn!(disagreed, "a path went as it should when it was tried again");
                self.doubts += u32::from(disagreed > 0);
                Ok(ended)
            }
            error => error,
        }
    }

    /// Whether a core that came to nothing did so for the second time at the same place; else there is more time for the next
    /// run. Where the target's own time is known, it had its time, and only how it spends that can differ.
    pub(crate) fn convinced(&mut self, before: &mut Option<Stuck>) -> Result<Option<Spin>, Error> {
        let now = self.stuck()?;
        if let (Some(before), Some(now)) = (*before, now)
            && before.progress == now.progress
        {
            if before.spin == now.spin {
                return Ok(Some(now.spin));
            }
            if self.link.knows_target_time() {
                return Ok(Some(Spin::Unknown));
            }
        }
        if before.is_none() || !self.link.knows_target_time() {
            self.settings.divergence *= 2;
        }
        *before = now;
        Ok(None)
    }

    /// The first step that went another way than was known.
    fn difference(&self, known: &[Step]) -> Option<Error> {
        let now = self.mirror.model.steps();
        let first = known.iter().zip(now).position(|(before, now)| before != now)?;
        let words = |step: &Step| {
            let arrived = match step.arrived {
                Arrived::At(operation, _) => self.roster.describe(&self.firmware, operation),
                Arrived::Stays => "the same operation still".to_owned(),
                Arrived::Never => "nothing".to_owned(),
            };
            format!("{} at {arrived}", self.roster.task(step.transition.task))
        };
        let (before, now) = (words(&known[first]), words(&now[first]));
        Some(Error::Nondeterministic { step: first + 1, before, now })
    }

    /// The core locked up and took its records with it: goes the same way again, step by step, to see who it was.
    fn find_lockup(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        for _ in 0..MOST_FAILURES {
            self.respawn()?;
            if let Some(ended) = self.step_to_lockup(plan)? {
                return Ok(ended);
            }
            tracing::warn!("the core locked up, and did not when it was tried again");
            let outcome = self.restart_and_follow(&Plan { same: 0, ..*plan })?;
            if outcome != End::Finding || self.wrong() != Some(&Wrong::Lockup) {
                self.doubts += 1;
                return self.believe(plan, Ok(outcome));
            }
        }
        Err(Error::Nondeterministic {
            step: self.mirror.model.steps().len(),
            before: "a lockup of the core".to_owned(),
            now: "none".to_owned(),
        })
    }

    /// Goes the way step by step, if it leads to a lockup.
    fn step_to_lockup(&mut self, plan: &Plan<'_, Transition>) -> Result<Option<End>, Error> {
        let mut last = None;
        let mut ended = self.restart_and_follow(&Plan { asleep: plan.asleep, ..Plan::follow(&[]) })?;
        loop {
            if self.wrong() == Some(&Wrong::Lockup) {
                self.respawn()?;
                if let Some(transition) = last {
                    self.mirror.never_arrived(transition);
                }
                let found = self.mirror.model.found_mut().expect("the core locked up");
                found.running = last.map(|transition| transition.task);
                return Ok(Some(End::Finding));
            }
            let Ok(next) = self.mirror.model.expected(plan) else { return Ok(None) };
            if ended != End::Asked {
                return Ok(None);
            }
            self.mirror.model.wake(next, plan);
            last = Some(next);
            let script = self.script_to(next);
            ended = self.go_on(&Plan::follow(&script))?;
            self.script = script;
        }
    }
}
