//! Every rung against every interleaving, on random small programs with priorities, mutexes, timers, interrupts and
//! clocks.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use fwvs_explore::{Limits, Policy, Rung};
use fwvs_kernel::dependence::Touches;
use fwvs_kernel::{Rules, Schedule};
use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};
use fwvs_tests::agreement::{Difference, LIMITS, difference, reference, shrink};
use fwvs_tests::flip::Form;
use fwvs_tests::outcome::{Outcome, outcome};
use fwvs_tests::rule::{Row, Rule};
use fwvs_tests::{Memory, Program, Wrong};

/// What the generator made: how many programs have each of these.
#[derive(Clone, Default, Debug)]
struct Mix {
    programs: u64,
    too_large: u64,
    with: BTreeMap<String, u64>,
}

impl Mix {
    fn add(&mut self, program: &Program, reference: &Outcome) {
        self.programs += 1;
        let rules = program.rules;
        let mut has = vec![
            format!("schedule {:?}", rules.schedule).to_lowercase(),
            format!("clock {:?}", rules.clock).to_lowercase(),
        ];
        has.extend(program.roles.iter().map(|role| match role {
            RoleSpec::Task { .. } => "a task".to_owned(),
            RoleSpec::Environment => "environment".to_owned(),
            RoleSpec::Interrupt { .. } => "an interrupt".to_owned(),
            RoleSpec::Timer { .. } => "a timer".to_owned(),
        }));
        has.extend(program.objects.iter().map(|object| match object {
            ObjectSpec::Semaphore { .. } => "a semaphore".to_owned(),
            ObjectSpec::Queue { .. } => "a queue".to_owned(),
            ObjectSpec::Shared => "a variable".to_owned(),
            ObjectSpec::Mutex { .. } => "a mutex".to_owned(),
        }));
        has.extend(reference.ends.iter().filter_map(|(wrong, _)| {
            Some(match (*wrong)? {
                Wrong::Deadlock => "finds nobody who can go on".to_owned(),
                Wrong::Crash { .. } => "finds a crash".to_owned(),
                Wrong::Assertion { .. } => "finds a failed assertion".to_owned(),
                Wrong::Kernel(wrong) => {
                    let kind = format!("{wrong:?}");
                    format!("finds {}", kind.split('(').next().unwrap_or(&kind))
                }
            })
        }));
        let deadlock = |wrong| matches!(wrong, Wrong::Deadlock | Wrong::Kernel(fwvs_kernel::Wrong::Cycle(_)));
        has.extend(reference.found(deadlock).then(|| "finds a deadlock".to_owned()));
        has.extend((rules.until != u32::MAX).then(|| "a horizon".to_owned()));
        has.extend((reference.counts.budget_cuts > 0).then(|| "a path that a budget cuts".to_owned()));
        has.extend((reference.traces.len() > 1).then(|| "several traces".to_owned()));
        has.sort();
        has.dedup();
        for what in has {
            *self.with.entry(what).or_default() += 1;
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.programs += other.programs;
        self.too_large += other.too_large;
        for (what, count) in other.with {
            *self.with.entry(what).or_default() += count;
        }
        self
    }

    /// Whether at least one in `share` programs has it.
    fn enough(&self, what: &str, share: u64) {
        let count = self.with.get(what).copied().unwrap_or(0);
        assert!(count * share >= self.programs, "too few programs with {what}: {self:#?}");
    }
}

fn programs() -> u64 {
    if std::env::var_os("FWVS_FULL").is_some() { 20_000 } else { 2_000 }
}

/// How a rung differs. Where an operation may be something else in another state, wakeup trees may begin runs in vain.
fn differs(reference: &Outcome, program: &Program, rung: Rung, policy: Policy) -> Option<Difference> {
    difference(reference, &mut Memory::new(program), rung, policy)
        .filter(|difference| !matches!(difference, Difference::InVain(_)))
}

fn check(program: &Program, mix: &mut Mix) -> Option<(Rung, Policy, Difference)> {
    let Some(reference) = reference(program) else {
        mix.too_large += 1;
        return None;
    };
    mix.add(program, &reference);
    for rung in [Rung::Sleep, Rung::Source, Rung::Optimal] {
        for policy in [Policy::Fair, Policy::First] {
            if let Some(difference) = differs(&reference, program, rung, policy) {
                return Some((rung, policy, difference));
            }
        }
    }
    None
}

#[test]
fn every_rung_finds_what_every_interleaving_finds() {
    let (next, wanted) = (AtomicU64::new(0), programs());
    let total = Mutex::new(Mix::default());
    let worker = || {
        let mut mix = Mix::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= wanted + wanted / 5 {
                let mut total = total.lock().expect("nobody panics with it");
                *total = std::mem::take(&mut *total).and(mix);
                return;
            }
            let program = Program::random_rtos(seed);
            if let Some((rung, policy, found)) = check(&program, &mut mix) {
                let fails = |candidate: &Program| {
                    reference(candidate)
                        .is_some_and(|reference| differs(&reference, candidate, rung, policy).is_some())
                };
                let small = shrink(&program, fails);
                panic!("seed {seed}, {rung:?}, {policy:?}: {found:?}, for example on {small:?}");
            }
        }
    };
    thread::scope(|scope| {
        for worker in [scope.spawn(worker), scope.spawn(worker)] {
            worker.join().expect("every program agrees");
        }
    });
    let mix = total.into_inner().expect("nobody panics with it");
    println!("{mix:#?}");
    assert!(mix.programs >= wanted, "too few programs are small enough: {mix:?}");
    mix.enough("finds a deadlock", 5);
    mix.enough("finds nobody who can go on", 8);
    mix.enough("finds a failed assertion", 5);
    mix.enough("several traces", 2);
    for what in ["schedule free", "schedule priority", "clock free", "clock ordered", "clock idle"] {
        mix.enough(what, 4);
    }
    for what in ["environment", "an interrupt", "a timer", "a semaphore", "a queue", "a variable", "a mutex"]
    {
        mix.enough(what, 8);
    }
    for what in ["a horizon", "a path that a budget cuts", "finds Cycle"] {
        mix.enough(what, 20);
    }
    let rare = [
        "NotOwner",
        "BlocksInHandler",
        "BlocksInCritical",
        "EndsInCritical",
        "NotInCritical",
        "MutexInHandler",
    ];
    for wrong in rare {
        mix.enough(&format!("finds {wrong}"), 200);
    }
}

