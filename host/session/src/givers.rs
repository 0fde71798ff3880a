//! Who was ever seen to give what others wait for, and which tasks are left with nobody but each other.
//!
//! Whether they wait for ever is not known here: only that nobody outside their own circle was seen to help.

use fwvs_kernel::{Awaits, ObjectId, Operation, Then, Use, Verb};
use fwvs_link::Link;
use serde::{Deserialize, Serialize};

use crate::session::Session;
use crate::standstill::{Standstill, Waits, Want};

/// Who was seen to give what, on any path so far, or declared to.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Givers {
    objects: usize,
    /// For each task and object, what the task brought to those who await something of the object, as bits.
    seen: Vec<u8>,
    /// Lines whose handler was seen to its end and timers whose callback was seen to begin, by their object's place.
    known: Vec<bool>,
}

/// What somebody brings, as a bit.
fn bit(awaits: Awaits) -> u8 {
    1 << awaits as u8
}

impl Givers {
    /// Takes in what was given on the last path.
    pub fn look<L: Link>(&mut self, session: &Session<L>) {
        if self.known.is_empty() {
            self.objects = session.roster().objects().len();
            self.seen = vec![0; session.roster().tasks().len() * self.objects];
            self.known = vec![false; self.objects];
            self.declared(session.roster().uses());
        }
        for step in session.mirror().steps().iter().filter(|step| step.taken.served) {
            let Operation { verb, subject, .. } = step.taken.operation;
            match verb {
                Verb::Return => self.known[usize::from(subject.0.nth)] = true,
                Verb::Serve if step.taken.then == Then::Runs => {
                    self.known[usize::from(step.taken.level)] = true;
                }
                _ => self.note(step.transition.task.0.nth, subject, verb),
            }
        }
    }

    /// What tasks say that they may do.
    fn declared(&mut self, uses: &[Use]) {
        for one in uses {
            if let Some(verb) = one.access {
                self.note(one.task, one.object, verb);
            }
        }
    }

    fn note(&mut self, task: u8, object: ObjectId, verb: Verb) {
        let Some(awaits) = verb.brings() else { return };
        self.seen[usize::from(task) * self.objects + usize::from(object.0.nth)] |= bit(awaits);
    }

    /// Who gives what `waits` waits for, as far as is known.
    fn of(&self, waits: &Waits) -> Vec<u8> {
        let brought = match waits.want {
            Want::Mutex { owner } => return vec![owner],
            Want::Brought(awaits) => bit(awaits),
        };
        let tasks = self.seen.chunks(self.objects.max(1)).enumerate();
        let gives = |(_, objects): &(usize, &[u8])| objects[usize::from(waits.object)] & brought != 0;
        tasks.filter(gives).map(|(task, _)| task as u8).collect()
    }

