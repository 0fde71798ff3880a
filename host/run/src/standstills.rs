//! Paths that could have gone on, at whose end tasks only waited for each other: collected while the search runs, judged at
//! its end, when everything is known that was ever seen of who gives what.

use std::collections::{BTreeSet, HashMap};

use fwvs_kernel::Awaits;
use fwvs_scenario::number::count;
use fwvs_scenario::scenario::Standstill as Recorded;
use fwvs_scenario::{Cause, FindingKind, Step, Waiter, Waiting, deadlock_message};
use fwvs_session::{Givers, Standstill, Waits, Want};
use serde::{Deserialize, Serialize};

use crate::target::AnySession;

/// More ends than this are not told apart; the verdict says how many paths had others.
const MOST_ENDS: usize = 256;

/// Every way in which paths ended with tasks that wait without a timeout, without those who are ordinary for all that was seen so
/// far.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Standstills {
    givers: Givers,
    ends: Vec<Ended>,
    /// Paths that ended in yet another way when there was no room for more.
    #[serde(default)]
    untold: u64,
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
    /// The timers and lines that could still go on, in words.
    #[serde(default)]
    outside: Vec<String>,
    /// Those of them that nobody has seen do anything, once that is known.
    #[serde(skip)]
    never_seen: BTreeSet<String>,
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
        if self.givers.look(session) {
            self.tidy();
        }
        let Some(end) = session.standstill().filter(|_| could_have_gone_on) else { return };
        let suspects = self.givers.suspects(&end);
        if suspects.is_empty() {
            return;
        }
        let length = session.standstill_begins(&end);
        let end = Standstill { waits: suspects, ..end };
        let words = end.waits.iter().map(|waits| session.in_words(waits)).collect();
        let still = session.could_go_on().into_iter().collect();
        let outside = session.outside_in_words(&end);
        let (never_seen, steps) = (BTreeSet::new(), Vec::new());
        let one = Ended { end, paths: 1, words, still, outside, never_seen, steps };
        self.add(one, length, || session.steps().into_iter().take(length).collect());
    }

    /// One more end, so many steps from the beginning.
    fn add(&mut self, one: Ended, length: usize, steps: impl FnOnce() -> Vec<Step>) {
        if self.places.len() != self.ends.len() {
            self.places = self.ends.iter().enumerate().map(|(place, one)| (one.end.clone(), place)).collect();
        }
        match self.places.get(&one.end) {
            Some(place) => {
                let known = &mut self.ends[*place];
                known.paths += one.paths;
                known.still.extend(one.still);
                if length < known.steps.len() {
                    (known.steps, known.words) = (steps(), one.words);
                }
            }
            None if self.ends.len() < MOST_ENDS => {
                self.places.insert(one.end.clone(), self.ends.len());
                self.ends.push(Ended { steps: steps(), ..one });
            }
            None => self.untold += one.paths,
        }
    }

    /// Somebody was seen to give something: leaves out those who are ordinary for it. What is the same then is one.
    fn tidy(&mut self) {
        self.places.clear();
        for one in std::mem::take(&mut self.ends) {
            let suspects = self.givers.suspects(&one.end);
            if !suspects.is_empty() {
                let mut one = one.only(suspects);
                let steps = std::mem::take(&mut one.steps);
                self.add(one, steps.len(), || steps);
            }
        }
    }

    /// How many paths ended in ways that there was no room to look at, in words.
    pub(crate) fn untold(&self) -> Option<String> {
        let ended = match self.untold {
            0 => return None,
            1 => "1 path ended with tasks that wait, in a way that was".to_owned(),
            paths => format!("{} paths ended with tasks that wait, in ways that were", count(paths)),
        };
        Some(format!(
            "{ended} not looked at, after {MOST_ENDS} others: whether they wait for each other is not known"
        ))
    }

    /// What is left when those are left out whose wait is ordinary: each circle of tasks once, then those that a timer or line
    /// could help that nobody has seen do anything, then each group of tasks that other tasks, which go on, were never seen to
    /// help.
    pub(crate) fn found(&self) -> Vec<Found> {
        let mut circles: Vec<(Vec<Waits>, Ended)> = Vec::new();
        let mut doubtful: Vec<(Vec<Waits>, Ended)> = Vec::new();
        let mut unhelped: Vec<(Vec<Waits>, Ended)> = Vec::new();
        for one in &self.ends {
            let never_seen =
                self.givers.never_seen(&one.end).filter_map(|place| one.outside.get(place).cloned());
            let one = &Ended { never_seen: never_seen.collect(), ..one.clone() };
            let circle = self.givers.circle(&one.end);
            if !circle.is_empty() {
                let list = if one.never_seen.is_empty() { &mut circles } else { &mut doubtful };
                add(list, circle, one);
            }
            for group in self.givers.unhelped(&one.end) {
                add(&mut unhelped, group, one);
            }
        }
        // What is told of more tasks, or in stronger words, is not told again of some of them.
        doubtful.retain(|(circle, _)| {
            !circles.iter().any(|(other, _)| circle.iter().all(|waits| other.contains(waits)))
        });
        circles.extend(doubtful);
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
            sum.never_seen = known.never_seen.union(&one.never_seen).cloned().collect();
            *known = sum;
        }
    }
}

