//! What a finding says beyond its steps: the sides of a check, how full objects are, who holds what, ticks, places.

use std::fs;

use fwvs_program::{Instruction, RoleSpec, Test};
use fwvs_tests::console::{Console, Explored};
use fwvs_tests::{Program, built};
use serde_json::{Value, json};

/// The finding of an example.
fn explored(arguments: &[&str]) -> Explored {
    let explored = Console::new().explore(&[&["--example"], arguments].concat());
    assert_eq!(explored.said.code, Some(1), "{arguments:?}: {:?}", explored.said);
    explored
}

fn steps(finding: &Value) -> &Vec<Value> {
    finding["steps"].as_array().expect("a list")
}

/// What the example with that case says of its check, the place aside.
fn says(case: u32) -> String {
    let explored = explored(&["failed-checks", "--set", &format!("case={case}")]);
    let message = explored.finding()["message"].as_str().expect("a text").to_owned();
    let (said, place) = message.rsplit_once(" at failed-checks/src/main.rs:").expect("it has a place");
    assert!(place.parse::<u32>().is_ok(), "{message}");
    said.strip_prefix("checker: ").expect("it says who checked").to_owned()
}

#[test]
fn a_failed_comparison_says_what_both_sides_were() {
    let expected = [
        (1, "`inbox.receive() == 7` does not hold (left 3, right 7)"),
        (2, "`black_box(-5_i8) < -6` does not hold (left -5, right -6)"),
        (3, "`black_box(5_000_000_000_u64) <= 7` does not hold (left 5000000000, right 7)"),
        (4, "`black_box(false) == on` does not hold (left false, right true)"),
        (5, "`black_box('x') >= 'y'` does not hold (left 'x', right 'y')"),
        (6, "`black_box(1.5_f32) > 2.25` does not hold (left 1.5, right 2.25)"),
        (7, "`nothing() == Some(2)` does not hold (left None, right Some(2))"),
        (8, "`numbers.iter().max() != Some(&3)` does not hold (left Some(3), right Some(3))"),
        (10, "`mode as u8 == Mode::Off as u8` does not hold (left 4, right 0)"),
        (19, "`flags & 1 == 1` does not hold (left 0, right 1)"),
        (20, "`numbers.len() > 3` does not hold (left 3, right 3)"),
        (21, "`black_box(2.5_f64) < 1.0` does not hold (left 2.5, right 1.0)"),
    ];
    for (case, text) in expected {
        assert_eq!(says(case), text, "case {case}");
    }
}

#[test]
fn what_is_no_plain_comparison_of_numbers_is_checked_as_it_stands() {
    let expected = [
        (9, "`mode == Mode::Off` does not hold"),
        (11, "`on && three == 4` does not hold"),
        (12, "`(three == 4)` does not hold"),
        (13, "`generic::<u32>(3) == 4` does not hold"),
        (14, "`match three { 3 => 5_u32, _ => 4, } == 4` does not hold"),
        (16, "`(message.level == 4)` does not hold"),
        (18, "`black_box(\"off\") == \"on\"` does not hold"),
        (23, "`!on` does not hold"),
    ];
    for (case, text) in expected {
        assert_eq!(says(case), text, "case {case}");
    }
    let long = says(15);
    assert!(long.ends_with("three + three == 4` does not hold") && !long.contains('\n'), "{long}");
}

#[test]
fn each_side_is_evaluated_once_and_conditions_mean_what_they_meant() {
    assert_eq!(says(17), "`counter.next() > counter.next()` does not hold (left 1, right 2)");
    let all_hold = Console::new().explore(&["--example", "failed-checks"]);
    assert_eq!((all_hold.said.code, all_hold.counts().0), (Some(0), "complete"), "{:?}", all_hold.said);
}

/// Values depend on the order, and the check is the same one.
#[test]
fn other_values_make_no_other_finding() {
    let options = ["failed-checks", "--set", "case=24", "--reduction", "none", "--stop", "all"];
    let (first, second) = (explored(&options), explored(&options));
    let findings = first.summary()["findings"].as_array().expect("a list").clone();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0]["count"].as_u64() > Some(1), "{findings:?}");
    assert_eq!(first.finding()["message"], second.finding()["message"], "the same values every time");
}

#[test]
fn queues_and_counting_semaphores_say_how_full_they_are() {
    let finding = explored(&["full-queue"]).finding().clone();
    let fills: Vec<&Value> =
        steps(&finding).iter().filter(|step| step["object"] == "samples").map(|step| &step["fill"]).collect();
    let of = |level: u32| json!({"level": level, "most": 2});
    assert_eq!(fills, [&of(0), &of(1), &of(2), &of(1), &of(2), &of(2)]);
    assert!(steps(&finding).iter().all(|step| step["object"] == "samples" || step["fill"].is_null()));
    assert_eq!(finding["standing"][1]["fill"], of(2));
    let finding = explored(&["bounded-buffer"]).finding().clone();
    assert_eq!(steps(&finding)[0]["fill"], json!({"level": 1, "most": 2}), "free slots");
}

