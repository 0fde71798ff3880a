//! A finding as text: headline, steps, where every task stands, how to replay it.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use fwvs_scenario::{Finding, Standing};

use crate::narrow;
use crate::rows::{self, Row};
use crate::words::{count, plain, shell, wrap};

const KIND: Style = AnsiColor::Red.on_default().bold();
const LABEL: Style = Style::new().bold();

/// Longer paths are shown without their middle.
const MOST_ROWS: usize = 100;
const FIRST_ROWS: usize = 20;
const LAST_ROWS: usize = 60;

/// The finding for a terminal of that width, with escape sequences for colour.
pub fn text(finding: &Finding, width: usize) -> String {
    headed(finding.kind.word(), finding, width)
}

/// The same under another word than its kind's: for what is like a finding, and is none.
pub fn headed(kind: &str, finding: &Finding, width: usize) -> String {
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
        let heading =
            format!("where each task stands{}", if priorities { ", with its priority" } else { "" });
        let heading = wrap(&heading, width.saturating_sub(INDENT), INDENT + 2);
        text.push_str(&format!("\n  {LABEL}{heading}{LABEL:#}\n"));
        let rows = finding.standing.iter().map(|standing| {
            let place = standing.place.as_deref().unwrap_or_default();
            let priority = standing.priority.map_or(String::new(), |priority| priority.to_string());
            vec![plain(&standing.task).into(), priority, stands(standing), plain(place).into()]
        });
        text.push_str(&aligned(None, rows.collect(), width));
    }
    if let Some(scenario) = &finding.scenario {
        text.push_str(&format!("\n  {LABEL}fw-vs replay {}{LABEL:#}\n", shell(scenario)));
    }
    text
}

/// How a task stands: what it is at, how full that is, what it holds.
fn stands(standing: &Standing) -> String {
    let fill = standing.fill.map_or(String::new(), |fill| format!(" ({fill})"));
    let holds = standing.holds.join(", ");
    let holds = if holds.is_empty() { holds } else { format!(", holds {holds}") };
    plain(&format!("{}{fill}{holds}", standing.waits)).into()
}

/// The table of steps. Columns that say nothing are left out.
fn steps(finding: &Finding, width: usize) -> String {
    let all = rows::of(&finding.steps);
    if all.len() <= MOST_ROWS {
        return aligned(Some(&rows::HEADER), all.iter().map(Row::cells).collect(), width);
    }
    let (first, last) = (&all[..FIRST_ROWS], &all[all.len() - LAST_ROWS..]);
    let mut shown: Vec<Vec<String>> = first.iter().map(Row::cells).collect();
    let left_out: usize = all[FIRST_ROWS..all.len() - LAST_ROWS].iter().map(Row::steps).sum();
    shown.push(rows::gap(format!("… {} more steps …", count(left_out as u64))));
    shown.extend(last.iter().map(Row::cells));
    aligned(Some(&rows::HEADER), shown, width)
}

const INDENT: usize = 2;
/// Between two columns.
const GAP: usize = 2;

/// Rows with aligned columns, two spaces apart, indented; the numbers of steps and ticks stand right.
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
        if header.is_some() && rows::NUMBERS.contains(&used[place]) {
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
