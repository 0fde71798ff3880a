//! A scenario file is all that is needed to see a finding again, as often as one likes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fwvs_program::{Instruction, ObjectSpec, RoleSpec, Test};
use fwvs_tests::Program;
use fwvs_tests::console::{Console, Explored, Said};
use rustix::process::Signal;
use serde_json::Value;

/// The scenario of the philosophers' deadlock, in a folder of its own with nothing else in it.
fn deadlock(count: &str) -> (Console, PathBuf) {
    let explored = Console::new();
    let run = explored.explore(&["--example", "philosophers", "--set", count]);
    assert_eq!(run.said.code, Some(1), "{:?}", run.said);
    let alone = Console::new();
    let scenario = alone.folder().join("deadlock.json");
    let written = explored.folder().join(run.finding()["scenario"].as_str().expect("a path"));
    fs::copy(written, &scenario).expect("the scenario was written");
    (alone, scenario)
}

/// Replays in a folder of its own, without being told where examples are.
fn replay(scenario: &Path) -> Said {
    let console = Console::new();
    let scenario = scenario.to_str().expect("temporary files have plain names");
    let mut command = console.command(&["replay", scenario]);
    let said = console.start(command.env_remove("FWVS_EXAMPLES")).wait();
    assert!(console.is_untouched(), "a replay leaves nothing behind");
    said
}

#[test]
fn a_deadlock_happens_again_100_times_out_of_100() {
    let (_console, scenario) = deadlock("N=3");
    let outputs: BTreeSet<String> = (0..100)
        .map(|time| {
            let said = replay(&scenario);
            assert_eq!(said.code, Some(1), "the {time}. time: {said:?}");
            said.stdout
        })
        .collect();
    let said = outputs.first().expect("one at least");
    assert_eq!(outputs.len(), 1, "every replay says the same: {outputs:?}");
    assert!(said.contains("philosopher 0 waits for fork 1 held by philosopher 1"), "{said}");
    assert!(said.trim_end().ends_with("happened again"), "{said}");
}

#[test]
fn with_one_decision_flipped_it_does_not_happen() {
    let (_console, scenario) = deadlock("N=3");
    let written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    let decisions = written["decisions"].as_array().expect("a list").len();
    assert!(decisions >= 3);
    for place in 0..decisions {
        for other in ["philosopher 0", "philosopher 1", "philosopher 2"] {
            let mut flipped = written.clone();
            let task = &mut flipped["decisions"][place]["task"];
            if *task == other {
                continue;
            }
            *task = other.into();
            fs::write(&scenario, flipped.to_string()).expect("a file");
            let said = replay(&scenario);
            assert_eq!(said.code, Some(0), "decision {place} by {other}: {said:?}");
            assert!(said.stdout.starts_with("did not happen: "), "decision {place} by {other}: {said:?}");
        }
    }
}

#[test]
fn with_the_last_decision_missing_it_does_not_happen() {
    let (_console, scenario) = deadlock("N=2");
    let mut written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    written["decisions"].as_array_mut().expect("a list").pop();
    fs::write(&scenario, written.to_string()).expect("a file");
    let said = replay(&scenario);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("did not happen: every decision was followed"), "{said:?}");
}

#[test]
fn another_build_is_noted_and_tried_all_the_same() {
    let (_console, scenario) = deadlock("N=2");
    let mut written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    written["firmware"]["sha256"] = "0".repeat(64).into();
    fs::write(&scenario, written.to_string()).expect("a file");
    let said = replay(&scenario);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("another build of the firmware"), "{said:?}");
}

/// A program with priorities on the command line's terms.
fn explore(console: &Console, program: &Program, arguments: &[&str]) -> Explored {
    let hex: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let set = format!("program={hex}");
    let common = ["--example", "program", "--set", &set, "--schedule", "priority"];
    console.explore(&[&common[..], arguments].concat())
}

/// Finds something, and sees it again; gives the scenario.
fn found_again(program: &Program, clock: &str) -> Value {
    let console = Console::new();
    let explored = explore(&console, program, &["--time", clock]);
    assert_eq!(explored.said.code, Some(1), "{clock}: {:?}", explored.said);
    let scenario = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    let said = replay(&scenario);
    assert_eq!(said.code, Some(1), "{clock}: {said:?}");
    assert!(said.stdout.trim_end().ends_with("happened again"), "{clock}: {said:?}");
    let written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    assert_eq!((&written["schedule"], &written["time"]), (&"priority".into(), &clock.into()));
    written
}

