//! Two runners over one search: one hands over a part of what is left, the other one runs it, and together they have done what one
//! does alone.

use fwvs_explore::{Bounded, Cost, Counts, End, Limits, Policy, Reduction, Returned, Rung, Runner, path};
use fwvs_kernel::Transition;
use fwvs_tests::generate::Dice;
use fwvs_tests::memory::States;
use fwvs_tests::outcome::{Outcome, outcome};
use fwvs_tests::{Memory, Program, full};

/// Searches of more paths than this are left out.
const LIMITS: Limits = Limits { depth: 1000, paths: 3_000, policy: Policy::First };

type Search = Box<dyn Reduction<States>>;

/// A search, or a part of one, and the runner that runs it.
struct Worker {
    memory: Memory,
    search: Search,
    counts: Counts,
    first: bool,
}

impl Worker {
    fn new(program: &Program, search: Search) -> Self {
        Self { memory: Memory::new(program), search, counts: Counts::default(), first: true }
    }

    /// Runs one path.
    fn run(&mut self, outcome: &mut Outcome) {
        let Ok(end) = path(&mut self.memory, &mut *self.search, LIMITS, self.first, &mut self.counts);
        assert_ne!(end, End::Interrupted);
        self.first = false;
        outcome.look(&self.memory, end);
    }

    fn moves_on(&mut self) -> bool {
        self.search.advance(self.memory.model())
    }
}

/// Runs a search with a second runner that takes over a part whenever it has nothing to do. Which of the two comes next is by
/// chance. Also how many parts there were.
fn shared(program: &Program, search: &dyn Fn() -> Search, dice: &mut Dice) -> (Outcome, u64) {
    let (mut outcome, mut parts) = (Outcome::default(), 0);
    let mut whole = Worker::new(program, search());
    let mut part: Option<Worker> = None;
    let mut done = Counts::default();
    let mut goes_on = true;
    while goes_on || part.is_some() {
        match &mut part {
            Some(worker) if !goes_on || dice.roll(2) == 0 => {
                worker.run(&mut outcome);
                if !worker.moves_on() {
                    done = done + worker.counts;
                    if let Some(returned) = worker.search.hand_back() {
                        let text = serde_json::to_string(&returned).expect("numbers can be written");
                        let returned: Returned<Transition> =
                            serde_json::from_str(&text).expect("it was written here");
                        whole.search.join(whole.memory.model(), returned);
                        goes_on = goes_on || whole.moves_on();
                    }
                    part = None;
                }
            }
            _ => {
                whole.run(&mut outcome);
                if part.is_none()
                    && let Some(saved) = whole.search.split(whole.memory.model())
                {
                    let text = serde_json::to_string(&saved).expect("numbers can be written");
                    let mut search = search();
                    search.restore(serde_json::from_str(&text).expect("it was written here"));
                    part = Some(Worker::new(program, search));
                    parts += 1;
                }
                goes_on = whole.moves_on();
            }
        }
    }
    assert!(!whole.search.is_waiting(), "every part was taken back");
    outcome.counts = done + whole.counts;
    outcome.held_back = outcome.counts.held_back;
    (outcome, parts)
}

/// Both ways have the same outcome, and, if `exactly`, did as much for it. Says how many parts there were.
fn agree(program: &Program, search: &dyn Fn() -> Search, exactly: bool, dice: &mut Dice) -> Option<u64> {
    let alone = outcome(&mut Memory::new(program), &mut *search(), LIMITS)?;
    let (together, parts) = shared(program, search, dice);
    assert_eq!(together.ends, alone.ends, "{program:?}");
    assert_eq!(together.held_back, alone.held_back, "{program:?}");
    assert_eq!(together.counts.paths, alone.counts.paths, "{program:?}");
    assert_eq!(together.traces, alone.traces, "{program:?}");
    if exactly {
        assert_eq!(together.counts, alone.counts, "{program:?}");
    }
    Some(parts)
}

fn programs() -> impl Iterator<Item = Program> {
    let many = if full() { 2_000 } else { 100 };
    let philosophers = (2..=4).map(|count| Program::philosophers(count, false));
    let crashing = (0..many).filter_map(Program::random_with_crash);
    philosophers.chain((0..many).map(Program::random)).chain(crashing)
}

#[test]
fn two_runners_over_one_search_do_what_one_does_alone() {
    let mut dice = Dice::new(1);
    for rung in Rung::ALL.into_iter().filter(|rung| !matches!(rung, Rung::Source | Rung::Optimal)) {
        let parts: Vec<u64> =
            programs().filter_map(|program| agree(&program, &|| rung.reduction(), true, &mut dice)).collect();
        assert!(parts.iter().sum::<u64>() > 50, "{rung:?}: {parts:?}");
    }
}

/// What races are found first decides who goes first where several might, so runs in vain and the shape of the tree may differ.
#[test]
fn with_source_sets_they_run_each_trace_once() {
    let mut dice = Dice::new(2);
    let parts: Vec<u64> = programs()
        .filter_map(|program| agree(&program, &|| Rung::Source.reduction(), false, &mut dice))
        .collect();
    assert!(parts.iter().sum::<u64>() > 50, "{parts:?}");
}

#[test]
fn a_bounded_search_can_be_shared_and_wakeup_trees_cannot() {
    let mut dice = Dice::new(3);
    for program in programs().take(50) {
        agree(&program, &|| Box::new(Bounded::new(Cost::Delays, 2)), true, &mut dice);
        let parts = agree(&program, &|| Rung::Optimal.reduction(), true, &mut dice);
        assert!(parts.is_none_or(|parts| parts == 0));
    }
}
