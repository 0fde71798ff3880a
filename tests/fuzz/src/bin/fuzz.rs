//! `cargo xtask fuzz`: each parser in a process of its own, so that one that hangs, eats all memory or dies is told as well.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser as _;
use fwvs_fuzz::campaign::{Campaign, Outcome, execute};
use fwvs_fuzz::kept;
use fwvs_fuzz::parser::{PARSERS, Parser};
use rustix::process::{Resource, Rlimit, setrlimit};

/// Feeds damaged files and replies to every parser of fw-vs, and keeps what does harm in tests/fuzz-seeds.
///
/// A panic, an input that takes longer than --patience, and more than 4 GiB of memory are finds: the input is kept, and the
/// ordinary tests run it from then on. The same --seed gives the same inputs.
#[derive(clap::Parser, Debug)]
#[command(name = "cargo xtask fuzz", after_help = after_help())]
struct Options {
    /// How long for each parser, such as 90s, 10m or 1h
    #[arg(long, default_value = "60s", value_parser = duration)]
    time: Duration,
    /// Only this parser (repeatable)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Chooses the inputs [default: drawn by lot, and printed]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How long one input may take
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    patience: Duration,
    /// Runs one parser in this process and writes each input to a file before it is used
    #[arg(long, value_names = ["NAME", "FILE"], num_args = 2, hide = true)]
    worker: Option<Vec<String>>,
}

fn after_help() -> String {
    let line = |parser: &Parser| format!("  {:10}  {}\n", parser.name, parser.about);
    let list: String = PARSERS.iter().map(line).collect();
    format!("Parsers:\n{list}\nExit codes: 0 nothing found, 1 something was found and kept, 2 could not run.")
}

fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => 0,
    };
    match number.parse::<u32>() {
        Ok(number) if number > 0 && seconds > 0 => Ok(Duration::from_secs(u64::from(number) * seconds)),
        _ => Err("that is no length of time\nhint: write a number and a unit, for example 90s, 10m or 1h"
            .to_owned()),
    }
}

/// More memory than any input needs.
const MOST_MEMORY: u64 = 4 << 30;
/// How often a worker says how far it is.
const BREATH: Duration = Duration::from_millis(250);
/// A parser that dies as often as that is given up.
const MOST_DEATHS: u64 = 20;

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match &options.worker {
        Some(worker) => work(&options, &worker[0], Path::new(&worker[1])).map(|()| ExitCode::SUCCESS),
        None => supervise(&options),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("fuzz: {error}");
        ExitCode::from(2)
    })
}

fn named(name: &str) -> io::Result<&'static Parser> {
    PARSERS.iter().find(|parser| parser.name == name).ok_or_else(|| {
        let names: Vec<&str> = PARSERS.iter().map(|parser| parser.name).collect();
        io::Error::other(format!("there is no parser {name:?}\nhint: there are {}", names.join(", ")))
    })
}

/// One line of the table.
#[derive(Default)]
struct Line {
    name: &'static str,
    executions: u64,
    outcomes: u64,
    seconds: f64,
    finds: Vec<String>,
}

