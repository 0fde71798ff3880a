//! Going the same way again: to see where it went another way, who locked up the core, or whether a task diverges.

use fwvs_link::Link;

use crate::error::Error;
use crate::finding::Wrong;
use crate::mirror::{Arrived, Asked};
use crate::session::{Ended, Session};

/// How often a task that takes too long, each time somewhere else, is tried again.
const MOST_TRIES: u32 = 4;

impl<L: Link> Session<L> {
    /// Runs again with every record, and compares with what the same decisions led to before.
    pub(crate) fn compare_prefix(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        let same = asked.quiet;
        let before = self.mirror.steps()[..same].to_vec();
        let result = self.restart_and_follow(&Asked { quiet: 0, ..*asked });
        let now = self.mirror.steps();
        let differs = |(number, step): (usize, &crate::mirror::Step)| now.get(number) != Some(step);
        let first = before.iter().enumerate().position(differs);
        let words = |step: Option<&crate::mirror::Step>| match step {
            Some(step) => {
                let arrived = match step.arrived {
                    Arrived::At(operation, _) => self.roster.describe(&self.firmware, operation),
                    Arrived::Stays => "the same operation still".to_owned(),
                    Arrived::Never => "nothing".to_owned(),
                };
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

    /// The core locked up and took its records with it: goes the same way again, step by step, to see who it was.
    pub(crate) fn find_lockup(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        self.respawn()?;
        let mut last = None;
        let mut ended = self.restart_and_follow(&Asked { asleep: asked.asleep, ..Asked::STEP })?;
        loop {
            if self.wrong == Some(Wrong::Lockup) {
                self.respawn()?;
                if let Some(transition) = last {
                    self.mirror.push(transition, Arrived::Never);
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

    /// A task took too long. On a busy computer that may be for want of time to run: it diverges if it takes too long
    /// after the same decisions again, with more time.
    pub(crate) fn confirm(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        let budget = self.settings.divergence;
        self.settings.divergence = budget * 2;
        let result = self.confirmed(asked);
        self.settings.divergence = budget;
        if let Some(Wrong::Divergence { budget: given, .. }) = &mut self.wrong {
            *given = budget;
        }
        result
    }

    fn confirmed(&mut self, asked: &Asked<'_>) -> Result<Ended, Error> {
        let mut ended = Ended::Wrong;
        for _ in 0..MOST_TRIES {
            let before = self.mirror.steps().len();
            ended = self.restart_and_follow(asked)?;
            let now = self.mirror.steps().len();
            if !matches!(self.wrong, Some(Wrong::Divergence { .. })) {
                tracing::warn!(before, "a task took too long, and did not when it was tried again");
                break;
            }
            if now == before {
                break;
            }
        }
        Ok(ended)
    }
}
