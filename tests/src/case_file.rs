//! A case as a folder: command lines of `fw-vs`, and what has to come of them. A new case needs no Rust.
//!
//! `tests/README.md` says what can stand in a `case.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::built::root;
use crate::console::{Console, Explored, Said};

/// Stands for any text in what is expected.
const ANYTHING: &str = "[..]";

/// The file that a folder needs to be a case; the others in it are there when its commands run.
const CASE: &str = "case.toml";

/// A case: some commands, one after the other in the same folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What is shown, as a sentence.
    fact: String,
    run: Vec<Run>,
}

/// A command, and what has to come of it. Words on standard output and standard error are compared without regard to line breaks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Run {
    /// The arguments of `fw-vs`.
    command: String,
    /// The exit code.
    exit: Option<i32>,
    /// It cannot run, says this sentence and one hint on standard error, and leaves nothing behind.
    refused: Option<String>,
    /// What standard output contains.
    #[serde(default)]
    says: Vec<String>,
    /// What it does not contain.
    #[serde(default)]
    never_says: Vec<String>,
    /// Its last line.
    last_line: Option<String>,
    /// What standard error contains.
    #[serde(default)]
    warns: Vec<String>,
    /// What it does not contain.
    #[serde(default)]
    never_warns: Vec<String>,
    /// With `--format json`: fields of the first event, which tells what is explored.
    started: Option<Value>,
    /// Fields of the only finding.
    finding: Option<Value>,
    /// Fields of the last event.
    summary: Option<Value>,
    /// Events of which each must come.
    #[serde(default)]
    events: Vec<Value>,
    /// Events of which none may come.
    #[serde(default)]
    no_events: Vec<Value>,
    /// Fields that are not there, such as `summary.within`.
    #[serde(default)]
    absent: Vec<String>,
    /// Fields that are as they were in the run before.
    #[serde(default)]
    as_before: Vec<String>,
}

/// The folders of all cases by their names, which are the paths below `tests/cases`.
///
/// # Panics
/// If a folder has neither a case nor folders of cases.
pub fn all() -> BTreeMap<String, PathBuf> {
    let top = root().join("tests/cases");
    let mut cases = BTreeMap::new();
    let mut folders = vec![top.clone()];
    while let Some(folder) = folders.pop() {
        if folder.join(CASE).is_file() {
            let name = folder.strip_prefix(&top).expect("it is below").display().to_string();
            cases.insert(name, folder);
            continue;
        }
        let entries = fs::read_dir(&folder).expect("a folder can be listed");
        let below: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
        let is_right = !below.is_empty() && below.iter().all(|path| path.is_dir());
        assert!(is_right, "{} has a {CASE} or folders of cases", folder.display());
        folders.extend(below);
    }
    cases
}

/// The commands of all cases of a group.
///
/// # Panics
/// If a case cannot be read.
pub fn commands(group: &str) -> Vec<String> {
    let of_the_group = all().into_iter().filter(|(name, _)| Path::new(name).starts_with(group));
    let case =
        |(name, folder): (String, PathBuf)| read(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
    of_the_group.map(case).flat_map(|case| case.run).map(|run| run.command).collect()
}

fn read(folder: &Path) -> Result<Case, String> {
    let text = fs::read_to_string(folder.join(CASE)).map_err(|error| error.to_string())?;
    toml::from_str(&text).map_err(|error| error.to_string())
}

/// Runs a case, and says what is not as it should be.
pub fn run(folder: &Path) -> Result<(), String> {
    let case = read(folder)?;
    if case.fact.trim().is_empty() || case.run.is_empty() {
        return Err("a case has a fact, and runs something".to_owned());
    }
    let console = Console::new();
    let mut given = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("it was listed before") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_name().expect("it is in the folder").to_owned();
        if name != CASE {
            fs::copy(&path, console.folder().join(&name)).map_err(|error| error.to_string())?;
            given.insert(name);
        }
    }
    let mut before = None;
    for run in &case.run {
        let words: Vec<&str> = run.command.split_whitespace().collect();
        let said = console.run(&words);
        let left = fs::read_dir(console.folder()).expect("it is ours").flatten();
        let added = left.map(|entry| entry.file_name()).filter(|name| !given.contains(name)).count();
        let explored = run.command.contains("--format json").then(|| Explored::from(said.clone()));
        let wrong = run.wrong(&said, explored.as_ref(), before.as_ref(), added);
        if !wrong.is_empty() {
            let Said { code, stdout, stderr } = &said;
            let wrong = wrong.join("\n");
            let fact = &case.fact;
            return Err(format!(
                "{fact}\n\n$ fw-vs {}\n{stdout}{stderr}exit {code:?}\n\n{wrong}",
                run.command
            ));
        }
        before = explored;
    }
    Ok(())
}

