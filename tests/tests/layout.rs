//! The door plate: what `tests/README.md` says is here, is here, and nothing else.

use std::collections::BTreeSet;
use std::fs;

use fwvs_tests::built::root;

fn page() -> String {
    fs::read_to_string(root().join("tests/README.md")).expect("the tests have a page")
}

/// The rows of the table below a header row, without their quotes: a name and the other cells.
fn rows(page: &str, header: &str) -> Vec<(String, Vec<String>)> {
    let table = page.split("\n\n").find(|block| block.trim_start().starts_with(header));
    let table = table.unwrap_or_else(|| panic!("there is a table with {header}"));
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let named = |mut cells: Vec<String>| (cells.remove(0).trim_matches('`').to_owned(), cells);
    table.trim().lines().skip(2).map(|row| named(cells(row))).collect()
}

/// That the rows are these, each once, in their order, and that no cell is empty.
fn assert_rows(rows: &[(String, Vec<String>)], there: &BTreeSet<String>) {
    let names: Vec<&String> = rows.iter().map(|(name, _)| name).collect();
    assert!(names.is_sorted(), "the rows are in order: {names:?}");
    let listed: BTreeSet<String> = names.iter().copied().cloned().collect();
    assert_eq!(listed.len(), names.len(), "no name has two rows");
    let missing: Vec<&String> = there.difference(&listed).collect();
    assert!(missing.is_empty(), "tests/README.md has no row for {missing:?}");
    let stale: Vec<&String> = listed.difference(there).collect();
    assert!(stale.is_empty(), "tests/README.md has rows for {stale:?}, which are gone");
    for (name, cells) in rows {
        assert!(cells.iter().all(|cell| !cell.is_empty()), "the row of {name} says something");
    }
}

/// What is in a folder of the tests.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("tests").join(folder)).expect("a folder can be listed");
    entries.map(|entry| entry.expect("it can be listed").file_name().display().to_string()).collect()
}

#[test]
fn every_test_file_says_what_it_guards() {
    assert_rows(&rows(&page(), "| file | guards"), &names("tests"));
}

#[test]
fn every_group_of_cases_says_what_it_is_about() {
    assert_rows(&rows(&page(), "| group |"), &names("cases"));
}
