//! A hostile text in every place where somebody else's text comes in: none of it steers the terminal.
//!
//! Colours are forced on, so that what is seen here is what a terminal would get.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use fwvs_foreign::text::is_hidden;
use fwvs_tests::built;
use fwvs_tests::console::{Console, Said};
use serde_json::Value;

/// Sets the title, colours what comes, erases lines, turns the direction of writing, hides letters, and says a hint of its own.
const HOSTILE: &str =
    "a\u{1b}]0;title\u{7}\u{1b}[31m\u{1b}[2J\u{9b}1m\u{7f}\r\u{202e}\u{200b}\u{2028}\nhint: run this";

/// The styles of fw-vs itself.
const STYLES: [&str; 7] =
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[4m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m"];

fn assert_harmless(what: &str, said: &Said) {
    for text in [&said.stdout, &said.stderr] {
        let bare = STYLES.iter().fold(text.clone(), |text, style| text.replace(style, ""));
        let hidden: Vec<char> = bare.chars().filter(|letter| is_hidden(*letter) && *letter != '\n').collect();
        assert!(hidden.is_empty(), "{what}: {hidden:?} in {bare:?}");
        assert!(!bare.contains("\nhint: run this"), "{what}: {bare}");
        // Red is ours only in front of a word of ours.
        assert!(!text.contains("\u{1b}[31m\\u{1b}"), "{what}: {text}");
    }
    assert!(matches!(said.code, Some(0..=3)), "{what}: {said:?}");
}

fn run(console: &Console, arguments: &[&str]) -> Said {
    let mut command = console.command(arguments);
    console.start(command.env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR")).wait()
}

/// Every way to put something in place of a text, or of a name, somewhere in a value.
fn with_each_text_replaced(value: &Value) -> Vec<Value> {
    match value {
        Value::String(_) => vec![HOSTILE.into()],
        Value::Array(entries) => {
            let mut all = Vec::new();
            for (place, entry) in entries.iter().enumerate() {
                for other in with_each_text_replaced(entry) {
                    let mut entries = entries.clone();
                    entries[place] = other;
                    all.push(Value::Array(entries));
                }
            }
            all
        }
        Value::Object(fields) => {
            let mut all = Vec::new();
            for (name, field) in fields {
                for other in with_each_text_replaced(field) {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), other);
                    all.push(Value::Object(fields));
                }
                let mut renamed = fields.clone();
                let field = renamed.remove(name).expect("it is there");
                renamed.insert(HOSTILE.into(), field);
                all.push(Value::Object(renamed));
            }
            all
        }
        other => vec![other.clone()],
    }
}

#[test]
fn no_text_of_a_scenario_steers_the_terminal() {
    let console = Console::new();
    let explored = console.explore(&["--example", "philosophers", "--set", "N=2"]);
    let path = console.folder().join(explored.finding()["scenario"].as_str().expect("a path"));
    let whole: Value = serde_json::from_slice(&fs::read(path).expect("it is written")).expect("JSON");
    let all = with_each_text_replaced(&whole);
    assert!(all.len() > 30, "{}", all.len());
    let firmware = built::example("philosophers");
    let firmware = firmware.to_str().expect("a plain path");
    for (number, scenario) in all.iter().enumerate() {
        fs::write(console.folder().join("s.json"), scenario.to_string()).expect("it is written");
        assert_harmless(&format!("replay {number}"), &run(&console, &["replay", "s.json"]));
        let said = run(&console, &["replay", "s.json", "--firmware", firmware]);
        assert_harmless(&format!("replay with firmware {number}: {scenario}"), &said);
    }
    fs::write(console.folder().join("s.json"), format!("{{\"format\": 1, {HOSTILE}")).expect("it is written");
    assert_harmless("no scenario", &run(&console, &["replay", "s.json"]));
}

/// A TOML text with one text after the other made hostile: once as TOML allows, once raw, so that the parser quotes it.
fn with_each_string_replaced(text: &str) -> Vec<String> {
    let escaped: String = HOSTILE.chars().map(|letter| format!("\\U{:08X}", u32::from(letter))).collect();
    let mut all = Vec::new();
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    for pair in quotes.chunks_exact(2) {
        for hostile in [escaped.as_str(), HOSTILE] {
            all.push(format!("{}{hostile}{}", &text[..=pair[0]], &text[pair[1]..]));
        }
    }
    // And in place of a line.
    let lines: Vec<&str> = text.lines().collect();
    for place in 0..lines.len() {
        for hostile in [format!("\"{escaped}\" = 1"), HOSTILE.to_owned()] {
            let mut lines: Vec<&str> = lines.clone();
            lines[place] = &hostile;
            all.push(lines.join("\n"));
        }
    }
    all
}

#[test]
fn no_text_of_a_board_steers_the_terminal() {
    let console = Console::new();
    for board in ["qemu-lm3s6965", "gdb-server"] {
        let whole = fs::read_to_string(built::root().join(format!("boards/{board}.toml"))).expect("a board");
        let whole: String =
            whole.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        for text in with_each_string_replaced(&whole) {
            fs::write(console.folder().join("b.toml"), &text).expect("it is written");
            let arguments =
                ["explore", "--example", "philosophers", "--set", "N=2", "--board", "b.toml", "--out", "run"];
            assert_harmless(&text, &run(&console, &arguments));
        }
    }
    let name = format!("{HOSTILE}.toml");
    fs::write(console.folder().join(&name), "x").expect("it is written");
    assert_harmless(
        "a board's name",
        &run(&console, &["explore", "--example", "philosophers", "--board", &name]),
    );
    assert_harmless("a board", &run(&console, &["explore", "--example", "philosophers", "--board", HOSTILE]));
}

