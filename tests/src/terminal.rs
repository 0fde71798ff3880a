//! A terminal of some width, and what is to be seen on it in the end.
//!
//! `script` makes a pseudo-terminal and passes on what is typed; the screen is worked out from what was written to it.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use tempfile::TempDir;

use crate::built;
use crate::console::until;

/// A program at a terminal.
#[derive(Debug)]
pub struct Terminal {
    script: Child,
    keys: ChildStdin,
    width: usize,
    written: PathBuf,
    _folder: TempDir,
}

impl Terminal {
    /// Runs `fw-vs` with arguments, which have no spaces, at a terminal of that width.
    ///
    /// # Panics
    /// If there is no `script` to make a terminal with.
    pub fn run(width: usize, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let written = folder.path().join("written");
        // The line is typed into a shell, for a terminal has no width before somebody gives it one.
        let line =
            format!("stty cols {width} rows 50; exec {} {}", built::fw_vs().display(), arguments.join(" "));
        let mut command = Command::new("script");
        command.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        command.current_dir(folder.path()).stdin(Stdio::piped());
        command.stdout(File::create(&written).expect("a file can be made")).stderr(Stdio::null());
        command.env("FWVS_EXAMPLES", built::examples()).env("TERM", "xterm").env_remove("NO_COLOR");
        command.env("SHELL", "/bin/sh").env_remove("COLUMNS").envs(variables.iter().copied());
        let mut script = command.spawn().expect("script is part of every Linux");
        let keys = script.stdin.take().expect("it is piped");
        Self { script, keys, width, written, _folder: folder }
    }

    /// All that was written so far.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.written).expect("it was made at the start")).into_owned()
    }

    /// Whether the program has ended.
    pub fn is_over(&mut self) -> bool {
        self.script.try_wait().expect("it is our child").is_some()
    }

    /// Types something.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("script reads keys");
    }

    /// Waits for the end; the exit code, and what is on the screen then.
    pub fn end(mut self) -> (Option<i32>, Vec<String>) {
        let status = until("the end of fw-vs", || self.script.try_wait().expect("it is our child"));
        (status.code(), screen(&self.written(), self.width))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

/// The lines of a terminal of that width to which a text was written; as long as its history is.
pub fn screen(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => column = 0,
            '\n' => row += 1,
            '\x1b' => {
                let mut sequence = String::new();
                for next in letters.by_ref().skip_while(|next| *next == '[') {
                    sequence.push(next);
                    if next.is_ascii_alphabetic() {
                        break;
                    }
                }
                let number =
                    sequence.trim_end_matches(|end: char| end.is_ascii_alphabetic()).parse().unwrap_or(1);
                match sequence.chars().last() {
                    Some('K') => lines[row].truncate(column),
                    Some('A') => row = row.saturating_sub(number),
                    Some('G') => column = number.saturating_sub(1),
                    _ => {}
                }
            }
            letter if letter.is_control() => {}
            letter => {
                // A letter behind the last column goes to the next line, and only then.
                if column == width {
                    (row, column) = (row + 1, 0);
                }
                lines.resize(lines.len().max(row + 1), Vec::new());
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    lines.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned()).collect()
}
