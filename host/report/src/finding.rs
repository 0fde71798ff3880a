//! A finding as text: headline, steps, where every task stands, how to replay it.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use fwvs_scenario::{Finding, Step};

use crate::narrow;
use crate::words::{count, plain, shell, wrap};

const KIND: Style = AnsiColor::Red.on_default().bold();
const LABEL: Style = Style::new().bold();

/// Longer paths are shown without their middle.
const MOST_STEPS: usize = 100;
const FIRST_STEPS: usize = 20;
const LAST_STEPS: usize = 60;

/// The finding for a terminal of that width, with escape sequences for colour.
pub fn text(finding: &Finding, width: usize) -> String {
    let kind = finding.kind.word();
    let message = format!("{kind}: {}", plain(&finding.message));
    let message = wrap(&message, width, 2);
    let mut text = format!("{KIND}{kind}{KIND:#}{}\n", &message[kind.len()..]);
    if finding.count > 1 {
        writeln!(text, "  seen {} times", count(finding.count)).expect("a string takes everything");
    }
    if !finding.steps.is_empty() {
        text.push('\n');
        text.push_str(&steps(finding, width));
    }
    if !finding.standing.is_empty() {
        let priorities = finding.standing.iter().any(|standing| standing.priority.is_some());
        let heading = if priorities { ", with its priority" } else { "" };
        text.push_str(&format!("\n  {LABEL}where each task stands{heading}{LABEL:#}\n"));
        let rows = finding.standing.iter().map(|standing| {
            let place = standing.place.as_deref().unwrap_or_default();
            let priority = standing.priority.map_or(String::new(), |priority| priority.to_string());
            vec![plain(&standing.task).into(), priority, plain(&standing.waits).into(), plain(place).into()]
        });
        text.push_str(&aligned(None, rows.collect(), width));
    }
    if let Some(scenario) = &finding.scenario {
        text.push_str(&format!("\n  {LABEL}fw-vs replay {}{LABEL:#}\n", shell(scenario)));
    }
    text
}

/// The table of steps. Columns that say nothing are left out.
fn steps(finding: &Finding, width: usize) -> String {
    let numbered: Vec<(usize, &Step)> =
        finding.steps.iter().enumerate().map(|(n, step)| (n + 1, step)).collect();
    let row = |(number, step): &(usize, &Step)| {
        let words = |word: &Option<String>| plain(word.as_deref().unwrap_or_default()).into_owned();
        // What came of it says more than which way it was.
        let way = step.alternative.map_or(String::new(), |alternative| alternative.to_string());
        let result = step.outcome.as_deref().map_or(way, |outcome| plain(outcome).into());
        vec![
            number.to_string(),
            plain(&step.task).into(),
            plain(&step.operation).into(),
            words(&step.object),
            result,
            words(&step.place),
        ]
    };
    let header = ["", "task", "operation", "object", "result", "source"];
    if numbered.len() <= MOST_STEPS {
        return aligned(Some(&header), numbered.iter().map(row).collect(), width);
    }
    let (first, last) = (&numbered[..FIRST_STEPS], &numbered[numbered.len() - LAST_STEPS..]);
    let mut rows: Vec<Vec<String>> = first.iter().map(row).collect();
    let left_out = numbered.len() - FIRST_STEPS - LAST_STEPS;
    let mut gap = vec![String::new(); header.len()];
    gap[1] = format!("… {} more steps …", count(left_out as u64));
    rows.push(gap);
    rows.extend(last.iter().map(row));
    aligned(Some(&header), rows, width)
}

const INDENT: usize = 2;
/// Between two columns.
const GAP: usize = 2;

/// Rows with aligned columns, two spaces apart, indented; a number in the first column stands right.
fn aligned(header: Option<&[&str]>, rows: Vec<Vec<String>>, width: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let used: Vec<usize> =
        (0..columns).filter(|column| rows.iter().any(|row| !row[*column].is_empty())).collect();
    if is_too_wide(header, &rows, &used, width) {
        let of = |row: &Vec<String>| used.iter().map(|column| row[*column].clone()).collect();
        let header: Option<Vec<&str>> =
            header.map(|header| used.iter().map(|column| header[*column]).collect());
        return narrow::table(header.as_deref(), &rows.iter().map(of).collect::<Vec<_>>(), INDENT, width);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width - INDENT.min(width)).unwrap_or(u16::MAX));
    if let Some(header) = header {
        table.set_header(used.iter().map(|column| header[*column]));
    }
    for row in &rows {
        table.add_row(used.iter().map(|column| row[*column].as_str()));
    }
    let cells = |place: usize| {
        let column = used[place];
        rows.iter().map(move |row| row[column].as_str()).chain(header.map(|header| header[column]))
    };
    let needs: Vec<Need> = (0..used.len()).map(|place| Need::of(cells(place))).collect();
    let widths = widths(&needs, width.saturating_sub(INDENT + GAP * used.len().saturating_sub(1)));
    let last = used.len().saturating_sub(1);
    for (place, column) in table.column_iter_mut().enumerate() {
        let gap = if place == last { 0 } else { GAP as u16 };
        column.set_padding((0, gap));
        // A number or a source line that is broken in two is no use to anybody.
        column.set_constraint(if place == 0 || place == last {
            ColumnConstraint::ContentWidth
        } else {
            ColumnConstraint::Absolute(Width::Fixed(widths[place] + gap))
        });
        if place == 0 && header.is_some() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{:INDENT$}{}\n", "", line.trim_end())).collect()
}

/// Whether words would have to be broken.
fn is_too_wide(header: Option<&[&str]>, rows: &[Vec<String>], used: &[usize], width: usize) -> bool {
    let last = used.len().saturating_sub(1);
    let least = |(place, column): (usize, &usize)| {
        let cells = rows.iter().map(|row| row[*column].as_str()).chain(header.map(|header| header[*column]));
        let need = Need::of(cells);
        if place == 0 || place == last { need.line } else { need.word }
    };
    let least: usize = used.iter().enumerate().map(least).sum();
    INDENT + least + GAP * last > width
}

/// What a column takes up in one line, and the least that keeps its words whole.
struct Need {
    line: usize,
    word: usize,
}

impl Need {
    /// Words longer than that may be broken.
    const LONGEST: usize = 20;

    fn of<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let length = |text: &str| text.chars().count();
        cells.fold(Self { line: 1, word: 1 }, |need, cell| Self {
            line: need.line.max(length(cell)),
            word: cell.split_whitespace().map(length).fold(need.word, usize::max).min(Self::LONGEST),
        })
    }
}

/// Room for every word, even if that is too wide; what is left goes to the columns that lack least. The first and the
/// last column have what they need.
fn widths(needs: &[Need], width: usize) -> Vec<u16> {
    let last = needs.len().saturating_sub(1);
    let least =
        |(place, need): (usize, &Need)| if place == 0 || place == last { need.line } else { need.word };
    let mut widths: Vec<usize> = needs.iter().enumerate().map(least).collect();
    let mut left = width.saturating_sub(widths.iter().sum());
    let mut places: Vec<usize> = (0..needs.len()).collect();
    places.sort_by_key(|place| needs[*place].line - needs[*place].word);
    for place in places {
        let more = left.min(needs[place].line - widths[place]);
        widths[place] += more;
        left -= more;
    }
    widths.into_iter().map(|width| u16::try_from(width).unwrap_or(u16::MAX - GAP as u16)).collect()
}
