//! What a question came to, compared with what was expected; as a line of JSON and as a row of a table.

use anstyle::{AnsiColor, Style};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use fwvs_foreign::harmless;
use fwvs_report::narrow;
use fwvs_report::summary::waiting;
use fwvs_report::words::{count, duration, plain, shell, wrap};
use fwvs_scenario::json::line;
use serde_json::json;

use fwvs_study::{Answer, Found, Question, Standing, Value};

use crate::complaint::complaint;

/// How to point at it in a table.
fn mark(standing: Standing) -> &'static str {
    match standing {
        Standing::AsExpected | Standing::Answered => "",
        Standing::Differs => "<- differs",
        Standing::Cut => "<- cut",
        Standing::CouldNotRun => "<- could not run",
    }
}

pub(crate) fn style(standing: Standing) -> Style {
    match standing {
        Standing::AsExpected | Standing::Answered => AnsiColor::Green.on_default().bold(),
        Standing::Differs | Standing::CouldNotRun => AnsiColor::Red.on_default().bold(),
        Standing::Cut => AnsiColor::Yellow.on_default().bold(),
    }
}

fn text_of(value: Value) -> String {
    match value {
        Value::Truth(true) => "yes".into(),
        Value::Truth(false) => "no".into(),
        Value::Number(number) if number >= 0 => count(number.unsigned_abs()),
        Value::Number(number) => number.to_string(),
        Value::None => "none".into(),
    }
}

fn json_of(value: Value) -> serde_json::Value {
    match value {
        Value::Truth(truth) => truth.into(),
        Value::Number(number) => number.into(),
        Value::None => "none".into(),
    }
}

/// A question that was answered, or tried.
pub(crate) type Answered<'a> = (&'a Question, Answer);

/// One line of JSON, without the line's end.
pub(crate) fn json((question, answer): &Answered<'_>) -> String {
    let (value, why) = match &answer.found {
        Found::Value(value) => (json_of(*value), None),
        Found::Cut(why) => (serde_json::Value::Null, Some(why.clone())),
        Found::CouldNotRun(error) => (serde_json::Value::Null, Some(complaint(error.as_ref()))),
    };
    line(&json!({
        "event": "answer",
        "name": question.name,
        "kind": question.kind.word(),
        "parameters": question.set,
        "answer": value,
        "expect": question.expect.map(json_of),
        "standing": Standing::of(question, answer).word(),
        "why": why,
        "explorations": answer.runs,
        "paths": answer.paths,
        "transitions": answer.transitions,
        "seconds": answer.seconds,
        "finding": answer.finding,
        "notes": answer.notes,
        "within": answer.within,
        "waiting": answer.waiting,
    }))
}

/// What fits into a line of the table's first column, at least.
const LEAST_QUESTION: usize = 16;

/// A table in which only questions may take more than a line.
fn wide(header: [&str; 6], rows: Vec<Vec<String>>, width: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table.set_header(header);
    for row in rows {
        table.add_row(row.into_iter().enumerate().map(|(place, cell)| match place {
            3 | 4 => Cell::new(cell).set_alignment(CellAlignment::Right),
            _ => Cell::new(cell),
        }));
    }
    let last = table.column_count() - 1;
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if place == last { 0 } else { 2 }));
        if place != 0 {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// All answers as a table, then what needs more words.
pub(crate) fn table(answers: &[Answered<'_>], directory: &std::path::Path, width: u16) -> String {
    const HEADER: [&str; 6] = ["question", "answer", "expected", "paths", "time", "scenario"];
    let row = |(question, answer): &Answered<'_>| {
        let value = match &answer.found {
            Found::Value(value) => text_of(*value),
            Found::Cut(_) | Found::CouldNotRun(_) => "?".into(),
        };
        let scenario = answer.finding.as_ref().and_then(|finding| finding.scenario.as_deref());
        let scenario = scenario
            .map_or(String::new(), |path| path.strip_prefix(directory).unwrap_or(path).display().to_string());
        let mark = mark(Standing::of(question, answer));
        let expected = question.expect.map_or(String::new(), text_of);
        let time = if answer.runs == 0 { "as above".into() } else { duration(answer.seconds) };
        let name = plain(&question.name).into_owned();
        vec![
            name,
            value,
            format!("{expected} {mark}").trim().to_owned(),
            count(answer.paths),
            time,
            plain(&scenario).into_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = answers.iter().map(row).collect();
    let widest = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(HEADER[column].len()) + 2
    };
    let mut text = match (1..HEADER.len()).map(widest).sum::<usize>() + LEAST_QUESTION > width.into() {
        true => narrow::table(Some(&HEADER), &rows, 0, width.into()),
        false => wide(HEADER, rows, width),
    };
    for (question, answer) in answers {
        let within = answer.within.iter().map(|bound| format!("within bounds: {}", plain(bound)));
        let waits = answer.waiting.iter().map(|one| {
            let scenario = one.scenario.as_ref().map(|path| format!("\nfw-vs replay {}", shell(path)));
            format!("{}{}", waiting(one, answer.paths), scenario.unwrap_or_default())
        });
        let why = match &answer.found {
            Found::Value(_) => None,
            Found::Cut(why) => Some(format!("no answer: {}", harmless(why))),
            Found::CouldNotRun(error) => Some(format!("could not run: {}", complaint(error.as_ref()))),
        };
        let notes = answer.notes.iter().map(|note| format!("note: {}", harmless(note)));
        for more in within.chain(waits).chain(why).chain(notes) {
            text.push_str(&remark(&question.name, &more, width.into()));
        }
    }
    text
}

/// What needs more words, under the name of its question. A command stays in one piece.
fn remark(question: &str, words: &str, width: usize) -> String {
    let words = format!("{}: {words}", plain(question));
    let line = |line: &str| if line.starts_with("fw-vs ") { line.to_owned() } else { wrap(line, width, 2) };
    words.lines().map(line).fold("\n".to_owned(), |text, line| text + &line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_broken_between_words_and_commands_are_not() {
        let words =
            "waiting: at the end of 45 of 45 paths, a waits for b\nfw-vs replay runs/1/scenario-1.json";
        let expected = "\nstuck: waiting: at the end of 45\n  of 45 paths, a waits for b\n\
                        fw-vs replay runs/1/scenario-1.json\n";
        assert_eq!(remark("stuck", words, 32), expected);
    }
}
