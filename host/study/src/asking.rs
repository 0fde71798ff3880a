//! Answers a question by exploration: one run, or one for every value of a parameter.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use fwvs_foreign::{plain, shell};
use fwvs_run::{Job, Run, Stop, Until};
use fwvs_scenario::{FindingSummary, RunEvent, Summary, Waiting};

use crate::error::Error;
use crate::file::{Kind, Question, Value};

/// What came of a question.
#[derive(Debug)]
pub struct Answer {
    /// The answer proper.
    pub found: Found,
    /// Paths of all explorations that the question took.
    pub paths: u64,
    /// Transitions of all of them.
    pub transitions: u64,
    /// How long the explorations took that were run for it.
    pub seconds: f64,
    /// How many those were.
    pub runs: u64,
    /// The finding that gives the answer.
    pub finding: Option<FindingSummary>,
    /// What else the runs had to say, such as an option that made no difference.
    pub notes: Vec<String>,
    /// The bounds inside the system that kept something from happening, and what they did.
    pub within: Vec<String>,
    /// Tasks that only waited for each other at the end of paths that were cut.
    pub waiting: Vec<Waiting>,
}

/// The answer proper, or why there is none.
#[derive(Debug)]
pub enum Found {
    /// There is one.
    Value(Value),
    /// A bound cut the search before there was an answer.
    Cut(String),
    /// No exploration, or none that came to a verdict.
    CouldNotRun(Box<fwvs_run::Error>),
}

/// A question and the exploration that answers it.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The question.
    pub question: &'a Question,
    /// Its number in the study, which names its folder.
    pub number: usize,
    /// What to explore; of [`Kind::Smallest`], with the parameter left out.
    pub job: Job,
    /// What ends it, findings aside.
    pub until: Until,
}

impl Asked<'_> {
    /// The exploration with that value of the parameter, if values are tried.
    fn job(&self, value: Option<i64>) -> Job {
        let mut job = self.job.clone();
        if let (Kind::Smallest { parameter, .. }, Some(value)) = (&self.question.kind, value) {
            job.parameters.insert(parameter.clone(), value.to_string());
        }
        job
    }

    /// Findings end it as the question wants: the first that counts, or none where choices are counted.
    fn until(&self) -> Until {
        let findings = Some(if self.question.kind == Kind::Sequences { usize::MAX } else { 1 });
        Until { findings, wanted: self.question.wanted.clone(), ..self.until.clone() }
    }
}

/// Hears of every event of every exploration, and which value of a parameter is tried there.
pub type Listener<'a> = &'a mut dyn FnMut(Option<i64>, RunEvent);

/// Asks questions, and remembers what it need not run again.
pub struct Asking {
    directory: PathBuf,
    /// Explorations that were complete and found nothing: no question can make anything else of them.
    clean: HashMap<(Job, Until), Summary>,
    stop: Arc<Stop>,
}

impl Asking {
    /// Leaves its files in that directory. When `stop` says so, the present exploration ends.
    pub fn new(directory: PathBuf, stop: Arc<Stop>) -> Self {
        Self { directory, clean: HashMap::new(), stop }
    }

    /// Checks what can be checked of a question before anything runs: its first and its last exploration.
    pub fn check(asked: &Asked<'_>) -> Result<(), Error> {
        let values = match &asked.question.kind {
            Kind::Smallest { values, .. } => vec![Some(*values.start()), Some(*values.end())],
            _ => vec![None],
        };
        let question = asked.question;
        values.into_iter().try_for_each(|value| match Run::new(asked.job(value), asked.until(), None) {
            Ok(_) => Ok(()),
            Err(reason) => {
                let (place, name) = (question.place.clone(), question.name.clone());
                Err(Error::CannotAsk { place, name, reason: Box::new(reason) })
            }
        })
    }

    /// Answers a question.
    pub fn answer(&mut self, asked: &Asked<'_>, listen: Listener<'_>) -> Answer {
        let mut tally = Tally {
            paths: 0,
            transitions: 0,
            seconds: 0.0,
            runs: 0,
            finding: None,
            notes: Vec::new(),
            within: vec![],
            waiting: vec![],
            question: asked.question,
        };
        let found = self.find(asked, &mut tally, listen);
        let found = found.unwrap_or_else(|error| Found::CouldNotRun(Box::new(error)));
        let Tally { paths, transitions, seconds, runs, finding, notes, within, waiting, .. } = tally;
        Answer { found, paths, transitions, seconds, runs, finding, notes, within, waiting }
    }

    fn find(
        &mut self,
        asked: &Asked<'_>,
        tally: &mut Tally<'_>,
        listen: Listener<'_>,
    ) -> Result<Found, fwvs_run::Error> {
        Ok(match &asked.question.kind {
            Kind::Exists => match self.run(asked, tally, None, listen)? {
                Outcome::Finding => Found::Value(Value::Truth(true)),
                Outcome::Nothing { .. } => Found::Value(Value::Truth(false)),
                Outcome::Cut(why) => Found::Cut(why),
            },
            Kind::Never => match self.run(asked, tally, None, listen)? {
                Outcome::Finding => Found::Value(Value::Truth(false)),
                Outcome::Nothing { .. } => Found::Value(Value::Truth(true)),
                Outcome::Cut(why) => Found::Cut(why),
            },
            Kind::Sequences => match self.run(asked, tally, None, listen)? {
                Outcome::Nothing { sequences } => Found::Value(Value::Number(sequences)),
                Outcome::Cut(why) => Found::Cut(why),
                Outcome::Finding => unreachable!("counting does not look for findings"),
            },
            Kind::Smallest { parameter, values } => {
                for value in values.clone() {
                    match self.run(asked, tally, Some(value), listen)? {
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
    fn run(
        &mut self,
        asked: &Asked<'_>,
        tally: &mut Tally<'_>,
        value: Option<i64>,
        listen: Listener<'_>,
    ) -> Result<Outcome, fwvs_run::Error> {
        let same = (asked.job(value), asked.until.clone());
        if let Some(summary) = self.clean.get(&same) {
            return Ok(tally.look(summary, false));
        }
        let mut folder = self.directory.join(asked.number.to_string());
        if let (Kind::Smallest { parameter, .. }, Some(value)) = (&asked.question.kind, value) {
            folder.push(format!("{parameter}-{value}"));
        }
        let run = Run::new(same.0.clone(), asked.until(), Some(folder))?;
        let summary = run.supervise(&self.stop, |event| listen(value, event))?;
        let outcome = tally.look(&summary, true);
        if summary.findings.is_empty() && summary.bounds_hit.is_empty() {
            self.clean.insert(same, summary);
        }
        Ok(outcome)
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
