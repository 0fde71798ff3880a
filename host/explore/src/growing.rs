//! For systems whose paths do not end: few delays and short paths first, then more of them and longer ones.
//!
//! A path that is cut at a thousand steps has its last steps varied first, and nobody sees when it would be the turn of its first
//! ones. Most of what goes wrong goes wrong early, or again and again, and needs few delays; so delays and steps are spent in turn.

use crate::bounded::{Bounded, Cost};

/// Every path with at most so many delays and steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// How many delays a path may have.
    pub delays: usize,
    /// How many transitions it may have.
    pub depth: usize,
}

/// How long paths of the first stage are.
const SHORTEST: usize = 32;

impl Stage {
    /// The search of this stage.
    pub fn search<T>(self) -> Bounded<T> {
        Bounded::new(Cost::Delays, self.delays)
    }

    /// One stage after the other, without an end: every number of delays comes with every depth up to `depth`. A further delay
    /// costs about as much as four times the steps.
    pub fn all(depth: usize) -> impl Iterator<Item = Self> {
        let depth_of = move |fold: usize| {
            let longer = 4_usize.checked_pow(fold.try_into().unwrap_or(u32::MAX));
            longer.and_then(|longer| SHORTEST.checked_mul(longer)).unwrap_or(depth).min(depth)
        };
        let round = move |round: usize| {
            let stages = (0..=round).map(move |delays| (delays, round - delays));
            // Once it is as deep as it may be, a stage has been there before.
            stages
                .filter(move |(_, fold)| *fold == 0 || depth_of(*fold) > depth_of(fold - 1))
                .map(move |(delays, fold)| Self { delays, depth: depth_of(fold) })
        };
        (0..).flat_map(round)
    }

    /// For each number of delays with which everything was run in some of the stages, up to which depth.
    pub fn reached(done: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut reached: Vec<Self> = Vec::new();
        for stage in done {
            match reached.iter_mut().find(|other| other.delays == stage.delays) {
                Some(other) => other.depth = other.depth.max(stage.depth),
                None => reached.push(stage),
            }
        }
        reached.sort_by_key(|stage| stage.delays);
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(pairs: &[(usize, usize)]) -> Vec<Stage> {
        pairs.iter().map(|(delays, depth)| Stage { delays: *delays, depth: *depth }).collect()
    }

    #[test]
    fn delays_and_steps_are_spent_in_turn_and_nothing_comes_twice() {
        let first: Vec<Stage> = Stage::all(1000).take(10).collect();
        let expected =
            [(0, 32), (0, 128), (1, 32), (0, 512), (1, 128), (2, 32), (0, 1000), (1, 512), (2, 128), (3, 32)];
        assert_eq!(first, stages(&expected));
        let expected = [(1, 1000), (2, 512), (3, 128), (4, 32), (2, 1000)];
        assert_eq!(Stage::all(1000).skip(10).take(5).collect::<Vec<_>>(), stages(&expected));
        assert_eq!(Stage::all(10).take(3).collect::<Vec<_>>(), stages(&[(0, 10), (1, 10), (2, 10)]));
    }

    #[test]
    fn of_each_number_of_delays_the_deepest_counts() {
        let done = Stage::all(1000).take(6);
        assert_eq!(Stage::reached(done), stages(&[(0, 512), (1, 128), (2, 32)]));
    }
}
