//! What is to be seen at terminals of any width, with and without colour, and what is left when a run is over.

use std::fs;

use fwvs_tests::console::{Console, until};
use fwvs_tests::terminal::{Terminal, screen};
use tempfile::TempDir;

const WIDTHS: [usize; 5] = [40, 50, 60, 80, 120];

/// Of a line that is wider than the terminal, the next one of the screen has the rest: lines as they were written are what counts.
fn written(mut terminal: Terminal) -> Vec<String> {
    until("the end", || terminal.is_over().then_some(()));
    let text = terminal.written();
    screen(&text, usize::MAX)
}

/// A study with a long title and long questions.
fn study(folder: &TempDir) -> String {
    let path = folder.path().join("study.toml");
    let text = "title = \"Philosophers at dinner, some of whom know in which order forks are to be taken, and some of whom do not\"\n\
                example = \"philosophers\"\n[[question]]\nname = \"they can deadlock if each takes first the fork to the left\"\n\
                kind = \"exists\"\nexpect = true\n[[question]]\nname = \"in order they never do\"\nkind = \"never\"\n\
                set = { ordered = 1 }\nexpect = true\n[[question]]\nname = \"nobody presses the button\"\nkind = \"never\"\n\
                options = [\"--interrupts\", \"2\", \"--until-tick\", \"900\", \"--time\", \"ordered\"]\nexpect = true\n\
                set = { ordered = 1 }\n[[question]]\nname = \"two paths are enough\"\nkind = \"never\"\n\
                options = [\"--max-paths\", \"2\"]\nset = { ordered = 1 }\n";
    fs::write(&path, text).expect("the folder is ours");
    path.to_str().expect("a plain path").to_owned()
}

/// No line is wider than that, but for commands and paths, which must stay in one piece.
fn assert_fits(what: &str, lines: &[String], width: usize) {
    assert!(lines.iter().any(|line| !line.is_empty()), "{what} says nothing");
    let in_one_piece = |line: &&String| line.contains("fw-vs-runs/") || line.starts_with("Usage: ");
    for line in lines.iter().filter(|line| !in_one_piece(line)) {
        assert!(line.chars().count() <= width, "{what} at {width}: {line:?}\n{}", lines.join("\n"));
    }
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let study = study(&folder);
    let commands: [&[&str]; 8] = [
        &["explore", "--example", "lock-order"],
        &["explore", "--example", "full-queue"],
        &["explore", "--example", "priority-inversion"],
        &["study", &study],
        &["study", "--help"],
        &["explore", "--help"],
        &["boards"],
        &["doctor"],
    ];
    for width in WIDTHS {
        for command in commands {
            let lines = written(Terminal::run(width, command, &[]));
            assert_fits(&command.join(" "), &lines, width);
        }
    }
}

/// Each line of the help was broken where somebody's terminal ended, and then again where this one does.
#[test]
fn the_help_on_studies_is_broken_once() {
    for width in WIDTHS {
        let lines = written(Terminal::run(width, &["study", "--help"], &[]));
        let begin = lines.iter().position(|line| line.contains("without `expect`")).expect("it is explained");
        let paragraph: Vec<&String> = lines[begin..].iter().take_while(|line| !line.is_empty()).collect();
        let (_, full) = paragraph.split_last().expect("it has lines");
        for (line, next) in full.iter().zip(&paragraph[1..]) {
            let word = next.split(' ').next().expect("a line has a word");
            let limit = width.min(100);
            assert!(
                line.chars().count() + 1 + word.chars().count() > limit,
                "{width}: {line:?} has room for {word:?}"
            );
        }
        assert!(lines.iter().any(|line| line.trim() == "parameter = \"PRODUCERS\""), "{width}");
        // What stands in the file is not broken at all.
        let example = lines.iter().skip_while(|line| !line.contains("A study is a TOML file")).skip(1);
        let mut example = example.take_while(|line| !line.contains("A question without"));
        assert!(
            example.all(|line| line.is_empty() || line.starts_with("  ")),
            "{width}: {}",
            lines.join("\n")
        );
    }
}

#[test]
fn a_study_shows_the_same_answers_at_any_width() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let study = study(&folder);
    for width in WIDTHS {
        let lines = written(Terminal::run(width, &["study", &study], &[]));
        let text = lines.join(" ");
        assert!(
            text.contains("as expected") && text.contains("answer") && text.contains("expected"),
            "{width}: {text}"
        );
    }
}

const LONG: [&str; 9] =
    ["explore", "--example", "philosophers", "--set", "N=7", "--set", "ordered=1", "--reduction", "none"];

/// The terminal shows `^C` where the cursor is, and the progress line goes away all the same.
#[test]
fn ctrl_c_leaves_no_progress_line() {
    for width in WIDTHS {
        let mut terminal = Terminal::run(width, &LONG, &[]);
        until("progress", || terminal.written().contains(" % done").then_some(()));
        terminal.press("\x03");
        let (code, lines) = terminal.end();
        assert_eq!(code, Some(3), "{lines:?}");
        let text = lines.join("\n");
        assert!(text.contains("cut: interrupted by Ctrl-C"), "{width}:\n{text}");
        let whole = lines.concat();
        assert!(whole.contains("  to go on: fw-vs explore --resume fw-vs-runs/"), "{width}:\n{text}");
        assert!(
            !text.contains("^C") && !text.contains("0 found") && !text.contains("% done"),
            "{width}:\n{text}"
        );
    }
}

#[test]
fn colours_are_shown_at_a_terminal_and_only_if_nobody_objects() {
    let text = |variables: &[(&str, &str)]| {
        let mut terminal = Terminal::run(80, &["explore", "--example", "ping-pong"], variables);
        until("the end", || terminal.is_over().then_some(()));
        terminal.written()
    };
    assert!(text(&[]).contains("\x1b[32m"), "{:?}", text(&[]));
    let plain = text(&[("NO_COLOR", "1")]);
    assert!(plain.contains("complete: every path") && !plain.contains("\x1b[3"), "{plain:?}");
}

#[test]
fn without_a_terminal_there_is_neither_progress_nor_colour() {
    let console = Console::new();
    let said = console.run(&["explore", "--example", "philosophers", "--reduction", "none"]);
    assert_eq!(said.stderr, "");
    assert!(
        !said.stdout.contains('\x1b') && said.stdout.lines().all(|line| line.chars().count() <= 80),
        "{said:?}"
    );
    assert!(fs::metadata(console.folder().join("fw-vs-runs")).is_ok());
}
