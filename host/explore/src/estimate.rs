//! How much of a search is done, while it runs.
//!
//! Weighted backtracking (Knuth 1975; Kilby, Slaney, Thiébaux, Walsh 2006): whatever is below one of the ways to go on
//! from a state is taken to be as large as what is below any other. A second opinion counts paths, and takes each path
//! seen for a fair sample of the tree's size. The two make a range; that they agree is no proof, because reductions find
//! out only on the way what there is left to run.

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
    paths: u64,
    samples: u64,
    /// Sum over samples of the tree size that each stands for.
    sizes: f64,
    weighted: f64,
}

/// Fewer paths than this say nothing.
const ENOUGH: u64 = 16;

impl Estimate {
    /// The `paths`-th path was run; `ways` has each of its states, from the first one on.
    pub fn sample(&mut self, paths: u64, ways: impl Iterator<Item = Ways>) {
        let (mut share, mut done) = (1.0, 0.0);
        for Ways { before, left } in ways {
            share /= (before + 1 + left) as f64;
            done += share * before as f64;
        }
        self.paths = paths;
        self.samples += 1;
        self.sizes += 1.0 / share;
        self.weighted = done + share;
    }

    /// What fraction is done; `None` until there is enough to go by.
    pub fn done(&self) -> Option<Done> {
        if self.paths < ENOUGH {
            return None;
        }
        let counted = (self.paths as f64 * self.samples as f64 / self.sizes).min(1.0);
        Some(Done { low: self.weighted.min(counted), high: self.weighted.max(counted) })
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
    fn a_crooked_tree_is_estimated_within_its_range_for_the_most_part_and_exactly_at_its_end() {
        // The first way leads to a small subtree, each further one to a larger one: 3 + 9 + 27 + 81 paths.
        let children = |way: &[usize]| match way.first() {
            None => 4,
            Some(first) if way.len() < first + 2 => 3,
            Some(_) => 0,
        };
        let (mut inside, mut all, mut last) = (0, 0, 0.0);
        walk(&children, |paths, estimate| {
            if let Some(done) = estimate.done() {
                let truth = paths as f64 / 120.0;
                all += 1;
                inside += u32::from(done.low <= truth + 1e-9 && truth <= done.high + 1e-9);
                last = done.high;
            }
        });
        assert!(inside * 2 > all, "{inside} of {all}");
        assert!((last - 1.0).abs() < 1e-9, "{last}");
    }
}
