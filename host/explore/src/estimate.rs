//! How much of a search is done, while it runs.
//!
//! Weighted backtracking (Knuth 1975; Kilby, Slaney, Thiébaux, Walsh 2006): whatever is below one of the ways to go on
//! from a state is taken to be as large as what is below any other. A second opinion takes what is left to be as
//! laborious as the later half of what was done. The two make a range; that they agree is no proof, because reductions
//! find out only on the way what there is left to run.

/// The ways to go on from a state of the path at hand, the one that was taken not counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ways {
    /// Those that were run before.
    pub before: usize,
    /// Those known to be left.
    pub left: usize,
}

/// What fraction of a search is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Done {
    /// The lower of the opinions, from 0 to 1.
    pub low: f64,
    /// The higher one.
    pub high: f64,
}

/// Estimates from the paths seen so far.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Estimate {
    /// Numbers of paths, and the weighted share that was done then.
    history: Vec<(u64, f64)>,
}

/// Fewer paths than this say nothing.
const ENOUGH: u64 = 16;
/// More history than this says nothing new.
const MOST: usize = 1024;

impl Estimate {
    /// The `paths`-th path was run; `ways` has each of its states, from the first one on.
    pub fn sample(&mut self, paths: u64, ways: impl Iterator<Item = Ways>) {
        let (mut share, mut done) = (1.0, 0.0);
        for Ways { before, left } in ways {
            share /= (before + 1 + left) as f64;
            done += share * before as f64;
        }
        if self.history.len() == MOST {
            let mut keep = false;
            self.history.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.history.push((paths, done + share));
    }

    /// What fraction is done; `None` until there is enough to go by.
    pub fn done(&self) -> Option<Done> {
        let &(paths, weighted) = self.history.last().filter(|(paths, _)| *paths >= ENOUGH)?;
        let middle = self.history.partition_point(|(earlier, _)| *earlier * 2 <= paths);
        let (half, then) = self.history[..middle].last().copied().unwrap_or((0, 0.0));
        let pace = (weighted - then) / (paths - half) as f64;
        let left = (1.0 - weighted).max(0.0) / pace.max(f64::MIN_POSITIVE);
        let recent = paths as f64 / (paths as f64 + left);
        Some(Done { low: weighted.min(recent), high: weighted.max(recent).min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks a tree depth-first; `children` says how many a node has, given the way to it.
    fn walk(children: &dyn Fn(&[usize]) -> usize, mut each: impl FnMut(u64, &Estimate)) {
        let mut estimate = Estimate::default();
        let mut way: Vec<usize> = Vec::new();
        let mut paths = 0;
        loop {
            while children(&way) > 0 {
                way.push(0);
            }
            paths += 1;
            let ways = (0..way.len()).map(|at| {
                let (before, all) = (way[at], children(&way[..at]));
                Ways { before, left: all - 1 - before }
            });
            estimate.sample(paths, ways);
            each(paths, &estimate);
            while let Some(last) = way.pop() {
                if last + 1 < children(&way) {
                    way.push(last + 1);
                    break;
                }
            }
            if way.is_empty() {
                return;
            }
        }
    }

    #[test]
    fn nothing_is_known_at_first() {
        assert_eq!(Estimate::default().done(), None);
        walk(&|way| if way.len() < 6 { 3 } else { 0 }, |paths, estimate| {
            assert_eq!(estimate.done().is_some(), paths >= ENOUGH);
        });
    }

    #[test]
    fn a_regular_tree_is_estimated_exactly() {
        walk(&|way| if way.len() < 6 { 3 } else { 0 }, |paths, estimate| {
            let truth = paths as f64 / 729.0;
            for guess in estimate.done().map(|done| [done.low, done.high]).into_iter().flatten() {
                assert!((guess - truth).abs() < 1e-9, "{guess} is not {truth}");
            }
        });
    }

    #[test]
    fn in_a_crooked_tree_the_second_opinion_is_the_better_one_and_both_end_at_the_truth() {
        // The first way leads to a small subtree, each further one to a larger one: 3 + 9 + 27 + 81 paths.
        let children = |way: &[usize]| match way.first() {
            None => 4,
            Some(first) if way.len() < first + 2 => 3,
            Some(_) => 0,
        };
        let (mut low_off, mut high_off, mut last) = (0.0, 0.0, None);
        walk(&children, |paths, estimate| {
            if let Some(done) = estimate.done() {
                let truth = paths as f64 / 120.0;
                assert!(done.low <= done.high);
                low_off += (done.low - truth).abs();
                high_off += (done.high - truth).abs();
                last = Some(done);
            }
        });
        assert!(low_off < high_off, "{low_off} against {high_off}");
        let last = last.expect("there was enough to go by");
        assert!((last.low - 1.0).abs() < 1e-9 && (last.high - 1.0).abs() < 1e-9, "{last:?}");
    }

    #[test]
    fn history_does_not_grow_without_end() {
        let mut estimate = Estimate::default();
        for paths in 1..100_000 {
            estimate.sample(paths, std::iter::once(Ways { before: paths as usize, left: 100_000 }));
        }
        assert!(estimate.history.len() <= MOST);
    }
}
