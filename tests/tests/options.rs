//! No option is passed over in silence: whatever has no say is refused, or there is a note that it made no difference.

use std::fs;

use fwvs_tests::console::{Console, Explored};
use serde_json::Value;

/// The notes at the end of an exploration.
fn notes(explored: &Explored) -> Vec<String> {
    let notes = explored.summary().get("notes").and_then(Value::as_array).cloned().unwrap_or_default();
    notes.iter().map(|note| note.as_str().expect("a sentence").to_owned()).collect()
}

#[test]
fn what_has_no_say_beside_another_option_is_refused() {
    for (options, sentence) in [
        (&["--delays", "2", "--reduction", "source"][..], "--reduction source has no say beside --delays 2"),
        (&["--preemptions", "1", "--reduction", "optimal"], "has no say beside --preemptions 1"),
        (&["--search", "random", "--reduction", "optimal"], "has no say beside --search random"),
        (&["--search", "shortest", "--reduction", "source"], "has no say beside --search shortest"),
        (&["--search", "pct", "--delays", "2"], "--delays 2 bounds a depth-first search"),
        (&["--seed", "3"], "--seed 3 has no say: nothing is left to chance"),
        (&["--bug-depth", "2", "--search", "random"], "--bug-depth 2 has no say beside --search random"),
        (&["--footprint", "task"], "--footprint task has no say beside --reduction source"),
        (&["--livelock", "2000"], "--livelock 2,000 is never seen"),
        (&["--set", "N=2", "--set", "N=3"], "--set N=2 is overridden by --set N=3"),
        (&["--search", "bfs"], "hint: --search shortest: "),
    ] {
        let console = Console::new();
        let said = console.run(&[&["explore", "--example", "philosophers"], options].concat());
        assert_eq!(said.code, Some(2), "{options:?}: {said:?}");
        assert!(said.stderr.contains(sentence) && said.stderr.contains("hint: "), "{options:?}: {said:?}");
        assert!(console.is_untouched(), "{options:?}");
    }
}

/// Four tasks, four semaphores: nobody waits for time, and there is no interrupt.
#[test]
fn what_the_firmware_has_no_use_for_is_noted() {
    let dining = ["--example", "philosophers", "--set", "ordered=1", "--set", "N=2"];
    for (options, note) in [
        (["--interrupts", "3"], "--interrupts made no difference: there is no interrupt line"),
        (["--expiries", "3"], "--expiries made no difference: nobody waited for time"),
        (["--until-tick", "3"], "--until-tick made no difference: nobody waited for time"),
        (["--time", "ordered"], "--time made no difference: nobody waited for time"),
    ] {
        let explored = Console::new().explore(&[&dining[..], &options].concat());
        assert_eq!(explored.said.code, Some(0), "{:?}", explored.said);
        assert_eq!(notes(&explored), [note], "{options:?}");
    }
    let plain = Console::new().explore(&[&dining[..], &["--time", "free"]].concat());
    assert_eq!(notes(&plain), <[&str; 0]>::default());
    let text = Console::new().run(&[
        "explore",
        "--example",
        "philosophers",
        "--set",
        "ordered=1",
        "--expiries",
        "3",
    ]);
    assert!(text.stdout.contains("note: --expiries made no difference"), "{text:?}");
}

/// A line that fires twice at most by its device has no use for a bound; the delays of the same firmware have.
#[test]
fn what_the_firmware_has_a_use_for_is_not_noted() {
    let line =
        Console::new().explore(&["--example", "early-interrupt", "--set", "fixed=1", "--interrupts", "3"]);
    let own = "--interrupts made no difference: every interrupt line says itself how often it can fire";
    assert_eq!(notes(&line), [own]);
    let time = ["--time", "ordered", "--expiries", "9", "--until-tick", "5000"];
    for example in ["full-queue", "stale-token"] {
        let explored =
            Console::new().explore(&[&["--example", example, "--set", "fixed=1"], &time[..]].concat());
        assert_eq!(notes(&explored), <[&str; 0]>::default(), "{example}");
    }
}

/// The run that goes on knows what was written when it began.
#[test]
fn a_resumed_run_has_the_notes_of_the_whole_one() {
    let explore = |console: &Console, options: &[&str], paths: &str| {
        let common = ["explore", "--format", "json", "--max-paths", paths];
        Explored::from(console.run(&[&common, options].concat()))
    };
    for (example, ordered, expected) in [("philosophers", "ordered=1", 1), ("full-queue", "fixed=1", 0)] {
        let console = Console::new();
        let begin =
            ["--example", example, "--set", ordered, "--expiries", "3", "--stop", "all", "--out", "run"];
        explore(&console, &begin, "2");
        let resumed = explore(&console, &["--resume", "run"], "1000000");
        assert_eq!(notes(&resumed).len(), expected, "{example}: {:?}", resumed.said);
    }
}

#[test]
fn firmware_without_an_end_leaves_a_reduction_without_a_say() {
    let endless = ["--example", "lock-order", "--set", "endless=1", "--set", "fixed=1", "--max-paths", "50"];
    let told = |options: &[&str]| {
        let explored = Console::new().explore(&[&endless[..], options].concat());
        let notices =
            explored.all("notice").iter().map(|notice| notice["message"].to_string()).collect::<String>();
        notices.contains("--reduction source has no say then; --search dfs would go with it")
    };
    assert!(told(&["--reduction", "source"]));
    assert!(!told(&[]), "nobody asked for it");
    assert!(!told(&["--reduction", "source", "--search", "dfs"]));
}

