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
    /// Takes in what was given on the last path. Whether somebody gave what nobody had seen it give before.
    pub fn look<L: Link>(&mut self, session: &Session<L>) -> bool {
        let before = self.seen.clone();
        if self.known.is_empty() {
            self.objects = session.roster().objects().len();
            self.seen = vec![0; session.roster().tasks().len() * self.objects];
            self.known = vec![false; self.objects];
            self.declared(session.roster().uses());
        }
        for step in session.mirror().steps().iter().filter(|step| step.taken.served) {
            let Operation { verb, subject, .. } = step.taken.operation;
            match verb {
                Verb::Return => self.known[usize::from(subject.0.index)] = true,
                Verb::Serve if step.taken.then == Then::Runs => {
                    self.known[usize::from(step.taken.level)] = true;
                }
                _ => self.note(step.transition.task.0.index, subject, verb),
            }
        }
        self.seen != before
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
        self.seen[usize::from(task) * self.objects + usize::from(object.0.index)] |= bit(awaits);
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
    /// seen to give does not count; [`Givers::unhelped`] has those. Nor does it where a timer or line could go on of which
    /// nobody has seen what it does: [`Givers::never_seen`] has these, and as long as there are any, the circle says less.
    /// Servers are left out that none of the others waits for; empty if only servers are left.
    pub fn circle(&self, end: &Standstill) -> Vec<Waits> {
        let with_unseen = !end.others && self.never_seen(end).next().is_none();
        self.shown(self.unhelped_from_outside(end, with_unseen))
    }

    /// The timers and lines that could go on at that end and of which nobody has seen what they do, as places among `outside`.
    pub fn never_seen(&self, end: &Standstill) -> impl Iterator<Item = usize> {
        let seen = |object: &u8| self.known.get(usize::from(*object)) == Some(&true);
        end.outside.iter().enumerate().filter(move |(_, object)| !seen(object)).map(|(place, _)| place)
    }

    /// Where other tasks go on: those who wait for what nobody was ever seen to give, and whoever waits for these. Each group
    /// of tasks that wait for each other on its own. It says less than a circle, for the other tasks may give it yet. Nothing is
    /// said where a timer or line could go on of which nobody has seen what it does: bringing that may be what it is for.
    pub fn unhelped(&self, end: &Standstill) -> Vec<Vec<Waits>> {
        if !end.others || self.never_seen(end).next().is_some() {
            return Vec::new();
        }
        let circle = self.unhelped_from_outside(end, false);
        let rest = self
            .unhelped_from_outside(end, true)
            .into_iter()
            .filter(|waits| !circle.contains(waits))
            .collect();
        let mut groups: Vec<Vec<Waits>> = Vec::new();
        for waits in self.shown(rest) {
            let of_it = |group: &Vec<Waits>| {
                group.iter().any(|other| self.waits_for(other, &waits) || self.waits_for(&waits, other))
            };
            let (together, mut apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(of_it);
            let mut group: Vec<Waits> = together.into_iter().flatten().chain([waits]).collect();
            group.sort_by_key(|waits| waits.task);
            apart.push(group);
            groups = apart;
        }
        groups
    }

    /// Of those who wait, the ones of whom something may be said in the end: all others are helped, whatever else comes to be
    /// known, for those who give only become more. Empty if only servers are left.
    pub fn suspects(&self, end: &Standstill) -> Vec<Waits> {
        let suspects = self.unhelped_from_outside(end, true);
        if suspects.iter().all(|waits| waits.server) { Vec::new() } else { suspects }
    }

    /// Whether somebody was ever seen to give what `waits` waits for.
    pub fn knows(&self, waits: &Waits) -> bool {
        !self.of(waits).is_empty()
    }

    /// Whether the one waits for what the other gives.
    fn waits_for(&self, waits: &Waits, other: &Waits) -> bool {
        self.of(waits).contains(&other.task)
    }

    /// The greatest set of those who wait of which nobody is helped from outside it; with or without those who wait for what
    /// nobody was ever seen to give.
    fn unhelped_from_outside(&self, end: &Standstill, with_unseen: bool) -> Vec<Waits> {
        let mut circle = end.waits.clone();
        loop {
            let stays = |waits: &Waits| {
                let givers = self.of(waits);
                let is_in = |task: u8| circle.iter().any(|other| other.task == task);
                let helped = givers.iter().any(|task| !is_in(*task) && !end.gone.contains(task));
                !helped && (with_unseen || !givers.is_empty())
            };
            let left: Vec<Waits> = circle.iter().copied().filter(stays).collect();
            if left.len() == circle.len() {
                return circle;
            }
            circle = left;
        }
    }

    /// Without the servers that none of the others waits for.
    fn shown(&self, circle: Vec<Waits>) -> Vec<Waits> {
        let (mut shown, mut servers): (Vec<Waits>, Vec<Waits>) =
            circle.into_iter().partition(|waits| !waits.server);
        // Whoever is waited for is part of it.
        while let Some(place) =
            servers.iter().position(|server| shown.iter().any(|waits| self.waits_for(waits, server)))
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

    fn unhelped(givers: &Givers, end: &Standstill) -> Vec<Vec<u8>> {
        let tasks = |group: Vec<Waits>| group.iter().map(|waits| waits.task).collect();
        givers.unhelped(end).into_iter().map(tasks).collect()
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
    fn what_nobody_gave_says_less_while_other_tasks_go_on() {
        let alone =
            Standstill { waits: vec![waits(SENSOR, QUEUE, Want::Brought(Awaits::Message))], ..stuck() };
        assert_eq!(tasks(&givers(), &alone), [SENSOR]);
        assert_eq!(unhelped(&givers(), &alone), [] as [Vec<u8>; 0], "the circle says it");
        let others = Standstill { others: true, ..alone };
        assert_eq!(tasks(&givers(), &others), [] as [u8; 0]);
        assert_eq!(unhelped(&givers(), &others), [[SENSOR]]);
        let server = Waits { server: true, ..others.waits[0] };
        let idle = Standstill { waits: vec![server], ..others };
        assert_eq!(unhelped(&givers(), &idle), [] as [Vec<u8>; 0], "that is what a server is for");
    }

    /// The logger never came to receive: the sensor holds what it needs for that on every path.
    #[test]
    fn whoever_waits_for_tasks_that_nobody_was_seen_to_help_is_told_with_them() {
        let others = Standstill { others: true, ..stuck() };
        assert_eq!(unhelped(&givers(), &others), [[SENSOR, LOGGER]]);
        let mut apart = others.clone();
        apart.waits.push(waits(OTHER, UART, Want::Brought(Awaits::Unit)));
        assert_eq!(unhelped(&givers(), &apart), [vec![SENSOR, LOGGER], vec![OTHER]]);
        // Whoever is in a circle is told there.
        let seen = gives(givers(), LOGGER, QUEUE, Verb::Receive);
        assert_eq!(
            (tasks(&seen, &apart), unhelped(&seen, &apart)),
            (vec![SENSOR, LOGGER], vec![vec![OTHER]])
        );
        let helped = gives(givers(), OTHER, QUEUE, Verb::Receive);
        assert_eq!(unhelped(&helped, &others), [] as [Vec<u8>; 0]);
        let unknown = Givers { known: vec![false; 3], ..givers() };
        assert_eq!(unhelped(&unknown, &others), [] as [Vec<u8>; 0], "nobody knows what the line does");
    }

    #[test]
    fn who_is_no_suspect_never_becomes_one() {
        let mut end = stuck();
        end.waits.push(waits(OTHER, UART, Want::Brought(Awaits::Unit)));
        let suspects = |givers: &Givers, end: &Standstill| -> Vec<u8> {
            givers.suspects(end).iter().map(|waits| waits.task).collect()
        };
        // What the line does may come to be known.
        let unknown = Givers { known: vec![false; 3], ..givers() };
        assert_eq!(suspects(&unknown, &end), [SENSOR, LOGGER, OTHER]);
        let seen = gives(unknown, LINE, UART, Verb::Give);
        assert_eq!(suspects(&seen, &end), [SENSOR, LOGGER]);
        let less = Standstill { waits: seen.suspects(&end), ..end.clone() };
        let known = gives(Givers { known: vec![true; 3], ..seen }, LOGGER, QUEUE, Verb::Receive);
        assert_eq!(tasks(&known, &end), [SENSOR, LOGGER]);
        assert_eq!(known.circle(&less), known.circle(&end), "the others make no difference");
        assert_eq!(suspects(&gives(known, LINE, QUEUE, Verb::Receive), &less), [] as [u8; 0]);
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
        let never_seen = |end: &Standstill| seen.never_seen(end).collect::<Vec<_>>();
        assert_eq!((tasks(&seen, &stuck()), never_seen(&stuck())), (vec![SENSOR, LOGGER], vec![0]));
        let alone = Standstill { outside: vec![], ..stuck() };
        assert_eq!((tasks(&seen, &alone), never_seen(&alone)), (vec![SENSOR, LOGGER], vec![]));
        // To make room may be what the line is for.
        let unseen = Givers { known: vec![false; 3], ..givers() };
        assert_eq!(tasks(&unseen, &stuck()), [] as [u8; 0]);
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
