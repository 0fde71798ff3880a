//! Verdicts that take more than a command to look at: runs that go on, tasks that wait where something else could go on, and
//! their scenarios. What else a verdict says is in `cases/verdicts`.

use std::fs;

use fwvs_program::{DECLARED, Instruction, ObjectSpec, RoleSpec, Test, UNLIMITED};
use fwvs_tests::Program;
use fwvs_tests::console::{Console, Explored, Said};
use rustix::process::Signal;
use serde_json::{Value, json};

/// The sampler waits with the lock that the uploader needs; with 1 a timer goes on, with 2 an interrupt.
const FULL_QUEUE: [&str; 2] = ["--example", "full-queue"];

fn explore(example: &[&str], options: &[&str]) -> Explored {
    Console::new().explore(&[example, options].concat())
}

fn explore_program(program: &Program, options: &[&str]) -> Explored {
    let bytes: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    explore(&["--example", "program", "--set", &format!("program={bytes}")], options)
}

fn as_text(arguments: &[&str]) -> Said {
    let said = Console::new().run(&[&["explore"], arguments].concat());
    Said { stdout: said.stdout.split_whitespace().collect::<Vec<_>>().join(" "), ..said }
}

fn verdict(explored: &Explored) -> (Option<i32>, &str) {
    (explored.said.code, explored.counts().0)
}

/// Whether somebody asked is kept with the run.
#[test]
fn a_run_that_goes_on_still_knows_what_was_asked_for() {
    for (asked, end) in [(&["--interrupts", "1"][..], (0, "complete-within-bounds")), (&[], (3, "bounded"))] {
        let console = Console::new();
        let begin = ["--set", "lamp=2", "--max-paths", "100"];
        let begun = console.explore(&[&FULL_QUEUE[..], &begin, asked].concat());
        assert_eq!(verdict(&begun), (Some(3), "bounded"), "{:?}", begun.said);
        let resumed = Explored::from(console.run(&["explore", "--format", "json", "--resume", "run"]));
        assert_eq!(verdict(&resumed), (Some(end.0), end.1), "{:?}", resumed.said);
        let whole = explore(&FULL_QUEUE, &[&["--set", "lamp=2"], asked].concat());
        for same in ["within", "bounds_hit", "paths"] {
            assert_eq!(resumed.summary()[same], whole.summary()[same], "{same}");
        }
        let but_the_file = |explored: &Explored| {
            let mut waiting = explored.summary()["waiting"].clone();
            waiting[0]["scenario"].take();
            waiting
        };
        assert_eq!(but_the_file(&resumed), but_the_file(&whole));
    }
}

/// With a free clock an expiry is one tick, so a check of the tick may hold though it never does on a board.
#[test]
fn a_verdict_on_firmware_that_reads_a_free_clock_says_what_it_takes_for_a_tick() {
    let delay = Instruction::Delay { ticks: 10 };
    let check = Instruction::Assert { test: Test::IsNot(10) };
    for (code, reads) in [(vec![delay, Instruction::Tick, check], true), (vec![delay], false)] {
        let program = Program { tasks: vec![code], ..Program::default() };
        let ordered = explore_program(&program, &["--time", "ordered"]);
        let expected = if reads { (Some(1), "found") } else { (Some(0), "complete") };
        assert_eq!(verdict(&ordered), expected, "{:?}", ordered.said);
        let free = explore_program(&program, &[]);
        assert_eq!(verdict(&free), (Some(0), "complete"), "{:?}", free.said);
        let assumptions = free.summary()["assumptions"].to_string();
        assert_eq!(assumptions.contains("counts as one tick"), reads, "{assumptions}");
    }
}

/// Firmware that never ends does within its bounds: the search is one that comes to an end, and says how far it is.
#[test]
fn towards_a_bound_that_ends_every_path_the_search_says_how_far_it_is() {
    let console = Console::new();
    let endless = ["--example", "lock-order", "--set", "endless=1", "--set", "fixed=1", "--time", "ordered"];
    let common = ["explore", "--format", "json", "--out", "run", "--until-tick", "60"];
    let mut running = console.start(&mut console.command(&[&common[..], &endless].concat()));
    let progress = running.event(|event| event["event"] == "progress" && !event["done"].is_null());
    running.signal(Signal::INT);
    let (low, high) = (progress["done"][0].as_f64(), progress["done"][1].as_f64());
    assert!(low.zip(high).is_some_and(|(low, high)| 0.0 < low && low <= high && high <= 1.0), "{progress}");
    assert!(!progress["seconds_left"].is_null(), "{progress}");
    let explored = Explored::from(running.wait());
    assert_eq!(explored.started()["reduction"], "source");
    assert!(explored.all("notice").is_empty(), "it does not go by stages: {:?}", explored.said);
    // A smaller question, to its end.
    let explored = explore(&endless, &["--until-tick", "20"]);
    assert_eq!(verdict(&explored), (Some(0), "complete-within-bounds"), "{:?}", explored.said);
}

