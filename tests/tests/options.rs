//! What options become in scenarios, and what a replay makes of them. Which options are refused or noted is in `cases/options`.

use std::fs;

use fwvs_tests::console::Console;

#[test]
fn a_scenario_has_numbers_as_numbers_and_text_as_text() {
    let console = Console::new();
    let explored = console.explore(&["--example", "philosophers", "--set", "N=0x2"]);
    let path = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    let text = fs::read_to_string(&path).expect("it is written");
    assert!(text.contains("\"N\": 2\n"), "{text}");
    assert_eq!(explored.started()["parameters"]["N"], 2);
    for written in ["2", "\"2\"", "\"0x2\""] {
        fs::write(&path, text.replace("\"N\": 2", &format!("\"N\": {written}"))).expect("the folder is ours");
        let again = console.run(&["replay", path.to_str().expect("a plain path")]);
        assert_eq!(again.code, Some(1), "{written}: {again:?}");
    }
    // A mutex that nobody has is given back: these bytes look like a number, and are none.
    let bytes = console.explore(&[
        "--example",
        "program",
        "--set",
        "program=01020000010001010300000000010318010000110001000d000100",
    ]);
    assert!(bytes.started()["parameters"]["program"].is_string(), "{:?}", bytes.started());
}

/// A replay is as patient as the run that found it, unless somebody says otherwise.
#[test]
fn a_replay_is_as_patient_as_the_run_was() {
    let console = Console::new();
    let found = |more: &[&str]| {
        let explored = console.explore(&[&["--example", "philosophers"], more].concat());
        let path = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
        (fs::read_to_string(&path).expect("it is written"), path)
    };
    assert!(!found(&[]).0.contains("divergence"), "nobody asked for it");
    let (text, path) = found(&["--divergence", "30s"]);
    assert!(text.contains("\"divergence_ms\": 30000"), "{text}");
    let path = path.to_str().expect("a plain path").to_owned();
    assert_eq!(console.run(&["replay", &path]).code, Some(1));
    // A task that never comes to its next operation is given up in a moment, because the scenario says so.
    let endless =
        console.explore(&["--example", "misbehaviours", "--set", "case=4", "--divergence", "700ms"]);
    let scenario = endless.finding()["scenario"].as_str().expect("a path").to_owned();
    let again = console.run(&["replay", &scenario]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.contains("700"), "{again:?}");
}
