//! A table where there is no room for one: what stands in its last column goes below the row it belongs to.

use std::ops::RangeInclusive;

/// Between two columns.
const GAP: usize = 2;
/// Words that are longer may be broken: as few as possible.
const LONGEST: RangeInclusive<usize> = 3..=20;

/// Rows of cells, all of the same number, indented by so much, none wider than that. A first column without a name has numbers,
/// which stand right. The name of the last column is left out.
pub fn table(header: Option<&[&str]>, rows: &[Vec<String>], indent: usize, width: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len).saturating_sub(1);
    let header: Option<Vec<String>> =
        header.map(|header| header.iter().take(columns).map(|word| (*word).to_owned()).collect());
    let cells = |column: usize| header.iter().chain(rows).map(move |row| row[column].as_str());
    let room = width.saturating_sub(indent + GAP * columns.saturating_sub(1));
    let widths = widths(columns, room, cells);
    let mut text = String::new();
    for line in header.iter().flat_map(|header| lines(header, &widths, false)) {
        text.push_str(&format!("{:indent$}{}\n", "", line.trim_end()));
    }
    let numbered = header.as_ref().is_some_and(|header| header.first().is_some_and(String::is_empty));
    // A number leaves room to the left; elsewhere a little is enough to tell it from the next row.
    let below = indent + if numbered { widths[0] } else { 0 } + GAP;
    for row in rows {
        for line in lines(&row[..columns], &widths, numbered) {
            text.push_str(&format!("{:indent$}{}\n", "", line.trim_end()));
        }
        for line in row.last().into_iter().flat_map(|last| fold(last, width.saturating_sub(below).max(1))) {
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
    let words = |column| cells(column).flat_map(str::split_whitespace).map(length).max().unwrap_or(0).max(1);
    let least = |longest: usize| (0..columns).map(|column| words(column).min(longest)).collect::<Vec<_>>();
    let fits = |widths: &Vec<usize>| widths.iter().sum::<usize>() <= room;
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
