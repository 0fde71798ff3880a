//! Run directories: what a run leaves, and whose directories it leaves alone.

use std::fs;
use std::path::Path;

use fwvs_scenario::{
    Cause, Error, Finding, FindingKind, FirmwareReference, RunDirectory, RunEvent, Scenario, Step, Summary,
    Verdict,
};
use sha2::{Digest, Sha256};

fn notice(message: &str) -> RunEvent {
    RunEvent::Notice { message: message.into() }
}

fn scenario() -> Scenario {
    Scenario {
        format: 1,
        firmware: FirmwareReference { path: "fw.elf".into(), example: None, sha256: "00".repeat(32) },
        board: "qemu-lm3s6965".into(),
        schedule: "free".into(),
        time: "free".into(),
        interrupts: None,
        expiries: None,
        until_tick: None,
        livelock: None,
        divergence_ms: None,
        depth: 10,
        parameters: [].into(),
        decisions: vec![],
        finding: Cause { kind: FindingKind::Crash, message: "fault in the set-up phase".into() },
        standstill: None,
    }
}

fn summary() -> Summary {
    let step = Step { task: "main".into(), operation: "give".into(), ..Step::default() };
    let finding = Finding {
        kind: FindingKind::Deadlock,
        message: "nobody eats".into(),
        steps: vec![step; 4],
        standing: vec![],
        scenario: Some("run/scenario-1.json".into()),
        count: 1,
    };
    Summary {
        verdict: Verdict::of(1, 0, &[]),
        paths: 15,
        transitions: 184,
        replayed_transitions: 60,
        sleep_blocked: 0,
        depth_cuts: 0,
        findings: vec![(&finding).into()],
        toss_sequences: 1,
        assumptions: vec!["memory is protected".into()],
        vacuous: vec![],
        bounds_hit: vec![],
        within: vec![],
        waiting: vec![],
        notes: vec![],
        resume: None,
        seconds: 0.5,
        board: "qemu-lm3s6965".into(),
        firmware: "fw.elf".into(),
        firmware_sha256: "00".repeat(32),
        schedule: "free".into(),
        time: "free".into(),
        reduction: "none".into(),
        workers: 1,
    }
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn two_runs_of_the_same_second_have_their_own_directories() {
    let runs = tempfile::tempdir().expect("a directory");
    let below = runs.path().join("fw-vs-runs");
    let all: Vec<RunDirectory> =
        (0..5).map(|_| RunDirectory::create_below(&below, "my firmware/2").expect("a directory")).collect();
    assert_eq!(names(&below).len(), all.len());
    let name = all[0].path().file_name().and_then(|name| name.to_str()).expect("text");
    assert!(name.ends_with("-my-firmware-2") && name.starts_with("20"), "{name}");
    assert_eq!(name.len(), "2026-03-01-120000-my-firmware-2".len());
}

#[test]
fn an_event_is_in_the_file_as_soon_as_it_is_reported() {
    let runs = tempfile::tempdir().expect("a directory");
    let mut run = RunDirectory::create_below(runs.path(), "fw").expect("a directory");
    let events = run.path().join("events.jsonl");
    run.append(&notice("one")).expect("it can be written");
    assert_eq!(fs::read_to_string(&events).expect("a file"), "{\"event\":\"notice\",\"message\":\"one\"}\n");
    run.append(&notice("two")).expect("it can be written");
    // As after a kill: nothing is left for a destructor to write.
    std::mem::forget(run);
    assert_eq!(fs::read_to_string(&events).expect("a file").lines().count(), 2);
}

#[test]
fn scenarios_are_numbered_and_the_summary_is_the_documented_object() {
    let runs = tempfile::tempdir().expect("a directory");
    let mut run = RunDirectory::create_below(runs.path(), "fw").expect("a directory");
    let first = run.save_scenario(&scenario()).expect("it can be written");
    let second = run.save_scenario(&scenario()).expect("it can be written");
    assert_eq!([first, second].map(|path| Scenario::load(&path).ok()), [Some(scenario()), Some(scenario())]);
    let path = run.save_summary(&summary()).expect("it can be written");
    assert_eq!(names(run.path()), ["events.jsonl", "scenario-1.json", "scenario-2.json", "summary.json"]);
    let read: RunEvent =
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("a summary is an event");
    assert_eq!(read, RunEvent::Summary(summary()));
    let expected = concat!(
        r#"{"event":"summary","verdict":"found","paths":15,"transitions":184,"replayed_transitions":60,"#,
        r#""sleep_blocked":0,"depth_cuts":0,"findings":[{"kind":"deadlock","message":"nobody eats","depth":4,"#,
        r#""count":1,"scenario":"run/scenario-1.json"}],"toss_sequences":1,"assumptions":["memory is protected"],"#,
        r#""vacuous":[],"bounds_hit":[],"seconds":0.5,"board":"qemu-lm3s6965","firmware":"fw.elf","#,
        r#""firmware_sha256":"0000000000000000000000000000000000000000000000000000000000000000","#,
        r#""schedule":"free","time":"free","reduction":"none","workers":1}"#
    );
    assert_eq!(RunEvent::Summary(summary()).to_json(), expected);
}

#[test]
fn a_named_directory_may_be_new_or_empty() {
    let runs = tempfile::tempdir().expect("a directory");
    let new = runs.path().join("a/b");
    assert_eq!(RunDirectory::at(&new).expect("a directory").path(), new);
    fs::create_dir(runs.path().join("empty")).expect("a directory");
    assert!(RunDirectory::at(&runs.path().join("empty")).is_ok());
}

#[test]
fn somebody_elses_directory_is_left_alone() {
    let home = tempfile::tempdir().expect("a directory");
    fs::write(home.path().join("thesis.txt"), "chapter 1").expect("a file");
    let error = RunDirectory::at(home.path()).expect_err("it is not ours");
    assert!(matches!(error, Error::NotOurs { .. }));
    assert!(error.to_string().ends_with("\nhint: choose a new directory with --out"), "{error}");
    fs::write(home.path().join("events.jsonl"), "{\"something\": \"else\"}\n").expect("a file");
    assert!(matches!(RunDirectory::at(home.path()), Err(Error::NotOurs { .. })));
    assert_eq!(names(home.path()), ["events.jsonl", "thesis.txt"]);
    let file = home.path().join("thesis.txt");
    assert!(matches!(RunDirectory::at(&file), Err(Error::Unwritable { .. })));
}

#[test]
fn an_earlier_run_is_replaced_and_nothing_else() {
    let runs = tempfile::tempdir().expect("a directory");
    let path = runs.path().join("out");
    let mut run = RunDirectory::at(&path).expect("a directory");
    run.append(&notice("the earlier run")).expect("it can be written");
    run.save_scenario(&scenario()).expect("it can be written");
    run.save_summary(&summary()).expect("it can be written");
    drop(run);
    fs::write(path.join("notes.txt"), "mine").expect("a file");
    fs::write(path.join("scenario-of-mine.json"), "{}").expect("a file");
    let mut run = RunDirectory::at(&path).expect("an earlier run's directory is ours");
    assert_eq!(names(&path), ["events.jsonl", "notes.txt", "scenario-of-mine.json"]);
    run.append(&notice("the later run")).expect("it can be written");
    let events = fs::read_to_string(path.join("events.jsonl")).expect("a file");
    assert!(events.contains("later") && !events.contains("earlier"), "{events}");
}

#[test]
fn a_directory_in_use_is_not_shared() {
    let runs = tempfile::tempdir().expect("a directory");
    let mut run = RunDirectory::at(runs.path()).expect("a directory");
    run.append(&notice("going on")).expect("it can be written");
    let error = RunDirectory::at(runs.path()).expect_err("a run is writing to it");
    assert!(matches!(error, Error::InUse { .. }), "{error}");
    let events = fs::read_to_string(runs.path().join("events.jsonl")).expect("a file");
    assert!(events.contains("going on"), "the running one keeps its events");
    drop(run);
    assert!(RunDirectory::at(runs.path()).is_ok());
}

#[test]
#[cfg(unix)]
fn a_path_that_is_not_text_does_not_stop_the_run() {
    use std::os::unix::ffi::OsStrExt;
    let mut summary = summary();
    summary.findings[0].scenario = Some(Path::new(std::ffi::OsStr::from_bytes(b"run-\xff.json")).into());
    assert!(RunEvent::Summary(summary).to_json().contains("\"scenario\":\"run-\u{fffd}.json\""));
}

/// A search that goes on from something else than it wrote could leave out anything.
#[test]
fn a_checkpoint_that_was_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let directory = RunDirectory::at(&path).unwrap();
    directory.save_checkpoint(7, &vec![1, 2, 3]).unwrap();
    assert_eq!(RunDirectory::load_checkpoint::<Vec<u32>>(&path, 7).unwrap(), [1, 2, 3]);
    let file = path.join("checkpoint");
    let text = std::fs::read(&file).unwrap();
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1;
        std::fs::write(&file, &changed).unwrap();
        let error = RunDirectory::load_checkpoint::<Vec<u32>>(&path, 7).unwrap_err();
        assert!(matches!(error, Error::DamagedCheckpoint { .. }), "byte {at}: {error}");
    }
    std::fs::write(&file, &text[..10]).unwrap();
    assert!(RunDirectory::load_checkpoint::<Vec<u32>>(&path, 7).is_err());
}

