//! `fw-vs study` as its users see it: what it answers, how it exits, and what it says about studies that make no sense.

use fwvs_tests::built;
use fwvs_tests::console::{Console, Said};
use rustix::process::Signal;
use serde_json::Value;

/// Runs a study that stands in the console's folder.
fn ask(console: &Console, study: &str, arguments: &[&str]) -> Said {
    std::fs::write(console.folder().join("study.toml"), study).expect("the folder is ours");
    console.run(&[&["study", "study.toml"], arguments].concat())
}

/// The lines of a study with JSON output.
fn lines(said: &Said) -> Vec<Value> {
    said.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect()
}

const PHILOSOPHERS: &str = r#"
title = "Philosophers at dinner"
example = "philosophers"

[set]
N = 3

[[question]]
name = "they can deadlock"
kind = "exists"
finding = { kind = "deadlock", message = "philosopher 2" }
expect = true

[[question]]
name = "in order they cannot"
kind = "never"
set = { ordered = 1 }
expect = true

[[question]]
name = "how many it takes"
kind = "smallest"
parameter = "N"
from = 2
to = 4
expect = 2

[[question]]
name = "in order, however many"
kind = "smallest"
set = { ordered = 1 }
parameter = "N"
from = 2
to = 4
expect = "none"

[[question]]
name = "choices"
kind = "sequences"
set = { ordered = 1 }
expect = 1

[[question]]
name = "no crash"
kind = "exists"
finding = { kind = "crash" }
"#;

