//! The heart-beat monitor on QEMU against an enumeration by hand, and the studies that come with it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use fwvs_explore::{Completion, Counts, End, Limits, Policy, Rung, explore};
use fwvs_kernel::Verb;
use fwvs_link::Qemu;
use fwvs_session::{Session, Wrong};
use fwvs_tests::built::root;
use fwvs_tests::console::{Console, Explored};
use fwvs_tests::heart_beat::{Path, Setting, paths};
use fwvs_tests::target::Target;
use serde_json::Value;

/// Whether tests that take minutes are wanted.
fn full() -> bool {
    std::env::var_os("FWVS_FULL").is_some()
}

/// What the enumeration has for the reference configuration: derived a second time, by a recurrence over how many
/// beats processor B holds.
#[test]
fn eight_intervals_are_308562_sequences_of_choices() {
    fn sequences(held: usize, intervals: u32) -> u64 {
        if intervals == 0 {
            return 1;
        }
        let lost: u64 = (0..=held).map(|stay| sequences(stay, intervals - 1)).sum();
        let most = if held + 1 == 6 { held } else { held + 1 };
        // With none held back, the beat of this period is on time or slightly late.
        let kept: u64 = (0..=most).map(|stay| sequences(stay, intervals - 1)).sum();
        lost + kept + sequences(0, intervals - 1)
    }
    assert_eq!(sequences(0, 8), 308_562);
    let enumerated = paths(Setting::REFERENCE);
    assert_eq!(enumerated.len(), 308_562);
    assert!(enumerated.iter().all(|path| !path.found), "no suspension in eight intervals");
}

/// Every path on the target: its tosses from the records, and whether it ended in a finding.
fn explored(setting: Setting) -> (Vec<Path>, Completion) {
    let number = |number: i32| number.to_string();
    let set = [
        ("K", number(setting.entries as i32)),
        ("STAGE2", number(setting.stage2)),
        ("INTERVALS", number(setting.intervals)),
        ("LATE_MAX", number(setting.late_most)),
        ("fixed", number(setting.redesigned.into())),
        ("WATCH", number(if setting.two_starts { 2 } else { 0 })),
    ];
    let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let target = Target::example("heart-beat-monitor", &set);
    let mut session = target.open(target.qemu(), Duration::from_secs(5)).expect("it starts");
    let mut paths = Vec::new();
    let mut look = |session: &Session<Qemu>, end: End, _: &Counts| {
        assert_ne!(end, End::Asleep, "no path is begun in vain");
        let steps = session.mirror().steps().iter();
        let tosses = steps.filter(|step| step.taken.operation.verb == Verb::Toss);
        let toss = tosses.map(|step| (step.taken.operation.argument as u16, step.transition.alternative));
        let found = match session.wrong() {
            None => false,
            Some(Wrong::Assertion { .. }) => true,
            Some(other) => panic!("{other:?}"),
        };
        paths.push(Path { tosses: toss.collect(), found });
        ControlFlow::Continue(())
    };
    let limits = Limits { policy: Policy::First, ..Limits::default() };
    let mut reduction = Rung::Source.reduction();
    let (completion, _) = explore(&mut session, &mut *reduction, limits, &mut look).expect("it runs");
    (paths, completion)
}

/// The target visits what the enumeration lists, each path once, and finds what it finds.
fn same(setting: Setting) {
    let expected = paths(setting);
    let (visited, completion) = explored(setting);
    assert_eq!(completion, Completion::Exhausted);
    assert_eq!(visited.len(), expected.len(), "{setting:?}: paths");
    let (visited, expected): (BTreeSet<Path>, BTreeSet<Path>) =
        (visited.into_iter().collect(), expected.into_iter().collect());
    assert_eq!(visited.symmetric_difference(&expected).next(), None, "{setting:?}");
}

#[test]
fn the_target_makes_exactly_the_choices_that_there_are() {
    same(Setting { intervals: 5, ..Setting::REFERENCE });
}

#[test]
fn paths_end_at_the_suspension_and_nowhere_else() {
    let short = Setting { entries: 3, stage2: 10, intervals: 6, ..Setting::REFERENCE };
    assert!(paths(short).iter().any(|path| path.found));
    same(short);
}

#[test]
fn few_late_beats_are_counted_when_they_are_first_late() {
    for late_most in 0..=3 {
        same(Setting { entries: 4, stage2: 10, intervals: 6, late_most, ..Setting::REFERENCE });
    }
}

#[test]
fn two_starts_differ_where_the_enumeration_says_so() {
    let short = Setting { entries: 3, stage2: 10, intervals: 6, two_starts: true, ..Setting::REFERENCE };
    assert!(paths(short).iter().any(|path| path.found));
    same(short);
}