    /// Of those who wait, the ones who can only help each other, as far as is known: the greatest set of which nobody waits
    /// for what somebody outside it gives. Where other tasks go on, who may do anything, a wait for what nobody was ever
    /// seen to give says nothing; and nothing is said where a timer or line could go on of which nobody has seen what it
    /// does. Servers are left out that none of the others waits for; empty if only servers are left.
    pub fn circle(&self, end: &Standstill) -> Vec<Waits> {
        if end.outside.iter().any(|object| self.known.get(usize::from(*object)) != Some(&true)) {
            return Vec::new();
        }
        let mut circle = end.waits.clone();
        let is_in = |circle: &[Waits], task: u8| circle.iter().any(|other| other.task == task);
        loop {
            let stays = |waits: &Waits| {
                let givers = self.of(waits);
                let helped = givers.iter().any(|task| !is_in(&circle, *task) && !end.gone.contains(task));
                let said = !end.others || !givers.is_empty();
                said && !helped
            };
            let left: Vec<Waits> = circle.iter().copied().filter(stays).collect();
            if left.len() == circle.len() {
                break;
            }
            circle = left;
        }
        let (mut shown, mut servers): (Vec<Waits>, Vec<Waits>) =
            circle.into_iter().partition(|waits| !waits.server);
        // Whoever is waited for is part of it.
        while let Some(place) =
            servers.iter().position(|server| shown.iter().any(|waits| self.of(waits).contains(&server.task)))
        {
            shown.push(servers.remove(place));
        }
        shown.sort_by_key(|waits| waits.task);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENSOR: u8 = 0;
    const LOGGER: u8 = 1;
    const OTHER: u8 = 2;
    const LINE: u8 = 3;
    const QUEUE: u8 = 0;
    const LOCK: u8 = 1;
    const UART: u8 = 2;

    /// Nobody has given anything yet, and the handler of the line was seen.
    fn givers() -> Givers {
        Givers { objects: 3, seen: vec![0; 4 * 3], known: vec![false, false, true] }
    }

    fn gives(mut givers: Givers, task: u8, object: u8, verb: Verb) -> Givers {
        givers.note(task, ObjectId::setup(object), verb);
        givers
    }

    fn waits(task: u8, object: u8, want: Want) -> Waits {
        Waits { task, server: false, object, want }
    }

    /// The sensor holds the lock and waits for room; the logger, which would make it, waits for the lock.
    fn stuck() -> Standstill {
        Standstill {
            waits: vec![
                waits(SENSOR, QUEUE, Want::Brought(Awaits::Room)),
                waits(LOGGER, LOCK, Want::Mutex { owner: SENSOR }),
            ],
            gone: vec![],
            outside: vec![UART],
            others: false,
        }
    }

    fn tasks(givers: &Givers, end: &Standstill) -> Vec<u8> {
        givers.circle(end).iter().map(|waits| waits.task).collect()
    }

    #[test]
    fn tasks_that_only_each_other_could_help_are_a_circle_whoever_else_goes_on() {
        let seen = gives(givers(), LOGGER, QUEUE, Verb::Receive);
        assert_eq!(tasks(&seen, &stuck()), [SENSOR, LOGGER]);
        assert_eq!(tasks(&seen, &Standstill { others: true, ..stuck() }), [SENSOR, LOGGER]);
    }

    #[test]
    fn whoever_is_helped_from_outside_helps_the_others() {
        for giver in [OTHER, LINE] {
            let seen = gives(gives(givers(), LOGGER, QUEUE, Verb::Receive), giver, QUEUE, Verb::Receive);
            assert_eq!(tasks(&seen, &stuck()), [] as [u8; 0], "{giver}");
            let gone = Standstill { gone: vec![giver], ..stuck() };
            assert_eq!(tasks(&seen, &gone), [SENSOR, LOGGER], "{giver} does nothing any more");
        }
    }

    #[test]
    fn to_send_makes_no_room() {
        let seen = gives(gives(givers(), LOGGER, QUEUE, Verb::Receive), LINE, QUEUE, Verb::Send);
        assert_eq!(tasks(&seen, &stuck()), [SENSOR, LOGGER]);
    }

    #[test]
    fn what_nobody_gave_says_nothing_while_other_tasks_go_on() {
        let alone =
            Standstill { waits: vec![waits(SENSOR, QUEUE, Want::Brought(Awaits::Message))], ..stuck() };
        assert_eq!(tasks(&givers(), &alone), [SENSOR]);
        assert_eq!(tasks(&givers(), &Standstill { others: true, ..alone }), [] as [u8; 0]);
    }

    #[test]
    fn whoever_gave_and_is_gone_gives_no_more_whoever_else_goes_on() {
        let seen = gives(givers(), SENSOR, QUEUE, Verb::Send);
        let alone = Standstill {
            waits: vec![waits(LOGGER, QUEUE, Want::Brought(Awaits::Message))],
            gone: vec![SENSOR],
            outside: vec![],
            others: true,
        };
        assert_eq!(tasks(&seen, &alone), [LOGGER]);
        let back = Standstill { gone: vec![], ..alone };
        assert_eq!(tasks(&seen, &back), [] as [u8; 0], "the sensor may send again");
    }

    #[test]
    fn nobody_knows_what_a_handler_does_that_never_ran() {
        let seen = gives(givers(), LOGGER, QUEUE, Verb::Receive);
        let seen = Givers { known: vec![false; 3], ..seen };
        assert_eq!(tasks(&seen, &stuck()), [] as [u8; 0]);
        assert_eq!(tasks(&seen, &Standstill { outside: vec![], ..stuck() }), [SENSOR, LOGGER]);
    }

    #[test]
    fn a_server_counts_only_where_others_wait_for_it() {
        let server = |end: Standstill, task: u8| {
            let waits = end.waits.into_iter().map(|one| Waits { server: one.task == task, ..one }).collect();
            Standstill { waits, ..end }
        };
        let seen = gives(givers(), LOGGER, QUEUE, Verb::Receive);
        assert_eq!(tasks(&seen, &server(stuck(), LOGGER)), [SENSOR, LOGGER]);
        let mut idle = stuck();
        idle.waits.push(Waits { server: true, ..waits(OTHER, QUEUE, Want::Brought(Awaits::Message)) });
        assert_eq!(tasks(&seen, &idle), [SENSOR, LOGGER]);
        let only = Standstill { waits: idle.waits.split_off(2), ..idle };
        assert_eq!(tasks(&seen, &only), [] as [u8; 0]);
    }
}