impl Ended {
    /// Without those who wait and are not among these.
    fn only(mut self, those: Vec<Waits>) -> Self {
        let words = self.end.waits.iter().zip(self.words);
        self.words = words.filter(|(waits, _)| those.contains(waits)).map(|(_, words)| words).collect();
        self.end.waits = those;
        self
    }

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
                never_seen: self.never_seen.into_iter().collect(),
                paths: self.paths,
                depth: self.steps.len() as u64,
                scenario: None,
            },
            steps: self.steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The task waits for the unit of that semaphore, which nobody gives.
    fn waits(task: u8, object: u8) -> Waits {
        Waits { task, server: false, object, want: Want::Brought(Awaits::Unit) }
    }

    fn ended(waits: Vec<Waits>) -> Ended {
        let words = waits.iter().map(|_| None).collect();
        let end = Standstill { waits, gone: vec![], outside: vec![], others: false };
        let (still, never_seen) = (BTreeSet::new(), BTreeSet::new());
        Ended { end, paths: 1, words, still, outside: vec![], never_seen, steps: Vec::new() }
    }

    fn add(standstills: &mut Standstills, waits: Vec<Waits>, length: usize) {
        standstills.add(ended(waits), length, || vec![Step::default(); length]);
    }

    #[test]
    fn ends_that_are_the_same_are_one_with_the_shortest_way_there() {
        let mut standstills = Standstills::default();
        for length in [5, 3, 4] {
            add(&mut standstills, vec![waits(0, 0)], length);
        }
        let [one] = &standstills.ends[..] else { panic!("{standstills:?}") };
        assert_eq!((one.paths, one.steps.len(), standstills.untold()), (3, 3, None));
    }

    #[test]
    fn those_that_there_is_no_room_for_are_counted() {
        let mut standstills = Standstills::default();
        let most = MOST_ENDS as u16;
        for end in 0..most + 2 {
            let [object, task] = end.to_be_bytes();
            add(&mut standstills, vec![waits(task, object)], 1);
        }
        assert_eq!((standstills.ends.len(), standstills.untold), (MOST_ENDS, 2));
        assert!(
            standstills.untold().expect("two").starts_with("2 paths ended with tasks that wait, in ways")
        );
        add(&mut standstills, vec![waits(0, 0)], 1);
        assert_eq!(standstills.untold, 2, "what is known has its place");
        // A checkpoint does not hold where what is.
        standstills.places.clear();
        add(&mut standstills, vec![waits(0, 0)], 1);
        assert_eq!((standstills.ends[0].paths, standstills.untold), (3, 2));
    }
}
