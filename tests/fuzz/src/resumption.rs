//! Searches that were put aside, damaged, and gone on with in memory: what is behind the parser of checkpoints.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use fwvs_explore::{
    Bounded, Completion, Cost, Counts, End, Limits, Observer, Reduction, Rung, Saved, explore, fits, resume,
};
use fwvs_kernel::{Event, Transition};
use fwvs_tests::memory::States;
use fwvs_tests::{Memory, Program};

/// How far a search had come that was put aside.
const PATHS: [u64; 3] = [1, 4, 15];
/// How far one that was damaged goes on.
const FURTHER: u64 = 30;
/// How long its paths are.
const DEPTH: usize = 60;

/// What is explored: tasks that wait for each other, priorities and clocks, a path that ends by force.
fn programs() -> &'static [Program] {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let crash = (0..100).find_map(Program::random_with_crash);
        let rtos = [3, 11].map(Program::random_rtos);
        [Program::philosophers(3, false), Program::random(7)].into_iter().chain(rtos).chain(crash).collect()
    })
}

/// The searches that can be put aside.
fn searches() -> Vec<Box<dyn Reduction<States>>> {
    let bounded = [Cost::Preemptions, Cost::Delays].map(|cost| Bounded::new(cost, 2));
    let rungs = Rung::ALL.into_iter().map(|rung| rung.reduction());
    rungs.chain(bounded.map(|bounded| Box::new(bounded) as Box<dyn Reduction<States>>)).collect()
}

/// Writes down how the search stands when it is ended.
struct Writer(Option<String>);

impl Observer<Memory> for Writer {
    fn path(&mut self, _: &Memory, _: End, _: &Counts) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stopped(&mut self, _: &Counts, save: &dyn Fn() -> Saved<Transition, Event>) {
        self.0 = Some(serde_json::to_string(&save()).expect("numbers can be written"));
    }
}

/// Each is a line that says which search of which program, and what the search wrote down.
pub fn put_aside() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (program, built) in programs().iter().enumerate() {
        for search in 0..searches().len() {
            for paths in PATHS {
                let mut writer = Writer(None);
                let limits = Limits { paths, depth: DEPTH, ..Limits::default() };
                let mut reduction = searches().swap_remove(search);
                let Ok(_) = explore(&mut Memory::new(built), &mut *reduction, limits, &mut writer);
                all.extend(writer.0.map(|text| format!("{search} {program}\n{text}").into_bytes()));
            }
        }
    }
    all
}

/// Goes on with one, if it fits.
pub fn go_on(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let (which, saved) = text.split_once('\n').unwrap_or_default();
    let (search, program) = which.split_once(' ').unwrap_or_default();
    let place = |number: &str| number.parse().unwrap_or(usize::MAX);
    let (search, program) = (searches().into_iter().nth(place(search)), programs().get(place(program)));
    let (Some(mut search), Some(program)) = (search, program) else {
        return "there is no such search".into();
    };
    let saved: Saved<Transition, Event> = match serde_json::from_str(saved) {
        Ok(saved) => saved,
        Err(error) => return error.to_string(),
    };
    let mut memory = Memory::new(program);
    let Ok(fits) = fits(&mut memory, &saved);
    if !fits {
        return "it does not fit".into();
    }
    search.restore(saved);
    let limits = Limits { paths: FURTHER, depth: DEPTH, ..Limits::default() };
    let mut look = |_: &Memory, _: End, _: &Counts| ControlFlow::Continue(());
    let Ok((completion, _)) = resume(&mut memory, &mut *search, limits, Counts::default(), &mut look);
    match completion {
        Completion::Astray => "a decision is not enabled".into(),
        other => format!("{other:?}"),
    }
}
