//! What happened before what on the path at hand, and which of it might have come in another order.
//!
//! Happens-before is kept as vector clocks (how many events of each task come before), and only for the part of the
//! path that is new. The race rule is the wide one: an operation that a task is held at, taken later or never, races
//! with *each* event that it depends on, that does not happen before the task's previous event, and before which it
//! could have been taken. Narrower rules (only the last such event, only operations that were taken) lose outcomes.
//!
//! What an operation depends on may itself depend on the state: whether it waits, expires, is wrong. So a race is judged
//! by what the task would do without the event as well as by what it is held at.

use fwvs_path::Relation;

use crate::model::Model;

/// The events of a path.
#[derive(Clone, Debug)]
pub(crate) struct History<E> {
    /// How many tasks there are.
    tasks: usize,
    /// What happened, in the order of the path.
    events: Vec<E>,
    /// Whose event each is.
    task: Vec<usize>,
    /// Which of its task's events each is, from 1.
    nth: Vec<u32>,
    /// For each event, and each task: how many events of that task happen before or are it.
    clocks: Vec<u32>,
    /// For each task, where its events are.
    places: Vec<Vec<usize>>,
}

/// A task might have gone on before an event, not after it.
#[derive(Clone, Debug)]
pub(crate) struct Race<E> {
    /// The event.
    pub(crate) event: usize,
    /// What comes after the event without needing it, as places on the path: what the task would go on after.
    pub(crate) without: Vec<usize>,
    /// The task.
    pub(crate) task: usize,
    /// Where on the path it went on at last, if it did.
    pub(crate) place: Option<usize>,
    /// What the task would do instead: its operation, as it is without the event.
    pub(crate) instead: E,
}

/// A task that is held at an operation, and how much of the path to look at.
#[derive(Clone, Copy, Debug)]
struct Held {
    task: usize,
    /// In which state. It may have taken the operation there; what needs that is then left out.
    since: usize,
    /// How many events of the path count.
    until: usize,
    /// Whether only those races are wanted that a shorter path does not have.
    only_new: bool,
}