impl Run {
    /// What is not as it should be.
    fn wrong(
        &self,
        said: &Said,
        explored: Option<&Explored>,
        before: Option<&Explored>,
        added: usize,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut check = |is_right: bool, what: String| {
            if !is_right {
                wrong.push(what);
            }
        };
        let exit = if self.refused.is_some() { Some(2) } else { self.exit };
        check(exit.is_some() && said.code == exit, format!("exit is {:?}, not {exit:?}", said.code));
        let (stdout, stderr) = (joined(&said.stdout), joined(&said.stderr));
        for words in &self.says {
            check(contains(&stdout, words), format!("it does not say: {words}"));
        }
        for words in &self.never_says {
            check(!contains(&stdout, words), format!("it says: {words}"));
        }
        for words in self.warns.iter().chain(&self.refused) {
            check(contains(&stderr, words), format!("it does not say on standard error: {words}"));
        }
        for words in &self.never_warns {
            check(!contains(&stderr, words), format!("it says on standard error: {words}"));
        }
        if let Some(line) = &self.last_line {
            check(
                fits(said.stdout.lines().last().unwrap_or_default(), line),
                format!("the last line is not: {line}"),
            );
        }
        if self.refused.is_some() {
            let hints = said.stderr.lines().filter(|line| line.starts_with("hint: ")).count();
            check(hints == 1, format!("it has {hints} hints"));
            check(said.stdout.is_empty(), "it says something on standard output".to_owned());
            check(added == 0, "it leaves something behind".to_owned());
        }
        for (name, expected) in
            [("started", &self.started), ("finding", &self.finding), ("summary", &self.summary)]
        {
            if let Some(expected) = expected {
                let actual = explored.and_then(|explored| part(explored, name));
                differences(name, actual.unwrap_or(&Value::Null), expected, &mut |what| check(false, what));
            }
        }
        let is_there = |expected: &Value| {
            let events = explored.map(|explored| explored.events.as_slice()).unwrap_or_default();
            events.iter().any(|event| is_like(event, expected))
        };
        for expected in &self.events {
            check(is_there(expected), format!("there is no event like {expected}"));
        }
        for expected in &self.no_events {
            check(explored.is_some() && !is_there(expected), format!("there is an event like {expected}"));
        }
        for path in &self.absent {
            let value = explored.and_then(|explored| at(explored, path));
            check(explored.is_some() && value.is_none_or(Value::is_null), format!("{path} is {value:?}"));
        }
        for path in &self.as_before {
            let value = |run: Option<&Explored>| run.and_then(|run| at(run, path)).cloned();
            let (now, then) = (value(explored), value(before));
            check(now.is_some() && now == then, format!("{path} is {now:?} and was {then:?}"));
        }
        wrong
    }
}

/// One of the events that a case can ask about by a name.
fn part<'a>(explored: &'a Explored, name: &str) -> Option<&'a Value> {
    let events = &explored.events;
    let is = |event: &&Value, kind: &str| event["event"] == kind;
    match name {
        "started" => events.first().filter(|event| is(event, "started")),
        "summary" => events.last().filter(|event| is(event, "summary")),
        "finding" => match explored.all("finding")[..] {
            [finding] => Some(finding),
            _ => None,
        },
        _ => None,
    }
}

/// A field, such as `summary.within`.
fn at<'a>(explored: &'a Explored, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let event = part(explored, names.next()?)?;
    names.try_fold(event, |value, name| value.get(name))
}

/// Whether a value is as expected: tables have at least the expected fields, lists are as long as the expected ones, text may have
/// `[..]` for anything, `< 9` and `> 0` compare numbers, and what is expected as text and is none is looked at as JSON.
fn is_like(actual: &Value, expected: &Value) -> bool {
    let mut is_like = true;
    differences("", actual, expected, &mut |_| is_like = false);
    is_like
}

fn differences(name: &str, actual: &Value, expected: &Value, tell: &mut dyn FnMut(String)) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (field, expected) in expected {
                let actual = actual.get(field).unwrap_or(&Value::Null);
                differences(&format!("{name}.{field}"), actual, expected, tell);
            }
        }
        (Value::Array(actual), Value::Array(expected)) if actual.len() == expected.len() => {
            for (place, (actual, expected)) in actual.iter().zip(expected).enumerate() {
                differences(&format!("{name}[{place}]"), actual, expected, tell);
            }
        }
        _ => {
            let is_right = match (actual, expected) {
                (Value::String(actual), Value::String(expected)) => fits(actual, expected),
                (Value::Number(actual), Value::String(expected)) => compares(actual.as_f64(), expected),
                (Value::Array(_) | Value::Object(_), Value::String(expected)) => {
                    fits(&actual.to_string(), expected)
                }
                _ => actual == expected,
            };
            if !is_right {
                tell(format!("{name} is {actual}, not {expected}"));
            }
        }
    }
}

/// Whether a number is in a range such as `< 9` or `> 0`.
fn compares(actual: Option<f64>, expected: &str) -> bool {
    let bound = |text: &str| text.trim().parse::<f64>().ok();
    match expected.split_at_checked(1) {
        Some(("<", text)) => actual.zip(bound(text)).is_some_and(|(actual, bound)| actual < bound),
        Some((">", text)) => actual.zip(bound(text)).is_some_and(|(actual, bound)| actual > bound),
        _ => false,
    }
}