/// The only entry of what waited, and a replay of its scenario.
fn waiting(console: &Console, explored: &Explored) -> (Value, Said) {
    let list = explored.summary()["waiting"].as_array().cloned().unwrap_or_default();
    let [one] = list.as_slice() else { panic!("one circle of tasks: {}", explored.summary()) };
    let scenario = one["scenario"].as_str().expect("it was written");
    (one.clone(), console.run(&["replay", scenario]))
}

#[test]
fn tasks_that_wait_for_each_other_are_told_though_an_interrupt_or_a_timer_goes_on() {
    let cases: [(&str, &[&str], &str); 2] =
        [("lamp=2", &[], "button (interrupt)"), ("lamp=1", &["--max-paths", "2000"], "blink (timer)")];
    for (lamp, options, still) in cases {
        let console = Console::new();
        let explored = console.explore(&[&FULL_QUEUE[..], &["--set", lamp], options].concat());
        assert_eq!(verdict(&explored), (Some(3), "bounded"), "{:?}", explored.said);
        let (one, replayed) = waiting(&console, &explored);
        assert_eq!((&one["tasks"], &one["still"]), (&json!(["uploader", "sampler"]), &json!([still])));
        let message = "uploader (priority 1) waits for calibration held by sampler; \
                       sampler (priority 2) waits for room in samples, which uploader empties";
        assert_eq!(one["message"], message);
        assert!(one["paths"].as_u64().is_some_and(|paths| paths > 0), "{one}");
        assert_eq!(replayed.code, Some(1), "{replayed:?}");
        let last = format!("happened again: the same tasks wait; {still} could still go on\n");
        assert!(replayed.stdout.ends_with(&last), "{replayed:?}");
        assert!(replayed.stdout.starts_with("waiting: uploader (priority 1) waits for"), "{replayed:?}");
        let steps = fs::read_to_string(console.folder().join(one["scenario"].as_str().expect("a path")));
        let steps: Value = serde_json::from_str(&steps.expect("it is there")).expect("it is JSON");
        let decisions = steps["decisions"].as_array().expect("a list");
        assert_eq!(one["depth"], decisions.len());
        assert!(decisions.len() < 32, "what the timer did afterwards is left out: {decisions:?}");
    }
}

