//! The voice storage terminal on QEMU: every reduction says the same of it, and each costs less than the one before.

use fwvs_tests::console::Explored;
use fwvs_tests::voice_storage::{CALL, Extent, ROWS, WHOLE, explore};
use serde_json::Value;

/// A call that goes as it should, but for the timer: small enough for every interleaving.
const PLAIN: Extent =
    Extent { name: "a plain call", parameters: &["operations=0", "maintenance=0", "deaf=0", "impatient=0"] };

/// What was found, each once.
fn findings(explored: &Explored) -> Vec<(String, String)> {
    let findings = explored.summary()["findings"].as_array().expect("a list");
    let text = |finding: &Value, field: &str| finding[field].as_str().expect("a text").to_owned();
    let mut all: Vec<_> =
        findings.iter().map(|finding| (text(finding, "kind"), text(finding, "message"))).collect();
    all.sort();
    all
}

fn is_clean(extent: Extent, reduction: &[&str], more: &[&str]) -> Explored {
    let explored = explore(extent, reduction, more);
    assert_eq!(
        (explored.said.code, explored.counts().0),
        (Some(0), "complete"),
        "{} with {reduction:?} {more:?}: {}",
        extent.name,
        explored.summary()
    );
    explored
}

/// The one thing that is wrong with a terminal process that believes every timer.
fn releases_what_it_does_not_hold(extent: Extent, reduction: &[&str], more: &[&str]) {
    let explored = explore(extent, reduction, &[&["--set", "credulous=1"], more].concat());
    let found = findings(&explored);
    let [(kind, message)] = &found[..] else { panic!("{reduction:?} {more:?} found {found:?}") };
    assert_eq!((explored.said.code, kind.as_str()), (Some(1), "assertion"));
    assert!(message.starts_with("terminal: `trunk_is_held` does not hold"), "{message}");
    assert_eq!(explored.summary()["bounds_hit"], Value::Array(vec![]), "{reduction:?} {more:?}");
}

#[test]
fn every_reduction_runs_each_trace_of_a_plain_call_once() {
    let counts = |arguments: &[&str]| {
        let explored = is_clean(PLAIN, arguments, &[]);
        let (_, transitions, paths) = explored.counts();
        (transitions, paths)
    };
    let (every, interleavings) = counts(ROWS[0].1);
    let (sleep, traces) = counts(ROWS[1].1);
    assert!(every > 100 * sleep && interleavings > 500 * traces, "{every} and {sleep} transitions");
    for (reduction, arguments) in &ROWS[2..] {
        let (transitions, paths) = counts(arguments);
        assert_eq!(paths, traces, "{reduction}");
        assert!(transitions <= sleep, "{reduction} takes {transitions} transitions, sleep sets {sleep}");
    }
}

#[test]
fn the_better_a_reduction_knows_what_comes_the_fewer_transitions_it_takes() {
    let rows = ROWS[2..].iter().map(|(reduction, arguments)| {
        let explored = is_clean(WHOLE, arguments, &[]);
        assert_eq!(explored.summary()["vacuous"], Value::Array(vec![]));
        assert_eq!(explored.summary()["toss_sequences"], 12, "what partners may choose, with {reduction}");
        let (_, transitions, paths) = explored.counts();
        (*reduction, transitions, paths)
    });
    let rows: Vec<(&str, u64, u64)> = rows.collect();
    assert!(rows.windows(2).all(|pair| pair[0].2 == pair[1].2), "the same traces: {rows:?}");
    assert!(rows.windows(2).all(|pair| pair[0].1 > pair[1].1), "fewer transitions: {rows:?}");
    // Half, at least, from one end of the paper's table to the other.
    assert!(rows[0].1 > 2 * rows[2].1, "per task and run-time: {rows:?}");
}

#[test]
fn every_reduction_finds_the_message_of_a_timer_that_crossed_with_another() {
    for (_, arguments) in ROWS {
        releases_what_it_does_not_hold(PLAIN, arguments, &[]);
    }
    for (_, arguments) in &ROWS[4..] {
        releases_what_it_does_not_hold(WHOLE, arguments, &[]);
    }
}

#[test]
fn it_is_the_same_with_priorities() {
    let more = ["--schedule", "priority", "--set", "accountant=1"];
    for (_, arguments) in &ROWS[1..] {
        let explored = is_clean(PLAIN, arguments, &more);
        let tasks = explored.started()["tasks"].to_string();
        assert!(tasks.contains("accountant"), "{tasks}");
        // The daemon runs at once when a timer expires, so it takes a caller who hangs up before that.
        releases_what_it_does_not_hold(CALL, arguments, &more);
        is_clean(PLAIN, arguments, &[&more[..], &["--set", "credulous=1"]].concat());
    }
}

#[test]
fn more_operations_are_more_of_the_same() {
    let [two, three] = ["operations=2", "operations=3"]
        .map(|operations| is_clean(WHOLE, &["optimal"], &["--set", operations]));
    assert!(two.counts().2 < three.counts().2);
}
