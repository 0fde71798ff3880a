//! Steps as rows of a table: the steps of one call are one row, unless somebody else goes on in between. A tick that only the
//! caller waited for belongs to its call.

use fwvs_scenario::Step;

use crate::words::plain;

/// What the columns are called.
pub(crate) const HEADER: [&str; 7] = ["", "tick", "task", "operation", "object", "result", "source"];
/// Which of them are numbers.
pub(crate) const NUMBERS: [usize; 2] = [0, 1];
const TASK: usize = 2;

/// Neighbouring steps of one call: a delay begins, its time is up, it returns.
pub(crate) struct Row<'a> {
    /// How many steps come before.
    before: usize,
    steps: &'a [Step],
}

/// The rows, in order. Every step is in one of them.
pub(crate) fn of(steps: &[Step]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut before = 0;
    while before < steps.len() {
        let length = one_call(&steps[before..]);
        rows.push(Row { before, steps: &steps[before..before + length] });
        before += length;
    }
    rows
}

/// How many of the steps are the call that the first one begins.
fn one_call(steps: &[Step]) -> usize {
    let call = &steps[0];
    let goes_on = |step: &Step| {
        (&step.task, &step.operation, &step.object) == (&call.task, &call.operation, &call.object)
    };
    let mut length = 1;
    while steps[length - 1].stays {
        length += match &steps[length..] {
            [next, ..] if goes_on(next) => 1,
            [tick, next, ..] if tick.due == [call.task.as_str()] && goes_on(next) => 2,
            _ => break,
        };
    }
    length
}

/// A row that stands for others.
pub(crate) fn gap(text: String) -> Vec<String> {
    let mut cells = vec![String::new(); HEADER.len()];
    cells[TASK] = text;
    cells
}

impl Row<'_> {
    /// How many steps it is.
    pub(crate) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// What stands in each column: of several steps, what came of the last.
    pub(crate) fn cells(&self) -> Vec<String> {
        let Some(step) = self.steps.last() else { return gap(String::new()) };
        let (first, last) = (self.before + 1, self.before + self.steps());
        let words = |word: &Option<String>| plain(word.as_deref().unwrap_or_default()).into_owned();
        // What came of it says more than which way it was, and whoever waits for room or is not served says how full it is.
        let way = step.alternative.map(|alternative| alternative.to_string());
        let due = (!step.due.is_empty()).then(|| format!("due: {}", step.due.join(", ")));
        let result = step.outcome.clone().or(due).map(|outcome| plain(&outcome).into_owned());
        let fill = step.fill.map(|fill| fill.to_string());
        vec![
            if first == last { first.to_string() } else { format!("{first}-{last}") },
            step.tick.map_or(String::new(), |tick| tick.to_string()),
            plain(&step.task).into(),
            plain(&step.operation).into(),
            words(&step.object),
            result.or(way).or(fill).unwrap_or_default(),
            words(&step.place),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(task: &str, operation: &str, stays: bool) -> Step {
        Step { task: task.into(), operation: operation.into(), stays, ..Step::default() }
    }

    fn numbers(steps: &[Step]) -> Vec<String> {
        of(steps).iter().map(|row| row.cells()[0].clone()).collect()
    }

    #[test]
    fn neighbouring_steps_of_one_call_are_one_row() {
        let delay = [step("a", "delay", true), step("a", "delay", true), step("a", "delay", false)];
        assert_eq!(numbers(&delay), ["1-3"]);
        // A loop: the next call is another one, whatever it is called.
        assert_eq!(numbers(&[delay.clone(), delay].concat()), ["1-3", "4-6"]);
    }

    #[test]
    fn what_others_do_in_between_stands_in_between() {
        let steps = [
            step("a", "delay", true),
            step("b", "take", false),
            step("a", "delay", true),
            step("a", "delay", false),
            step("b", "delay", true),
            step("a", "delay", true),
        ];
        assert_eq!(numbers(&steps), ["1", "2", "3-4", "5", "6"]);
    }

    #[test]
    fn a_tick_that_only_the_caller_waited_for_belongs_to_the_call() {
        let tick = |due: &[&str]| Step {
            due: due.iter().map(|name| name.to_string()).collect(),
            ..step("time", "reach", false)
        };
        let delay = |due| vec![step("a", "delay", true), tick(due), step("a", "delay", false)];
        assert_eq!(numbers(&delay(&["a"])), ["1-3"]);
        for others in [&["b"][..], &["a", "b"], &[]] {
            assert_eq!(numbers(&delay(others)), ["1", "2", "3"], "{others:?}");
        }
        // Whoever waits on after the tick has not come back from the call.
        assert_eq!(numbers(&delay(&["a"])[..2]), ["1", "2"]);
    }

    #[test]
    fn nothing_is_folded_that_only_looks_alike() {
        let other = |object: &str| Step { object: Some(object.into()), ..step("a", "take in time", true) };
        assert_eq!(numbers(&[other("x"), other("y")]), ["1", "2"]);
        assert_eq!(numbers(&[step("a", "give", false), step("a", "give", false)]), ["1", "2"]);
    }
}