fn supervise(options: &Options) -> io::Result<ExitCode> {
    let parsers: Vec<&'static Parser> = match options.only.as_slice() {
        [] => PARSERS.iter().collect(),
        names => names.iter().map(|name| named(name)).collect::<io::Result<_>>()?,
    };
    let by_lot = || std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64 % 1_000_000);
    let seed = options.seed.unwrap_or_else(by_lot);
    println!("seed {seed}, {:?} for each of {} parsers", options.time, parsers.len());
    let lines: Vec<Line> =
        parsers.iter().map(|parser| run(options, parser, seed)).collect::<io::Result<_>>()?;
    println!("\n{:12}{:>14}{:>12}{:>10}  finds", "parser", "executions", "a second", "outcomes");
    for line in &lines {
        let rate = line.executions as f64 / line.seconds.max(0.001);
        println!(
            "{:12}{:>14}{rate:>12.0}{:>10}  {}",
            line.name,
            line.executions,
            line.outcomes,
            line.finds.len()
        );
    }
    for find in lines.iter().flat_map(|line| &line.finds) {
        println!("found {}", fwvs_foreign::harmless(find));
    }
    Ok(if lines.iter().all(|line| line.finds.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One parser, in one process after the other if it has to be.
fn run(options: &Options, parser: &'static Parser, seed: u64) -> io::Result<Line> {
    let folder = tempfile::tempdir()?;
    let current = folder.path().join("input");
    let begin = Instant::now();
    let mut line = Line { name: parser.name, ..Line::default() };
    for life in 0..MOST_DEATHS {
        let left = options.time.saturating_sub(begin.elapsed());
        // Another life has other inputs, else it would end the same way.
        let mut worker = Worker::start(options, parser, seed + life * 1_000_003, left, &current)?;
        let before = line.executions;
        let end = worker.watch(options, &mut line, before, begin);
        let Some(what) = end else { break };
        let input = fs::read(&current)?;
        let path = kept::keep(parser, what, &input)?;
        line.finds.push(format!("{}: {what}, kept as {}", parser.name, path.display()));
        if begin.elapsed() >= options.time {
            break;
        }
    }
    line.seconds = begin.elapsed().as_secs_f64();
    progress(options, &line, begin, true);
    Ok(line)
}

/// A process that runs one parser; it is killed when this goes away.
struct Worker {
    child: Child,
    lines: Receiver<String>,
}

impl Worker {
    fn start(
        options: &Options,
        parser: &Parser,
        seed: u64,
        time: Duration,
        current: &Path,
    ) -> io::Result<Self> {
        let seconds = format!("{}s", time.as_secs_f64().ceil().max(1.0));
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--seed", &seed.to_string(), "--time", &seconds, "--worker", parser.name]).arg(current);
        command.args(["--patience", &format!("{}s", options.patience.as_secs())]);
        // What panics say is in the find; a parser that is told a million lies would say it a million times.
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = child.stdout.take().expect("it is piped");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.for_each(|line| tell.send(line).unwrap_or_default());
        });
        Ok(Self { child, lines })
    }

    /// Until it ends. Says how, if not as it should.
    fn watch(
        &mut self,
        options: &Options,
        line: &mut Line,
        before: u64,
        begin: Instant,
    ) -> Option<&'static str> {
        let (mut done, mut moved) = (0, Instant::now());
        loop {
            match self.lines.recv_timeout(BREATH) {
                Ok(said) => {
                    if let Some(find) = said.strip_prefix("find ") {
                        line.finds.push(format!("{}: {find}", line.name));
                        continue;
                    }
                    let mut numbers = said.split(' ').map(|number| number.parse().unwrap_or_default());
                    let now = numbers.next().unwrap_or_default();
                    if now > done {
                        (done, moved) = (now, Instant::now());
                    }
                    line.executions = before + now;
                    line.outcomes = line.outcomes.max(numbers.next().unwrap_or_default());
                    progress(options, line, begin, false);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().ok()?;
                    return (!status.success()).then_some("died");
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Real inputs may have to be recorded first.
            let patience =
                if done == 0 { options.patience + Duration::from_secs(60) } else { options.patience };
            if moved.elapsed() > patience {
                return Some("hung");
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Fails only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How far it is, on one line of a terminal; elsewhere only how it ended.
fn progress(options: &Options, line: &Line, begin: Instant, last: bool) {
    let seconds = begin.elapsed().as_secs_f64();
    let left = options.time.as_secs_f64() - seconds;
    let rate = line.executions as f64 / seconds.max(0.001);
    let text = format!(
        "{:12}{} executions, {rate:.0}/s, {} outcomes, {} finds, {:.0} s left",
        line.name,
        line.executions,
        line.outcomes,
        line.finds.len(),
        left.max(0.0)
    );
    let mut out = io::stderr();
    let written = match (out.is_terminal(), last) {
        (true, false) => write!(out, "\r\x1b[2K{text}"),
        (true, true) => writeln!(out, "\r\x1b[2K{text}"),
        (false, true) => writeln!(out, "{text}"),
        (false, false) => Ok(()),
    };
    // Progress that nobody can see is no reason to stop.
    written.and_then(|()| out.flush()).unwrap_or_default();
}

/// Runs one parser until its time is over. What is wrong with an input and does not end the process is kept here.
fn work(options: &Options, name: &str, current: &Path) -> io::Result<()> {
    let parser = named(name)?;
    let mut campaign = Campaign::new(parser, options.seed.unwrap_or_default());
    let limit = Rlimit { current: Some(MOST_MEMORY), maximum: Some(MOST_MEMORY) };
    setrlimit(Resource::As, limit)?;
    let place = where_panics_are_told();
    let file = File::create(current)?;
    let (begin, mut told) = (Instant::now(), Instant::now());
    let mut known: Vec<String> = Vec::new();
    while begin.elapsed() < options.time {
        let input = campaign.next_input();
        file.set_len(input.len() as u64)?;
        file.write_all_at(&input, 0)?;
        let outcome = execute(parser, &input);
        if let Outcome::Panicked(text) = &outcome {
            let place = place.lock().map(|place| place.clone()).unwrap_or_default();
            if !known.contains(&place) {
                let path: PathBuf = kept::keep(parser, "panicked", &input)?;
                let text: String = text.chars().take(200).collect();
                println!("find panicked at {place}: {}, kept as {}", text.replace('\n', " "), path.display());
                known.push(place);
            }
        }
        campaign.learn(input, &outcome);
        if told.elapsed() >= BREATH {
            told = Instant::now();
            println!("{} {}", campaign.executions(), campaign.outcomes());
        }
    }
    println!("{} {}", campaign.executions(), campaign.outcomes());
    Ok(())
}

/// Where the last panic was, instead of a text on standard error.
fn where_panics_are_told() -> Arc<Mutex<String>> {
    let place = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&place);
    std::panic::set_hook(Box::new(move |panic| {
        if let (Ok(mut place), Some(location)) = (told.lock(), panic.location()) {
            *place = location.to_string();
        }
    }));
    place
}
