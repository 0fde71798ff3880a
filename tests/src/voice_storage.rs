//! What each reduction costs on the firmware example `voice-storage`, on QEMU: in the shape of the table of the paper on
//! partial orders of 1996, with the rungs that came after it.

use std::fmt::Write;

use crate::console::{Console, Explored};

/// The rows: what they are called, and how to ask fw-vs for them.
pub const ROWS: [(&str, &[&str]); 7] = [
    ("normal", &["none"]),
    ("sleep", &["sleep"]),
    ("persistent per task", &["persistent", "--footprint", "task"]),
    ("persistent per state", &["persistent", "--footprint", "state"]),
    ("persistent run-time", &["persistent", "--footprint", "runtime"]),
    ("source", &["source"]),
    ("optimal", &["optimal"]),
];

/// How much of the system there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// What it is called.
    pub name: &'static str,
    /// The parameters, as after `--set`.
    pub parameters: &'static [&'static str],
}

/// One call without an operation and without maintenance: small enough to run every interleaving.
pub const CALL: Extent = Extent { name: "a call", parameters: &["operations=0", "maintenance=0", "deaf=0"] };

/// Everything that the example has by default: far too large for that.
pub const WHOLE: Extent = Extent { name: "the whole", parameters: &[] };

/// The exit code that says so.
const COULD_NOT_RUN: i32 = 2;

/// One row.
#[derive(Clone, Debug)]
pub struct Line {
    /// How much of the system.
    pub extent: &'static str,
    /// Which reduction.
    pub reduction: &'static str,
    /// Whether time ended it: then the counts are only a part.
    pub cut: bool,
    /// Paths that were run to their end.
    pub executions: u64,
    /// Transitions, without those that were run again.
    pub transitions: u64,
    /// Paths that sleep sets ended.
    pub sleep_blocked: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many different things were found.
    pub findings: usize,
    /// What fw-vs had to say besides: that it used another reduction, for one.
    pub notes: Vec<String>,
}

/// Explores that much of the system with one reduction, with further arguments.
pub fn explore(extent: Extent, reduction: &[&str], more: &[&str]) -> Explored {
    let mut arguments = vec!["--example", "voice-storage", "--stop", "all", "--reduction"];
    arguments.extend(reduction);
    extent.parameters.iter().for_each(|parameter| arguments.extend(["--set", parameter]));
    arguments.extend(more);
    Console::new().explore(&arguments)
}

/// Every row for every extent; none takes longer than so many seconds.
///
/// # Errors
/// What fw-vs says where it could not run.
pub fn benchmark(seconds: u32) -> Result<Vec<Line>, String> {
    let limit = format!("{seconds}s");
    let mut lines = Vec::new();
    for extent in [CALL, WHOLE] {
        for (reduction, arguments) in ROWS {
            let explored = explore(extent, arguments, &["--max-time", &limit]);
            if explored.said.code == Some(COULD_NOT_RUN) {
                return Err(explored.said.stderr);
            }
            lines.push(Line::new(extent.name, reduction, &explored));
        }
    }
    Ok(lines)
}

impl Line {
    fn new(extent: &'static str, reduction: &'static str, explored: &Explored) -> Self {
        let summary = explored.summary();
        let number = |name: &str| summary[name].as_u64().unwrap_or_else(|| panic!("{summary}"));
        let texts = summary["notes"].as_array().into_iter().flatten();
        Self {
            extent,
            reduction,
            cut: summary["bounds_hit"].as_array().is_none_or(|bounds| !bounds.is_empty()),
            executions: number("paths"),
            transitions: number("transitions"),
            sleep_blocked: number("sleep_blocked"),
            seconds: summary["seconds"].as_f64().unwrap_or_else(|| panic!("{summary}")),
            findings: summary["findings"].as_array().map_or(0, Vec::len),
            notes: texts.filter_map(|text| text.as_str().map(str::to_owned)).collect(),
        }
    }
}

/// The row of the same extent that nothing is left out of.
fn normal<'a>(lines: &'a [Line], line: &Line) -> Option<&'a Line> {
    lines.iter().find(|normal| normal.extent == line.extent && normal.reduction == ROWS[0].0)
}

/// How many times fewer transitions than that; at least so many if the other one was cut.
fn times_fewer(normal: &Line, line: &Line) -> String {
    let more = if normal.cut && line.reduction != normal.reduction { ">" } else { "" };
    let ratio = normal.transitions as f64 / line.transitions.max(1) as f64;
    if line.cut && line.reduction != normal.reduction { "?".into() } else { format!("{more}{ratio:.1}") }
}

/// For people.
pub fn table(lines: &[Line]) -> String {
    let mut text = format!(
        "{:<14}{:<22}{:>12}{:>13}{:>15}{:>10}{:>13}\n",
        "voice-storage", "reduction", "executions", "transitions", "sleep-blocked", "seconds", "times fewer"
    );
    for line in lines {
        let more = if line.cut { ">" } else { "" };
        let count = |count: u64| format!("{more}{count}");
        writeln!(
            text,
            "{:<14}{:<22}{:>12}{:>13}{:>15}{:>10.3}{:>13}",
            line.extent,
            line.reduction,
            count(line.executions),
            count(line.transitions),
            count(line.sleep_blocked),
            line.seconds,
            normal(lines, line).map_or_else(String::new, |normal| times_fewer(normal, line)),
        )
        .expect("text can be written");
    }
    for line in lines {
        for note in &line.notes {
            writeln!(text, "{}, {}: {note}", line.extent, line.reduction).expect("text can be written");
        }
    }
    let wrong: usize = lines.iter().map(|line| line.findings).sum();
    writeln!(text, "\n`>`: cut, so at least that many. Findings of all rows together: {wrong}")
        .expect("text can be written");
    text
}

/// For machines.
pub fn csv(lines: &[Line]) -> String {
    let mut text = String::from(
        "extent,reduction,complete,executions,transitions,sleep_blocked,seconds,findings,times_fewer\n",
    );
    for line in lines {
        let Line { extent, reduction, executions, transitions, sleep_blocked, seconds, findings, .. } = line;
        let ratio = normal(lines, line).filter(|normal| !normal.cut && !line.cut);
        let ratio = ratio.map_or_else(String::new, |normal| times_fewer(normal, line));
        let complete = !line.cut;
        writeln!(
            text,
            "{extent},{reduction},{complete},{executions},{transitions},{sleep_blocked},{seconds:.6},{findings},{ratio}"
        )
        .expect("text can be written");
    }
    text
}
