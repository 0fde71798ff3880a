//! Answers a question by exploration: one run, or one for every value of a parameter.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use fwvs_report::words::{plain, shell};
use fwvs_report::{Reporter, TextReporter};
use fwvs_run::{Run, Stop, Until};
use fwvs_scenario::{FindingSummary, RunEvent, Summary, Waiting};

use crate::job::{job, until};
use crate::options::{Command, Explore, Options};
use crate::say::plain_values;
use crate::signals::stop_on_signals;
use crate::study::file::{Firmware, Kind, Question, Study, Value};
use crate::{explore, given};

/// What came of a question.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) found: Found,
    /// Over all runs that the question took.
    pub(crate) paths: u64,
    pub(crate) transitions: u64,
    pub(crate) seconds: f64,
    pub(crate) runs: u64,
    /// The finding that gives the answer.
    pub(crate) finding: Option<FindingSummary>,
    /// What else the runs had to say, such as an option that made no difference.
    pub(crate) notes: Vec<String>,
    /// The bounds inside the system that kept something from happening, and what they did.
    pub(crate) within: Vec<String>,
    /// Tasks that only waited for each other at the end of paths that were cut.
    pub(crate) waiting: Vec<Waiting>,
}

/// The answer proper, or why there is none.
#[derive(Debug)]
pub(crate) enum Found {
    Value(Value),
    /// A bound cut the search before there was an answer.
    Cut(String),
    CouldNotRun(anyhow::Error),
}