/// What a checkpoint means is up to the version that wrote it.
#[test]
fn a_checkpoint_of_another_format_is_refused_and_says_whose_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let directory = RunDirectory::at(&path).unwrap();
    directory.save_checkpoint(7, &vec![1, 2, 3]).unwrap();
    let refused = |format| RunDirectory::load_checkpoint::<Vec<u32>>(&path, format).unwrap_err().to_string();
    assert!(
        refused(8).contains("an older version of fw-vs: it has format 7, and this one goes on with format 8")
    );
    assert!(
        refused(6).contains("a newer version of fw-vs: it has format 7, and this one goes on with format 6")
    );
    // Once, checkpoints did not say which format they had.
    let text = "[1,2,3]";
    let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(path.join("checkpoint"), format!("{digest}\n{text}")).unwrap();
    assert!(refused(7).contains("an older version of fw-vs: it has format 1,"), "{}", refused(7));
}

#[test]
fn whoever_goes_on_with_a_run_takes_away_what_was_never_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut run = RunDirectory::at(&path).unwrap();
    run.append(&notice("a")).unwrap();
    drop(run);
    fs::write(path.join(".checkpoint.4711.unfinished"), "half of it").unwrap();
    fs::write(path.join("notes.txt"), "three years of work").unwrap();
    // Cut in the middle of a line.
    let whole = fs::read(path.join("events.jsonl")).unwrap();
    fs::write(path.join("events.jsonl"), [&whole[..], &b"x".repeat(200_000)].concat()).unwrap();
    RunDirectory::reopen(&path).unwrap();
    assert_eq!(names(&path), ["events.jsonl", "notes.txt"]);
    assert_eq!(fs::read(path.join("events.jsonl")).unwrap(), whole);
}