#[test]
fn no_text_of_a_study_steers_the_terminal() {
    let console = Console::new();
    let whole = "title = \"t\"\nexample = \"philosophers\"\noptions = [\"--max-paths\", \"9\"]\n[set]\nN = \"2\"\n\
        [[question]]\nname = \"q\"\nkind = \"exists\"\nfinding = { kind = \"deadlock\", message = \"waits\" }\n\
        columns = { row = \"r\", tasks = [\"t\"] }\n\
        [[question]]\nname = \"p\"\nkind = \"smallest\"\nparameter = \"N\"\nfrom = 2\nto = 3\nexpect = \"none\"\n";
    for (number, text) in with_each_string_replaced(whole).iter().enumerate() {
        fs::write(console.folder().join("s.toml"), text).expect("it is written");
        let format = if number % 2 == 0 { "text" } else { "json" };
        let arguments = ["study", "s.toml", "--out", "run", "--format", format];
        assert_harmless(text, &run(&console, &arguments));
        assert_harmless(text, &run(&console, &["study", "s.toml", "--only", HOSTILE]));
    }
}

#[test]
fn no_name_in_a_firmware_steers_the_terminal() {
    let console = Console::new();
    let whole = fs::read(built::example("philosophers")).expect("it is built");
    let mut replaced = 0;
    for name in ["philosopher", "fork"] {
        let mut bytes = whole.clone();
        // As long as the name is, and still text.
        let hostile: Vec<u8> = "\u{1b}[2J\u{9b}\n\u{202e}\u{7f}".bytes().take(name.len()).collect();
        let hostile = String::from_utf8_lossy(&hostile).trim_end_matches('\u{fffd}').to_owned();
        let hostile =
            format!("{hostile:x<width$}", width = name.len() - (hostile.len() - hostile.chars().count()));
        assert_eq!(hostile.len(), name.len());
        for at in 0..bytes.len() - name.len() {
            if bytes[at..].starts_with(name.as_bytes()) {
                bytes[at..at + name.len()].copy_from_slice(hostile.as_bytes());
                replaced += 1;
            }
        }
        let file = OsStr::from_bytes(b"f\x1b[2J\n\xc2\x9b.elf");
        fs::write(console.folder().join(file), bytes).expect("it is written");
        let file = file.to_str().expect("it is text");
        for format in ["text", "json"] {
            let said = run(&console, &["explore", file, "--set", "N=2", "--out", "run", "--format", format]);
            assert_eq!(said.code, Some(1), "{said:?}");
            assert_harmless(name, &said);
        }
        for file in ["events.jsonl", "scenario-1.json", "summary.json"] {
            let text = fs::read_to_string(console.folder().join("run").join(file)).expect("it is there");
            assert!(!text.contains(|letter| is_hidden(letter) && letter != '\n'), "{file}: {text:?}");
        }
        assert_harmless(name, &run(&console, &["replay", "run/scenario-1.json"]));
    }
    assert!(replaced >= 2, "{replaced}");
}

#[test]
fn no_argument_steers_the_terminal() {
    let console = Console::new();
    for arguments in [
        &[HOSTILE][..],
        &["explore", HOSTILE, HOSTILE],
        &["explore", HOSTILE],
        &["explore", "--example", HOSTILE],
        &["explore", "--set", HOSTILE],
        &["explore", "--set", &format!("{HOSTILE}=1")],
        &["explore", "--set", &format!("N={HOSTILE}")],
        &["explore", "--max-time", HOSTILE],
        &["explore", "--reduction", HOSTILE],
        &["explore", &format!("--{HOSTILE}")],
        &["explore", "--out", "/dev/null/\u{1b}[2J"],
        &["explore", "--resume", HOSTILE],
        &["explore", "--board", &format!("gdb-server={HOSTILE}")],
        &["replay", HOSTILE],
        &["study", HOSTILE],
    ] {
        let said = run(&console, arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {said:?}");
        assert_harmless(&format!("{arguments:?}"), &said);
    }
}

/// Whoever prints goes through one of these files, which make text harmless.
#[test]
fn only_four_files_write_to_the_terminal() {
    const MAY: [&str; 4] = [
        "host/cli/src/say.rs",
        "host/report/src/text.rs",
        "host/report/src/json.rs",
        "host/report/src/status.rs",
    ];
    let mut folders = vec![built::root().join("host")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(built::root()).expect("below").to_string_lossy().into_owned();
            let source = name.ends_with(".rs") && name.contains("/src/");
            if path.is_dir() && !name.starts_with("host/xtask") {
                folders.push(path);
            } else if source && !MAY.contains(&name.as_str()) {
                seen += 1;
                let text = fs::read_to_string(&path).expect("a file");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for way in ["println!", "print!(", "io::stdout()", "io::stderr()", "anstream::"] {
                    assert!(
                        !code.contains(way),
                        "{name} has {way}: use say! and warn of fw-vs, or a reporter"
                    );
                }
            }
        }
    }
    assert!(seen > 50, "{seen}");
}
