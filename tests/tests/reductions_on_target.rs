//! The search on QEMU: the same numbers as in memory, undeclared memory and what it hides, and runs that are killed.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use fwvs_explore::{Completion, Counts, End, Limits, Persistent, Policy, Precision, explore};
use fwvs_link::Stop;
use fwvs_program::{Instruction, RoleSpec};
use fwvs_session::Session;
use fwvs_tests::Program;
use fwvs_tests::console::{Console, Explored};
use fwvs_tests::meddle::{Meddled, Meddling};
use fwvs_tests::target::Target;
use fwvs_wire::Report;
use rustix::process::Signal;
use serde_json::Value;
use zerocopy::FromBytes;

/// Paths, transitions and sleep-blocked runs of philosophers on QEMU.
fn philosophers(reduction: &[&str], count: u8) -> (u64, u64, u64) {
    let console = Console::new();
    let set = format!("N={count}");
    let arguments =
        [&["--example", "philosophers", "--stop", "all", "--set", &set, "--reduction"], reduction];
    let explored = console.explore(&arguments.concat());
    let (verdict, transitions, paths) = explored.counts();
    assert_eq!(verdict, "found");
    (paths, transitions, explored.summary()["sleep_blocked"].as_u64().expect("a number"))
}

#[test]
fn sleep_sets_run_the_published_number_of_transitions_on_the_target() {
    for (count, transitions) in [(2, 17), (3, 97), (4, 489), (5, 2_371)] {
        let (paths, taken, _) = philosophers(&["sleep"], count);
        assert_eq!((paths, taken), ((1 << count) - 1, transitions), "{count} philosophers");
    }
}

#[test]
fn persistent_and_source_sets_run_no_more_than_published_on_the_target() {
    for (count, persistent, source) in [(2, 17, 17), (3, 67, 66), (4, 198, 184), (5, 507, 443)] {
        let (paths, taken, _) = philosophers(&["persistent"], count);
        assert_eq!(paths, (1 << count) - 1, "each trace once");
        assert!(taken <= persistent, "{taken} transitions with persistent sets, {count} philosophers");
        let (paths, taken, blocked) = philosophers(&["source"], count);
        assert_eq!((paths, blocked), ((1 << count) - 1, 0), "each trace once, and nothing in vain");
        assert!(taken <= source, "{taken} transitions with source sets, {count} philosophers");
    }
}

/// Counts how often the core was let go, and the transitions that it took.
struct Counting<'a> {
    report: u32,
    runs: &'a Cell<u64>,
    transitions: &'a Cell<u64>,
}

impl Meddling for Counting<'_> {
    fn after_resume(&mut self, stop: Stop) -> Result<Stop, fwvs_link::Error> {
        self.runs.update(|runs| runs + 1);
        Ok(stop)
    }

    fn after_read(&mut self, address: u32, bytes: &mut [u8]) {
        if address == self.report {
            let (report, _) = Report::read_from_prefix(bytes).expect("a report comes first");
            self.transitions.update(|transitions| transitions + u64::from(report.transitions));
        }
    }
}

#[test]
fn with_persistent_sets_every_path_is_one_run_of_the_core_and_all_of_it_is_wanted() {
    let target = Target::example("philosophers", &[("N", "4")]);
    let mut qemu = target.qemu();
    for (precision, wanted) in [(Precision::Task, 472), (Precision::State, 286), (Precision::Runtime, 198)] {
        let (runs, transitions) = (Cell::new(0), Cell::new(0));
        let report = target.firmware().description().report;
        let counting = Counting { report, runs: &runs, transitions: &transitions };
        let link = Meddled::new(&mut qemu, counting);
        let mut session = target.open(link, Duration::from_secs(5)).expect("it starts");
        runs.set(0);
        let mut observe = |_: &Session<_>, _: End, _: &Counts| ControlFlow::Continue(());
        let limits = Limits { policy: Policy::First, ..Limits::default() };
        let mut reduction = Persistent::new(precision);
        let (completion, counts) =
            explore(&mut session, &mut reduction, limits, &mut observe).expect("it runs");
        assert_eq!((completion, counts.transitions), (Completion::Exhausted, wanted), "{precision:?}");
        assert_eq!(runs.get(), counts.paths + counts.sleep_blocked, "{precision:?}: one run a path");
        assert_eq!(transitions.get(), counts.transitions + counts.replayed, "{precision:?}: nothing in vain");
    }
}

