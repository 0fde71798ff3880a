//! Firmware that goes wrong in every way there is: what is no finding, and what takes more than a command to look at. Which
//! finding each way to go wrong is, is in `cases/misbehaviours`.

use fwvs_tests::case_file;
use fwvs_tests::console::{Console, Explored};

const PRIORITIES: &[&str] = &["--schedule", "priority"];
/// Where somebody goes on for ever, no path needs to be longer than that.
const SHORT: &[&str] = &["--depth", "30"];

/// Long enough for anything but a loop without an end.
const DIVERGENCE: [&str; 2] = ["--divergence", "200ms"];

fn explore(console: &Console, case: u8) -> Explored {
    explore_with(console, case, &[])
}

fn explore_with(console: &Console, case: u8, arguments: &[&str]) -> Explored {
    let case = format!("case={case}");
    console.explore(&[&["--example", "misbehaviours", "--set", &case], &DIVERGENCE[..], arguments].concat())
}

/// Without a finding: exit code and verdict.
fn ends(explored: &Explored) -> (Option<i32>, &str) {
    assert!(explored.all("finding").is_empty(), "{:?}", explored.said);
    (explored.said.code, explored.counts().0)
}

#[test]
fn without_misbehaviour_it_is_clean() {
    let explored = explore(&Console::new(), 0);
    assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
}

/// Locals that want eight bytes, in a task, a handler and a callback; a float that is kept across an operation.
#[test]
fn what_a_compiler_counts_on_is_so() {
    for arguments in [&[][..], PRIORITIES] {
        for case in [42, 59] {
            let explored = explore_with(&Console::new(), case, arguments);
            assert_eq!(ends(&explored), (Some(0), "complete"), "case {case}");
            assert_eq!(explored.summary()["vacuous"], serde_json::json!([]), "case {case}");
        }
    }
}

#[test]
fn a_line_that_fires_no_times_never_fires() {
    let explored = explore(&Console::new(), 44);
    assert_eq!(ends(&explored), (Some(0), "complete"));
    assert_eq!(explored.summary()["vacuous"], serde_json::json!(["button never fired"]));
}

/// Somebody always goes on in these, so nobody but who looks for circles of mutexes could find anything.
#[test]
fn a_cycle_of_mutexes_is_found_while_others_go_on() {
    for number in 32..=35 {
        let explored = explore_with(&Console::new(), number, SHORT);
        let standing = explored.finding()["standing"].as_array().expect("a list").clone();
        let steady = standing.iter().find(|task| task["task"] == "steady").expect("it is there");
        assert!(steady["waits"].as_str().is_some_and(|text| text.starts_with("is about to")), "{steady}");
    }
}

/// The same in which nobody was asked how long is too long: the paths are only cut.
#[test]
fn without_a_number_nobody_waits_too_long() {
    let arguments = ["--depth", "60", "--preemptions", "0"];
    let explored = explore_with(&Console::new(), 36, &arguments);
    assert_eq!(ends(&explored), (Some(3), "bounded"));
}

#[test]
fn a_server_may_wait_for_ever() {
    assert_eq!(ends(&explore(&Console::new(), 37)), (Some(0), "complete"));
    let arguments = ["--livelock", "1"];
    assert_eq!(ends(&explore_with(&Console::new(), 37, &arguments)), (Some(0), "complete"));
}