#[test]
fn a_study_refuses_and_notes_as_explore_does() {
    let console = Console::new();
    let ask = |options: &str, arguments: &[&str]| {
        let study = format!(
            "example = \"philosophers\"\nset = {{ N = 2, ordered = 1 }}\noptions = [{options}]\n\
             [[question]]\nname = \"in order\"\nkind = \"never\"\nexpect = true\n"
        );
        fs::write(console.folder().join("study.toml"), study).expect("the folder is ours");
        console.run(&[&["study", "study.toml", "--out", "out"], arguments].concat())
    };
    let refused = ask("\"--delays\", \"2\", \"--reduction\", \"source\"", &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("question `in order`: --reduction source has no say beside"),
        "{refused:?}"
    );

    let noted = ask("\"--until-tick\", \"2\"", &[]);
    assert_eq!(noted.code, Some(0), "{noted:?}");
    assert!(noted.stdout.contains("in order: note: --until-tick made no difference"), "{noted:?}");
    let json = ask("\"--until-tick\", \"2\"", &["--format", "json"]);
    assert!(json.stdout.contains("\"notes\":[\"--until-tick made no difference"), "{json:?}");
}

/// What is wrong is said of what is wrong.
#[test]
fn a_place_where_nothing_can_be_made_is_not_gone_and_a_board_without_an_address_needs_one() {
    let console = Console::new();
    let said = console.run(&["explore", "--example", "philosophers", "--out", "/proc/x"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("cannot write /proc/x: ") && !said.stderr.contains("is gone"), "{said:?}");
    assert!(
        said.stderr.contains("hint: nothing can be made there; choose another place with --out"),
        "{said:?}"
    );
    for firmware in [&["--example", "philosophers"][..], &[]] {
        let said = console.run(&[&["explore", "--board", "gdb-server"], firmware].concat());
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.stderr.contains("board gdb-server has no address\nhint: say where"), "{said:?}");
    }
}

/// Handlers are tasks of the shim's, a timer brings a daemon with a queue of commands, and nobody declared any of these.
#[test]
fn the_header_counts_what_was_declared() {
    for (example, counts) in [
        ("philosophers", "4 tasks, 4 semaphores, schedule"),
        ("timer-after-free", "1 task, 1 interrupt, 1 timer, 1 semaphore, 1 shared variable, schedule"),
        ("early-interrupt", "2 tasks, 1 interrupt, 1 queue, 1 semaphore, 1 shared variable, schedule"),
    ] {
        let said = Console::new().run(&["explore", "--example", example]);
        let header = said.stdout.split("\n\n").next().unwrap_or_default().replace("\n  ", " ");
        assert!(header.contains(&format!(": {counts}")), "{header}");
    }
}

#[test]
fn a_scenario_has_numbers_as_numbers_and_text_as_text() {
    let console = Console::new();
    let explored = console.explore(&["--example", "philosophers", "--set", "N=0x2"]);
    let path = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    let text = fs::read_to_string(&path).expect("it is written");
    assert!(text.contains("\"N\": 2\n"), "{text}");
    assert_eq!(explored.started()["parameters"]["N"], 2);
    for written in ["2", "\"2\"", "\"0x2\""] {
        fs::write(&path, text.replace("\"N\": 2", &format!("\"N\": {written}"))).expect("the folder is ours");
        let again = console.run(&["replay", path.to_str().expect("a plain path")]);
        assert_eq!(again.code, Some(1), "{written}: {again:?}");
    }
    // A mutex that nobody has is given back: these bytes look like a number, and are none.
    let bytes = console.explore(&[
        "--example",
        "program",
        "--set",
        "program=01020000010001010300000000010318010000110001000d000100",
    ]);
    assert!(bytes.started()["parameters"]["program"].is_string(), "{:?}", bytes.started());
}

/// A replay is as patient as the run that found it, unless somebody says otherwise.
#[test]
fn a_replay_is_as_patient_as_the_run_was() {
    let console = Console::new();
    let found = |more: &[&str]| {
        let explored = console.explore(&[&["--example", "philosophers"], more].concat());
        let path = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
        (fs::read_to_string(&path).expect("it is written"), path)
    };
    assert!(!found(&[]).0.contains("divergence"), "nobody asked for it");
    let (text, path) = found(&["--divergence", "30s"]);
    assert!(text.contains("\"divergence_ms\": 30000"), "{text}");
    let path = path.to_str().expect("a plain path").to_owned();
    assert_eq!(console.run(&["replay", &path]).code, Some(1));
    // A task that never comes to its next operation is given up in a moment, because the scenario says so.
    let endless =
        console.explore(&["--example", "misbehaviours", "--set", "case=4", "--divergence", "700ms"]);
    let scenario = endless.finding()["scenario"].as_str().expect("a path").to_owned();
    let again = console.run(&["replay", &scenario]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.contains("700"), "{again:?}");
}

/// Everywhere in one verdict.
#[test]
fn numbers_in_verdicts_have_separators() {
    let options = ["--set", "N=5", "--set", "ordered=1", "--reduction", "none", "--max-paths", "2000"];
    let said = Console::new().run(&[&["explore", "--example", "philosophers"], &options[..]].concat());
    assert!(said.stdout.contains("cut: 2,000 paths were run, and there are more"), "{said:?}");
    assert!(!said.stdout.contains("2000"), "{said:?}");
    let depth = Console::new().run(&[
        "explore",
        "--example",
        "philosophers",
        "--set",
        "N=5",
        "--set",
        "ordered=1",
        "--reduction",
        "none",
        "--search",
        "dfs",
        "--depth",
        "12",
        "--max-paths",
        "2000",
    ]);
    let cut = depth.stdout.lines().find(|line| line.contains("cut: --depth 12 cut ")).expect("it is cut");
    assert!(cut.contains(" of 2,000 paths"), "{cut}");
}