#[test]
fn what_is_found_with_priorities_happens_again_with_every_clock() {
    // The second tick is overdue; and somebody of lower priority waits for a mutex.
    let program = Program {
        objects: vec![ObjectSpec::Mutex { recursive: false }],
        tasks: vec![
            vec![
                Instruction::Lock { object: 0 },
                Instruction::Delay { ticks: 3 },
                Instruction::Unlock { object: 0 },
                Instruction::DelayUntil { tick: 2 },
                Instruction::Assert { test: Test::Is(1) },
            ],
            vec![Instruction::LockFor { object: 0, ticks: 9 }],
        ],
        roles: vec![RoleSpec::Task { priority: 2 }, RoleSpec::Task { priority: 1 }],
        ..Program::default()
    };
    for clock in ["free", "ordered", "idle"] {
        let scenario = found_again(&program, clock);
        let decisions = scenario["decisions"].as_array().expect("a list").clone();
        let overdue = decisions.iter().any(|step| step["operation"] == "delay" && step["alternative"] == 1);
        assert_eq!(overdue, clock == "free", "only there it is a choice: {decisions:?}");
    }
}

/// The callback comes only if the start is overdue when the daemon sees it: a choice, where nobody knows what time it is.
#[test]
fn an_overdue_timer_happens_again() {
    let list = 1;
    let program = Program {
        tasks: vec![
            vec![Instruction::StartTimer { list }, Instruction::StopTimer { list }],
            vec![Instruction::Assert { test: Test::Is(1) }],
        ],
        roles: vec![RoleSpec::Task { priority: 4 }, RoleSpec::Timer { period: 2, reload: false }],
        ..Program::default()
    };
    let scenario = found_again(&program, "free");
    let decisions = scenario["decisions"].as_array().expect("a list").clone();
    assert!(decisions.iter().any(|step| step["alternative"] == 1), "{decisions:?}");
}

/// Two tasks and a timer that are due in one tick.
fn three_of_one_tick() -> Program {
    let fails = Instruction::Assert { test: Test::Is(1) };
    Program {
        tasks: vec![
            vec![Instruction::StartTimer { list: 2 }, Instruction::Delay { ticks: 2 }],
            vec![Instruction::Delay { ticks: 2 }, fails],
            vec![],
        ],
        roles: vec![
            RoleSpec::Task { priority: 5 },
            RoleSpec::Task { priority: 4 },
            RoleSpec::Timer { period: 2, reload: false },
        ],
        ..Program::default()
    }
}

/// All that is due in a tick is one row of the table, with everybody's name.
#[test]
fn a_tick_is_one_step_that_says_whose_time_is_up() {
    for clock in ["ordered", "idle"] {
        let scenario = found_again(&three_of_one_tick(), clock);
        let decisions = scenario["decisions"].as_array().expect("a list");
        let ticks: Vec<&Value> = decisions.iter().filter(|step| step["task"] == "time").collect();
        let expected = serde_json::json!({
            "task": "time",
            "operation": "reach",
            "object": "tick 2",
            "due": ["timer 2", "task 0", "task 1"],
            "tick": 2,
        });
        assert_eq!(ticks, [&expected], "{clock}");
    }
}

/// Earlier versions let each deadline of a tick pass on its own: what they recorded cannot be followed.
#[test]
fn a_scenario_in_which_a_deadline_passed_on_its_own_is_refused_with_a_hint() {
    let console = Console::new();
    let explored = explore(&console, &three_of_one_tick(), &["--time", "idle"]);
    let scenario = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    let written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    let decisions = written["decisions"].as_array().expect("a list");
    let tick = decisions.iter().position(|step| step["task"] == "time").expect("time passes");
    let timer = serde_json::json!({ "task": "timer 2", "operation": "expire", "object": "timer 2" });
    let task = serde_json::json!({ "task": "task 0", "operation": "delay", "outcome": "time is up" });
    for step in [timer, task] {
        let mut old = written.clone();
        old["decisions"][tick] = step;
        fs::write(&scenario, old.to_string()).expect("a file");
        let said = replay(&scenario);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{said:?}");
        let number = format!("at step {} ", tick + 1);
        assert!(said.stderr.contains(&number) && said.stderr.contains("hint: "), "{said:?}");
    }
}

