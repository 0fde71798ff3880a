//! `fw-vs` as its users see it: a process in a folder, what it says, and how it ends.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use crate::built;

/// Longer than any run of a test takes, even on a busy machine.
const LONGEST_RUN: Duration = Duration::from_secs(300);
/// Longer than anything else takes that a test waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a finished `fw-vs` said.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// An empty folder to run `fw-vs` in.
#[derive(Debug)]
pub struct Console {
    folder: TempDir,
    /// Where the processes' words go, so that the folder has only what they left there.
    words: TempDir,
}

impl Default for Console {
    fn default() -> Self {
        Self::new()
    }
}

impl Console {
    /// A new folder, which goes away with this.
    pub fn new() -> Self {
        let folder = || tempfile::tempdir().expect("a temporary folder can be made");
        Self { folder: folder(), words: folder() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `fw-vs` with arguments: in the folder, with the examples at hand, and without a terminal.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(built::fw_vs());
        command.args(arguments).current_dir(self.folder()).stdin(Stdio::null());
        command.env("FWVS_EXAMPLES", built::examples()).env_remove("FWVS_LOG");
        command
    }

    /// Runs `fw-vs` to its end.
    pub fn run(&self, arguments: &[&str]) -> Said {
        self.start(&mut self.command(arguments)).wait()
    }

    /// Starts a command, and leaves it running.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(&self, command: &mut Command) -> Running {
        let words = tempfile::tempdir_in(self.words.path()).expect("a temporary folder can be made").keep();
        let file = |name: &str| File::create(words.join(name)).expect("a temporary file can be made");
        let child = command.stdout(file("stdout")).stderr(file("stderr")).spawn();
        let child = child.unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        Running { child, words, said: 0 }
    }

    /// Explores with JSON output, and with `--out run`.
    pub fn explore(&self, arguments: &[&str]) -> Explored {
        let said = self.run(&[&["explore", "--format", "json", "--out", "run"], arguments].concat());
        Explored::from(said)
    }

    /// Whether nothing was left in the folder.
    pub fn is_untouched(&self) -> bool {
        fs::read_dir(self.folder()).expect("the folder is there").next().is_none()
    }
}

/// A `fw-vs` that runs; it is killed when this goes away.
#[derive(Debug)]
pub struct Running {
    child: Child,
    words: PathBuf,
    /// How many lines of standard output were looked at.
    said: usize,
}

impl Running {
    /// Waits for its end.
    ///
    /// # Panics
    /// If it does not come.
    pub fn wait(mut self) -> Said {
        let ended = within(LONGEST_RUN, "the end of fw-vs", || self.ended());
        self.said_until(ended)
    }

    /// Waits for a JSON event on standard output that was not waited for before.
    pub fn event(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let stdout = self.words.join("stdout");
        until("an event of fw-vs", || {
            let lines = BufReader::new(File::open(&stdout).expect("it was made at the start")).lines();
            let lines: Vec<String> = lines.map_while(Result::ok).collect();
            let ended = self.ended().is_some();
            while let Some(line) = lines.get(self.said) {
                let Ok(event) = serde_json::from_str::<Value>(line) else { break };
                self.said += 1;
                if wanted(&event) {
                    return Some(event);
                }
            }
            assert!(!ended, "fw-vs ended without it, saying {lines:?}");
            None
        })
    }

    /// The process ids of those whom it started and those whom they started, as of now.
    pub fn descendants(&self) -> Vec<u32> {
        let parents: Vec<(u32, u32)> =
            processes().filter_map(|process| Some((process, parent(process)?))).collect();
        let mut family = vec![self.child.id()];
        let mut at = 0;
        while let Some(ancestor) = family.get(at).copied() {
            family.extend(
                parents.iter().filter(|(_, parent)| *parent == ancestor).map(|(process, _)| *process),
            );
            at += 1;
        }
        family.split_off(1)
    }

    /// How many paths it had run when it last told its progress in JSON.
    pub fn paths(&self) -> u64 {
        let stdout = fs::read_to_string(self.words.join("stdout")).expect("it was made at the start");
        let events = stdout.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut progress = events.filter(|event| event["event"] == "progress");
        progress.next().and_then(|event| event["paths"].as_u64()).unwrap_or(0)
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        self.ended().is_none()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        send(self.child.id(), signal);
    }

    /// Sends a signal to everybody in its process group, which it must have been given.
    pub fn signal_group(&self, signal: Signal) {
        let group = Pid::from_raw(self.child.id() as i32).expect("a process has a number");
        kill_process_group(group, signal).expect("the group is there");
    }

    /// The process id of its QEMU, once it has one.
    ///
    /// # Panics
    /// If it ends without one.
    pub fn emulator(&mut self) -> u32 {
        let fw_vs = self.child.id();
        until("QEMU", || {
            assert!(self.ended().is_none(), "fw-vs ended");
            processes().find(|process| parent(*process) == Some(fw_vs))
        })
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("it is our child")
    }

    fn said_until(&self, ended: ExitStatus) -> Said {
        let text = |name: &str| {
            let bytes = fs::read(self.words.join(name)).expect("it was made at the start");
            String::from_utf8(bytes).expect("fw-vs speaks UTF-8")
        };
        Said { code: ended.code(), stdout: text("stdout"), stderr: text("stderr") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended long ago; then there is nobody to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an exploration with JSON output said.
#[derive(Clone, Debug)]
pub struct Explored {
    /// All of it.
    pub said: Said,
    /// Its events, line by line.
    pub events: Vec<Value>,
}

impl From<Said> for Explored {
    fn from(said: Said) -> Self {
        let event = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let events = said.stdout.lines().map(event).collect();
        Self { said, events }
    }
}

impl Explored {
    /// The events of one kind.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["event"] == kind).collect()
    }

    /// What it says at the start.
    pub fn started(&self) -> &Value {
        self.events.first().filter(|event| event["event"] == "started").unwrap_or_else(|| panic!("{self:?}"))
    }

    /// The last line.
    pub fn summary(&self) -> &Value {
        self.events.last().filter(|event| event["event"] == "summary").unwrap_or_else(|| panic!("{self:?}"))
    }

    /// The verdict, the number of transitions and the number of paths.
    pub fn counts(&self) -> (&str, u64, u64) {
        let summary = self.summary();
        let number = |name: &str| summary[name].as_u64().unwrap_or_else(|| panic!("{summary}"));
        (summary["verdict"].as_str().unwrap_or("none"), number("transitions"), number("paths"))
    }

    /// The only finding.
    pub fn finding(&self) -> &Value {
        let findings = self.all("finding");
        assert_eq!(findings.len(), 1, "{:?}", self.said);
        findings[0]
    }
}

/// Sends a signal to a process.
pub fn send(process: u32, signal: Signal) {
    let process = Pid::from_raw(process as i32).expect("a process has a number");
    // A process that has just ended cannot be sent anything; the test will see what came of it.
    let _ = kill_process(process, signal);
}

/// Whether a process is there, and more than a name in a table.
pub fn is_alive(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Whether a process was stopped and has not gone on.
pub fn is_stopped(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| stat.contains(") T "))
}

/// Asks again and again until there is an answer.
///
/// # Panics
/// If there is none in time.
pub fn until<T>(what: &str, answer: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, what, answer)
}

fn within<T>(patience: Duration, what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what} did not come within {patience:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("Linux has /proc").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain anything, spaces and parentheses too.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
