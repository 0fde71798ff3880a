//! The example firmware on QEMU: how many interleavings there are, and what takes more than a command to look at. What is found
//! in each example is in `cases/examples`.

use std::path::Path;

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
fn the_bounded_buffer_loses_an_item_when_both_producers_read_before_either_writes() {
    let explored = every("bounded-buffer", &[]);
    assert_eq!((explored.said.code, explored.counts().0), (Some(1), "found"));
    let finding = explored.finding();
    assert_eq!(finding["kind"], "assertion");
    assert!(
        finding["message"]
            .as_str()
            .is_some_and(|text| text.contains("`sum == 3` does not hold (left 2, right 3)"))
    );

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

/// What the README of an example says in the row of its table that begins so, without the first cell.
fn row(example: &str, first: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the repository");
    let readme = root.join("firmware-examples").join(example).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("every example has a README");
    let start = format!("| {first} |");
    let row = readme.lines().find_map(|line| line.strip_prefix(&start)).expect("the README has that row");
    row.trim_end_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The same firmware with three clocks: the freer the clock, the more paths, and only the freest finds what cannot be.
#[test]
fn three_clocks_on_the_false_watchdog_as_its_readme_has_them() {
    let explore = |clock: &str, fixed: &str| {
        let options = ["--example", "false-watchdog", "--time", clock, "--set", fixed, "--stop", "all"];
        let explored = Console::new().explore(&options);
        assert_eq!(explored.summary()["bounds_hit"], Value::Array(vec![]));
        let (verdict, _, paths) = explored.counts();
        (verdict.to_owned(), paths)
    };
    let mut fewer = u64::MAX;
    for (clock, verdicts) in
        [("free", ["found", "found"]), ("ordered", ["found", "complete"]), ("idle", ["found", "complete"])]
    {
        let (broken, fixed) = (explore(clock, "fixed=0"), explore(clock, "fixed=1"));
        assert_eq!([broken.0.as_str(), fixed.0.as_str()], verdicts, "{clock}");
        assert!(fixed.1 < broken.1 && broken.1 < fewer, "{clock}: {broken:?}, {fixed:?}");
        fewer = fixed.1;
        let says = |(verdict, paths): (String, u64)| [verdict, paths.to_string()];
        let expected = [says(broken), says(fixed)].concat();
        assert_eq!(row("false-watchdog", &format!("`{clock}`")), expected, "{clock}");
    }
}

/// A clean run of it says how far it came, and goes on from there as if it had not been stopped.
#[test]
fn a_search_through_firmware_that_never_ends_says_how_far_it_came_and_goes_on() {
    let explore = |console: &Console, paths: &str, options: &[&str]| {
        let common = ["explore", "--format", "json", "--max-paths", paths];
        Explored::from(console.run(&[&common, options].concat()))
    };
    let firmware = ["--example", "lock-order", "--set", "endless=1", "--set", "fixed=1", "--out", "run"];
    let (console, other) = (Console::new(), Console::new());
    let whole = explore(&console, "1500", &firmware);
    assert_eq!((whole.said.code, whole.counts().0, whole.counts().2), (Some(3), "bounded", 1_500));
    let bounds = whole.summary()["bounds_hit"].to_string();
    assert!(bounds.contains("up to 1,000 steps without a delay, 512 with 1, 32 with 2"), "{bounds}");
    assert_eq!(whole.summary()["reduction"], "none");

    for paths in ["1", "300", "700", "1500"] {
        let begun = paths != "1";
        explore(&other, paths, if begun { &["--resume", "run"] } else { &firmware });
    }
    let summary = |console: &Console| {
        let text = std::fs::read(console.folder().join("run/summary.json")).expect("the summary is written");
        serde_json::from_slice::<Value>(&text).expect("the summary is JSON")
    };
    let (whole, resumed) = (summary(&console), summary(&other));
    for same in ["paths", "transitions", "replayed_transitions", "bounds_hit", "verdict"] {
        assert_eq!(whole[same], resumed[same], "{same}");
    }
}