/// Two that wait for time, in every order.
#[test]
fn a_run_that_goes_on_keeps_its_schedule_its_clock_and_its_bounds() {
    let wait = Instruction::Delay { ticks: 1 };
    let program = Program {
        tasks: vec![vec![wait, Instruction::Yield, wait, wait]; 2],
        roles: vec![RoleSpec::Task { priority: 1 }; 2],
        ..Program::default()
    };
    let hex: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let set = format!("program={hex}");
    let arguments = [
        "--example",
        "program",
        "--set",
        &set,
        "--schedule",
        "priority",
        "--time",
        "ordered",
        "--expiries",
        "2",
        "--until-tick",
        "9",
        "--reduction",
        "none",
    ];
    let whole = Console::new().explore(&arguments);
    assert_eq!(whole.counts().0, "complete-within-bounds", "{:?}", whole.said);
    let console = Console::new();
    let common = ["explore", "--format", "json", "--out", "run"];
    let mut running = console.start(&mut console.command(&[&common[..], &arguments].concat()));
    running.event(|event| event["event"] == "progress");
    running.signal(Signal::INT);
    let begun = Explored::from(running.wait());
    assert!(begun.counts().2 < whole.counts().2, "it was stopped in the middle");
    let resumed = Explored::from(console.run(&["explore", "--format", "json", "--resume", "run"]));
    assert_eq!(resumed.counts(), whole.counts(), "{:?}", resumed.said);
    for same in ["schedule", "time", "bounds_hit", "within"] {
        assert_eq!(resumed.summary()[same], whole.summary()[same], "{same}");
    }
    assert_eq!(resumed.summary()["schedule"], "priority");
    assert_eq!(resumed.summary()["time"], "ordered");
}

/// A bound on paths is not the end: the rest can be run later, and counts as if nothing had been.
#[test]
fn a_run_that_a_bound_on_paths_ended_goes_on() {
    let console = Console::new();
    let arguments = ["--example", "philosophers", "--set", "N=3", "--reduction", "none", "--stop", "all"];
    let common = ["explore", "--format", "json", "--out", "run", "--max-paths", "100"];
    let begun = Explored::from(console.run(&[&common[..], &arguments].concat()));
    assert_eq!(begun.summary()["paths"], 100, "{:?}", begun.said);
    assert_eq!(begun.summary()["resume"], "run", "{:?}", begun.said);
    let resume = ["explore", "--format", "json", "--resume", "run"];
    let resumed = Explored::from(console.run(&resume));
    assert_eq!(resumed.summary()["paths"], 396, "{:?}", resumed.said);
    assert_eq!(resumed.summary()["transitions"], 1_680);
    // Now nothing is left, and nothing is run again.
    assert!(resumed.summary()["resume"].is_null(), "{:?}", resumed.said);
    let again = Explored::from(console.run(&resume));
    assert_eq!((again.said.code, again.summary()), (resumed.said.code, resumed.summary()));
    let [notice] = again.all("notice")[..] else { panic!("{:?}", again.said) };
    assert!(notice["message"].as_str().is_some_and(|text| text.contains("nothing is left")), "{notice}");
    // What is there is not replaced in silence.
    let others = console.explore(&["--example", "ping-pong"]);
    let [notice] = others.all("notice")[..] else { panic!("{:?}", others.said) };
    assert_eq!(notice["message"], "run had the results of an earlier run, which are replaced");
}

/// Whoever delays itself waits for nobody, however long others go on meanwhile; whoever waits for a unit does.
#[test]
fn a_delay_is_no_livelock_and_a_wait_for_others_is() {
    let busy = vec![Instruction::Event; 6];
    let explored = |waits: Vec<Instruction>| {
        let program = Program {
            objects: vec![ObjectSpec::Semaphore { level: 0, max: 255 }],
            tasks: vec![waits, [busy.clone(), vec![Instruction::Give { object: 0 }]].concat()],
            roles: vec![RoleSpec::Task { priority: 2 }, RoleSpec::Task { priority: 1 }],
            ..Program::default()
        };
        let hex: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
        let set = format!("program={hex}");
        let common = ["--example", "program", "--set", &set, "--schedule", "priority", "--livelock", "3"];
        Console::new().explore(&common)
    };
    assert_eq!(explored(vec![Instruction::Delay { ticks: 5 }]).counts().0, "complete");
    let kept_waiting = explored(vec![Instruction::Take { object: 0 }]);
    assert_eq!(kept_waiting.finding()["kind"], "livelock", "{:?}", kept_waiting.said);
}
