//! What the README shows is what fw-vs prints, but for times and dates.

use std::path::Path;
use std::process::Command;

/// Digits of times, rates and dates as `#`.
fn without_times(text: &str) -> String {
    let timed = |line: &str| line.contains(" paths/s") || line.contains("fw-vs-runs/");
    let line = |line: &str| {
        let digits = |letter: char| if letter.is_ascii_digit() || letter == ',' { '#' } else { letter };
        let line = if timed(line) { line.chars().map(digits).collect() } else { line.to_owned() };
        let mut short = line.trim_end().to_owned();
        while short.contains("##") {
            short = short.replace("##", "#");
        }
        short
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the repository");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let block = readme.split("```console\n$ cargo xtask ").nth(1).expect("it opens with a command");
    let (arguments, shown) = block
        .split("```")
        .next()
        .and_then(|block| block.split_once('\n'))
        .expect("a command, then its output");
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("this test is a program");
    let program = program.ancestors().nth(2).expect("it is in a build folder").join("fw-vs");
    assert!(program.exists(), "build fw-vs first: cargo xtask test does");
    let run = Command::new(program).args(arguments.split_whitespace()).current_dir(&folder).output();
    let run = run.expect("fw-vs starts");
    let printed = String::from_utf8(run.stdout).expect("fw-vs prints text");
    assert_eq!(without_times(printed.trim()), without_times(shown.trim()));
    assert_eq!(run.status.code(), Some(1), "a finding");
}
