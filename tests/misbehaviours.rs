//! Firmware that goes wrong in every way there is: the right finding, with the right task's name, and never a hang.

use fwvs_tests::console::{Console, Explored};

/// One way to go wrong.
struct Case {
    number: u8,
    kind: &'static str,
    /// What the message has to say.
    says: &'static [&'static str],
}

const fn case(number: u8, kind: &'static str, says: &'static [&'static str]) -> Case {
    Case { number, kind, says }
}

/// What each case of the example must come to.
const FINDINGS: &[Case] = &[
    case(1, "crash", &["wild crashed at", "undefined instruction"]),
    case(2, "crash", &["wild ran over the end of its stack", "misbehaviours/src/main.rs:"]),
    case(
        3,
        "assertion",
        &[
            "wild panicked",
            "index out of bounds: the len is 4 but the index is 7",
            "misbehaviours/src/main.rs:",
        ],
    ),
    case(4, "divergence", &["wild ran for 200ms without an operation at", "misbehaviours/src/main.rs:"]),
    case(7, "divergence", &["wild ran for 200ms without an operation", "which is no line of the source"]),
    case(8, "unexpected", &["the set-up created more objects than the shim has room for"]),
    case(
        9,
        "unexpected",
        &["the set-up called an operation where no task runs", "misbehaviours/src/main.rs:"],
    ),
    case(10, "unexpected", &["wild created something while tasks ran"]),
    case(11, "unexpected", &["wild used a handle of no object", "misbehaviours/src/main.rs:"]),
    case(12, "unexpected", &["the set-up created more bytes for messages than the shim has room for"]),
    case(
        13,
        "crash",
        &["wild crashed at", "misbehaviours/src/main.rs:", "jump to an address without the Thumb bit"],
    ),
    case(
        14,
        "divergence",
        &["the set-up ran for 200ms without an operation at", "misbehaviours/src/main.rs:"],
    ),
    case(15, "assertion", &["the set-up panicked", "no task will ever run", "misbehaviours/src/main.rs:"]),
    case(16, "crash", &["the set-up crashed at", "undefined instruction"]),
    case(17, "crash", &["wild crashed, and the fault handler as well"]),
    case(18, "unexpected", &["wild did what its footprint does not have: give gate at"]),
];

/// Long enough for anything but a loop without an end.
const DIVERGENCE: [&str; 2] = ["--divergence", "200ms"];

fn explore(console: &Console, case: u8) -> Explored {
    let case = format!("case={case}");
    console.explore(&[&["--example", "misbehaviours", "--set", &case], &DIVERGENCE[..]].concat())
}

#[test]
fn every_misbehaviour_is_the_right_finding_with_the_right_name() {
    for Case { number, kind, says } in FINDINGS {
        let console = Console::new();
        let explored = explore(&console, *number);
        assert_eq!((explored.said.code, explored.counts().0), (Some(1), "found"), "case {number}");
        let finding = explored.finding();
        let message = finding["message"].as_str().unwrap_or_default();
        assert_eq!(finding["kind"], *kind, "case {number}: {finding}");
        for words in *says {
            assert!(message.contains(words), "case {number} does not say {words:?}: {message}");
        }
        assert!(!message.contains("steady"), "case {number} names a bystander: {message}");

        let scenario = finding["scenario"].as_str().expect("a path");
        let said = console.run(&[&["replay", scenario], &DIVERGENCE[..]].concat());
        assert_eq!(said.code, Some(1), "case {number}: {said:?}");
        // Where a loop is when its time is over is another matter every time.
        let verdict = said.stdout.lines().last().unwrap_or_default();
        let same =
            verdict == "happened again" || *kind == "divergence" && verdict.starts_with("happened again");
        assert!(same, "case {number}: {said:?}");
    }
}

#[test]
fn without_misbehaviour_it_is_clean() {
    let explored = explore(&Console::new(), 0);
    assert_eq!((explored.said.code, explored.counts().0), (Some(0), "complete"), "{:?}", explored.said);
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

/// Every case the firmware declares is in one of the tables above.
#[test]
fn no_misbehaviour_is_left_out() {
    let console = Console::new();
    let said = console.run(&["explore", "--example", "misbehaviours", "--set", "case=1000"]);
    let covered: Vec<u8> = FINDINGS.iter().map(|case| case.number).chain([0, 5, 6]).collect();
    let most = covered.iter().max().expect("there are some");
    assert!((0..=*most).all(|number| covered.contains(&number)), "{covered:?}");
    assert!(said.stderr.contains(&format!("0 to {most}")), "{said:?}");
}
