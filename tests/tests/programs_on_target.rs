//! QEMU against memory: random programs, interpreted by firmware and over the bare kernel, go the same ways.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fwvs_explore::{Completion, Counts, End, Limits, Model, Policy, Rung, Sleep, explore};
use fwvs_kernel::Transition;
use fwvs_program::{FOREVER, Instruction, ObjectSpec, Test};
use fwvs_session::Session;
use fwvs_tests::agreement::shrink;
use fwvs_tests::judge::Judge;
use fwvs_tests::target::Target;
use fwvs_tests::{Memory, Program, Wrong};

/// Larger programs take too long on the target for what they teach.
const MOST_PATHS: u64 = 3_000;
/// What a program must do to be worth comparing.
const LEAST_PATHS: u64 = 5;

/// All that a search saw: for each path its transitions, how it ended, and what was wrong.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Tree {
    paths: Vec<(Vec<Transition>, End, Option<Wrong>)>,
    counts: Counts,
}

/// Everything that a search sees; `None` if that is too much.
fn tree<S: Judge>(system: &mut S, rung: Rung, policy: Policy) -> Result<Option<Tree>, S::Error> {
    let mut tree = Tree::default();
    let mut look = |system: &S, end: End, _: &Counts| {
        let taken = (0..system.model().length()).map(|at| system.model().taken(at)).collect();
        // Of a path that is covered by others, only that it is.
        let wrong = if end == End::Asleep { None } else { system.judge() };
        tree.paths.push((taken, end, wrong));
        ControlFlow::Continue(())
    };
    let limits = Limits { paths: MOST_PATHS, policy, ..Limits::default() };
    let (completion, counts) = explore(system, &mut *rung.reduction(), limits, &mut look)?;
    tree.counts = counts;
    Ok((completion == Completion::Exhausted).then_some(tree))
}

fn in_memory(program: &Program, rung: Rung, policy: Policy) -> Option<Tree> {
    let Ok(tree) = tree(&mut Memory::new(program), rung, policy);
    tree
}

/// The first reduction and policy for which target and memory differ, and how.
fn difference(program: &Program, rungs: &[Rung]) -> Option<String> {
    let target = Target::program(program);
    let mut session = match target.open_under(target.qemu(), program.rules) {
        Ok(session) => session,
        Err(error) => return Some(error.to_string()),
    };
    for (rung, policy) in rungs.iter().flat_map(|rung| [(*rung, Policy::Fair), (*rung, Policy::First)]) {
        let expected = in_memory(program, rung, policy);
        let found = match tree(&mut session, rung, policy) {
            Ok(found) => found,
            Err(error) => return Some(format!("{rung:?}, {policy:?}: {error}")),
        };
        if found != expected {
            let paths =
                |tree: &Option<Tree>| tree.as_ref().map(|tree| tree.paths.clone()).unwrap_or_default();
            let (found, expected) = (paths(&found), paths(&expected));
            let first = found.iter().zip(&expected).position(|(a, b)| a != b);
            let at = first.unwrap_or(found.len().min(expected.len()));
            let (found, expected) = (found.get(at), expected.get(at));
            return Some(format!("{rung:?}, {policy:?}: path {at} is {found:?} instead of {expected:?}"));
        }
    }
    None
}

fn check(program: &Program, seed: u64, rungs: &[Rung]) {
    if let Some(found) = difference(program, rungs) {
        let small = shrink(program, |candidate| difference(candidate, rungs).is_some());
        panic!("seed {seed}: {found}\nfor example {small:?}");
    }
}

/// Another seed every time, or the one of a run that is to be seen again.
fn first_seed() -> u64 {
    let given = std::env::var("FWVS_SEED").ok().map(|text| text.parse().expect("FWVS_SEED is a number"));
    let seed = given.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() * 1_000)
    });
    println!("FWVS_SEED={seed} runs the same programs again");
    seed
}

#[test]
fn random_programs_go_the_same_ways_on_the_target_as_in_memory() {
    go_the_same_ways(Program::random);
}

#[test]
fn random_programs_with_all_that_an_rtos_has_go_the_same_ways_on_the_target_as_in_memory() {
    go_the_same_ways(Program::random_rtos);
}

#[test]
fn random_programs_with_whatever_there_is_go_the_same_ways_on_the_target_as_in_memory() {
    go_the_same_ways(Program::random_wide);
}

