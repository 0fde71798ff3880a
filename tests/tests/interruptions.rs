//! What dies in the middle of a run takes nothing with it: neither counts nor findings.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fwvs_program::{Instruction, ObjectSpec};
use fwvs_tests::Program;
use fwvs_tests::campaign::findings;
use fwvs_tests::console::{Console, Explored, Running, is_alive, send, until};
use fwvs_tests::generate::Dice;
use rustix::process::Signal;
use serde_json::Value;

/// Three tasks that give a semaphore four times each, whenever they like: 12! / (4! 4! 4!) paths.
const PATHS: u64 = 34_650;

fn givers() -> String {
    let give = Instruction::Give { object: 0 };
    let program = Program {
        objects: vec![ObjectSpec::Semaphore { level: 0, max: 255 }],
        tasks: vec![vec![give; 4]; 3],
        ..Program::default()
    };
    program.encode().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn command(console: &Console, arguments: &[&str]) -> Command {
    let common = ["explore", "--format", "json", "--out", "run", "--reduction", "none", "--stop", "all"];
    console.command(&[&common, arguments].concat())
}

fn start(console: &Console, arguments: &[&str]) -> Running {
    console.start(&mut command(console, arguments))
}

fn is(kind: &str) -> impl Fn(&Value) -> bool + '_ {
    move |event| event["event"] == kind
}

fn summary(console: &Console) -> Value {
    let text = fs::read(console.folder().join("run/summary.json")).expect("the summary is written");
    serde_json::from_slice(&text).expect("the summary is JSON")
}

/// The scenario is complete, and does what it says.
fn assert_replays(console: &Console, scenario: &Path) {
    let said = console.run(&["replay", scenario.to_str().expect("a plain name")]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stdout.trim_end().ends_with("happened again"), "{said:?}");
}

#[test]
fn killing_qemu_again_and_again_changes_no_count() {
    let console = Console::new();
    let program = format!("program={}", givers());
    let mut running = start(&console, &["--example", "program", "--set", &program]);
    let mut killed = Vec::new();
    for _ in 0..5 {
        running.event(is("progress"));
        let emulator = running.emulator();
        send(emulator, Signal::KILL);
        until("another QEMU", || (running.emulator() != emulator).then_some(()));
        killed.push(emulator);
    }
    let explored = Explored::from(running.wait());
    assert_eq!(explored.said.code, Some(0), "{:?}", explored.said);
    // Nodes of the tree that are not its root: a path for each way to get there.
    assert_eq!(explored.counts(), ("complete", 110_250, PATHS));
    let notices = explored.all("notice");
    let text = format!("the target died and was started again {} times", killed.len());
    assert!(notices.iter().any(|notice| notice["message"] == *text), "{notices:?}");
}

/// Far longer than a task may take, and at any moment: in a reset, in the middle of a record, while it starts.
#[test]
fn pausing_qemu_again_and_again_changes_no_count() {
    let pauses = if std::env::var_os("FWVS_FULL").is_some() { 100 } else { 8 };
    let console = Console::new();
    let program = format!("program={}", givers());
    let mut done = 0;
    for round in 0.. {
        let arguments = ["--example", "program", "--set", &program, "--divergence", "100ms"];
        let mut running = start(&console, &arguments);
        let mut dice = Dice::new(round);
        for _ in 0..4 {
            let emulator = running.emulator();
            std::thread::sleep(Duration::from_micros(dice.roll(150_000)));
            if !running.is_running() {
                break;
            }
            send(emulator, Signal::STOP);
            std::thread::sleep(Duration::from_millis(200 + dice.roll(1_300)));
            send(emulator, Signal::CONT);
            done += 1;
        }
        let explored = Explored::from(running.wait());
        assert_eq!(explored.said.code, Some(0), "round {round}: {:?}", explored.said);
        assert_eq!(explored.counts(), ("complete", 110_250, PATHS), "round {round}");
        assert!(explored.summary()["findings"].as_array().is_some_and(Vec::is_empty), "round {round}");
        std::fs::remove_dir_all(console.folder().join("run")).expect("the folder is ours");
        if done >= pauses {
            break;
        }
    }
    println!("{done} pauses");
}