#[test]
fn what_only_a_bound_keeps_from_going_on_is_no_deadlock_and_bounded_unless_that_was_asked() {
    let cases: [(u8, &[&str], &str); 4] = [
        (38, &["--interrupts", "1"], "--interrupts 1"),
        (39, &["--expiries", "1"], "--expiries 1"),
        (39, &["--time", "ordered", "--until-tick", "6"], "--until-tick 6"),
        (39, &["--time", "idle", "--until-tick", "6", "--schedule", "priority"], "--until-tick 6"),
    ];
    for (number, arguments, bound) in cases {
        let explored = explore_with(&Console::new(), number, arguments);
        assert_eq!(ends(&explored), (Some(0), "complete-within-bounds"), "{arguments:?}");
        assert_eq!(explored.summary()["bounds_hit"], serde_json::json!([]));
        let within = explored.summary()["within"].as_array().expect("a list").clone();
        assert_eq!(within.len(), 1, "{within:?}");
        assert_eq!((&within[0]["bound"], &within[0]["reached"]), (&bound.into(), &true.into()));
        assert!(within[0]["ended"].as_u64().is_some_and(|paths| paths > 0), "{within:?}");
    }
    // The same number, which nobody asked for.
    for (accept, code) in [(None, 3), (Some(["--accept", "bounded"]), 0)] {
        let explored = explore_with(&Console::new(), 38, accept.as_ref().map_or(&[], |accept| &accept[..]));
        assert_eq!(ends(&explored), (Some(code), "bounded"));
        let bounds = explored.summary()["bounds_hit"].as_array().expect("a list").clone();
        assert_eq!(bounds.len(), 1, "{bounds:?}");
        let says = "--interrupts 1 (the default) ended ";
        assert!(bounds[0].as_str().is_some_and(|text| text.starts_with(says)), "{bounds:?}");
    }
}

#[test]
fn what_never_happened_is_said() {
    let explored = explore(&Console::new(), 40);
    assert_eq!(ends(&explored), (Some(0), "complete"));
    let vacuous = &explored.summary()["vacuous"];
    assert_eq!(*vacuous, serde_json::json!(["alarm never expired", "button never fired"]));
    // Whoever has a lower priority than one that is found at once has no time to run.
    let explored = explore_with(&Console::new(), 22, PRIORITIES);
    assert_eq!(explored.summary()["vacuous"], serde_json::json!(["steady never ran"]));
}

#[test]
fn uninitialised_stack_is_the_same_in_every_run() {
    let tosses = |explored: &Explored| {
        assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
        (explored.counts().1, explored.counts().2, explored.summary()["toss_sequences"].clone())
    };
    let first = tosses(&explore(&Console::new(), 5));
    for _ in 0..4 {
        assert_eq!(tosses(&explore(&Console::new(), 5)), first);
    }
}

#[test]
fn memory_that_survives_a_restart_makes_the_run_an_error_and_no_verdict() {
    let console = Console::new();
    let said = explore_as_text(&console, 6);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("the firmware is not deterministic: at step "), "{said:?}");
    assert!(said.stderr.contains("wild at event \"restarts\""), "{said:?}");
    assert!(said.stderr.contains("\nhint: "), "{said:?}");
    assert!(!said.stderr.contains("steady"), "{said:?}");
    assert_eq!(said.stdout, "");
    assert!(console.is_untouched(), "it was noticed before anything was written");
}

fn explore_as_text(console: &Console, case: u8) -> fwvs_tests::console::Said {
    console.run(&["explore", "--example", "misbehaviours", "--set", &format!("case={case}")])
}

/// Every case that the firmware declares has a folder in `cases/misbehaviours`, or a test above.
#[test]
fn no_misbehaviour_is_left_out() {
    let console = Console::new();
    let said = console.run(&["explore", "--example", "misbehaviours", "--set", "case=1000"]);
    let number = |command: &String| {
        let words = command.split_whitespace();
        words.filter_map(|word| word.strip_prefix("case=")?.parse::<u8>().ok()).next()
    };
    let commands = case_file::commands("misbehaviours");
    let covered: Vec<u8> =
        commands.iter().filter_map(number).chain([0, 5, 6, 42, 44, 59]).chain(37..=40).collect();
    let most = covered.iter().max().expect("there are some");
    assert!((0..=*most).all(|number| covered.contains(&number)), "{covered:?}");
    assert!(said.stderr.contains(&format!("0 to {most}")), "{said:?}");
}
