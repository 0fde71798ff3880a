//! The example firmware on QEMU: how many interleavings there are, what is wrong with them, and what is not.

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

/// An example with a bug, and how to explore it.
struct Bug {
    example: &'static str,
    options: &'static [&'static str],
    kind: &'static str,
    /// A piece of the message.
    says: &'static str,
    /// Who stands how, where that matters.
    stands: &'static [(&'static str, &'static str)],
}

/// What real firmware gets wrong, each as short as it can be. `fixed=1` is the same without the bug.
const BUGS: [Bug; 7] = [
    Bug {
        example: "priority-inversion",
        options: &[],
        kind: "assertion",
        says: "radio: `!bus_manager_waits` does not hold at priority-inversion/src/main.rs:",
        stands: &[("bus manager", "waits to take bus held by weather station"), ("radio", "runs")],
    },
    Bug {
        example: "lock-order",
        options: &[],
        kind: "deadlock",
        says: "logger (priority 1, raised to 2) waits for spi held by sensor; \
               sensor (priority 2) waits for flash held by logger",
        stands: &[("lamp", "waits for 500 ticks"), ("logger", "waits to lock spi")],
    },
    Bug {
        example: "stale-token",
        options: &[],
        kind: "assertion",
        says: "driver: `buffer == number` does not hold (left 1, right 2) at stale-token/src/main.rs:",
        stands: &[],
    },
    Bug {
        example: "timer-after-free",
        options: &[],
        kind: "assertion",
        says: "the callback of send again: `peer != FREE` does not hold (left 0, right 0) at timer-after-free/src/main.rs:",
        stands: &[("send again", "is stopped"), ("connection", "has ended")],
    },
    Bug {
        example: "full-queue",
        options: &[],
        kind: "deadlock",
        says: "uploader (priority 1) waits for calibration held by sampler; \
               sampler (priority 2) waits for room in samples, which uploader empties",
        stands: &[],
    },
    Bug {
        example: "early-interrupt",
        options: &[],
        kind: "unexpected",
        says: "the handler of UART used a null handle at early-interrupt/src/main.rs:",
        stands: &[("start-up", "is about to write RECEIVED")],
    },
    Bug {
        example: "false-watchdog",
        options: &["--time", "ordered"],
        kind: "assertion",
        says: "monitor: `sampler_is_alive` does not hold at false-watchdog/src/main.rs:",
        stands: &[("monitor", "runs")],
    },
];

impl Bug {
    fn explore(&self, console: &Console, more: &[&str]) -> Explored {
        console.explore(&[&["--example", self.example], self.options, more].concat())
    }

    /// It is found, said in words, and happens again.
    fn is_found(&self) {
        let console = Console::new();
        let explored = self.explore(&console, &[]);
        assert_eq!((explored.said.code, explored.counts().0), (Some(1), "found"), "{:?}", explored.said);
        assert_eq!(explored.started()["schedule"], "priority");
        let finding = explored.finding();
        assert_eq!(finding["kind"], self.kind, "{finding}");
        assert!(finding["message"].as_str().is_some_and(|text| text.contains(self.says)), "{finding}");
        let standing: Vec<(&str, &str)> = texts(&finding["standing"], "task")
            .into_iter()
            .zip(texts(&finding["standing"], "waits"))
            .collect();
        for stands in self.stands {
            assert!(standing.contains(stands), "{stands:?} is not in {standing:?}");
        }
        let scenario = finding["scenario"].as_str().expect("a path");
        let again = console.run(&["replay", scenario]);
        assert_eq!(again.code, Some(1), "{again:?}");
        assert!(again.stdout.trim_end().ends_with("happened again"), "{again:?}");
    }

    /// With the fix nothing is found, all of it was explored, everybody took part, and it is the same firmware.
    fn is_gone_with_the_fix(&self) {
        let broken = self.explore(&Console::new(), &["--set", "fixed=0"]);
        let fixed = self.explore(&Console::new(), &["--set", "fixed=1"]);
        assert_eq!(broken.counts().0, "found", "{:?}", broken.said);
        assert_eq!((fixed.said.code, fixed.counts().0), (Some(0), "complete"), "{:?}", fixed.said);
        for nothing in ["vacuous", "bounds_hit", "findings"] {
            assert_eq!(fixed.summary()[nothing], Value::Array(vec![]), "{}: {nothing}", self.example);
        }
        for same in ["tasks", "objects", "firmware_sha256"] {
            assert_eq!(broken.started()[same], fixed.started()[same], "{}: {same}", self.example);
        }
    }
}

#[test]
fn what_real_firmware_gets_wrong_is_found_and_happens_again() {
    BUGS.iter().for_each(Bug::is_found);
}

#[test]
fn what_real_firmware_gets_wrong_is_gone_with_the_fix() {
    BUGS.iter().for_each(Bug::is_gone_with_the_fix);
}

/// Where the lamp happens to be, and who comes last, makes no other deadlock.
#[test]
fn the_lock_order_is_one_finding_whatever_others_do() {
    let explored = every("lock-order", &[]);
    assert_eq!(explored.summary()["findings"].as_array().map(Vec::len), Some(1), "{}", explored.summary());
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

/// A clean verdict under a clock that leaves something out says what, and one about livelocks that it is no proof.
#[test]
fn a_clean_verdict_names_what_its_clock_and_its_bound_on_waiting_rest_on() {
    let assumed = |options: &[&str]| {
        let explored =
            Console::new().explore(&[&["--example", "false-watchdog", "--set", "fixed=1"], options].concat());
        assert_eq!(explored.counts().0, "complete", "{:?}", explored.said);
        explored.summary()["assumptions"].to_string()
    };
    let idle = assumed(&["--time", "idle"]);
    assert!(idle.contains("--time idle") && !idle.contains("--livelock"), "{idle}");
    let ordered = assumed(&["--time", "ordered", "--livelock", "500"]);
    assert!(ordered.contains("--time ordered") && ordered.contains("--livelock"), "{ordered}");
    let free = Console::new().explore(&["--example", "ping-pong"]);
    assert!(!free.summary()["assumptions"].to_string().contains("--time"), "{}", free.summary());
}

/// Nobody ever ends, as in most firmware, and what is wrong is found all the same: without any option, within few paths.
#[test]
fn a_deadlock_of_firmware_that_never_ends_is_found_by_default() {
    for clock in ["free", "ordered"] {
        let options = ["--example", "lock-order", "--set", "endless=1", "--time", clock];
        let explored = Console::new().explore(&options);
        assert_eq!((explored.said.code, explored.counts().0), (Some(1), "found"), "{:?}", explored.said);
        assert_eq!(explored.finding()["kind"], "deadlock");
        assert!(explored.counts().2 < 1_000, "{clock}: {}", explored.summary());
        assert_eq!(explored.summary()["reduction"], "none", "{}", explored.summary());
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