/// The same while QEMU starts and the firmware is set up.
#[test]
fn killing_qemu_while_it_starts_loses_no_run() {
    let console = Console::new();
    for age in 0..12 {
        let mut running = start(&console, &["--example", "philosophers", "--set", "N=3"]);
        let emulator = running.emulator();
        std::thread::sleep(Duration::from_millis(age * 8));
        send(emulator, Signal::KILL);
        let explored = Explored::from(running.wait());
        assert_eq!(explored.said.code, Some(1), "killed after {} ms: {:?}", age * 8, explored.said);
        assert_eq!(explored.finding()["kind"], "deadlock");
        std::fs::remove_dir_all(console.folder().join("run")).expect("the folder is ours");
    }
}

#[test]
fn an_undisturbed_run_has_the_same_counts_and_no_notice() {
    let program = format!("program={}", givers());
    let arguments = ["--example", "program", "--set", &program, "--reduction", "none", "--stop", "all"];
    let explored = Console::new().explore(&arguments);
    assert_eq!(explored.counts(), ("complete", 110_250, PATHS));
    assert!(explored.all("notice").is_empty());
}

#[test]
fn ctrl_c_before_anything_is_found_is_bounded() {
    let console = Console::new();
    let mut running = start(&console, &["--example", "philosophers", "--set", "ordered=1"]);
    let emulator = running.emulator();
    running.event(is("progress"));
    running.signal(Signal::INT);
    let explored = Explored::from(running.wait());
    assert_eq!(explored.said.code, Some(3), "{:?}", explored.said);
    let summary = summary(&console);
    assert_eq!(&summary, explored.summary());
    assert_eq!(summary["verdict"], "bounded");
    assert_eq!(summary["bounds_hit"], serde_json::json!(["interrupted by Ctrl-C"]));
    assert_eq!(summary["resume"], "run");
    until("the end of QEMU", || (!is_alive(emulator)).then_some(()));
}

/// A terminal sends it to everybody in the foreground. If QEMU minded, it would be taken for a target that died.
#[test]
fn ctrl_c_at_a_terminal_does_not_kill_qemu() {
    let console = Console::new();
    let mut command = command(&console, &["--example", "philosophers", "--set", "ordered=1"]);
    let mut running = console.start(command.process_group(0));
    let emulator = running.emulator();
    running.event(is("progress"));
    running.signal_group(Signal::INT);
    let explored = Explored::from(running.wait());
    assert_eq!(explored.summary()["bounds_hit"], serde_json::json!(["interrupted by Ctrl-C"]));
    assert!(explored.all("notice").is_empty(), "{:?}", explored.said);
    until("the end of QEMU", || (!is_alive(emulator)).then_some(()));
}

#[test]
fn ctrl_c_after_a_finding_keeps_it() {
    let console = Console::new();
    let mut running = start(&console, &["--example", "philosophers"]);
    let finding = running.event(is("finding"));
    running.signal(Signal::INT);
    let explored = Explored::from(running.wait());
    assert_eq!(explored.said.code, Some(1), "{:?}", explored.said);
    let summary = summary(&console);
    assert_eq!(summary["verdict"], "found");
    assert_eq!(summary["bounds_hit"], serde_json::json!(["interrupted by Ctrl-C"]), "it is not all");
    assert_eq!(summary["findings"][0]["message"], finding["message"]);
    let scenario = Path::new(summary["findings"][0]["scenario"].as_str().expect("a path"));
    assert_replays(&console, scenario);
}

