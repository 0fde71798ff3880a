//! A table where there is no room for one: what stands in its last columns goes below the row it belongs to.

use std::ops::RangeInclusive;

/// Between two columns.
const GAP: usize = 2;
/// Words that are longer may be broken: as few as possible.
const LONGEST: RangeInclusive<usize> = 3..=20;

/// Rows of cells, all of the same number, indented by so much, none wider than that. A first column without a name has numbers,
/// which stand right. The name of the last column is left out. Where numbered rows have no room for whole words, more columns
/// go below, except for the first three.
pub fn table(header: Option<&[&str]>, rows: &[Vec<String>], indent: usize, width: usize) -> String {
    let all = rows.first().map_or(0, Vec::len);
    let numbered = header.is_some_and(|header| header.first().is_some_and(|name| name.is_empty()));
    let room = |columns: usize| width.saturating_sub(indent + GAP * columns.saturating_sub(1));
    let names = |column: usize| header.iter().map(move |header| header[column]);
    let cells = |column: usize| names(column).chain(rows.iter().map(move |row| row[column].as_str()));
    let fits =
        |columns: &usize| least(*columns, *LONGEST.end(), cells).iter().sum::<usize>() <= room(*columns);
    let columns = all.saturating_sub(1);
    let columns = (numbered.then(|| (3..=columns).rev().find(fits)).flatten()).unwrap_or(columns);
    let header: Option<Vec<String>> =
        header.map(|header| header.iter().take(columns).map(|word| (*word).to_owned()).collect());
    let widths = widths(columns, room(columns), cells);
    let mut text = String::new();
    for line in header.iter().flat_map(|header| lines(header, &widths, false)) {
        text.push_str(&format!("{:indent$}{}\n", "", line.trim_end()));
    }
    // A number leaves room to the left; elsewhere a little is enough to tell it from the next row.
    let below = indent + if numbered { widths[0] } else { 0 } + GAP;
    for row in rows {
        for line in lines(&row[..columns], &widths, numbered) {
            text.push_str(&format!("{:indent$}{}\n", "", line.trim_end()));
        }
        let last: Vec<&str> =
            row[columns..].iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
        for line in fold(&last.join(", "), width.saturating_sub(below).max(1)) {
            text.push_str(&format!("{:below$}{line}\n", ""));
        }
    }
    text
}

/// Each column gets its longest word, as far as there is room; what is left goes to those that lack least.
fn widths<'a, C: Iterator<Item = &'a str>>(
    columns: usize,
    room: usize,
    cells: impl Fn(usize) -> C,
) -> Vec<usize> {
    let length = |text: &str| text.chars().count();
    let fits = |widths: &Vec<usize>| widths.iter().sum::<usize>() <= room;
    let least = |longest| least(columns, longest, &cells);
    let mut widths = LONGEST.rev().map(least).find(fits).unwrap_or_else(|| least(*LONGEST.start()));
    let line = |column| cells(column).map(length).max().unwrap_or(0);
    let mut left = room.saturating_sub(widths.iter().sum());
    let mut columns: Vec<usize> = (0..columns).collect();
    columns.sort_by_key(|column| line(*column).saturating_sub(widths[*column]));
    for column in columns {
        let more = line(column).saturating_sub(widths[column]).min(left);
        (widths[column], left) = (widths[column] + more, left - more);
    }
    widths
}

/// What the longest word of each column takes, if words that are longer than that may be broken.
fn least<'a, C: Iterator<Item = &'a str>>(
    columns: usize,
    longest: usize,
    cells: impl Fn(usize) -> C,
) -> Vec<usize> {
    let length = |text: &str| text.chars().count();
    let words = |column| cells(column).flat_map(str::split_whitespace).map(length).max().unwrap_or(0).max(1);
    (0..columns).map(|column| words(column).min(longest)).collect()
}

/// A row, as high as its highest cell.
fn lines(row: &[String], widths: &[usize], numbered: bool) -> Vec<String> {
    let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, width)| fold(cell, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let part = |(column, (cell, width)): (usize, (&Vec<String>, &usize))| {
            let text = cell.get(number).map_or("", String::as_str);
            let right = numbered && column == 0;
            if right { format!("{text:>width$}") } else { format!("{text:width$}") }
        };
        cells.iter().zip(widths).enumerate().map(part).collect::<Vec<_>>().join("  ")
    };
    (0..height).map(line).collect()
}

/// Lines of at most that width, broken between words where that is possible.
fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(width.max(1)) {
            match lines.last_mut() {
                Some(line)
                    if line.chars().count() + 1 + piece.len() <= width && piece.len() == letters.len() =>
                {
                    line.push(' ');
                    line.extend(piece);
                }
                _ => lines.push(piece.iter().collect()),
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        vec![row(["1", "sampler", "lock", "src/main.rs:33"]), row(["12", "the uploader", "receives", ""])]
    }

    #[test]
    fn the_last_column_stands_below() {
        let header = ["", "task", "operation", "source"];
        let expected = "      task      operation\n   1  sampler   lock\n      src/main.rs:33\n  12  the       receives\n      uploader\n";
        assert_eq!(table(Some(&header), &rows(), 2, 25), expected);
    }

    #[test]
    fn more_columns_go_below_before_a_word_is_broken() {
        let header = ["", "task", "operation", "object", "result", "source"];
        let row = ["17", "uploader", "lock", "calibration", "waits", "full-queue/src/main.rs:34"];
        let expected = "      task      operation\n  17  uploader  lock\n      calibration, waits,\n      \
                        full-queue/src/main.rs:34\n";
        assert_eq!(table(Some(&header), &[row.map(str::to_owned).to_vec()], 2, 33), expected);
        // Nothing tells columns without a number above them from what stands below.
        let answers = ["question", "answer", "expected", "scenario"];
        let row = ["who waits?", "yes", "no", "1/scenario-1.json"].map(str::to_owned).to_vec();
        assert!(table(Some(&answers), &[row], 0, 16).contains("expe"));
    }

    #[test]
    fn nothing_is_wider_than_there_is_room() {
        for width in [12, 16, 20, 25, 30, 60] {
            let text = table(Some(&["", "task", "operation", "source"]), &rows(), 2, width);
            assert!(text.lines().all(|line| line.chars().count() <= width.max(16)), "{width}:\n{text}");
        }
    }

    #[test]
    fn a_table_may_be_empty() {
        assert_eq!(table(None, &[], 2, 40), "");
    }
}
