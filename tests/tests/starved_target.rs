//! A busy computer may leave a target without time to run: that is no divergence of the firmware.

use std::ops::ControlFlow;
use std::time::Duration;

use fwvs_explore::{
    Completion, Counts, End, Exhaustive, Limits, Observer, Reduction, Saved, explore, resume,
};
use fwvs_kernel::{Event, Transition};
use fwvs_link::{Error as LinkError, Stop};
use fwvs_scenario::FindingKind;
use fwvs_session::{Session, States};
use fwvs_tests::meddle::{Meddled, Meddling};
use fwvs_tests::target::Target;

/// Keeps the core from running now and then, for some resumes on end, from the first on.
struct Starved {
    runs: usize,
    rests: usize,
    resumed: usize,
}

impl Meddling for Starved {
    fn budget(&mut self, budget: Duration) -> Option<Duration> {
        self.resumed += 1;
        (self.resumed % (self.runs + self.rests) >= self.rests).then_some(budget)
    }

    fn knows_target_time(&self) -> bool {
        false
    }
}

/// With a core that runs so many times, then does not so many times.
fn kinds(example: &str, set: &[(&str, &str)], (runs, rests): (usize, usize)) -> (Vec<FindingKind>, Counts) {
    let target = Target::example(example, set);
    let mut qemu = target.qemu();
    let link = Meddled::new(&mut qemu, Starved { runs, rests, resumed: 0 });
    let mut session = target.open(link, Duration::from_millis(300)).expect("it starts");
    let mut kinds = Vec::new();
    let mut look = |session: &Session<Meddled<'_, Starved>>, end: End, _: &Counts| {
        if end == End::Finding {
            kinds.push(session.finding().expect("a finding has words").kind);
        }
        // Each path that diverges takes its time.
        if kinds.contains(&FindingKind::Divergence) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let result = explore(&mut session, &mut Exhaustive::default(), Limits::default(), &mut look);
    (kinds, result.expect("it runs").1)
}

#[test]
fn a_path_that_was_starved_is_run_again() {
    for rhythm in [(1, 1), (1, 3), (1, 5), (2, 5), (3, 9), (1, 14)] {
        let (kinds, counts) = kinds("philosophers", &[("N", "2")], rhythm);
        assert_eq!((counts.paths, counts.transitions), (4, 18), "{rhythm:?}");
        assert_eq!(kinds, [FindingKind::Deadlock; 2], "{rhythm:?}");
    }
}

#[test]
fn a_task_that_really_diverges_is_found() {
    for rhythm in [(1, 0), (5, 5)] {
        let (kinds, _) = kinds("misbehaviours", &[("case", "4")], rhythm);
        assert!(kinds.contains(&FindingKind::Divergence), "{kinds:?}");
    }
}

/// Halts the core after some microseconds, wherever it is then: in its reset, in the middle of a record, anywhere.
struct Hasty {
    resumed: u64,
}

impl Meddling for Hasty {
    fn budget(&mut self, budget: Duration) -> Option<Duration> {
        if self.resumed == u64::MAX {
            return Some(budget);
        }
        self.resumed += 1;
        let whole = self.resumed.is_multiple_of(3);
        Some(if whole { budget } else { Duration::from_micros(self.resumed * 7 % 900) })
    }
}

#[test]
fn a_core_that_is_halted_anywhere_goes_on_where_it_was() {
    let target = Target::example("philosophers", &[("N", "3")]);
    let run = |link: &mut dyn fwvs_link::Link, hasty: bool| {
        let meddling = Hasty { resumed: if hasty { 0 } else { u64::MAX } };
        let mut session =
            target.open(Meddled::new(link, meddling), Duration::from_secs(2)).expect("it starts");
        let mut look = |_: &Session<Meddled<'_, Hasty>>, _: End, _: &Counts| ControlFlow::Continue(());
        explore(&mut session, &mut Exhaustive::default(), Limits::default(), &mut look).expect("it runs").1
    };
    let (mut quiet, mut hasty) = (target.qemu(), target.qemu());
    assert_eq!(run(&mut hasty, true), run(&mut quiet, false));
}

/// Tells once something else of the path before than was told then.
struct Forgetful {
    report: u32,
    reports: usize,
    at: usize,
}

impl Meddling for Forgetful {
    fn after_read(&mut self, address: u32, bytes: &mut [u8]) {
        if address == self.report {
            self.reports += 1;
            // The digest of all records.
            bytes[12] ^= u8::from(self.reports == self.at);
        }
    }
}

#[test]
fn what_is_told_otherwise_once_is_not_held_against_the_firmware() {
    let target = Target::example("philosophers", &[("N", "2")]);
    for at in 2..6 {
        let mut qemu = target.qemu();
        let report = target.firmware().description().report;
        let link = Meddled::new(&mut qemu, Forgetful { report, reports: 0, at });
        let mut session = target.open(link, Duration::from_secs(2)).expect("it starts");
        let mut look = |_: &Session<Meddled<'_, Forgetful>>, _: End, _: &Counts| ControlFlow::Continue(());
        let explored = explore(&mut session, &mut Exhaustive::default(), Limits::default(), &mut look);
        let (completion, counts) = explored.expect("it runs");
        assert_eq!((completion, counts.paths), (Completion::Exhausted, 4), "report {at}");
        assert_eq!(session.doubts(), 1, "report {at}");
    }
}

/// Where a loop happens to be halted is no part of what is said of it.
#[test]
fn a_divergence_reads_the_same_every_time() {
    for case in ["4", "7", "14", "60", "61"] {
        let target = Target::example("misbehaviours", &[("case", case)]);
        let mut qemu = target.qemu();
        let mut said = Vec::new();
        for halted_early in [0, 1, 7, 13, 29] {
            let link = Meddled::new(&mut qemu, Jittery { micros: halted_early * 111 });
            let mut session = target.open(link, Duration::from_millis(60)).expect("it starts");
            let mut found = None;
            let mut look = |session: &Session<Meddled<'_, Jittery>>, _: End, _: &Counts| {
                let divergence = session.finding().filter(|finding| finding.kind == FindingKind::Divergence);
                found = divergence.map(|finding| (finding.message, session.finding_key()));
                if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            explore(&mut session, &mut Exhaustive::default(), Limits::default(), &mut look).expect("it runs");
            said.push(found.expect("there is a divergence"));
        }
        assert!(said.iter().all(|one| *one == said[0]), "case {case}: {said:#?}");
        let loops = if case == "7" { "which is no line of the source" } else { ", in a loop at " };
        assert!(said[0].0.contains(loops), "case {case}: {said:#?}");
    }
}

/// Gives some microseconds more.
struct Jittery {
    micros: u64,
}

impl Meddling for Jittery {
    fn budget(&mut self, budget: Duration) -> Option<Duration> {
        Some(budget + Duration::from_micros(self.micros))
    }
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
                Reduction::<States>::restore(&mut search, saved);
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