#[test]
fn killing_fw_vs_leaves_what_was_found_and_no_qemu() {
    let console = Console::new();
    let mut running = start(&console, &["--example", "philosophers"]);
    let emulator = running.emulator();
    let finding = running.event(is("finding"));
    running.event(is("progress"));
    running.signal(Signal::KILL);
    assert_eq!(running.wait().code, None, "it was killed");
    until("the end of QEMU", || (!is_alive(emulator)).then_some(()));

    let events = fs::read_to_string(console.folder().join("run/events.jsonl")).expect("events are written");
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events[0]["event"], "started");
    assert!(events.contains(&finding), "{events:?}");
    assert!(!console.folder().join("run/summary.json").exists(), "a killed run has no verdict");
    assert_replays(&console, Path::new(finding["scenario"].as_str().expect("a path")));
}

/// Whoever is killed at once has something to go on with too.
#[test]
fn a_run_that_is_killed_before_its_first_second_can_be_gone_on_with() {
    let console = Console::new();
    let beats =
        ["--example", "heart-beat-monitor", "--set", "K=4", "--set", "STAGE2=10", "--set", "INTERVALS=5"];
    let bound = ["--max-paths", "3000"];
    let beats = [&beats[..], &bound].concat();
    let whole = Console::new().explore(&[&beats[..], &["--reduction", "none", "--stop", "all"]].concat());
    let mut running = start(&console, &beats);
    let finding = running.event(is("finding"));
    running.signal(Signal::KILL);
    assert_eq!(running.wait().code, None, "it was killed");
    let resume = ["explore", "--format", "json", "--resume", "run"];
    let resumed = Explored::from(console.run(&[&resume[..], &bound].concat()));
    assert_eq!(resumed.said.code, Some(1), "{:?}", resumed.said);
    assert_eq!(resumed.counts(), whole.counts());
    assert_eq!(resumed.summary()["findings"], whole.summary()["findings"]);
    let scenario = Path::new(finding["scenario"].as_str().expect("a path"));
    assert_replays(&console, scenario);
}

/// A task that never comes to its next operation, and patience with it for half a minute.
const ENDLESS: [&str; 6] = ["--example", "misbehaviours", "--set", "case=4", "--divergence", "30s"];
/// The same before any task is there.
const ENDLESS_SET_UP: [&str; 6] = ["--example", "misbehaviours", "--set", "case=14", "--divergence", "30s"];

/// Bounded, with nothing found and nothing counted that did not end; `fw-vs` took less than its patience with a task.
fn assert_cut(explored: &Explored, bound: &str) {
    assert_eq!(explored.said.code, Some(3), "{:?}", explored.said);
    let summary = explored.summary();
    assert_eq!(summary["bounds_hit"], serde_json::json!([bound]));
    assert_eq!(summary["findings"], serde_json::json!([]), "that it took long is no divergence");
    assert!(summary["seconds"].as_f64().expect("a number") < 20.0, "{summary}");
}

#[test]
fn max_time_ends_a_path_that_does_not() {
    for firmware in [ENDLESS, ENDLESS_SET_UP] {
        let console = Console::new();
        let running = start(&console, &[&firmware[..], &["--max-time", "2s"]].concat());
        let explored = Explored::from(running.wait());
        assert_cut(&explored, "--max-time 2s is over");
        assert_eq!(&summary(&console), explored.summary());
    }
}

#[test]
fn ctrl_c_ends_a_path_that_does_not() {
    for firmware in [ENDLESS, ENDLESS_SET_UP] {
        let console = Console::new();
        let mut running = start(&console, &firmware);
        let emulator = running.emulator();
        running.signal(Signal::INT);
        assert_cut(&Explored::from(running.wait()), "interrupted by Ctrl-C");
        until("the end of QEMU", || (!is_alive(emulator)).then_some(()));
    }
}

