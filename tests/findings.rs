//! What a finding says beyond its steps.

use std::fs;

use fwvs_tests::built;
use fwvs_tests::console::{Console, Explored};
use serde_json::Value;

/// The finding of an example.
fn explored(arguments: &[&str]) -> Explored {
    let explored = Console::new().explore(&[&["--example"], arguments].concat());
    assert_eq!(explored.said.code, Some(1), "{arguments:?}: {:?}", explored.said);
    explored
}

fn steps(finding: &Value) -> &Vec<Value> {
    finding["steps"].as_array().expect("a list")
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
