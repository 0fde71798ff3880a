//! A busy computer may leave a target without time to run: that is no divergence of the firmware.

use std::ops::ControlFlow;
use std::time::Duration;

use fwvs_explore::{
    Completion, Counts, End, Exhaustive, Limits, Observer, Reduction, Saved, explore, resume,
};
use fwvs_kernel::{Event, Transition};
use fwvs_link::{Error as LinkError, Stop};
use fwvs_scenario::FindingKind;
use fwvs_session::Session;
use fwvs_tests::meddle::{Meddled, Meddling};
use fwvs_tests::target::Target;

/// Pretends, every so often, that the budget was over before the target came to anything.
struct Starved {
    every: usize,
    resumed: usize,
}

impl Meddling for Starved {
    fn after_resume(&mut self, stop: Stop) -> Result<Stop, LinkError> {
        self.resumed += 1;
        // The first run finds out who is there, and is not tried again.
        let starved = self.resumed > 1 && self.resumed.is_multiple_of(self.every);
        Ok(if starved && stop == Stop::Doorbell { Stop::Budget { pc: 0x400 } } else { stop })
    }
}

fn kinds(example: &str, set: &[(&str, &str)], every: usize) -> (Vec<FindingKind>, Counts) {
    let target = Target::example(example, set);
    let mut qemu = target.qemu();
    let link = Meddled::new(&mut qemu, Starved { every, resumed: 0 });
    let mut session = target.open(link, Duration::from_millis(300)).expect("it starts");
    let mut kinds = Vec::new();
    let mut look = |session: &Session<Meddled<'_, Starved>>, end: End, _: &Counts| {
        if end == End::Finding {
            kinds.push(session.finding().expect("a finding has words").kind);
        }
        ControlFlow::Continue(())
    };
    let result = explore(&mut session, &mut Exhaustive::default(), Limits::default(), &mut look);
    let (completion, counts) = result.expect("it runs");
    assert_eq!(completion, Completion::Exhausted);
    (kinds, counts)
}

#[test]
fn a_path_that_was_starved_once_is_run_again() {
    for every in [2, 3, 5] {
        let (kinds, counts) = kinds("philosophers", &[("N", "2")], every);
        assert_eq!((counts.paths, counts.transitions), (4, 18), "every {every}");
        assert_eq!(kinds, [FindingKind::Deadlock; 2], "every {every}");
    }
}

#[test]
fn a_task_that_really_diverges_is_found() {
    let (kinds, _) = kinds("misbehaviours", &[("case", "4")], usize::MAX);
    assert!(kinds.contains(&FindingKind::Divergence), "{kinds:?}");
}

/// Is interrupted at one of its runs.
struct Interrupted {
    at: usize,
    resumed: usize,
}

impl Meddling for Interrupted {
    fn after_resume(&mut self, stop: Stop) -> Result<Stop, LinkError> {
        self.resumed += 1;
        if self.resumed == self.at { Err(LinkError::Interrupted) } else { Ok(stop) }
    }
}

/// Keeps what the search would go on with.
#[derive(Default)]
struct Keeper(Option<Saved<Transition, Event>>);

impl Observer<Session<Meddled<'_, Interrupted>>> for Keeper {
    fn path(&mut self, _: &Session<Meddled<'_, Interrupted>>, _: End, _: &Counts) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stopped(&mut self, _: &Counts, save: &dyn Fn() -> Saved<Transition, Event>) {
        self.0 = Some(save());
    }
}

#[test]
fn a_path_that_was_interrupted_is_not_counted_and_is_the_next_to_run() {
    let target = Target::example("philosophers", &[("N", "3")]);
    let mut whole: Option<Counts> = None;
    // Nobody is interrupted at first; later not at the first run, which finds out who is there.
    for first in [usize::MAX, 2, 3, 5, 8] {
        let (mut saved, mut counts, mut at, mut interruptions) = (None, Counts::default(), first, 0);
        loop {
            let mut qemu = target.qemu();
            let link = Meddled::new(&mut qemu, Interrupted { at, resumed: 0 });
            let mut session = target.open(link, Duration::from_secs(5)).expect("it starts");
            let (mut search, mut keeper) = (Exhaustive::default(), Keeper::default());
            if let Some(saved) = saved.take() {
                Reduction::<Session<Meddled<'_, Interrupted>>>::restore(&mut search, saved);
            }
            let result = resume(&mut session, &mut search, Limits::default(), counts, &mut keeper);
            let (completion, so_far) = result.expect("an interruption is no error");
            counts = so_far;
            if completion == Completion::Exhausted {
                break;
            }
            assert_eq!(completion, Completion::Interrupted);
            (saved, at, interruptions) = (keeper.0, usize::MAX, interruptions + 1);
            assert!(saved.is_some(), "it is put aside");
        }
        assert_eq!(interruptions, u32::from(first != usize::MAX));
        assert_eq!(*whole.get_or_insert(counts), counts, "interrupted at run {first}");
    }
}