#[test]
fn every_question_is_answered_and_its_scenario_kept() {
    let console = Console::new();
    let said = ask(&console, PHILOSOPHERS, &["--format", "json", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let lines = lines(&said);
    let (last, answers) = lines.split_last().expect("there are lines");
    let of = |field: &str| -> Vec<&Value> { answers.iter().map(|answer| &answer[field]).collect() };
    assert_eq!(serde_json::json!(of("answer")), serde_json::json!([true, true, 2, "none", 1, false]));
    let expected = ["as expected"; 5].into_iter().chain(["answered"]).collect::<Vec<_>>();
    assert_eq!(serde_json::json!(of("standing")), serde_json::json!(expected));
    assert_eq!(
        (&last["event"], &last["as_expected"], &last["exit_code"]),
        (&"study".into(), &5.into(), &0.into())
    );
    assert_eq!(answers[1]["parameters"], serde_json::json!({ "N": 3, "ordered": 1 }), "numbers are numbers");
    // A search that is after a crash goes on past the deadlock.
    assert_eq!((&answers[5]["paths"], &answers[5]["answer"]), (&7.into(), &false.into()));
    assert_eq!((&answers[4]["explorations"], &answers[3]["explorations"]), (&0.into(), &2.into()));
    for (place, scenario) in [(0, "out/1/scenario-1.json"), (2, "out/3/N-2/scenario-1.json")] {
        assert_eq!(answers[place]["finding"]["scenario"], scenario);
        assert_eq!(console.run(&["replay", scenario]).code, Some(1), "{scenario}");
    }
    assert!(console.folder().join("out/2/summary.json").is_file(), "clean runs are kept as well");
}

/// Also in the run directory, whatever is printed, and before it is printed.
#[test]
fn answers_are_kept_and_ctrl_c_leaves_those_there_are() {
    let console = Console::new();
    let study = format!(
        "{PHILOSOPHERS}expect = false\n[[question]]\nname = \"too long\"\nkind = \"never\"\n\
         options = [\"--reduction\", \"none\"]\nset = {{ N = 5, ordered = 1 }}\n\
         [[question]]\nname = \"later\"\nkind = \"never\"\n"
    );
    std::fs::write(console.folder().join("study.toml"), study).expect("the folder is ours");
    let arguments = ["study", "study.toml", "--format", "json", "--out", "out"];
    let mut running = console.start(&mut console.command(&arguments));
    running.event(|line| line["name"] == "no crash");
    let kept = || std::fs::read_to_string(console.folder().join("out/answers.jsonl")).expect("it is kept");
    assert_eq!(kept().lines().count(), 6);
    running.signal(Signal::INT);
    let said = running.wait();
    assert_eq!(said.code, Some(3), "{said:?}");
    let lines = lines(&said);
    let last = lines.last().expect("a last line");
    let number = |name: &str| last[name].as_u64();
    assert_eq!((number("as_expected"), number("cut"), number("not_asked")), (Some(6), Some(1), Some(1)));
    assert_eq!(lines[6]["why"], "interrupted by Ctrl-C");
    assert_eq!(kept(), said.stdout);
    // The same for people, in a directory that was used before.
    let said = ask(&console, PHILOSOPHERS, &["--only", "can deadlock", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(kept().lines().count(), 2, "one answer, and how the study ended");
}

#[test]
fn the_table_has_a_row_for_every_question() {
    let console = Console::new();
    let said = ask(&console, PHILOSOPHERS, &["--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.starts_with("Philosophers at dinner\n"), "{}", said.stdout);
    let row = |name: &str| {
        let line = said.stdout.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name} in {}", said.stdout)).split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(row("they can deadlock")[3..5], ["yes", "yes"]);
    assert_eq!(row("they can deadlock").last(), Some(&"1/scenario-1.json"));
    assert_eq!(row("in order, however many")[4..6], ["none", "none"]);
    assert!(said.stdout.contains("6 questions: 5 as expected, 1 answered"), "{}", said.stdout);
}

#[test]
fn an_answer_that_differs_is_exit_code_1_and_pointed_at() {
    for (right, wrong) in
        [("expect = 2", "expect = 3"), ("expect = \"none\"", "expect = 2"), ("expect = 1", "expect = 7")]
    {
        let console = Console::new();
        let said = ask(&console, &PHILOSOPHERS.replace(right, wrong), &[]);
        assert_eq!(said.code, Some(1), "{wrong}: {said:?}");
        assert!(said.stdout.contains("<- differs") && said.stdout.contains("1 differs"), "{}", said.stdout);
    }
}

#[test]
fn an_answer_that_a_bound_cut_is_exit_code_3_and_no_answer() {
    let study = |rest: &str| {
        format!(
            "example = \"philosophers\"\noptions = [\"--max-paths\", \"2\"]\n[[question]]\nname = \"q\"\n{rest}"
        )
    };
    for kind in [
        "kind = \"never\"",
        "kind = \"exists\"",
        "kind = \"sequences\"",
        "kind = \"smallest\"\nparameter = \"N\"\nfrom = 4\nto = 5",
    ] {
        let console = Console::new();
        let text = study(&format!("{kind}\nset = {{ ordered = 1 }}\n"));
        let said = ask(&console, &text, &["--format", "json"]);
        assert_eq!(said.code, Some(3), "{kind}: {said:?}");
        let answer = &lines(&said)[0];
        assert_eq!((&answer["answer"], &answer["standing"]), (&Value::Null, &"cut".into()));
        assert!(answer["why"].as_str().is_some_and(|why| why.contains("2 paths")), "{answer}");
    }
    // What was found before the bound counts all the same.
    let console = Console::new();
    let said = ask(
        &console,
        &study("kind = \"exists\"\nset = { N = 2 }\nexpect = true\n").replace("\"2\"", "\"3\""),
        &[],
    );
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// Firmware that ends before what is asked for can happen answers nothing: not that it never happens, not that it
/// takes more.
#[test]
fn what_something_else_may_hide_is_no_answer() {
    let question = |kind: &str, expect: &str| {
        format!(
            "example = \"heart-beat-monitor\"\n[[question]]\nname = \"q\"\nkind = {kind}\n\
             set = {{ ONTIME = 9 }}\nfinding = {{ message = \"resource_in_service\" }}\nexpect = {expect}\n"
        )
    };
    for (kind, expect) in [
        ("\"never\"", "true"),
        ("\"exists\"", "false"),
        ("\"smallest\"\nparameter = \"INTERVALS\"\nfrom = 1\nto = 2", "\"none\""),
    ] {
        let console = Console::new();
        let said = ask(&console, &question(kind, expect), &["--out", "out"]);
        assert_eq!(said.code, Some(3), "{kind}: {said:?}");
        assert!(said.stdout.contains("assertion: the set-up panicked: ONTIME leaves"), "{}", said.stdout);
        assert!(said.stdout.contains("fw-vs replay out/1/"), "{}", said.stdout);
        assert!(said.stdout.contains("hint: mend that first"), "{}", said.stdout);
    }
}

#[test]
fn only_the_questions_asked_for_are_asked() {
    let console = Console::new();
    let said = ask(&console, PHILOSOPHERS, &["--only", "in order", "--only", "crash", "--format", "json"]);
    let names: Vec<Value> = lines(&said).iter().map(|line| line["name"].clone()).collect();
    let expected = ["in order they cannot", "in order, however many", "no crash"];
    assert_eq!(names[..3], expected.map(Value::from));
    let none = ask(&console, PHILOSOPHERS, &["--only", "lunch"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("hint: there are: they can deadlock"), "{}", none.stderr);
}

#[test]
fn a_firmware_can_be_another_than_the_study_names() {
    let console = Console::new();
    let other = built::example("ping-pong");
    let study = "firmware = \"gone.elf\"\n[[question]]\nname = \"q\"\nkind = \"never\"\nexpect = true\n";
    let said = ask(&console, study, &["--firmware", other.to_str().expect("a path of ours")]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// A study can be run from anywhere: what it names by a path is beside it.
#[test]
fn firmware_and_board_are_found_from_another_folder() {
    let console = Console::new();
    let folder = console.folder().join("regression");
    std::fs::create_dir(&folder).expect("the folder is ours");
    std::fs::copy(built::example("ping-pong"), folder.join("ping-pong.elf")).expect("it was built");
    let board = built::root().join("boards/qemu-lm3s6965.toml");
    std::fs::copy(board, folder.join("board.toml")).expect("the board is there");
    let study = "firmware = \"ping-pong.elf\"\nboard = \"board.toml\"\n\
                 [[question]]\nname = \"q\"\nkind = \"never\"\nexpect = true\n";
    std::fs::write(folder.join("study.toml"), study).expect("the folder is ours");
    let said = console.run(&["study", "regression/study.toml"]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// Every mistake is found before anything runs, and leaves nothing behind.
#[test]
fn mistakes_are_exit_code_2_with_a_hint() {
    let question = "[[question]]\nname = \"q\"\nkind = \"never\"\n";
    let example = |rest: &str| format!("example = \"philosophers\"\n{question}{rest}");
    for (study, part) in [
        (example("set = { M = 3 }"), "no parameter \"M\""),
        (example("set = { N = 99 }"), "99"),
        (example("colour = \"red\""), "unknown field `colour`"),
        (example("options = [\"--dept\", \"3\"]"), "--dept"),
        (example("options = [\"--out\", \"x\"]"), "--out cannot be"),
        (example("options = [\"--depth 3\"]"), "--depth 3"),
        (example("").replace("philosophers", "philosophes"), "there is no example `philosophes`"),
        (
            example("").replace("never", "smallest") + "parameter = \"M\"\nfrom = 1\nto = 2",
            "no parameter \"M\"",
        ),
        (example("").replace("never", "smallest") + "parameter = \"N\"\nfrom = 7\nto = 9", "9"),
        (format!("firmware = \"gone.elf\"\n{question}"), "gone.elf"),
        (
            format!("board = \"gone.toml\"\n{}", example("")),
            "gone.toml: No such file or directory (os error 2)\nhint: check the path and its permissions\n",
        ),
        (question.to_owned(), "names no firmware"),
    ] {
        let console = Console::new();
        let said = ask(&console, &study, &[]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{study}\n{said:?}");
        assert!(said.stderr.contains(part), "{study}\nsaid {}", said.stderr);
        assert!(said.stderr.contains("hint: "), "{study}\nsaid {}", said.stderr);
        assert!(!console.folder().join("fw-vs-runs").exists(), "{study}");
    }
    let console = Console::new();
    let said = console.run(&["study", "nowhere.toml"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("cannot read the study nowhere.toml: No such file"), "{}", said.stderr);
    let hint = "hint: `fw-vs study --help` shows how one is written\n";
    assert!(said.stderr.ends_with(hint), "the hint comes last: {}", said.stderr);
}

/// The study in the help is one: everything in it is understood.
#[test]
fn the_help_shows_a_study_that_can_be_read() {
    let console = Console::new();
    let help = console.run(&["study", "--help"]).stdout;
    let begin = help.find("  title = ").expect("an example");
    let end = help.find("A question without").expect("and what comes after it");
    let shown: String = help[begin..end].lines().map(|line| format!("{}\n", line.trim_start())).collect();
    let said = ask(&console, &shown, &[]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("build/firmware.elf"), "only its firmware is missing: {}", said.stderr);
}