/// Rules that make no difference, whatever the program:
///
/// - two who make others ready from off the processor do so in any order, unless one fires, which keeps others from
///   firing; sleep sets only ever compare what is enabled;
/// - whoever acts on an object that somebody waits in line for makes somebody ready, or the object is empty or full;
/// - that an operation waits or is wrong without what it needs shows in what its task would do instead;
/// - of two tasks that unlock a mutex at most one owns it, and the other one is refused before and after, or ends the path;
/// - a timer that has expired is still active, until the daemon has seen it.
fn is_redundant(form: Form, rule: Rule) -> bool {
    match rule {
        Rule::Pair(one, other) => form == Form::InState && one == Touches::READY && other == Touches::READY,
        Rule::Line | Rule::Anyway => true,
        Rule::Rows(one, other) => {
            matches!((one, other), (Row::Unlock, Row::Unlock) | (Row::Active, Row::Expire))
        }
        Rule::Alone | Rule::Ends => false,
    }
}

/// Programs that need a rule which few random ones need: two handlers, somebody who arms and somebody who masks, somebody
/// who starts a timer and somebody who asks, somebody who stops one that may have expired.
fn directed() -> Vec<Program> {
    let write = |value| vec![Instruction::Write { object: 0, value, add: false }];
    let handler = RoleSpec::Interrupt { times: 1, armed: true };
    let timer = RoleSpec::Timer { period: 1, reload: false };
    let task = RoleSpec::Task { priority: 1 };
    let program = |tasks: Vec<Vec<Instruction>>, roles: Vec<RoleSpec>, schedule| Program {
        objects: vec![ObjectSpec::Shared],
        tasks,
        roles,
        rules: Rules { schedule, expiries: 1, ..Rules::FREE },
    };
    let mut all = Vec::new();
    for schedule in [Schedule::Free, Schedule::Priority] {
        all.push(program(vec![write(1), write(2)], vec![handler, handler], schedule));
        let switch = vec![
            vec![Instruction::Arm { list: 2 }],
            vec![Instruction::Mask { list: 2 }],
            vec![Instruction::Event],
        ];
        let never_fires = RoleSpec::Interrupt { times: 0, armed: true };
        all.push(program(switch, vec![task, task, never_fires], schedule));
        let ask = vec![
            vec![Instruction::StartTimer { list: 2 }],
            vec![Instruction::IsActive { list: 2 }, Instruction::Assert { test: Test::Is(1) }],
            vec![Instruction::Event],
        ];
        all.push(program(ask, vec![task, task, timer], schedule));
        let stop = |list| {
            vec![
                Instruction::StartTimer { list },
                Instruction::Event,
                Instruction::StopTimer { list },
                Instruction::Event,
            ]
        };
        all.push(program(vec![stop(1), write(1)], vec![task, timer], schedule));
        all.push(program(vec![write(1), stop(0)], vec![timer, task], schedule));
    }
    all
}

/// Whether some program loses something without the rule.
fn is_noticed(form: Form, rule: Rule, references: &[(Program, Outcome)]) -> bool {
    let rung = match form {
        Form::InState => Rung::Sleep,
        Form::Always => Rung::Source,
    };
    let loses = |policy, (program, reference): &(Program, Outcome)| {
        let mut memory = Memory::without_rule(program, form, rule);
        matches!(difference(reference, &mut memory, rung, policy), Some(Difference::Lost(_)))
    };
    // What sleeps when depends on who goes first.
    [Policy::Fair, Policy::Stay].into_iter().any(|policy| references.iter().any(|one| loses(policy, one)))
}

#[test]
fn every_rule_of_the_dependency_table_is_needed() {
    let small = Limits { paths: 300, ..LIMITS };
    let reference =
        |program: &Program| outcome(&mut Memory::new(program), &mut *Rung::None.reduction(), small);
    let references: Vec<_> = directed()
        .into_iter()
        .chain((0..6_000).map(Program::random_rtos))
        .filter_map(|program| reference(&program).map(|reference| (program, reference)))
        .collect();
    let rules: Vec<(Form, Rule)> = [Form::InState, Form::Always]
        .into_iter()
        .flat_map(|form| Rule::all().into_iter().map(move |rule| (form, rule)))
        .collect();
    let half = |place: usize| {
        let mine = rules.iter().skip(place).step_by(2).copied();
        mine.filter(|(form, rule)| !is_noticed(*form, *rule, &references)).collect::<Vec<_>>()
    };
    let mut unnoticed = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut unnoticed = half(0);
        unnoticed.extend(other.join().expect("a search without a rule still ends"));
        unnoticed
    });
    unnoticed.sort_by_key(|one| rules.iter().position(|other| one == other));
    let redundant: Vec<_> = rules.iter().copied().filter(|(form, rule)| is_redundant(*form, *rule)).collect();
    assert_eq!(unnoticed, redundant, "rules that no program needs");
}