/// A QEMU that does not answer is waited for; whoever cannot wait presses Ctrl-C again.
#[test]
fn a_second_ctrl_c_ends_at_once() {
    let console = Console::new();
    let mut running = start(&console, &["--example", "philosophers"]);
    let emulator = running.emulator();
    let finding = running.event(is("finding"));
    send(emulator, Signal::STOP);
    let begin = Instant::now();
    // Not before the first was taken in, and not so soon after it that they are one.
    while running.is_running() {
        running.signal(Signal::INT);
        std::thread::sleep(Duration::from_millis(500));
        assert!(begin.elapsed() < Duration::from_secs(20), "it goes on");
    }
    assert_eq!(running.wait().code, Some(130));
    until("the end of QEMU", || (!is_alive(emulator)).then_some(()));
    let events = fs::read_to_string(console.folder().join("run/events.jsonl")).expect("events are written");
    assert!(events.lines().any(|line| serde_json::from_str::<Value>(line).expect("JSON") == finding));
}

/// Replaces the run directory's name by one that leads nowhere, as a disk does that was taken away.
#[test]
fn a_run_directory_that_is_gone_ends_the_run() {
    let console = Console::new();
    let mut running = start(&console, &["--example", "philosophers", "--set", "ordered=1", "--set", "N=7"]);
    running.event(is("progress"));
    fs::rename(console.folder().join("run"), console.folder().join("elsewhere")).expect("the folder is ours");
    let said = running.wait();
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("cannot write run/checkpoint"), "{said:?}");
    assert_eq!(said.stderr.matches("hint: ").count(), 1, "{said:?}");
    assert!(!said.stdout.contains("\"summary\""), "there is no verdict: {said:?}");
}

/// Nobody can write a file where a folder is.
#[test]
fn a_finding_whose_scenario_cannot_be_written_is_told() {
    let console = Console::new();
    let run = console.folder().join("run");
    fs::create_dir_all(run.join("scenario-1.json")).expect("the folder is ours");
    fs::write(run.join("events.jsonl"), "").expect("the folder is ours");
    let explored = console.explore(&["--example", "philosophers"]);
    assert_eq!(explored.said.code, Some(2), "{:?}", explored.said);
    assert!(explored.said.stderr.contains("cannot write run/scenario-1.json"), "{:?}", explored.said);
    assert_eq!(explored.finding()["kind"], "deadlock");
}

/// Service managers and CI systems end programs kindly first: what is known is written down.
#[test]
fn who_is_ended_kindly_gives_a_verdict() {
    for (signal, why) in
        [(Signal::TERM, "ended by SIGTERM"), (Signal::HUP, "ended by SIGHUP: the terminal is gone")]
    {
        let console = Console::new();
        let mut running = start(&console, &["--example", "philosophers", "--set", "ordered=1"]);
        running.event(is("progress"));
        running.signal(signal);
        let explored = Explored::from(running.wait());
        assert_eq!(explored.said.code, Some(3), "{:?}", explored.said);
        assert_eq!(summary(&console)["bounds_hit"], serde_json::json!([why]));
    }
}

/// What a run tells after its last checkpoint is found again by whoever goes on with it.
#[test]
fn a_finding_is_in_the_list_of_events_once_however_often_a_run_is_killed() {
    let console = Console::new();
    let search = ["--example", "lock-order", "--reduction", "none", "--search", "dfs", "--stop", "all"];
    let go_on = ["explore", "--resume", "run", "--max-paths", "300"];
    assert_eq!(
        console.run(&[&["explore", "--out", "run", "--max-paths", "1"][..], &search].concat()).code,
        Some(3)
    );
    let checkpoint = console.folder().join("run/checkpoint");
    let early = fs::read(&checkpoint).expect("it is there");
    for _ in 0..3 {
        assert_eq!(console.run(&go_on).code, Some(1));
        // As if the run had been killed before it came to writing another one.
        fs::write(&checkpoint, &early).expect("the folder is ours");
    }
    assert_eq!(findings(&console).len(), 1);
    // Wherever the directory is by then.
    fs::rename(console.folder().join("run"), console.folder().join("moved")).expect("the folder is ours");
    assert_eq!(console.run(&["explore", "--resume", "moved", "--max-paths", "300"]).code, Some(1));
    fs::rename(console.folder().join("moved"), console.folder().join("run")).expect("the folder is ours");
    assert_eq!(findings(&console).len(), 1);
}
