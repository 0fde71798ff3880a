//! How a path goes on once the script has run out.

/// How a path goes on after the script.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Policy {
    /// Not at all: it stops and asks.
    Ask,
    /// With the task that has not run for longest: no busy task uses up the whole depth.
    #[default]
    Fair,
    /// With the first task that can: for systems that end, paths share more of their beginnings.
    First,
    /// With the task that went last, or the next one after it that can: nobody is preempted. Time passes, and interrupts fire,
    /// when nobody can go on, and in turn. [`Policy::turn`] has the order.
    Stay,
    /// With anything, at random.
    Random {
        /// Chooses the path.
        seed: u32,
    },
    /// With the task of highest priority; the order is random. `changes` times, at random steps among the first `length`, the
    /// task that is about to go on falls behind all others (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized
    /// Scheduler with Probabilistic Guarantees of Finding Bugs, 2010).
    Priorities {
        /// Chooses the order, and when a task falls behind.
        seed: u32,
        /// How many times a task falls behind.
        changes: u8,
        /// Among how many steps those times are.
        length: u16,
    },
}

impl Policy {
    /// When it is the turn of the task at `place` with [`Policy::Stay`], of `tasks` tasks, if the one at `last` went before; the
    /// lowest goes first. Whatever comes from outside, by time passing or an interrupt that fires, comes after all tasks that
    /// can go on `by_itself`, and a task that waits for time once more has had its turn.
    pub const fn turn(place: u32, last: u32, tasks: u32, by_itself: bool) -> u32 {
        match by_itself {
            true => (place + tasks - last) % tasks,
            false => tasks + (place + tasks - last - 1) % tasks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_went_last_goes_first_and_last_of_all_waits_for_time_again() {
        let by_themselves = [0, 1, 2].map(|place| Policy::turn(place, 1, 3, true));
        let from_outside = [0, 1, 2].map(|place| Policy::turn(place, 1, 3, false));
        assert_eq!((by_themselves, from_outside), ([2, 0, 1], [4, 5, 3]));
    }
}
