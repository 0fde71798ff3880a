//! Firmware that goes wrong in every way there is: the right finding, with the right task's name, and never a hang.

use fwvs_tests::console::{Console, Explored};

/// One way to go wrong.
struct Case {
    number: u8,
    kind: &'static str,
    /// What the message has to say.
    says: &'static [&'static str],
    /// What else the command line needs.
    arguments: &'static [&'static str],
}

const fn case(number: u8, kind: &'static str, says: &'static [&'static str]) -> Case {
    Case { number, kind, says, arguments: &[] }
}

impl Case {
    const fn with(self, arguments: &'static [&'static str]) -> Self {
        Self { arguments, ..self }
    }
}

const PRIORITIES: &[&str] = &["--schedule", "priority"];
/// Where somebody goes on for ever, no path needs to be longer than that.
const SHORT: &[&str] = &["--depth", "30"];
/// The file of the misuse of RTOS objects.
const RTOS: &str = "misbehaviours/src/rtos.rs:";

const FULL: &[&str] = &["wild could not send to letter: it is full, and was declared never to be at", RTOS];

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
    case(
        4,
        "divergence",
        &["wild ran for 200ms without an operation, in a loop at misbehaviours/src/main.rs:"],
    ),
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
        &["the set-up ran for 200ms without an operation, in a loop at misbehaviours/src/main.rs:"],
    ),
    case(15, "assertion", &["the set-up panicked", "no task will ever run", "misbehaviours/src/main.rs:"]),
    case(16, "crash", &["the set-up crashed at", "undefined instruction"]),
    case(17, "crash", &["wild crashed, and the fault handler as well"]),
    case(18, "unexpected", &["wild did what its footprint does not have: give gate at"]),
    case(19, "unexpected", &["wild unlocked door 0, which keeper owns at", RTOS]),
    case(20, "unexpected", &["the handler of button would wait to take empty at", RTOS]),
    case(21, "unexpected", &["the handler of button used the mutex door 0 at", RTOS]),
    case(22, "unexpected", &["wild would wait to take empty inside a critical section at", RTOS]),
    case(23, "unexpected", &["wild ended inside the critical section that it began at", RTOS]),
    case(24, "unexpected", &["wild ended a critical section that it is not in at", RTOS]),
    case(25, "unexpected", &["wild used a null handle at", RTOS, "it was not given its object yet"]),
    case(26, "unexpected", &["wild used a handle of another kind of object at", RTOS]),
    case(
        27,
        "unexpected",
        &["wild could not start alarm: there is no room left for timer commands at", RTOS],
    )
    .with(PRIORITIES),
    case(28, "unexpected", &["wild could not give full: it is full, and was declared never to be at", RTOS]),
    case(29, "unexpected", FULL),
    case(30, "unexpected", &["the callback of alarm would wait to take empty at", RTOS]),
    case(30, "unexpected", &["the callback of alarm would wait to take empty at", RTOS]).with(PRIORITIES),
    case(
        31,
        "unexpected",
        &["the handler of button ended inside the critical section that it began at", RTOS],
    ),
    case(32, "deadlock", &["wild waits for door 0, which it holds itself"]).with(SHORT),
    case(
        33,
        "deadlock",
        &["wild waits for door 1 held by keeper 1", "keeper 1 waits for door 0 held by wild"],
    )
    .with(SHORT),
    case(
        34,
        "deadlock",
        &[
            "wild waits for door 1 held by keeper 1",
            "keeper 1 waits for door 2 held by keeper 2",
            "keeper 2 waits for door 0 held by wild",
        ],
    )
    .with(SHORT),
    case(35, "deadlock", &["wild waits for door 0 held by keeper, which has ended"]).with(SHORT),
    case(
        36,
        "livelock",
        &["wild has been waiting to take empty for more than 20 states while others went on at", RTOS],
    )
    .with(&["--livelock", "20", "--depth", "60"]),
    case(41, "unexpected", FULL),
    case(41, "unexpected", FULL).with(PRIORITIES),
    case(41, "unexpected", FULL).with(&["--time", "ordered"]),
    case(
        43,
        "unexpected",
        &["the set-up started second, which was given the stack of first; every task needs its own"],
    ),
    case(
        45,
        "assertion",
        &["before fwvs::start, the firmware panicked: too early for 45 (", "misbehaviours/src/shim.rs:"],
    ),
    case(46, "unexpected", &["the firmware used fwvs before fwvs::start; create everything in the set-up"]),
    case(47, "unexpected", &["the firmware used fwvs before fwvs::start at ", "misbehaviours/src/shim.rs:"]),
    case(48, "unexpected", &["wild created something while tasks ran; create it in the set-up"]),
    case(49, "assertion", &["wild panicked: ....", "misbehaviours/src/shim.rs:"]),
    case(
        50,
        "unexpected",
        &["the set-up declared the timer daemon when it was there already; declare it once"],
    ),
    case(51, "unexpected", &["the set-up created the semaphore units with 3 of 1 units; it needs"]),
    case(52, "unexpected", &["the set-up created the queue box 255 for 5 of at most 4 messages; it needs"]),
    case(53, "unexpected", &["the set-up started tiny on a stack of 64 bytes, where ", " are the least"]),
    case(
        54,
        "unexpected",
        &["created more tasks than the shim has room for, which is 20; interrupt handlers, timers"],
    ),
    case(55, "unexpected", &["the handler of button would wait to delay for 0 ticks at"]),
    case(56, "unexpected", &["the handler of button would wait to yield at"]),
    case(57, "unexpected", &["the callback of alarm would wait to delay for 0 ticks at"]),
    case(57, "unexpected", &["the callback of alarm would wait to delay for 0 ticks at"]).with(PRIORITIES),
    case(58, "unexpected", &["wild reset the firmware"]),
    case(
        60,
        "divergence",
        &["wild ran for 200ms without an operation, in a loop at misbehaviours/src/loops.rs:"],
    ),
    case(
        61,
        "divergence",
        &["wild ran for 200ms without an operation, in a loop at misbehaviours/src/loops.rs:"],
    ),
];

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
fn every_misbehaviour_is_the_right_finding_with_the_right_name() {
    for Case { number, kind, says, arguments } in FINDINGS {
        let console = Console::new();
        let explored = explore_with(&console, *number, arguments);
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
        let verdict = said.stdout.lines().last().unwrap_or_default();
        assert_eq!(verdict, "happened again", "case {number}: {said:?}");
    }
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

/// Every case the firmware declares is in one of the tables above.
#[test]
fn no_misbehaviour_is_left_out() {
    let console = Console::new();
    let said = console.run(&["explore", "--example", "misbehaviours", "--set", "case=1000"]);
    let covered: Vec<u8> =
        FINDINGS.iter().map(|case| case.number).chain([0, 5, 6, 42, 44, 59]).chain(37..=40).collect();
    let most = covered.iter().max().expect("there are some");
    assert!((0..=*most).all(|number| covered.contains(&number)), "{covered:?}");
    assert!(said.stderr.contains(&format!("0 to {most}")), "{said:?}");
}
