//! Paths that could have gone on, at whose end tasks only waited for each other: collected while the search runs, judged at
//! its end, when everything is known that was ever seen of who gives what.

use std::collections::{BTreeSet, HashMap};

use fwvs_scenario::scenario::Standstill as Recorded;
use fwvs_scenario::{Cause, FindingKind, Step, Waiter, Waiting, deadlock_message};
use fwvs_session::{Givers, Standstill, Waits};
use serde::{Deserialize, Serialize};

use crate::target::AnySession;

/// More ends than this are not told apart: what they say is said by then.
const MOST_ENDS: usize = 256;

/// Every way in which paths ended with tasks that wait without a timeout.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Standstills {
    givers: Givers,
    ends: Vec<Ended>,
    #[serde(skip)]
    places: HashMap<Standstill, usize>,
}

/// Paths that ended in the same way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ended {
    end: Standstill,
    paths: u64,
    /// What each of those waits for who wait, in words.
    words: Vec<Option<Waiter>>,
    still: BTreeSet<String>,
    /// The shortest way there.
    steps: Vec<Step>,
}

/// Tasks that waited for each other, and a path to that.
pub(crate) struct Found {
    pub(crate) waiting: Waiting,
    pub(crate) cause: Cause,
    pub(crate) recorded: Recorded,
    pub(crate) steps: Vec<Step>,
}

impl Standstills {
    /// A path was run.
    pub(crate) fn look(&mut self, session: &AnySession, could_have_gone_on: bool) {
        self.givers.look(session);
        let Some(end) = session.standstill().filter(|_| could_have_gone_on) else { return };
        if self.places.len() != self.ends.len() {
            self.places = self.ends.iter().enumerate().map(|(place, one)| (one.end.clone(), place)).collect();
        }
        let length = session.standstill_begins(&end);
        let still = session.could_go_on();
        let steps = || session.steps().into_iter().take(length).collect();
        match self.places.get(&end) {
            Some(place) => {
                let known = &mut self.ends[*place];
                known.paths += 1;
                known.still.extend(still);
                if length < known.steps.len() {
                    known.steps = steps();
                }
            }
            None if self.ends.len() < MOST_ENDS => {
                let words = end.waits.iter().map(|waits| session.in_words(waits)).collect();
                self.places.insert(end.clone(), self.ends.len());
                self.ends.push(Ended {
                    steps: steps(),
                    end,
                    paths: 1,
                    words,
                    still: still.into_iter().collect(),
                });
            }
            None => {}
        }
    }

    /// What is left when those are left out whose wait is ordinary: each circle of tasks once.
    pub(crate) fn found(&self) -> Vec<Found> {
        let mut circles: Vec<(Vec<Waits>, Ended)> = Vec::new();
        for one in &self.ends {
            let circle = self.givers.circle(&one.end);
            if circle.is_empty() {
                continue;
            }
            match circles.iter_mut().find(|(other, _)| *other == circle) {
                None => circles.push((circle, one.clone())),
                Some((_, known)) => {
                    let shorter = if one.steps.len() < known.steps.len() { one } else { &*known };
                    let mut sum = shorter.clone();
                    sum.paths = known.paths + one.paths;
                    sum.still = known.still.union(&one.still).cloned().collect();
                    *known = sum;
                }
            }
        }
        circles.into_iter().map(|(circle, end)| end.found(&circle)).collect()
    }
}

impl Ended {
    fn found(self, circle: &[Waits]) -> Found {
        let of_circle = self.end.waits.iter().zip(self.words).filter(|(waits, _)| circle.contains(waits));
        let waiters: Vec<Waiter> = of_circle.filter_map(|(_, words)| words).collect();
        let message = deadlock_message(&waiters);
        let tasks: Vec<String> = waiters.into_iter().map(|waiter| waiter.task).collect();
        let still: Vec<String> = self.still.into_iter().collect();
        Found {
            cause: Cause { kind: FindingKind::Deadlock, message: message.clone() },
            recorded: Recorded { tasks: tasks.clone(), still: still.clone() },
            waiting: Waiting {
                message,
                tasks,
                still,
                paths: self.paths,
                depth: self.steps.len() as u64,
                scenario: None,
            },
            steps: self.steps,
        }
    }
}