/// Asks questions, and remembers what it need not run again.
pub(crate) struct Asking<'a> {
    study: &'a Study,
    board: Option<&'a str>,
    directory: PathBuf,
    /// Explorations that were complete and found nothing: no question can make anything else of them.
    clean: HashMap<Vec<String>, Summary>,
    stop: Arc<Stop>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(study: &'a Study, board: Option<&'a str>, directory: PathBuf) -> Result<Self> {
        let stop = Arc::new(Stop::default());
        let board = board.or(study.board.as_deref());
        Ok(Self { study, board, directory, clean: HashMap::new(), stop })
    }

    /// From now on Ctrl-C ends the present exploration, and no other is begun.
    pub(crate) fn stop_on_signals(&self) -> Result<()> {
        stop_on_signals(&self.stop)
    }

    /// Whether somebody pressed Ctrl-C.
    pub(crate) fn interrupted(&self) -> bool {
        self.stop.reason().is_some()
    }

    /// Checks what can be checked of a question before anything runs.
    pub(crate) fn check(&self, question: &Question) -> Result<()> {
        self.try_options(question, |options| explore::prepare(options).map(|_| ()))
    }

    /// Checks the options of a question, without a look at firmware and board.
    pub(crate) fn check_options(&self, question: &Question) -> Result<()> {
        self.try_options(question, |_| Ok(()))
    }

    /// Does something with the options of the first and the last exploration of a question.
    fn try_options(&self, question: &Question, with: impl Fn(&Explore) -> Result<()>) -> Result<()> {
        let values = match &question.kind {
            Kind::Smallest { values, .. } => vec![Some(*values.start()), Some(*values.end())],
            _ => vec![None],
        };
        for value in values {
            let done = parse(&self.line(question, value)).and_then(|options| with(&options));
            done.with_context(|| format!("{}: question `{}`", question.place, plain(&question.name)))?;
        }
        Ok(())
    }

    /// Answers a question; `number` names its folder.
    pub(crate) fn answer(&mut self, question: &Question, number: usize) -> Answer {
        let folder = self.directory.join(number.to_string());
        let mut tally = Tally {
            paths: 0,
            transitions: 0,
            seconds: 0.0,
            runs: 0,
            finding: None,
            notes: Vec::new(),
            within: vec![],
            waiting: vec![],
            question,
            folder,
        };
        let found = self.find(question, &mut tally).unwrap_or_else(Found::CouldNotRun);
        let Tally { paths, transitions, seconds, runs, finding, notes, within, waiting, .. } = tally;
        Answer { found, paths, transitions, seconds, runs, finding, notes, within, waiting }
    }

    fn find(&mut self, question: &Question, tally: &mut Tally<'_>) -> Result<Found> {
        Ok(match &question.kind {
            Kind::Exists => match self.run(tally, None)? {
                Outcome::Finding => Found::Value(Value::Truth(true)),
                Outcome::Nothing { .. } => Found::Value(Value::Truth(false)),
                Outcome::Cut(why) => Found::Cut(why),
            },
            Kind::Never => match self.run(tally, None)? {
                Outcome::Finding => Found::Value(Value::Truth(false)),
                Outcome::Nothing { .. } => Found::Value(Value::Truth(true)),
                Outcome::Cut(why) => Found::Cut(why),
            },
            Kind::Sequences => match self.run(tally, None)? {
                Outcome::Nothing { sequences } => Found::Value(Value::Number(sequences)),
                Outcome::Cut(why) => Found::Cut(why),
                Outcome::Finding => bail!("counting does not look for findings"),
            },
            Kind::Smallest { parameter, values } => {
                for value in values.clone() {
                    match self.run(tally, Some(value))? {
                        Outcome::Finding => return Ok(Found::Value(Value::Number(value))),
                        Outcome::Nothing { .. } => {}
                        Outcome::Cut(why) => {
                            return Ok(Found::Cut(format!("at {}={value}: {why}", plain(parameter))));
                        }
                    }
                }
                Found::Value(Value::None)
            }
        })
    }

    /// One exploration.
    fn run(&mut self, tally: &mut Tally<'_>, value: Option<i64>) -> Result<Outcome> {
        let question = tally.question;
        let line = self.line(question, value);
        if let Some(summary) = self.clean.get(&line) {
            return Ok(tally.look(summary, false));
        }
        let folder = match (&question.kind, value) {
            (Kind::Smallest { parameter, .. }, Some(value)) => {
                tally.folder.join(format!("{parameter}-{value}"))
            }
            _ => tally.folder.clone(),
        };
        let counts = question.kind == Kind::Sequences;
        let options = parse(&line)?;
        let findings = Some(if counts { usize::MAX } else { 1 });
        let until = Until { findings, wanted: question.wanted.clone(), ..until(&options) };
        let run = Run::new(job(&options)?, until, Some(folder))?;
        let mut progress = Progress(TextReporter::stdout().labelled(&label(question, value)));
        let summary = explore::supervise(run, &self.stop, &mut progress)?;
        let outcome = tally.look(&summary, true);
        if summary.findings.is_empty() && summary.bounds_hit.is_empty() {
            self.clean.insert(line, summary);
        }
        Ok(outcome)
    }

    /// The exploration as a command line, so that whatever `fw-vs explore` can do, a study can.
    fn line(&self, question: &Question, value: Option<i64>) -> Vec<String> {
        let mut line: Vec<String> = vec!["fw-vs".into(), "explore".into()];
        match &self.study.firmware {
            Firmware::Example(name) => line.extend(["--example".into(), name.clone()]),
            Firmware::File(path) => line.push(path.to_string_lossy().into_owned()),
        }
        if let Some(board) = self.board {
            line.extend(["--board".into(), board.into()]);
        }
        let mut set: BTreeMap<&str, String> =
            question.set.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        if let (Kind::Smallest { parameter, .. }, Some(value)) = (&question.kind, value) {
            set.insert(parameter, value.to_string());
        }
        line.extend(set.into_iter().flat_map(|(name, value)| ["--set".into(), format!("{name}={value}")]));
        line.extend(question.options.iter().cloned());
        line
    }
}

/// What one exploration says about its question.
enum Outcome {
    Finding,
    Nothing { sequences: i64 },
    Cut(String),
}

/// Adds up the runs of one question.
struct Tally<'a> {
    question: &'a Question,
    folder: PathBuf,
    paths: u64,
    transitions: u64,
    seconds: f64,
    runs: u64,
    finding: Option<FindingSummary>,
    notes: Vec<String>,
    within: Vec<String>,
    waiting: Vec<Waiting>,
}