#[test]
fn less_precise_footprints_cost_more_and_miss_nothing() {
    let transitions = |precision| philosophers(&["persistent", "--footprint", precision], 4);
    let (task, state, runtime) = (transitions("task"), transitions("state"), transitions("runtime"));
    assert_eq!((task.0, state.0, runtime.0), (15, 15, 15), "each trace is run");
    assert!(task.1 > state.1 && state.1 > runtime.1, "{task:?} {state:?} {runtime:?}");
}

#[test]
fn wakeup_trees_run_each_trace_once_on_the_target() {
    for (count, most) in [(2, 17), (3, 65), (4, 173), (5, 400), (6, 858), (7, u64::MAX), (8, u64::MAX)] {
        let (paths, taken, blocked) = philosophers(&["optimal"], count);
        assert_eq!((paths, blocked), ((1 << count) - 1, 0), "{count} philosophers");
        assert!(taken <= most, "{taken} transitions, {count} philosophers");
    }
}

/// One task panics, which nobody could know, and behind that another one's check fails.
#[test]
fn optimal_starts_over_when_a_path_ends_by_force_and_says_so() {
    let program = Program::crash_and_assertion();
    let bytes: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let set = format!("program={bytes}");
    let console = Console::new();
    let explore = |arguments: &[&str]| {
        let common = ["--example", "program", "--set", &set, "--reduction", "optimal"];
        console.explore(&[&common, arguments].concat())
    };
    let starts_over = |text: &Value| text.as_str().is_some_and(|text| text.contains("started over"));
    let all = explore(&["--stop", "all"]);
    let summary = all.summary();
    assert_eq!(summary["findings"].as_array().map(Vec::len), Some(2), "{summary}");
    assert_eq!(summary["bounds_hit"].as_array().map(Vec::len), Some(0), "{summary}");
    assert!(summary["notes"].as_array().is_some_and(|notes| notes.iter().any(starts_over)), "{summary}");
    assert!(all.all("notice").iter().any(|notice| starts_over(&notice["message"])), "told when it happens");
    // Where the first finding is enough, there is nothing to start over for.
    assert_eq!(explore(&[]).summary()["notes"], Value::Null);
}

#[test]
fn an_unprotected_global_is_found_where_it_is_declared_and_assumed_away_where_it_is_not() {
    let console = Console::new();
    let explore = |arguments: &[&str]| {
        let explored = console.explore(&[&["--example", "unprotected-global"], arguments].concat());
        let assumptions = explored.summary()["assumptions"].as_array().expect("a list").len();
        (explored.counts().0.to_owned(), assumptions)
    };
    assert_eq!(explore(&["--reduction", "none"]), ("found".to_owned(), 0));
    assert_eq!(
        explore(&["--reduction", "source"]),
        ("complete".to_owned(), 2),
        "missed, and the assumption says so"
    );
    for reduction in ["sleep", "persistent", "source", "optimal"] {
        let declared = explore(&["--reduction", reduction, "--set", "declared=1"]);
        assert_eq!(declared, ("found".to_owned(), 0), "{reduction}");
        let fixed = explore(&["--reduction", reduction, "--set", "declared=1", "--set", "fixed=1"]);
        assert_eq!(fixed.0, "complete", "{reduction}");
    }
}

