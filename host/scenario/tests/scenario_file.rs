//! Scenario files: what they look like, and what is said about those that are wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fwvs_scenario::scenario::Standstill;
use fwvs_scenario::{Cause, Error, Fill, FindingKind, FirmwareReference, Scenario, Step};
use proptest::prelude::*;

fn step(task: &str, operation: &str, object: Option<&str>) -> Step {
    Step {
        task: task.into(),
        operation: operation.into(),
        object: object.map(Into::into),
        place: Some("src/main.rs:31".into()),
        ..Step::default()
    }
}

fn scenario() -> Scenario {
    Scenario {
        format: 1,
        firmware: FirmwareReference {
            path: PathBuf::from("target/firmware/philosophers.elf"),
            example: Some("philosophers".into()),
            sha256: "5a".repeat(32),
        },
        board: "qemu-lm3s6965".into(),
        schedule: "free".into(),
        time: "free".into(),
        interrupts: None,
        expiries: None,
        until_tick: None,
        livelock: None,
        divergence_ms: None,
        depth: 1000,
        parameters: BTreeMap::from([("N".into(), 2.into())]),
        decisions: vec![
            step("philosopher 0", "take", Some("fork 0")),
            Step { alternative: Some(2), place: None, ..step("philosopher 1", "toss", None) },
            Step {
                outcome: Some("not served".into()),
                ..step("philosopher 1", "try to take", Some("fork 1"))
            },
        ],
        finding: Cause { kind: FindingKind::Deadlock, message: "nobody eats".into() },
        standstill: None,
    }
}

const WRITTEN: &str = r#"{
  "format": 1,
  "firmware": {
    "path": "target/firmware/philosophers.elf",
    "example": "philosophers",
    "sha256": "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
  },
  "board": "qemu-lm3s6965",
  "schedule": "free",
  "time": "free",
  "depth": 1000,
  "parameters": {
    "N": 2
  },
  "decisions": [
    {"task": "philosopher 0", "operation": "take", "object": "fork 0", "place": "src/main.rs:31"},
    {"task": "philosopher 1", "operation": "toss", "alternative": 2},
    {"task": "philosopher 1", "operation": "try to take", "object": "fork 1", "outcome": "not served", "place": "src/main.rs:31"}
  ],
  "finding": {
    "kind": "deadlock",
    "message": "nobody eats"
  }
}
"#;

/// The file with one piece of its text replaced.
fn changed(from: &str, to: &str) -> Result<Scenario, Error> {
    assert!(WRITTEN.contains(from), "{from} is not in the file");
    Scenario::parse(WRITTEN.replacen(from, to, 1).as_bytes(), Path::new("s.json"))
}

/// Earlier versions wrote every value as text.
#[test]
fn a_number_may_be_written_as_text() {
    let read = changed("\"N\": 2", "\"N\": \"2\"").expect("it is read");
    assert_eq!(read.parameters["N"].to_string(), "2");
    let bytes = changed("\"N\": 2", "\"N\": \"0102\"").expect("it is read");
    assert!(bytes.to_json().contains("\"N\": \"0102\""), "bytes stay as they are");
}

fn message(result: Result<Scenario, Error>) -> String {
    result.expect_err("the file is wrong").to_string()
}

#[test]
fn a_decision_is_one_line() {
    assert_eq!(scenario().to_json(), WRITTEN);
}

/// What a scenario of an earlier version does not say of its steps.
#[test]
fn levels_and_ticks_are_written_where_they_are_known() {
    let mut scenario = scenario();
    let full = Fill { level: 4, most: Some(4) };
    scenario.decisions[0] =
        Step { stays: true, fill: Some(full), tick: Some(7), ..scenario.decisions[0].clone() };
    scenario.decisions[1].fill = Some(Fill { level: 3, most: None });
    let written = scenario.to_json();
    let first = r#""object": "fork 0", "stays": true, "fill": {"level": 4, "most": 4}, "tick": 7, "place""#;
    assert!(written.contains(first), "{written}");
    assert!(written.contains(r#""alternative": 2, "fill": {"level": 3}}"#), "{written}");
    assert_eq!(Scenario::parse(written.as_bytes(), Path::new("s.json")).expect("it can be read"), scenario);
    assert_eq!(scenario.decisions[1].fill.map(|fill| fill.to_string()).as_deref(), Some("now 3"));
    assert!(scenario.decisions[0].same_decision(&self::scenario().decisions[0]), "they decide nothing");
}

/// Files of earlier versions have none of these, and are read.
#[test]
fn bounds_and_a_standstill_are_written_where_there_are_some() {
    let standstill = Standstill { tasks: vec!["A".into()], still: vec!["tick (timer)".into()] };
    let bounded = Scenario {
        interrupts: Some(1),
        expiries: Some(2),
        until_tick: Some(3),
        standstill: Some(standstill),
        ..scenario()
    };
    let text = bounded.to_json();
    assert!(text.contains("\"interrupts\": 1,\n  \"expiries\": 2,\n  \"until_tick\": 3,\n"), "{text}");
    assert_eq!(Scenario::parse(text.as_bytes(), Path::new("s.json")).ok(), Some(bounded));
    assert_eq!(Scenario::parse(WRITTEN.as_bytes(), Path::new("s.json")).ok(), Some(scenario()));
}

#[test]
fn what_is_saved_is_loaded_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("scenario-1.json");
    scenario().save(&path).expect("it can be written");
    assert_eq!(Scenario::load(&path).expect("it can be read"), scenario());
    let mut shorter = scenario();
    shorter.decisions.clear();
    shorter.save(&path).expect("it can be written again");
    assert_eq!(Scenario::load(&path).expect("it can be read again"), shorter);
    assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1, "nothing unfinished is left");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let error = scenario().save(Path::new("/proc/nowhere/s.json")).expect_err("there is no such place");
    assert!(matches!(error, Error::Unwritable { .. }));
    assert!(error.to_string().starts_with("cannot write /proc/nowhere/s.json: "), "{error}");
    assert!(scenario().save(Path::new("/")).is_err());
}