#[test]
fn the_redesign_does_what_it_says_and_never_depends_on_the_start() {
    let short = Setting { entries: 3, stage2: 10, intervals: 6, redesigned: true, ..Setting::REFERENCE };
    assert!(paths(short).iter().any(|path| path.found), "it still suspends");
    same(short);
    let two_starts = Setting { two_starts: true, ..short };
    assert!(paths(two_starts).iter().all(|path| !path.found));
    same(two_starts);
}

/// A study that comes with the example: its answers, all as expected.
fn study(console: &Console, file: &str, arguments: &[&str]) -> Vec<Value> {
    let file = root().join("firmware-examples/heart-beat-monitor").join(file);
    let file = file.to_str().expect("a path of ours");
    let said = console.run(&[&["study", file, "--format", "json", "--out", "study"], arguments].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut answers: Vec<Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.pop().expect("a last line")["event"], "study");
    assert!(answers.iter().all(|answer| answer["standing"] == "as expected"), "{answers:?}");
    answers
}

#[test]
fn the_properties_of_the_paper_but_for_the_long_one() {
    let console = Console::new();
    let but_three = ["1.", "2.", "4.", "5.", "6.", "7.", "redesign, 5", "redesign, 6"];
    let only: Vec<&str> = but_three.into_iter().flat_map(|name| ["--only", name]).collect();
    let mut answers = study(&console, "study.toml", &only);
    let values: Vec<&Value> = answers.iter().map(|answer| &answer["answer"]).collect();
    let expected = serde_json::json!([14, 9, 4, false, 10, false, true, false, true, true]);
    assert_eq!(serde_json::json!(values), expected);
    // Whatever a study says exists can be seen again; of the redesign nothing does.
    let redesign = answers.split_off(8);
    assert!(redesign.iter().all(|answer| answer["finding"].is_null()), "{redesign:?}");
    for answer in &answers {
        let scenario = answer["finding"]["scenario"].as_str().expect("each of these has one");
        let again = console.run(&["replay", scenario]);
        assert_eq!(again.code, Some(1), "{again:?}");
        assert!(again.stdout.trim_end().ends_with("happened again"), "{again:?}");
    }
}

