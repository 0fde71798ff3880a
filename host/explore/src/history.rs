//! What happened before what on the path at hand, and which of it might have come in another order.
//!
//! Happens-before is kept as vector clocks (how many events of each task come before), and only for the part of the
//! path that is new. The race rule is the wide one: an operation that a task is held at, taken later or never, races
//! with *each* event that it depends on, that does not happen before the task's previous event, and before which it
//! could have been taken. Narrower rules (only the last such event, only operations that were taken) lose outcomes.

use crate::system::{Relation, System};

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
pub(crate) struct Race<T, E> {
    /// The event.
    pub(crate) event: usize,
    /// How much of the path had happened when the task was seen waiting.
    pub(crate) until: usize,
    /// The task.
    pub(crate) task: usize,
    /// What it took when it went on at last, if it did.
    pub(crate) taken: Option<T>,
    /// What the task would do instead: its operation, as it is without the event.
    pub(crate) instead: E,
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

    pub(crate) fn task(&self, at: usize) -> usize {
        self.task[at]
    }

    /// A path was run that has its first `same` events in common with the one before.
    pub(crate) fn ran<S: System<Event = E>>(&mut self, system: &S, same: usize) {
        self.tasks = system.tasks();
        self.places.resize(self.tasks, Vec::new());
        self.events.truncate(same);
        self.task.truncate(same);
        self.nth.truncate(same);
        self.clocks.truncate(same * self.tasks);
        for places in &mut self.places {
            let kept = places.partition_point(|place| *place < same);
            places.truncate(kept);
        }
        for at in self.len()..system.length() {
            let task = system.task(system.taken(at));
            let event = system.pending(at, task).expect("what was taken was pending");
            self.push(system, task, event);
        }
    }

    fn push<S: System<Event = E>>(&mut self, system: &S, task: usize, event: E) {
        let at = self.len();
        let begin = at * self.tasks;
        match self.places[task].last() {
            Some(&last) => self.clocks.extend_from_within(last * self.tasks..(last + 1) * self.tasks),
            None => self.clocks.resize(begin + self.tasks, 0),
        }
        let (before, clock) = self.clocks.split_at_mut(begin);
        for earlier in (0..at).rev() {
            let known = self.nth[earlier] <= clock[self.task[earlier]];
            if !known && system.relation(&self.events[earlier], &event) != Relation::Independent {
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
    pub(crate) fn races<S: System<Event = E>>(&self, system: &S, same: usize) -> Vec<Race<S::Transition, E>> {
        let mut found = Vec::new();
        for until in same + 1..=self.len() {
            for task in 0..self.tasks {
                if let Some(pending) = system.pending(until, task) {
                    self.races_of(system, until, task, &pending, true, &mut found);
                }
            }
        }
        found
    }

    /// The races of every operation that was taken on the path, or that a task is held at after it.
    pub(crate) fn races_at_end<S: System<Event = E>>(&self, system: &S) -> Vec<Race<S::Transition, E>> {
        let mut found = Vec::new();
        for at in 0..self.len() {
            self.races_of(system, at, self.task[at], &self.events[at], false, &mut found);
        }
        for task in 0..self.tasks {
            if let Some(pending) = system.pending(self.len(), task) {
                self.races_of(system, self.len(), task, &pending, false, &mut found);
            }
        }
        found
    }

    /// The races of the operation that `task` is held at after the first `until` events; only the new ones if so wished.
    fn races_of<S: System<Event = E>>(
        &self,
        system: &S,
        until: usize,
        task: usize,
        pending: &E,
        only_new: bool,
        found: &mut Vec<Race<S::Transition, E>>,
    ) {
        let place = self.places[task].partition_point(|place| *place < until);
        let previous = place.checked_sub(1).map(|place| self.places[task][place]);
        let taken = self.places[task].get(place).map(|place| system.taken(*place));
        for event in 0..until {
            // Nothing new at this prefix unless the last event is one of the race, or can do without its first one.
            let last = until - 1;
            let news = self.task[last] == task || event == last || !self.before(event, last);
            if only_new && !news
                || self.task[event] == task
                || previous.is_some_and(|previous| event < previous && self.before(event, previous))
                || system.relation(&self.events[event], pending) != Relation::Race
            {
                continue;
            }
            if let Some(instead) = system.if_taken(event, pending) {
                found.push(Race { event, until, task, taken, instead });
            }
        }
    }

    /// What comes after `event`, among the first `until` events, without needing it.
    pub(crate) fn without(&self, event: usize, until: usize) -> impl Iterator<Item = usize> + '_ {
        (event + 1..until).filter(move |later| !self.before(event, *later))
    }
}