#[test]
fn no_file_says_where_scenarios_come_from() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("s.json");
    let error = Scenario::load(&path).expect_err("there is none");
    let expected = format!("no scenario file at {}\nhint: fw-vs explore writes one", path.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
    let error = Scenario::load(directory.path()).expect_err("a directory is no file");
    assert!(error.to_string().contains("it is a directory"), "{error}");
    let error = Scenario::load(Path::new("/dev/zero")).expect_err("a device has no end");
    assert!(error.to_string().contains("it is not a regular file"), "{error}");
}

#[test]
fn a_cut_off_file_is_told_from_a_broken_one() {
    let cut = message(Scenario::parse(&WRITTEN.as_bytes()[..250], Path::new("s.json")));
    assert!(cut.starts_with("the scenario s.json is cut off at line "), "{cut}");
    let empty = message(Scenario::parse(b"", Path::new("s.json")));
    assert!(empty.starts_with("the scenario s.json is cut off at line 1, column 0\n"), "{empty}");
    let broken = message(changed(r#""board": "#, r#""board" "#));
    assert!(
        broken.starts_with("the scenario s.json is not JSON at line 8, column 11: expected `:`\n"),
        "{broken}"
    );
    let binary = message(Scenario::parse(b"\x7fELF\x01\x01", Path::new("s.json")));
    assert!(binary.starts_with("the scenario s.json is not JSON at line 1, column 1: "), "{binary}");
}

#[test]
fn another_format_says_both_numbers() {
    let other = message(changed(r#""format": 1"#, r#""format": 7"#));
    assert!(
        other.starts_with("the scenario s.json has format 7, this fw-vs reads format 1\nhint: "),
        "{other}"
    );
    let future = message(Scenario::parse(br#"{"format": 2, "choices": []}"#, Path::new("s.json")));
    assert!(future.contains("has format 2"), "{future}");
}

#[test]
fn missing_and_unknown_fields_are_named() {
    let missing = message(changed(r#"  "board": "qemu-lm3s6965","#, ""));
    assert!(
        missing.contains("wrong field at line ") && missing.contains("missing field `board`"),
        "{missing}"
    );
    let unknown = message(changed(r#""board""#, r#""bord""#));
    assert!(unknown.contains("unknown field `bord`, expected one of `format`, `firmware`"), "{unknown}");
    let formatless = message(changed(r#""format": 1,"#, ""));
    assert!(formatless.contains("missing field `format`"), "{formatless}");
    let kind = message(changed(r#""kind": "deadlock""#, r#""kind": "headlock""#));
    assert!(kind.contains("unknown variant `headlock`"), "{kind}");
    let undecided = message(changed(r#""decisions""#, r#""decision""#));
    assert!(undecided.contains("unknown field `decision`"), "{undecided}");
    let wide = message(changed(r#""alternative": 2"#, r#""alternative": 65536"#));
    assert!(wide.contains("expected u16"), "{wide}");
}

#[test]
fn fields_that_make_no_sense_are_named() {
    let nameless = message(changed(r#"{"task": "philosopher 1""#, r#"{"task": """#));
    assert!(nameless.contains("decision 2 names no task or no operation"), "{nameless}");
    let short = message(changed("5a5a", "5a"));
    assert!(short.contains("firmware.sha256 is not 64 hexadecimal digits"), "{short}");
    let letters = message(changed("5a5a", "zzzz"));
    assert!(letters.contains("firmware.sha256 is not 64 hexadecimal digits"), "{letters}");
    let nowhere = WRITTEN.replacen("target/firmware/philosophers.elf", "", 1);
    let nowhere = nowhere.replacen(r#"    "example": "philosophers","#, "", 1);
    let nowhere = message(Scenario::parse(nowhere.as_bytes(), Path::new("s.json")));
    assert!(nowhere.contains("firmware.path is empty"), "{nowhere}");
}

#[test]
fn every_error_ends_with_a_hint() {
    let wrong: [&[u8]; 5] = [b"", b"!", b"[]", br#"{"format": 9}"#, br#"{"format": 1}"#];
    for bytes in wrong {
        let error = message(Scenario::parse(bytes, Path::new("s.json")));
        assert!(error.lines().last().is_some_and(|line| line.starts_with("hint: ")), "{error}");
    }
}

#[test]
fn a_file_nested_without_end_is_refused() {
    let deep = format!("{{\"format\": 1, \"board\": {}", "[".repeat(200_000));
    assert!(Scenario::parse(deep.as_bytes(), Path::new("s.json")).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_is_an_error_or_a_scenario(
        changes in proptest::collection::vec((0..WRITTEN.len(), any::<u8>()), 0..6),
        end in proptest::option::of(0..WRITTEN.len()),
    ) {
        let mut bytes = WRITTEN.as_bytes().to_vec();
        changes.into_iter().for_each(|(place, byte)| bytes[place] = byte);
        bytes.truncate(end.unwrap_or(WRITTEN.len()));
        match Scenario::parse(&bytes, Path::new("s.json")) {
            Ok(scenario) => prop_assert_eq!(
                Scenario::parse(scenario.to_json().as_bytes(), Path::new("s.json")).ok(),
                Some(scenario)
            ),
            Err(error) => prop_assert!(error.to_string().contains("\nhint: ")),
        }
    }
}
