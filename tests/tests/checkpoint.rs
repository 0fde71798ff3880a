//! A search that is killed, again and again, and goes on from what it last wrote down.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fwvs_explore::{
    Bounded, Completion, Cost, Counts, End, Limits, Model, Observer, Reduction, Rung, Runner, Saved, Walk,
    Walker, explore, fits, resume,
};
use fwvs_kernel::{Event, Transition};
use fwvs_tests::generate::Dice;
use fwvs_tests::memory::States;
use fwvs_tests::{Memory, Program, Wrong, full};

/// Every path that was run, and how often.
type Paths = BTreeMap<(Vec<Transition>, Option<Wrong>), u32>;

/// Dies after some paths. What it wrote down last is all that is left.
struct Mortal {
    paths: Paths,
    left: u64,
    every: u64,
    written: Option<(String, Counts, Paths)>,
}

impl Observer<Memory> for Mortal {
    fn path(&mut self, memory: &Memory, end: End, _: &Counts) -> ControlFlow<()> {
        if end != End::Asleep {
            let path = (0..memory.model().length()).map(|at| memory.model().taken(at)).collect();
            *self.paths.entry((path, memory.wrong())).or_default() += 1;
        }
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        ControlFlow::Continue(())
    }

    fn between(&mut self, counts: &Counts, save: &dyn Fn() -> Saved<Transition, Event>) {
        if self.left.is_multiple_of(self.every) {
            let text = serde_json::to_string(&save()).expect("numbers can be written");
            self.written = Some((text, *counts, self.paths.clone()));
        }
    }
}

fn survives(
    program: &Program,
    limits: Limits,
    dice: &mut Dice,
    search: &dyn Fn() -> Box<dyn Reduction<States>>,
) {
    let mut whole = Mortal { paths: Paths::new(), left: u64::MAX, every: u64::MAX, written: None };
    let Ok((completion, counts)) = explore(&mut Memory::new(program), &mut *search(), limits, &mut whole);
    assert_ne!(completion, Completion::Stopped);
    let mut kept: Option<(String, Counts, Paths)> = None;
    let mut deaths = 0;
    loop {
        let (mut reduction, mut memory) = (search(), Memory::new(program));
        let (mut begun, mut paths) = (Counts::default(), Paths::new());
        if let Some((text, counts, seen)) = kept.clone() {
            let saved = serde_json::from_str(&text).expect("it was written by this test");
            let Ok(fits) = fits(&mut memory, &saved);
            assert!(fits, "after {deaths} deaths: {text}");
            reduction.restore(saved);
            (begun, paths) = (counts, seen);
        }
        let (left, every) = (20 + dice.roll(100), 1 + dice.roll(10));
        let mut mortal = Mortal { paths, left, every, written: kept };
        let Ok((end, total)) = resume(&mut memory, &mut *reduction, limits, begun, &mut mortal);
        if end == Completion::Stopped {
            deaths += 1;
            kept = mortal.written;
            continue;
        }
        assert_eq!((end, total), (completion, counts), "after {deaths} deaths");
        assert_eq!(mortal.paths, whole.paths, "after {deaths} deaths");
        return;
    }
}

fn every_search_survives(programs: impl Iterator<Item = Program>, paths: u64) {
    let mut dice = Dice::new(1);
    let limits = Limits { paths, ..Limits::default() };
    for program in programs {
        for rung in Rung::ALL {
            survives(&program, limits, &mut dice, &|| rung.reduction());
        }
        survives(&program, limits, &mut dice, &|| Box::new(Bounded::new(Cost::Preemptions, 2)));
        survives(&program, limits, &mut dice, &|| Box::new(Bounded::new(Cost::Delays, 3)));
        let limits = Limits { paths: 300, ..limits };
        survives(&program, limits, &mut dice, &|| Box::new(Walk::new(Walker::Random, 5)));
    }
}

#[test]
fn a_search_that_is_killed_ends_as_if_it_had_not_been() {
    let plain = (0..40).map(Program::random);
    let crashing = (0..40).filter_map(Program::random_with_crash);
    let philosophers = (2..=6).map(|count| Program::philosophers(count, false));
    every_search_survives(plain.chain(crashing).chain(philosophers), 3_000);
}

/// What a search has learnt of operations that are not the same in every state is part of it.
#[test]
fn so_does_one_of_an_rtos() {
    let many = if full() { 1_000 } else { 50 };
    every_search_survives(
        (0..many)
            .map(Program::random_rtos)
            .chain((0..many).map(Program::random_apart))
            .chain((0..many).map(Program::random_wide)),
        400,
    );
}