#[test]
fn the_scenario_of_property_7_is_two_columns_that_differ_in_one_initial_beat() {
    let console = Console::new();
    let file = root().join("firmware-examples/heart-beat-monitor/study.toml");
    let said = console.run(&["study", file.to_str().expect("a path of ours"), "--only", "7."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let rows: Vec<&str> =
        said.stdout.lines().skip_while(|line| !line.contains("early switch")).skip(1).take(12).collect();
    let readme = root().join("firmware-examples/heart-beat-monitor/README.md");
    let readme = std::fs::read_to_string(readme).expect("the example has a README");
    for row in rows.iter().take_while(|row| !row.trim().is_empty()) {
        assert!(readme.contains(row.trim()), "the README shows what is printed: {row}");
    }
    assert!(rows[0].trim_start().starts_with("0 ") && rows[0].contains("counter 0"), "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row.contains("counter 3")).count(), 1, "one suspends: {rows:?}");
}

/// Values of an event of the switch, in their order.
fn told(explored: &Explored, name: &str) -> Vec<u32> {
    let steps = explored.finding()["steps"].as_array().expect("a finding has steps");
    let of_switch = steps.iter().filter(|step| step["task"] == "switch" && step["operation"] == "event");
    let texts = of_switch.filter_map(|step| step["object"].as_str()?.rsplit_once(" = "));
    texts.filter(|(event, _)| *event == format!("\"{name}\"")).map(|(_, v)| v.parse().expect(v)).collect()
}

/// The two pictures in the README are what the firmware does, interval by interval.
#[test]
fn the_pictures_of_properties_5_and_6_are_true() {
    let readme = root().join("firmware-examples/heart-beat-monitor/README.md");
    let readme = std::fs::read_to_string(readme).expect("the example has a README");
    let shown = |name: &str, picture: usize| -> Vec<u32> {
        let mut lines = readme.lines().filter_map(|line| line.strip_prefix("    ")?.strip_prefix(name));
        let numbers = lines.nth(picture).expect("there are two").split_whitespace();
        numbers.map_while(|word| word.parse().ok()).collect()
    };
    let in_turn = ["ENVIRONMENT=3", "INTERVALS=10", "TRACE=1"];
    let for_ever = ["ENVIRONMENT=4", "WATCH=1", "STAGE2_MOST=97", "INTERVALS=100", "TRACE=1"];
    for (picture, set) in [&in_turn[..], &for_ever[..]].into_iter().enumerate() {
        let arguments: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        let explored =
            Console::new().explore(&[&["--example", "heart-beat-monitor"], &arguments[..]].concat());
        for (line, event) in [("interval  ", "interval"), ("counter  ", "counter"), ("stage  ", "stage")] {
            let (told, shown) = (told(&explored, event), shown(line, picture));
            assert_eq!(told[..10], shown[..10], "{event} of picture {picture}");
            // The second goes on in the same way, to interval 100.
            assert_eq!(told.len(), if picture == 0 { 10 } else { 100 });
        }
        let stage = told(&explored, "stage");
        assert!(picture == 0 || stage[2..].iter().all(|stage| *stage == 2), "{stage:?}");
        assert_eq!(stage.last(), Some(&if picture == 0 { 3 } else { 2 }));
    }
}

#[test]
fn property_3_of_the_reference_configuration() {
    if !full() {
        eprintln!("takes more than a minute: set FWVS_FULL");
        return;
    }
    let console = Console::new();
    let answers = study(&console, "study.toml", &["--only", "3."]);
    assert_eq!(answers[0]["answer"], 9);
    assert_eq!((&answers[1]["answer"], &answers[1]["paths"]), (&308_562.into(), &308_562.into()));
    assert_eq!(answers[1]["explorations"], 0, "the second question is answered by the first one's run");
}

#[test]
fn the_redesign_satisfies_what_the_original_does_not() {
    let console = Console::new();
    if full() {
        study(&console, "study-redesign.toml", &[]);
    } else {
        study(
            &console,
            "study-redesign.toml",
            &["--only", "1.", "--only", "2.", "--only", "5.", "--only", "at most 3"],
        );
    }
}

/// The same table for other constants, with what follows from them.
#[test]
fn other_constants_give_the_same_table() {
    let all: Vec<(i32, i32)> = [3, 4, 5].into_iter().flat_map(|k| [10, 20, 30].map(|s| (k, s))).collect();
    for &(entries, stage2) in all.iter().step_by(if full() { 1 } else { 4 }) {
        let console = Console::new();
        let setting = Setting { entries: entries as u32, stage2, ..Setting::REFERENCE };
        let stage2_intervals = stage2 / 10 + 1;
        // The first beat is known to be lost after K intervals, the second one after another; a late one after one.
        let (a1, a2) = (entries + 2 + stage2_intervals, 3 + stage2_intervals);
        let suspends =
            |late_most| paths(Setting { intervals: a2, late_most, ..setting }).iter().any(|p| p.found);
        let b = (0..).find(|late_most| suspends(*late_most)).expect("all late suspends");
        assert!(b < a2);
        let in_turn = 4 + stage2_intervals + stage2_intervals % 2;
        let text = format!(
            r#"
            example = "heart-beat-monitor"
            set = {{ K = {entries}, STAGE2 = {stage2} }}
            [[question]]
            name = "1"
            kind = "smallest"
            set = {{ ENVIRONMENT = 1 }}
            parameter = "INTERVALS"
            from = 1
            to = 30
            expect = {a1}
            [[question]]
            name = "2"
            kind = "smallest"
            set = {{ ENVIRONMENT = 2 }}
            parameter = "INTERVALS"
            from = 1
            to = 30
            expect = {a2}
            [[question]]
            name = "3"
            kind = "smallest"
            parameter = "INTERVALS"
            from = {before}
            to = {a2}
            expect = {a2}
            [[question]]
            name = "4"
            kind = "smallest"
            set = {{ INTERVALS = {a2} }}
            parameter = "LATE_MAX"
            from = 0
            to = {a2}
            expect = {b}
            [[question]]
            name = "5"
            kind = "smallest"
            set = {{ ENVIRONMENT = 3 }}
            parameter = "INTERVALS"
            from = 1
            to = 30
            expect = {in_turn}
            [[question]]
            name = "6"
            kind = "never"
            set = {{ WATCH = 1, INTERVALS = {a2} }}
            expect = false
            [[question]]
            name = "7"
            kind = "never"
            set = {{ WATCH = 2, INTERVALS = {later} }}
            expect = false
            "#,
            before = a2 - 1,
            later = a2 + 2,
        );
        std::fs::write(console.folder().join("other.toml"), text).expect("the folder is ours");
        let said = console.run(&["study", "other.toml"]);
        assert_eq!(said.code, Some(0), "K={entries}, STAGE2={stage2}: {said:?}");
    }
}