fn go_the_same_ways(random: fn(u64) -> Program) {
    let wanted = if std::env::var_os("FWVS_FULL").is_some() { 500 } else { 50 };
    let (first, done) = (first_seed(), AtomicU64::new(0));
    let next = AtomicU64::new(first);
    let findings = AtomicU64::new(0);
    let worker = || {
        while done.load(Ordering::Relaxed) < wanted {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let program = random(seed);
            let Some(tree) = in_memory(&program, Rung::None, Policy::Fair) else { continue };
            if tree.counts.paths < LEAST_PATHS || program.encode().len() > fwvs_program::CAPACITY {
                continue;
            }
            check(&program, seed, &Rung::ALL);
            done.fetch_add(1, Ordering::Relaxed);
            let found = tree.paths.iter().any(|(.., wrong)| wrong.is_some());
            findings.fetch_add(u64::from(found), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.into_iter().for_each(|worker| worker.join().expect("target and memory agree"));
    });
    let findings = findings.into_inner();
    assert!(findings * 4 >= wanted, "too few programs go wrong: {findings} of {wanted}, from seed {first}");
}

/// A timed wait gives its task whether it was served, however long it is.
#[test]
fn timed_waits_without_an_end_go_the_same_ways_on_the_target_as_in_memory() {
    use Instruction as I;
    let ticks = FOREVER;
    let waits = [
        I::TakeFor { object: 0, ticks },
        I::SendFor { object: 1, value: 7, ticks },
        I::ReceiveFor { object: 2, ticks },
        I::PeekFor { object: 2, ticks },
        I::LockFor { object: 3, ticks },
    ];
    for wait in waits {
        let others = vec![
            I::Give { object: 0 },
            I::TryReceive { object: 1 },
            I::TrySend { object: 2, value: 1, add: false },
            I::Delay { ticks: 1 },
        ];
        let queue = ObjectSpec::Queue { capacity: 1 };
        let program = Program {
            objects: vec![
                ObjectSpec::Semaphore { level: 0, max: 1 },
                queue,
                queue,
                ObjectSpec::Mutex { recursive: false },
            ],
            tasks: vec![vec![wait, I::Assert { test: Test::Is(1) }, I::Event], others],
            ..Program::default()
        };
        check(&program, 0, &[Rung::None]);
        let tree = in_memory(&program, Rung::None, Policy::Fair).expect("few paths");
        assert!(tree.paths.iter().all(|(.., wrong)| wrong.is_none()), "{wait:?}: {tree:?}");
    }
}

#[test]
fn philosophers_are_the_same_tree_as_firmware_and_as_a_program() {
    for ordered in [false, true] {
        let program = Program::philosophers(3, ordered);
        let flag = if ordered { "1" } else { "0" };
        let target = Target::example("philosophers", &[("N", "3"), ("ordered", flag)]);
        let mut session = target.open(target.qemu(), Duration::from_secs(5)).expect("it starts");
        let on_target = tree(&mut session, Rung::None, Policy::Fair).expect("it runs");
        assert_eq!(on_target, in_memory(&program, Rung::None, Policy::Fair));
        check(&program, 0, &[Rung::None]);
    }
}

/// When the first task's alternatives have all been tried, all of them sleep while the second one's are.
#[test]
fn two_hundred_alternatives_sleep_on_the_target_too() {
    let toss = || vec![Instruction::Toss { bound: 200 }];
    let program = Program { tasks: vec![toss(), toss()], ..Program::default() };
    let target = Target::program(&program);
    let mut session = target.open(target.qemu(), Duration::from_secs(5)).expect("it starts");
    let counts = |counts: Counts| (counts.paths, counts.sleep_blocked);
    let limits = Limits { policy: Policy::First, ..Limits::default() };
    let mut observe = |_: &Session<_>, _: End, _: &Counts| ControlFlow::Continue(());
    let on_target = explore(&mut session, &mut Sleep::default(), limits, &mut observe).expect("it runs").1;
    assert_eq!(
        counts(on_target),
        (201 * 201, 201),
        "each pair once, and then nothing of the first task again"
    );
    let mut observe = |_: &Memory, _: End, _: &Counts| ControlFlow::Continue(());
    let Ok((_, in_memory)) = explore(&mut Memory::new(&program), &mut Sleep::default(), limits, &mut observe);
    assert_eq!(on_target, in_memory);
}