#[test]
fn the_shortest_scenario_is_minimal_and_says_so() {
    let console = Console::new();
    let explored = console.explore(&["--example", "bounded-buffer", "--search", "shortest"]);
    let notices = explored.all("notice");
    let minimal =
        notices.iter().any(|notice| notice["message"].as_str().is_some_and(|it| it.contains("is minimal")));
    assert!(minimal, "{notices:?}");
    // Two producers with four operations, a consumer with five: none of them can be left out.
    assert_eq!(explored.finding()["depth"], 13);
}

#[test]
fn searches_by_chance_are_the_same_for_the_same_seed_and_never_complete() {
    let console = Console::new();
    let walk = |search, seed: &str| {
        let arguments =
            ["--search", search, "--seed", seed, "--set", "N=3", "--max-paths", "20", "--stop", "all"];
        let explored = console.explore(&arguments);
        (explored.summary()["transitions"].clone(), explored.summary()["bounds_hit"].as_array().map(Vec::len))
    };
    for search in ["random", "pct"] {
        assert_eq!(walk(search, "7"), walk(search, "7"));
        assert_eq!(walk(search, "7").1, Some(1), "a bound was hit");
        let differ = (1..9).any(|seed: u32| walk(search, &seed.to_string()) != walk(search, "7"));
        assert!(differ, "other seeds, other paths");
    }
}

#[test]
fn few_preemptions_are_said_to_be_few() {
    let console = Console::new();
    let explored = console.explore(&["--set", "ordered=1", "--set", "N=3", "--preemptions", "1"]);
    assert_eq!(explored.counts().0, "bounded");
    let complete = console.explore(&["--set", "ordered=1", "--set", "N=3", "--preemptions", "100"]);
    assert_eq!(complete.counts(), ("complete", 1_112, 238), "every interleaving");
}

#[test]
fn a_run_that_is_killed_three_times_ends_with_the_counts_of_one_that_is_not() {
    let console = Console::new();
    let out = console.folder().join("run");
    let out = out.to_str().expect("a plain name");
    let mut arguments =
        vec!["explore", "--reduction", "none", "--stop", "all", "--format", "json", "--out", out];
    for kill in 1..=3 {
        let mut running = console.start(&mut console.command(&arguments));
        // Far enough that a checkpoint is newer than the last one, and not so far that the run is over.
        let since = Cell::new(None);
        running.event(|event| {
            let seconds = event["seconds"].as_f64();
            since.set(since.get().or(seconds));
            event["event"] == "progress"
                && seconds.zip(since.get()).is_some_and(|(now, since)| now - since > 2.5)
        });
        running.signal(Signal::KILL);
        running.wait();
        arguments = vec!["explore", "--resume", out, "--stop", "all", "--format", "json"];
        assert!(console.folder().join("run/checkpoint").exists(), "after kill {kill}");
    }
    let explored = Explored::from(console.run(&arguments));
    assert_eq!(explored.counts(), ("found", 386_816, 104_704));
    assert_eq!(explored.summary()["findings"].as_array().map(Vec::len), Some(1));
}

/// A periodic timer that may expire once is stopped in time: at the end of the path nothing is held back, on the way it was.
#[test]
fn a_bound_that_held_something_back_on_the_way_is_in_the_verdict() {
    let program = Program {
        tasks: vec![vec![Instruction::StartTimer { list: 1 }, Instruction::StopTimer { list: 1 }], vec![]],
        roles: vec![RoleSpec::Task { priority: 1 }, RoleSpec::Timer { period: 3, reload: true }],
        ..Program::default()
    };
    let bytes: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let set = format!("program={bytes}");
    for reduction in ["none", "source"] {
        let options = ["--example", "program", "--set", &set, "--expiries", "1", "--reduction", reduction];
        let explored = Console::new().explore(&options);
        let verdict = (explored.said.code, explored.counts().0);
        assert_eq!(verdict, (Some(0), "complete-within-bounds"), "{:?}", explored.said);
        let within = &explored.summary()["within"][0];
        assert_eq!((&within["bound"], &within["ended"]), (&"--expiries 1".into(), &0.into()), "{within}");
    }
}