impl<E> Default for History<E> {
    fn default() -> Self {
        Self {
            tasks: 0,
            events: Vec::new(),
            task: Vec::new(),
            nth: Vec::new(),
            clocks: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl<E: Clone> History<E> {
    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn event(&self, at: usize) -> &E {
        &self.events[at]
    }

    /// The events from state `at` on.
    pub(crate) fn since(&self, at: usize) -> impl Iterator<Item = &E> {
        self.events[at..].iter()
    }

    pub(crate) fn task(&self, at: usize) -> usize {
        self.task[at]
    }

    /// Where a task's events are.
    pub(crate) fn places(&self, task: usize) -> &[usize] {
        &self.places[task]
    }

    /// There may be more tasks than were met so far; those that were created on other paths stay.
    fn grow(&mut self, tasks: usize) {
        if tasks > self.tasks {
            let clocks = std::mem::take(&mut self.clocks);
            for clock in clocks.chunks(self.tasks.max(1)) {
                self.clocks.extend(clock);
                self.clocks.resize(self.clocks.len() + tasks - clock.len(), 0);
            }
            self.tasks = tasks;
            self.places.resize(tasks, Vec::new());
        }
    }

    /// A path was run that has its first `same` events in common with the one before.
    pub(crate) fn ran<M: Model<Event = E>>(&mut self, model: &M, same: usize) {
        self.grow(model.tasks());
        self.events.truncate(same);
        self.task.truncate(same);
        self.nth.truncate(same);
        self.clocks.truncate(same * self.tasks);
        for places in &mut self.places {
            let kept = places.partition_point(|place| *place < same);
            places.truncate(kept);
        }
        for at in self.len()..model.length() {
            let task = model.task(model.taken(at));
            let event = model.pending(at, task).expect("what was taken was pending");
            self.push(model, task, event);
        }
    }

    fn push<M: Model<Event = E>>(&mut self, model: &M, task: usize, event: E) {
        let at = self.len();
        let begin = at * self.tasks;
        match self.places[task].last() {
            Some(&last) => self.clocks.extend_from_within(last * self.tasks..(last + 1) * self.tasks),
            None => self.clocks.resize(begin + self.tasks, 0),
        }
        let (before, clock) = self.clocks.split_at_mut(begin);
        for earlier in (0..at).rev() {
            let known = self.nth[earlier] <= clock[self.task[earlier]];
            if !known && model.relation(&self.events[earlier], &event) != Relation::Independent {
                let other = &before[earlier * self.tasks..(earlier + 1) * self.tasks];
                clock.iter_mut().zip(other).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            }
        }
        clock[task] += 1;
        self.nth.push(clock[task]);
        self.task.push(task);
        self.places[task].push(at);
        self.events.push(event);
    }

    /// How many events of `task` happen before event `at`, or are it.
    pub(crate) fn seen(&self, at: usize, task: usize) -> u32 {
        self.clocks[at * self.tasks + task]
    }

    /// Whether event `earlier` happens before event `later`, or is it.
    pub(crate) fn before(&self, earlier: usize, later: usize) -> bool {
        self.nth[earlier] <= self.seen(later, self.task[earlier])
    }

    /// The races at every prefix of the path that is longer than `same`: of every operation that a task is held at there.
    pub(crate) fn races<M: Model<Event = E>>(&self, model: &M, same: usize) -> Vec<Race<E>> {
        let mut found = Vec::new();
        for until in same + 1..=self.len() {
            for task in 0..self.tasks {
                if let Some(pending) = model.pending(until, task) {
                    self.races_of(
                        model,
                        Held { task, since: until, until, only_new: true },
                        &pending,
                        &mut found,
                    );
                }
            }
            for at in 0..until - 1 {
                let held = Held { task: self.task[at], since: at, until, only_new: true };
                if model.by_time(&self.events[at]) && !self.before(at, until - 1) {
                    self.races_of(model, held, &self.events[at], &mut found);
                }
            }
        }
        found
    }

    /// The races of every operation that was taken on the path, or that a task is held at after it.
    pub(crate) fn races_at_end<M: Model<Event = E>>(&self, model: &M) -> Vec<Race<E>> {
        let mut found = Vec::new();
        let length = self.len();
        for at in 0..length {
            let held = Held { task: self.task[at], since: at, until: at, only_new: false };
            self.races_of(model, held, &self.events[at], &mut found);
            if model.by_time(&self.events[at]) {
                self.races_of(model, Held { until: length, ..held }, &self.events[at], &mut found);
            }
        }
        for task in 0..self.tasks {
            if let Some(pending) = model.pending(length, task) {
                let held = Held { task, since: length, until: length, only_new: false };
                self.races_of(model, held, &pending, &mut found);
            }
        }
        found
    }

    /// The races of `pending`, the operation that a task is held at.
    fn races_of<M: Model<Event = E>>(&self, model: &M, held: Held, pending: &E, found: &mut Vec<Race<E>>) {
        let Held { task, since, until, only_new } = held;
        let place = self.places[task].partition_point(|place| *place < since);
        let previous = place.checked_sub(1).map(|place| self.places[task][place]);
        let place = self.places[task].get(place).copied();
        let widest = model.widest(pending);
        for event in 0..since {
            // Nothing new at this prefix unless the last event is one of the race, or can do without its first one.
            let last = until - 1;
            let news = self.task[last] == task || event == last || !self.before(event, last);
            // What the task would do without the event may depend on it where what it is held at does not.
            let races = |other: &E| model.relation(&self.events[event], other) == Relation::Race;
            if only_new && !news
                || self.task[event] == task
                || previous.is_some_and(|previous| event < previous && self.before(event, previous))
                || !races(&widest)
            {
                continue;
            }
            let needs_it =
                |later: &usize| self.before(event, *later) || since < until && self.before(since, *later);
            let without: Vec<usize> = (event + 1..until).filter(|later| !needs_it(later)).collect();
            if let Some(instead) = model.if_taken(event, &without, pending)
                && (races(pending) || races(&instead))
            {
                found.push(Race { event, without, task, place, instead });
            }
        }
    }

    /// What comes after `event` without needing it.
    pub(crate) fn without(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        (event + 1..self.len()).filter(move |later| !self.before(event, *later))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_room_for_tasks_that_are_met_later() {
        let mut history = History::<()> { clocks: vec![1, 0, 1, 1], ..History::default() };
        history.tasks = 2;
        history.grow(3);
        assert_eq!((history.clocks.as_slice(), history.places.len()), ([1, 0, 0, 1, 1, 0].as_slice(), 3));
        history.grow(2);
        assert_eq!((history.tasks, history.seen(1, 1), history.seen(1, 2)), (3, 1, 0));
        let mut empty = History::<()>::default();
        empty.grow(2);
        assert_eq!((empty.tasks, empty.clocks.len()), (2, 0));
    }
}
