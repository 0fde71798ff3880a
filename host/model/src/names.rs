//! Names of tasks: what is the same in every interleaving, beside the slot, which says only where a task is.
//!
//! A name is whose how many-th creation a task is: "the second that the first of the set-up made". The host gives each a number
//! when it first meets it, and the number stands for it as long as the search lasts, on every path. Which name is in which slot is
//! a matter of the state. The set-up's tasks are met first, in order, so that their numbers are their slots.

use std::collections::HashMap;

use fwvs_kernel::TaskId;

/// The name of a task, as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(u32);

/// Who created a task, `None` for the set-up, and how many tasks it had created before.
type Creation = (Option<Name>, u32);

/// Every name that was met so far, on whatever path.
#[derive(Clone, Default, Debug)]
pub struct Names {
    numbers: HashMap<Creation, Name>,
    creations: Vec<Creation>,
}

/// Which names are in the slots of one state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Occupants {
    slots: Vec<Option<Name>>,
    /// How many tasks the set-up has created.
    by_setup: u32,
    /// How many tasks each name has created; fewer than there are names where the last ones have created none.
    by_name: Vec<u32>,
}

impl Name {
    /// The number, from 0.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

impl Names {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.creations.len()
    }

    /// Who created the task of that name, `None` for the set-up, and how many tasks it had created before.
    pub fn creation(&self, name: Name) -> (Option<Name>, u32) {
        self.creations[name.number()]
    }

    /// The name of the task that is the `nth` creation of `creator`, from 0.
    pub fn name(&mut self, creator: Option<Name>, nth: u32) -> Name {
        let new = Name(self.creations.len() as u32);
        let name = *self.numbers.entry((creator, nth)).or_insert(new);
        if name == new {
            self.creations.push((creator, nth));
        }
        name
    }
}

impl Occupants {
    /// Those of a state in which the set-up has created so many tasks, and nobody else any.
    pub fn of_setup(names: &mut Names, tasks: usize) -> Self {
        let mut occupants = Self::default();
        for index in 0..tasks {
            occupants.created(names, None, TaskId::setup(index as u8));
        }
        occupants
    }

    /// The task in slot `creator`, or the set-up, has created a task, which is in that slot now.
    pub fn created(&mut self, names: &mut Names, creator: Option<TaskId>, slot: TaskId) -> Name {
        let creator = creator.and_then(|creator| self.name(creator));
        let before = match creator {
            None => &mut self.by_setup,
            Some(name) => {
                let least = self.by_name.len().max(name.number() + 1);
                self.by_name.resize(least, 0);
                &mut self.by_name[name.number()]
            }
        };
        let name = names.name(creator, *before);
        *before += 1;
        let place = usize::from(slot.0.index);
        self.slots.resize(self.slots.len().max(place + 1), None);
        self.slots[place] = Some(name);
        name
    }

    /// The task in that slot is no more.
    pub fn removed(&mut self, slot: TaskId) {
        if let Some(occupant) = self.slots.get_mut(usize::from(slot.0.index)) {
            *occupant = None;
        }
    }

    /// The name of the task in that slot.
    pub fn name(&self, slot: TaskId) -> Option<Name> {
        self.slots.get(usize::from(slot.0.index)).copied().flatten()
    }

    /// The slot in which the task of that name is, if it is there.
    pub fn slot(&self, name: Name) -> Option<TaskId> {
        let place = self.slots.iter().position(|occupant| *occupant == Some(name))?;
        Some(TaskId::setup(place as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_set_up_are_its_slots() {
        let mut names = Names::default();
        let occupants = Occupants::of_setup(&mut names, 3);
        for place in 0..3 {
            let name = occupants.name(TaskId::setup(place)).expect("somebody is there");
            assert_eq!(
                (name.number(), occupants.slot(name)),
                (usize::from(place), Some(TaskId::setup(place)))
            );
        }
        assert_eq!((names.count(), occupants.name(TaskId::setup(3))), (3, None));
    }

    #[test]
    fn a_name_is_the_same_whoever_came_first_and_wherever_it_is() {
        let mut names = Names::default();
        let begin = Occupants::of_setup(&mut names, 2);
        let [one, other, third, fourth] = [0, 1, 2, 3].map(TaskId::setup);
        let mut ahead = begin.clone();
        let first = ahead.created(&mut names, Some(one), third);
        let second = ahead.created(&mut names, Some(other), fourth);
        let mut behind = begin;
        assert_eq!(behind.created(&mut names, Some(other), third), second);
        assert_eq!(behind.created(&mut names, Some(one), fourth), first);
        assert_eq!((ahead.slot(first), behind.slot(first)), (Some(third), Some(fourth)));
        assert_eq!(names.count(), 4);
        assert_eq!(names.creation(first), (ahead.name(one), 0));
    }
}