impl Tally<'_> {
    fn look(&mut self, summary: &Summary, ran: bool) -> Outcome {
        self.paths += summary.paths;
        self.transitions += summary.transitions;
        for note in &summary.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        if ran {
            self.seconds += summary.seconds;
            self.runs += 1;
        }
        let reached = summary.within.iter().filter(|bound| bound.reached);
        let reached: Vec<String> = reached.map(|bound| bound.effect(summary.paths)).collect();
        self.within.extend(reached);
        self.waiting.extend(summary.waiting.iter().cloned());
        if self.question.kind != Kind::Sequences {
            let wanted =
                |finding: &&FindingSummary| self.question.wanted.matches(finding.kind, &finding.message);
            if let Some(finding) = summary.findings.iter().find(wanted) {
                self.finding = Some(finding.clone());
                return Outcome::Finding;
            }
            // Whatever ends paths before their time hides what is asked for: firmware that crashes at once has no
            // deadlock, but that is no answer.
            if let Some(other) = summary.findings.iter().find(|finding| finding.kind.cuts_path()) {
                return Outcome::Cut(hidden_by(other));
            }
        }
        match summary.bounds_hit.as_slice() {
            [] => Outcome::Nothing { sequences: i64::try_from(summary.toss_sequences).unwrap_or(i64::MAX) },
            bounds => Outcome::Cut(bounds.join("; ")),
        }
    }
}

/// Why a finding that was not asked for keeps a question from being answered.
fn hidden_by(other: &FindingSummary) -> String {
    let scenario = other.scenario.as_ref().map(|path| format!("\nfw-vs replay {}", shell(path)));
    format!(
        "paths ended in something else, and what would have come later is not known\n{}: {}{}\n\
         hint: mend that first, or let `finding` allow it",
        other.kind.word(),
        plain(&other.message),
        scenario.unwrap_or_default()
    )
}

/// What the progress line calls a question: the beginning of its name, and the value that is tried.
fn label(question: &Question, value: Option<i64>) -> String {
    const LONGEST: usize = 30;
    let mut name: String = question.name.chars().take(LONGEST).collect();
    if name.len() < question.name.len() {
        name.push('…');
    }
    match (&question.kind, value) {
        (Kind::Smallest { parameter, .. }, Some(value)) => format!("{name}, {parameter}={value}"),
        _ => name,
    }
}

/// Shows how far a run is, and leaves everything else to the table.
struct Progress<W: io::Write>(TextReporter<W>);

impl<W: io::Write> Reporter for Progress<W> {
    fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        match event {
            RunEvent::Progress(_) => self.0.event(event),
            _ => Ok(()),
        }
    }
}

/// The options of an exploration. Those that a study decides itself are refused.
fn parse(line: &[String]) -> Result<Explore> {
    const OURS: [&str; 5] = ["--out", "--format", "--stop", "--accept", "--resume"];
    for option in line {
        let name = option.split('=').next().unwrap_or_default();
        if OURS.contains(&name) {
            bail!(
                "{} cannot be among the options of a study, which decides that itself\nhint: leave it out",
                plain(name)
            );
        }
    }
    match given::read(line) {
        Ok(Options { command: Command::Explore(options) }) => Ok(options),
        Ok(_) => bail!("that is no exploration: {}", plain(&line.join(" "))),
        Err(mut error) => {
            plain_values(&mut error);
            let text = error.to_string();
            let what = text.lines().next().unwrap_or_default();
            bail!(
                "{}\nhint: options are those of `fw-vs explore`, one text for each word",
                what.trim_start_matches("error: ")
            )
        }
    }
}

/// A path as seen from the folder of the study.
pub(crate) fn within<'p>(path: &'p Path, directory: &Path) -> &'p Path {
    path.strip_prefix(directory).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_line_says_which_question_and_which_value() {
        let text = "example = \"x\"\n[[question]]\nname = \"how many philosophers it takes to deadlock\"\n\
                    kind = \"smallest\"\nparameter = \"N\"\nfrom = 2\nto = 4\n\
                    [[question]]\nname = \"no crash\"\nkind = \"never\"\n";
        let study = Study::parse(text, Path::new("study.toml")).unwrap();
        let [many, never] = study.questions.as_slice() else { panic!("two questions") };
        assert_eq!(label(many, Some(3)), "how many philosophers it takes…, N=3");
        assert_eq!(label(never, None), "no crash");
    }
}
