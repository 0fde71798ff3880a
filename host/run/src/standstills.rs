//! Paths that could have gone on, at whose end tasks only waited for each other: collected while the search runs, judged at
//! its end, when everything is known that was ever seen of who gives what.

use std::collections::{BTreeSet, HashMap};

use fwvs_kernel::Awaits;
use fwvs_scenario::scenario::Standstill as Recorded;
use fwvs_scenario::{Cause, FindingKind, Step, Waiter, Waiting, deadlock_message};
use fwvs_session::{Givers, Standstill, Waits, Want};
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

    /// What is left when those are left out whose wait is ordinary: each circle of tasks once, then each group of tasks that
    /// other tasks, which go on, were never seen to help.
    pub(crate) fn found(&self) -> Vec<Found> {
        let mut circles: Vec<(Vec<Waits>, Ended)> = Vec::new();
        let mut unhelped: Vec<(Vec<Waits>, Ended)> = Vec::new();
        for one in &self.ends {
            let circle = self.givers.circle(&one.end);
            if !circle.is_empty() {
                add(&mut circles, circle, one);
            }
            for group in self.givers.unhelped(&one.end) {
                add(&mut unhelped, group, one);
            }
        }
        // What is told of more tasks, or in stronger words, is not told again of some of them.
        let sets: Vec<Vec<Waits>> = circles.iter().chain(&unhelped).map(|(waits, _)| waits.clone()).collect();
        unhelped.retain(|(group, _)| {
            let among = |other: &Vec<Waits>| group.iter().all(|waits| other.contains(waits));
            let strong = circles.iter().any(|(circle, _)| among(circle));
            !strong && !sets.iter().any(|other| other.len() > group.len() && among(other))
        });
        let circles = circles.into_iter().map(|(circle, end)| end.found(&circle, Vec::new()));
        let unhelped = unhelped.into_iter().map(|(group, end)| {
            let unseen = self.unseen(&group, &end);
            end.found(&group, unseen)
        });
        circles.chain(unhelped).collect()
    }

    /// What nobody was ever seen to do for those.
    fn unseen(&self, group: &[Waits], end: &Ended) -> Vec<String> {
        let of_group =
            |(waits, _): &(&Waits, &Option<Waiter>)| group.contains(waits) && !self.givers.knows(waits);
        let words = |(waits, words): (&Waits, &Option<Waiter>)| {
            let object = &words.as_ref()?.object;
            Some(match waits.want {
                Want::Brought(Awaits::Message) => format!("send to {object}"),
                Want::Brought(Awaits::Room | Awaits::RoomForCommand) => format!("make room in {object}"),
                Want::Brought(Awaits::Unit | Awaits::Ownership | Awaits::Work) | Want::Mutex { .. } => {
                    format!("give {object}")
                }
            })
        };
        let mut unseen: Vec<String> =
            end.end.waits.iter().zip(&end.words).filter(of_group).filter_map(words).collect();
        unseen.sort();
        unseen.dedup();
        unseen
    }
}

/// One more end of that group.
fn add(known: &mut Vec<(Vec<Waits>, Ended)>, group: Vec<Waits>, one: &Ended) {
    match known.iter_mut().find(|(other, _)| *other == group) {
        None => known.push((group, one.clone())),
        Some((_, known)) => {
            let shorter = if one.steps.len() < known.steps.len() { one } else { &*known };
            let mut sum = shorter.clone();
            sum.paths = known.paths + one.paths;
            sum.still = known.still.union(&one.still).cloned().collect();
            *known = sum;
        }
    }
}

impl Ended {
    fn found(self, group: &[Waits], unseen: Vec<String>) -> Found {
        let of_group = self.end.waits.iter().zip(self.words).filter(|(waits, _)| group.contains(waits));
        let waiters: Vec<Waiter> = of_group.filter_map(|(_, words)| words).collect();
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
                unseen,
                paths: self.paths,
                depth: self.steps.len() as u64,
                scenario: None,
            },
            steps: self.steps,
        }
    }
}
