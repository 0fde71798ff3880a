//! A scenario as columns: the events of some tasks side by side, a row for every round they go through.

use std::collections::BTreeMap;

use fwvs_scenario::Scenario;

use crate::error::Error;
use crate::file::Columns;

/// Rows of cells; the first cell says which row. A task without such a row has an empty cell.
pub fn rows(columns: &Columns, scenario: &Scenario) -> Result<Vec<Vec<String>>, Error> {
    let mut rows: BTreeMap<u32, Vec<Vec<String>>> = BTreeMap::new();
    for (place, task) in columns.tasks.iter().enumerate() {
        let events = scenario.decisions.iter().filter(|step| step.task == *task && step.operation == "event");
        let mut row = None;
        for (name, value) in events.filter_map(|step| event(step.object.as_deref()?)) {
            if name == columns.row {
                row = Some(value);
                rows.entry(value).or_insert_with(|| vec![Vec::new(); columns.tasks.len()]);
            } else if let Some(cells) = row.and_then(|row| rows.get_mut(&row)) {
                cells[place].push(format!("{name} {value}"));
            }
        }
        if row.is_none() {
            return Err(Error::NoColumns { row: columns.row.clone(), task: task.clone() });
        }
    }
    let texts = |(row, cells): (u32, Vec<Vec<String>>)| {
        let cells = cells.into_iter().map(|events| events.join(", "));
        std::iter::once(row.to_string()).chain(cells).collect()
    };
    Ok(rows.into_iter().map(texts).collect())
}

/// Name and value of an event, from the words of a step.
fn event(object: &str) -> Option<(&str, u32)> {
    let (name, value) = object.rsplit_once(" = ")?;
    Some((name.strip_prefix('"')?.strip_suffix('"')?, value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fwvs_scenario::{Cause, FindingKind, FirmwareReference, Step};

    use super::*;

    fn scenario(events: &[(&str, &str)]) -> Scenario {
        let step = |(task, object): &(&str, &str)| Step {
            task: (*task).to_owned(),
            operation: "event".to_owned(),
            object: Some((*object).to_owned()),
            ..Step::default()
        };
        Scenario {
            format: 1,
            firmware: FirmwareReference { path: "x".into(), example: None, sha256: "0".repeat(64) },
            board: "b".into(),
            schedule: "free".into(),
            time: "free".into(),
            interrupts: None,
            expiries: None,
            until_tick: None,
            livelock: None,
            divergence_ms: None,
            depth: 1,
            parameters: BTreeMap::new(),
            decisions: events.iter().map(step).collect(),
            finding: Cause { kind: FindingKind::Assertion, message: "m".into() },
            standstill: None,
        }
    }

    #[test]
    fn rows_are_those_of_the_row_event_whoever_comes_first() {
        let columns = Columns { row: "round".into(), tasks: vec!["a".into(), "b".into()] };
        let scenario = scenario(&[
            ("b", "\"round\" = 0"),
            ("b", "\"x\" = 7"),
            ("a", "\"round\" = 1"),
            ("b", "\"round\" = 1"),
            ("a", "\"a = b\" = 2"),
            ("a", "\"y\" = 3"),
            ("c", "\"y\" = 4"),
        ]);
        let expected = [["0", "", "x 7"], ["1", "a = b 2, y 3", ""]];
        assert_eq!(rows(&columns, &scenario).unwrap(), expected);
    }

    #[test]
    fn a_task_without_rows_is_an_error() {
        let columns = Columns { row: "round".into(), tasks: vec!["a".into()] };
        let error = rows(&columns, &scenario(&[("a", "\"y\" = 1")])).unwrap_err().to_string();
        assert!(error.contains("no event `round` of a task `a`"), "{error}");
    }
}