#[test]
fn tasks_say_what_they_hold() {
    let held = |arguments: &[&str]| -> Vec<Value> {
        let finding = explored(arguments).finding().clone();
        finding["standing"].as_array().expect("a list").iter().map(|task| task["holds"].clone()).collect()
    };
    assert_eq!(held(&["full-queue"]), [Value::Null, json!(["calibration"])]);
    let forks = [1, 2, 3, 4].map(|fork| json!([format!("fork {}", fork - 1)]));
    assert_eq!(held(&["philosophers"]), forks, "binary semaphores that are locks");
    // The driver took what the interrupt gave.
    assert_eq!(held(&["stale-token"]), [Value::Null, Value::Null]);
    // Slots of a buffer are taken by one and given by another.
    assert_eq!(held(&["bounded-buffer"]), [Value::Null, Value::Null, Value::Null]);
}

#[test]
fn a_delay_is_one_row_unless_others_go_on_in_between_and_keeps_its_decisions() {
    let console = Console::new();
    let said = console.run(&["explore", "--example", "full-queue", "--out", "run"]);
    let rows: Vec<&str> = said.stdout.lines().map(str::trim_start).collect();
    let row = |number: &str| rows.iter().find(|row| row.split_whitespace().next() == Some(number));
    assert!(row("2").is_some_and(|row| row.contains("waits")), "{}", said.stdout);
    assert!(row("5-6").is_some_and(|row| row.contains("sampler   delay")), "{}", said.stdout);
    assert!(row("5").is_none() && row("6").is_none() && row("18").is_some(), "{}", said.stdout);
    let scenario = console.folder().join("run/scenario-1.json");
    let scenario: Value = serde_json::from_slice(&fs::read(scenario).expect("a file")).expect("JSON");
    let decisions = scenario["decisions"].as_array().expect("a list");
    assert_eq!(decisions.len(), 18);
    let stays: Vec<bool> = decisions[4..6].iter().map(|step| step["stays"] == true).collect();
    assert_eq!(stays, [true, false]);
}

/// What a scenario did not say before it could decides nothing.
#[test]
fn a_scenario_of_an_earlier_version_happens_again() {
    let console = Console::new();
    console.explore(&["--example", "full-queue"]);
    let scenario = console.folder().join("run/scenario-1.json");
    let mut written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    for step in written["decisions"].as_array_mut().expect("a list") {
        let step = step.as_object_mut().expect("an object");
        ["fill", "stays", "tick"].iter().for_each(|field| drop(step.remove(*field)));
    }
    fs::write(&scenario, written.to_string()).expect("a file");
    let again = console.run(&["replay", "run/scenario-1.json"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.trim_end().ends_with("happened again"), "{again:?}");
}

#[test]
fn ticks_are_there_where_time_matters() {
    let ticks = |explored: &Explored| -> Vec<Value> {
        steps(explored.finding()).iter().map(|step| step["tick"].clone()).collect()
    };
    let watchdog = |clock| explored(&["false-watchdog", "--time", clock, "--search", "shortest"]);
    let ordered = ticks(&watchdog("ordered"));
    assert_eq!(ordered.first(), Some(&json!(0)));
    assert_eq!(ordered.last(), Some(&json!(100)), "the monitor's period");
    assert!(ticks(&watchdog("free")).iter().all(Value::is_null), "any moment is as good as another");
    assert!(ticks(&explored(&["philosophers"])).iter().all(Value::is_null), "there is no time");
    // Whoever asks what tick it is can tell.
    let asks = Program {
        tasks: vec![vec![
            Instruction::Delay { ticks: 3 },
            Instruction::Tick,
            Instruction::Assert { test: Test::Is(9) },
        ]],
        roles: vec![RoleSpec::Task { priority: 1 }],
        ..Program::default()
    };
    let hex: String = asks.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let asked = ticks(&explored(&["program", "--set", &format!("program={hex}")]));
    assert!(asked.iter().all(Value::is_u64), "{asked:?}");
}

/// The line of the source that a step names.
fn source_line(step: &Value) -> String {
    let (file, line) = step["place"]
        .as_str()
        .and_then(|place| place.rsplit_once(':'))
        .unwrap_or_else(|| panic!("{step} has no place"));
    let source =
        fs::read_to_string(built::root().join("firmware-examples").join(file)).expect("a source file");
    let line: usize = line.parse().expect("a number");
    source.lines().nth(line - 1).expect("the file has that line").to_owned()
}

/// Calls in the branches of a `match` are as alike as calls can be, and each is somewhere else.
#[test]
fn calls_in_several_branches_have_their_own_places() {
    let credulous =
        ["voice-storage", "--set", "operations=0", "--set", "credulous=1", "--search", "shortest"];
    for (arguments, operation) in
        [(&credulous[..], "stop"), (&credulous, "start"), (&["priority-inversion"], "take")]
    {
        let finding = explored(arguments).finding().clone();
        let called: Vec<&Value> =
            steps(&finding).iter().filter(|step| step["operation"] == *operation).collect();
        assert!(!called.is_empty(), "{operation} in {finding}");
        for step in called {
            assert!(source_line(step).contains(&format!(".{operation}(")), "{step}");
        }
    }
}
