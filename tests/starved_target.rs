//! A busy computer may leave a target without time to run: that is no divergence of the firmware.

use std::ops::ControlFlow;
use std::time::Duration;

use fwvs_explore::{Completion, Counts, End, Exhaustive, Limits, explore};
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
