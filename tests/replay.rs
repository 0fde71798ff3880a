//! A scenario file is all that is needed to see a finding again, as often as one likes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fwvs_tests::console::{Console, Said};
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