/// Task 0 locks and sends more than there is room for; task 1 needs the lock before it receives, so nobody ever sees it receive;
/// task 2 goes on. What a task may do is declared unless there is too much of it.
fn stuck_on_every_path() -> String {
    let (mutex, queue) = (0, 1);
    let send = Instruction::Send { object: queue, value: 1, add: false };
    let lock = Instruction::Lock { object: mutex };
    let undeclared = vec![Instruction::Event; DECLARED];
    let program = Program {
        objects: vec![ObjectSpec::Mutex { recursive: false }, ObjectSpec::Queue { capacity: 1 }],
        tasks: vec![
            vec![lock, send, send],
            [vec![lock, Instruction::Receive { object: queue }], undeclared].concat(),
            vec![Instruction::Delay { ticks: 3 }; 5],
        ],
        roles: [3, 2, 1].map(|priority| RoleSpec::Task { priority }).to_vec(),
        ..Program::default()
    };
    program.encode().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every path ends so: nobody was ever seen to receive.
#[test]
fn tasks_that_wait_for_what_nobody_ever_gave_are_told_in_weaker_words_though_a_task_goes_on() {
    let set = format!("program={}", stuck_on_every_path());
    let common = ["--example", "program", "--schedule", "priority", "--set", &set];
    for bounds in [&["--expiries", "3"][..], &["--time", "idle", "--until-tick", "10"]] {
        let console = Console::new();
        let explored = console.explore(&[&common[..], bounds].concat());
        assert_eq!(verdict(&explored), (Some(0), "complete-within-bounds"), "{:?}", explored.said);
        let (one, replayed) = waiting(&console, &explored);
        assert_eq!(one["unseen"], json!(["make room in queue 1"]), "{one}");
        assert_eq!((&one["tasks"], &one["still"]), (&json!(["task 0", "task 1"]), &json!(["task 2 (task)"])));
        assert_eq!(one["paths"], explored.summary()["paths"], "{one}");
        let last = "happened again: the same tasks wait; task 2 (task) could still go on\n";
        assert!(replayed.code == Some(1) && replayed.stdout.ends_with(last), "{replayed:?}");
        let said = as_text(&[&common[..], bounds].concat());
        let weaker = "nobody was ever seen to make room in queue 1, and whether task 2 (task) ever would was not looked into";
        assert!(said.stdout.contains("nothing was found, under these assumptions waiting: at"), "{said:?}");
        assert!(said.stdout.contains(weaker), "{said:?}");
    }
}

/// A study says of its answer what the verdict would.
#[test]
fn an_answer_of_paths_on_which_tasks_wait_says_so() {
    let console = Console::new();
    let study = format!(
        "example = \"program\"\noptions = [\"--schedule\", \"priority\", \"--expiries\", \"3\"]\n[set]\n\
         program = \"{}\"\n[[question]]\nname = \"stuck\"\nkind = \"never\"\nexpect = true\n",
        stuck_on_every_path()
    );
    fs::write(console.folder().join("study.toml"), study).expect("the folder is ours");
    let said = console.run(&["study", "study.toml"]);
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(text.contains("stuck: waiting: at the end of 1 of 1 path, task 0"), "{said:?}");
    assert!(text.contains("fw-vs replay fw-vs-runs/"), "{said:?}");
}

/// Five tasks end or wait for what a line brings, in a thousand ways, before two others wait for each other.
#[test]
fn ordinary_ends_take_no_room_from_tasks_that_wait_for_each_other() {
    use Instruction as I;
    let is = |value, count| I::SkipIf { test: Test::Is(value), count };
    let give = |object| I::Give { object };
    let take = |object| I::Take { object };
    let over = |count| I::SkipIf { test: Test::IsNot(99), count };
    let line = vec![give(0), I::TrySend { object: 3, value: 7, add: false }, give(4)];
    let pair = [vec![I::Toss { bound: 1 }, is(1, 1), give(1), take(2), give(1)], vec![take(1), give(2)]];
    let receive = I::Receive { object: 3 };
    let other =
        vec![I::Toss { bound: 3 }, is(0, 7), is(1, 3), is(2, 4), take(4), over(4), receive, over(2), take(0)];
    let unit = ObjectSpec::Semaphore { level: 0, max: 255 };
    let mut roles = vec![RoleSpec::Task { priority: 1 }; 8];
    roles[0] = RoleSpec::Interrupt { times: UNLIMITED, armed: true };
    let tasks = [line].into_iter().chain(pair).chain(vec![other; 5]).collect();
    let objects = vec![unit, unit, unit, ObjectSpec::Queue { capacity: 4 }, unit];
    let program = Program { objects, tasks, roles, ..Program::default() };
    let explored = explore_program(&program, &["--interrupts", "1"]);
    let (waiting, notes) = (&explored.summary()["waiting"], &explored.summary()["notes"]);
    assert_eq!(waiting[0]["tasks"], json!(["task 1", "task 2"]), "{waiting}");
    assert!(waiting[1].is_null() && !notes.to_string().contains("not looked at"), "{waiting}, {notes}");
}

/// Nobody has seen what the handler does; it may be the one who helps.
#[test]
fn tasks_that_wait_for_each_other_are_told_though_a_line_never_fired() {
    let console = Console::new();
    let explored = console.explore(&[&FULL_QUEUE[..], &["--set", "lamp=2", "--interrupts", "0"]].concat());
    assert_eq!(verdict(&explored), (Some(0), "complete-within-bounds"), "{:?}", explored.said);
    let (one, replayed) = waiting(&console, &explored);
    let button = json!(["button (interrupt)"]);
    assert_eq!((&one["tasks"], &one["still"]), (&json!(["uploader", "sampler"]), &button), "{one}");
    assert_eq!((&one["never_seen"], &one["unseen"]), (&button, &Value::Null), "{one}");
    assert_eq!(replayed.code, Some(1), "{replayed:?}");
}

/// The firmware was changed since: there is an interrupt now, which may fire, and is no help.
#[test]
fn a_recorded_deadlock_in_which_somebody_may_still_fire_does_not_count_as_gone() {
    let console = Console::new();
    let explored = console.explore(&FULL_QUEUE);
    let scenario = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    let mut written: Value = serde_json::from_slice(&fs::read(&scenario).expect("a file")).expect("JSON");
    written["parameters"]["lamp"] = "2".into();
    for interrupts in [Value::Null, 0.into(), 1.into()] {
        if !interrupts.is_null() {
            written["interrupts"] = interrupts;
        }
        fs::write(&scenario, written.to_string()).expect("a file");
        let said = console.run(&["replay", scenario.to_str().expect("a plain name")]);
        assert_eq!(said.code, Some(1), "{said:?}");
        let last = "not quite a deadlock: the same tasks wait; button (interrupt) could still go on\n";
        assert!(said.stdout.ends_with(last), "{said:?}");
    }
    // One step earlier, the uploader can still go on.
    written["decisions"].as_array_mut().expect("a list").pop();
    fs::write(&scenario, written.to_string()).expect("a file");
    let said = console.run(&["replay", scenario.to_str().expect("a plain name")]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// A replay goes by the same bounds as the run.
#[test]
fn a_scenario_keeps_the_bounds_of_its_run() {
    let console = Console::new();
    let bounds = ["--expiries", "2", "--until-tick", "900", "--interrupts", "3", "--time", "ordered"];
    let explored = console.explore(&[&FULL_QUEUE[..], &bounds].concat());
    let scenario = |path: &Value| {
        let path = console.folder().join(path.as_str().expect("a path"));
        serde_json::from_slice::<Value>(&fs::read(path).expect("a file")).expect("JSON")
    };
    let written = scenario(&explored.finding()["scenario"]);
    assert_eq!((&written["expiries"], &written["until_tick"]), (&2.into(), &900.into()), "{written}");
    assert!(written["interrupts"].is_null(), "there is no line: {written}");
    let explored = console.explore(&[&FULL_QUEUE[..], &["--set", "lamp=2"]].concat());
    let written = scenario(&explored.summary()["waiting"][0]["scenario"]);
    assert_eq!(written["interrupts"], 1, "{written}");
}
