//! Smaller systems that the papers tell of: robots that stop for ever, and a lander with a bump flag.

use fwvs_tests::built::root;
use fwvs_tests::console::{Console, Explored};
use serde_json::Value;

fn explore(example: &str, arguments: &[&str]) -> Explored {
    Console::new().explore(&[&["--example", example], arguments].concat())
}

/// The lines of an example's source that a text is in, from 1.
fn lines_with(example: &str, text: &str) -> Vec<usize> {
    let file = root().join("firmware-examples").join(example).join("src/main.rs");
    let source = std::fs::read_to_string(file).expect("an example has a source");
    source.lines().enumerate().filter(|(_, line)| line.contains(text)).map(|(at, _)| at + 1).collect()
}

fn text<'a>(step: &'a Value, field: &str) -> &'a str {
    step[field].as_str().unwrap_or_default()
}

/// Who does what to what, step by step.
fn steps(finding: &Value) -> Vec<(&str, &str, &str)> {
    let steps = finding["steps"].as_array().expect("a finding has steps");
    let texts = |step| ["task", "operation", "object"].map(|field| text(step, field));
    steps.iter().map(texts).map(|[task, operation, object]| (task, operation, object)).collect()
}

#[test]
fn a_robot_looks_for_ever_for_an_object_that_the_other_one_took() {
    let explored = explore("robots", &[]);
    assert_eq!((explored.said.code, explored.counts().0), (Some(1), "found"), "{:?}", explored.said);
    let finding = explored.finding();
    assert_eq!(finding["kind"], "divergence");
    let message = finding["message"].as_str().expect("a sentence");
    assert!(message.starts_with("collector "), "{message}");
    let [begin] = lines_with("robots", "while CELLS[cell]")[..] else { panic!("one such loop") };
    let (_, range) = message.rsplit_once("robots/src/main.rs:").expect(message);
    let lines: Vec<usize> = range.split('-').map(|line| line.parse().expect(message)).collect();
    let within = lines.iter().all(|line| (begin..=begin + 2).contains(line));
    assert!(within && lines.len() <= 2, "the loop is at {begin}: {message}");
    // The other one tried to claim what it took besides, and could not.
    let refused =
        finding["steps"].as_array().into_iter().flatten().find(|step| step["outcome"] == "not served");
    assert_eq!(refused.map(|step| &step["object"]), Some(&"objects".into()));
    let started = &explored.started()["tasks"];
    assert_eq!(started.as_array().map(Vec::len), Some(6), "{started}");
}

#[test]
fn robots_that_take_only_what_they_claimed_never_stop() {
    for objects in ["OBJECTS=1", "OBJECTS=2"] {
        let explored = explore("robots", &["--set", "fixed=1", "--set", objects]);
        assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
        assert_eq!(explored.summary()["vacuous"], Value::Array(vec![]));
    }
}

#[test]
fn the_lander_takes_a_jolt_of_its_rockets_for_the_ground() {
    let explored = explore("mars-lander", &["--stop", "all"]);
    let finding = explored.finding();
    assert_eq!((explored.said.code, &finding["kind"]), (Some(1), &"assertion".into()));
    let steps = steps(finding);
    let at = |event: &str| steps.iter().position(|(_, _, object)| object.contains(event));
    let (bump, off) = (at("\"bump\""), at("\"engine off\""));
    assert!(bump.is_some() && bump < off, "{steps:?}");
    assert!(!steps.contains(&("Mars", "write", "ALTITUDE")), "it is still high up: {steps:?}");
}

#[test]
fn to_clear_the_flag_is_not_enough() {
    let explored = explore("mars-lander", &["--set", "fixed=1", "--stop", "all"]);
    let finding = explored.finding();
    assert_eq!((explored.said.code, &finding["kind"]), (Some(1), &"assertion".into()));
    let writers: Vec<&str> = steps(finding)
        .iter()
        .filter(|(_, o, object)| (*o, *object) == ("write", "BUMP"))
        .map(|s| s.0)
        .collect();
    assert_eq!(writers, ["descent", "bump sensor"], "the old jolt is handled after the flag was cleared");
}

#[test]
fn a_jolt_with_a_stamp_cannot_be_taken_for_another() {
    let explored = explore("mars-lander", &["--set", "fixed=2", "--stop", "all"]);
    assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
    assert_eq!(explored.summary()["vacuous"], Value::Array(vec![]));
    assert_eq!(explored.summary()["toss_sequences"], 2, "with a rough descent and without");
}