/// Text with one blank wherever there are blanks and line breaks.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn contains(text: &str, wanted: &str) -> bool {
    fits(text, &format!("{ANYTHING}{}{ANYTHING}", joined(wanted)))
}

/// Whether a text is as expected, with anything where `[..]` stands.
fn fits(text: &str, expected: &str) -> bool {
    let mut pieces = expected.split(ANYTHING);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    // Without any gap, all of it must be there; with some, what comes last must be at the end.
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(place) = rest.find(piece) else { return false };
        rest = &rest[place + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_fits_with_gaps_and_not_otherwise() {
        for (text, expected) in [
            ("abc", "abc"),
            ("abc", "a[..]"),
            ("abc", "[..]c"),
            ("abc", "[..]b[..]"),
            ("abc", "[..]"),
            ("aXbXc", "a[..]b[..]c"),
        ] {
            assert!(fits(text, expected), "{text} is like {expected}");
        }
        for (text, expected) in [
            ("abc", "ab"),
            ("abc", "bc"),
            ("abc", "b[..]"),
            ("abc", "[..]b"),
            ("abc", "[..]d[..]"),
            ("ab", "ab[..]b"),
            ("a", ""),
        ] {
            assert!(!fits(text, expected), "{text} is not like {expected}");
        }
    }

    #[test]
    fn line_breaks_are_as_good_as_blanks() {
        assert!(contains("a b c", "b\n  c") && contains(&joined("a\n  b"), "a b"));
        assert!(!contains("a b c", "a c"));
    }

    #[test]
    fn values_are_alike_field_by_field() {
        let actual = json!({"verdict": "found", "paths": 8, "within": [{"bound": "--depth 3", "reached": true}], "none": []});
        for expected in [
            json!({}),
            json!({"verdict": "found"}),
            json!({"verdict": "[..]und", "paths": 8}),
            json!({"paths": "> 0"}),
            json!({"paths": "<9"}),
            json!({"within": [{"bound": "--depth 3"}]}),
            json!({"within": "[..]--depth[..]"}),
            json!({"none": []}),
        ] {
            assert!(is_like(&actual, &expected), "{expected}");
        }
        for expected in [
            json!({"verdict": "complete"}),
            json!({"verdict": null}),
            json!({"missing": "text"}),
            json!({"paths": "> 8"}),
            json!({"paths": "8"}),
            json!({"paths": 9}),
            json!({"within": []}),
            json!({"within": [{"reached": false}]}),
            json!({"within": "[..]--until[..]"}),
            json!({"none": [{}]}),
            json!([]),
        ] {
            assert!(!is_like(&actual, &expected), "{expected}");
        }
    }

    fn wrong(run: &str, said: &Said, added: usize) -> Vec<String> {
        let explored = said.stdout.starts_with('{').then(|| Explored::from(said.clone()));
        let run: Run = toml::from_str(&format!("command = \"\"\n{run}")).expect("it is a run");
        run.wrong(said, explored.as_ref(), explored.as_ref(), added)
    }

    #[test]
    fn a_run_is_wrong_in_every_way_that_can_be_expected() {
        let text = Said { code: Some(2), stdout: String::new(), stderr: "no\nhint: do\n".to_owned() };
        assert_eq!(wrong("refused = \"no\"", &text, 0), <[&str; 0]>::default());
        for (run, added) in [("refused = \"yes\"", 0), ("refused = \"no\"", 1), ("exit = 0", 0), ("", 0)] {
            assert_eq!(wrong(run, &text, added).len(), 1, "{run}");
        }
        let json = "{\"event\":\"started\",\"tasks\":[\"a\"]}\n{\"event\":\"summary\",\"paths\":3}\n";
        let json = Said { code: Some(0), stdout: json.to_owned(), stderr: String::new() };
        let right = "started.tasks = [\"a\"]\nsummary.paths = 3\nabsent = [\"summary.within\"]\n\
             as-before = [\"started.tasks\"]\nevents = [{ paths = 3 }]\nno-events = [{ event = \"finding\" }]\n\
             says = [\"started\"]\nnever-says = [\"finding\"]\nlast-line = \"[..]3}\"\n";
        assert_eq!(wrong(&format!("exit = 0\n{right}"), &json, 1), <[&str; 0]>::default());
        for run in [
            "started.tasks = []",
            "finding.kind = \"deadlock\"",
            "summary.paths = 4",
            "absent = [\"summary.paths\"]",
            "as-before = [\"summary.within\"]",
            "events = [{ paths = 4 }]",
            "no-events = [{ paths = 3 }]",
            "says = [\"finding\"]",
            "never-says = [\"started\"]",
            "last-line = \"\"",
            "warns = [\"x\"]",
            "never-warns = [\"\"]",
        ] {
            assert_eq!(wrong(&format!("exit = 0\n{run}"), &json, 0).len(), 1, "{run}");
        }
    }
}
