//! The example firmware on QEMU: how many interleavings there are, what is wrong with them, and what is not.

use fwvs_tests::console::{Console, Explored};
use serde_json::Value;

/// Every interleaving of an example.
fn every(example: &str, parameters: &[&str]) -> Explored {
    let mut arguments = vec!["--example", example, "--reduction", "none", "--stop", "all"];
    parameters.iter().for_each(|parameter| arguments.extend(["--set", parameter]));
    Console::new().explore(&arguments)
}

fn texts<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap_or_else(|| panic!("{list}"));
    list.iter().map(|entry| entry[field].as_str().unwrap_or_default()).collect()
}

/// The numbers of the VeriSoft papers; for two, counted by hand.
fn philosophers(count: usize, transitions: u64, paths: u64) {
    let explored = every("philosophers", &[&format!("N={count}")]);
    assert_eq!(explored.said.code, Some(1), "{:?}", explored.said);
    assert_eq!(explored.counts(), ("found", transitions, paths));
    assert_eq!(explored.summary()["bounds_hit"], Value::Array(vec![]));

    let deadlock = explored.finding();
    assert_eq!(deadlock["kind"], "deadlock");
    let waits = |philosopher: usize| {
        let next = (philosopher + 1) % count;
        format!("philosopher {philosopher} waits for fork {next} held by philosopher {next}")
    };
    let everybody: Vec<String> = (0..count).map(waits).collect();
    assert_eq!(deadlock["message"], everybody.join("; "));
    for list in ["steps", "standing"] {
        for place in texts(&deadlock[list], "place") {
            let line = place.rsplit_once("philosophers/src/main.rs:").map(|(_, line)| line.parse::<u32>());
            assert!(matches!(line, Some(Ok(1..))), "{list} at {place:?}");
        }
    }
    assert!(texts(&deadlock["steps"], "place").len() >= count);
}

#[test]
fn two_philosophers_have_18_transitions_and_4_paths() {
    philosophers(2, 18, 4);
}

#[test]
fn three_philosophers_have_1680_transitions_and_396_paths() {
    philosophers(3, 1_680, 396);
}

#[test]
fn four_philosophers_have_386816_transitions_and_104704_paths() {
    philosophers(4, 386_816, 104_704);
}

#[test]
fn philosophers_who_keep_an_order_never_deadlock() {
    for count in ["N=2", "N=3"] {
        let explored = every("philosophers", &[count, "ordered=1"]);
        assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
        assert!(explored.all("finding").is_empty());
    }
}

#[test]
fn the_bounded_buffer_loses_an_item_when_both_producers_read_before_either_writes() {
    let explored = every("bounded-buffer", &[]);
    assert_eq!((explored.said.code, explored.counts().0), (Some(1), "found"));
    let finding = explored.finding();
    assert_eq!(finding["kind"], "assertion");
    assert!(finding["message"].as_str().is_some_and(|text| text.contains("`sum == 3` does not hold")));

    let (tasks, operations) = (texts(&finding["steps"], "task"), texts(&finding["steps"], "operation"));
    let objects = texts(&finding["steps"], "object");
    let on_tail = |operation: &str| -> Vec<(usize, &str)> {
        let steps = (0..tasks.len()).filter(|at| (operations[*at], objects[*at]) == (operation, "TAIL"));
        steps.map(|at| (at, tasks[at])).collect()
    };
    let (reads, writes) = (on_tail("read"), on_tail("write"));
    let mut readers: Vec<&str> = reads.iter().map(|(_, task)| *task).collect();
    readers.sort_unstable();
    assert_eq!(readers, ["producer 0", "producer 1"], "{finding}");
    assert!(reads[1].0 < writes[0].0, "both read before either writes: {finding}");
    assert_eq!(texts(&finding["steps"], "outcome").last(), Some(&"fails"));
}

#[test]
fn the_fixed_bounded_buffer_is_clean_and_otherwise_the_same() {
    let (broken, fixed) = (every("bounded-buffer", &["fixed=0"]), every("bounded-buffer", &["fixed=1"]));
    assert_eq!((fixed.said.code, fixed.counts().0), (Some(0), "complete"), "{:?}", fixed.said);
    for same in ["tasks", "objects", "firmware_sha256"] {
        assert_eq!(broken.started()[same], fixed.started()[same], "{same}");
    }
    assert_eq!(fixed.started()["tasks"], serde_json::json!(["producer 0", "producer 1", "consumer"]));
    assert_eq!(fixed.summary()["vacuous"], Value::Array(vec![]));
}

#[test]
fn ping_pong_is_clean() {
    let explored = every("ping-pong", &[]);
    assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
    assert_eq!(explored.summary()["vacuous"], Value::Array(vec![]));
}

#[test]
fn without_a_name_the_philosophers_are_explored() {
    let explored = Console::new().explore(&["--board", "qemu-lm3s6965"]);
    assert_eq!(explored.said.code, Some(1));
    assert_eq!(explored.started()["firmware"], "philosophers");
    assert_eq!(explored.finding()["kind"], "deadlock");
}
