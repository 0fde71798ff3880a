//! `fw-vs study`: a list of questions over one firmware, answered and compared with what was expected.
//!
//! | file | idea |
//! |---|---|
//! | `options` | the options of `fw-vs explore` that a study quotes |
//! | `progress` | the line that says which question it is |
//! | `result` | answers against expectations, as a table and as JSON |

mod options;
mod progress;
mod result;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use fwvs_foreign::shown;
use fwvs_report::words::{counted, plain, shell, wrap};
use fwvs_run::Stop;
use fwvs_scenario::{RunDirectory, Scenario};
use fwvs_study::{Asked, Asking, Firmware, Question, Standing, Study, columns};
use serde_json::json;

use crate::COULD_NOT_RUN;
use crate::complaint::complaint;
use crate::options::Format;
use crate::say::{say, say_styled};
use crate::signals::stop_on_signals;
use crate::study::progress::Progress;
use crate::study::result::Answered;

/// What `fw-vs study -h` ends with.
pub(crate) const SHORT_HELP: &str = "`fw-vs study --help` shows how a study is written.\n\n\
    Exit codes: 0 every answer as expected, 1 an answer differs, 2 could not run, 3 a bound cut an answer.";

/// What `fw-vs study --help` ends with.
pub(crate) const HELP: &str = r#"A study is a TOML file:

  title = "The bounded buffer"
  # A path, from where this file is; or
  # example = "bounded-buffer"
  firmware = "build/firmware.elf"
  # Or a board file; may be left out.
  board = "qemu-lm3s6965"
  # Options of `fw-vs explore`, for all
  options = ["--max-time", "10m"]

  # Parameters of the firmware
  [set]
  SLOTS = 2

  # Is a finding there? `finding` says
  # which count; without it, all do.
  [[question]]
  name = "an item can be lost"
  kind = "exists"
  finding.kind = "assertion"
  finding.message = "sum == 3"
  expect = true

  # Is there no finding, in any order?
  [[question]]
  name = "the fix loses nothing"
  kind = "never"
  set = { fixed = 1 }
  expect = true

  # With which value is there a finding
  # first? Tried upwards, one by one.
  [[question]]
  name = "how many producers it takes"
  kind = "smallest"
  parameter = "PRODUCERS"
  from = 1
  to = 4
  expect = 2    # or "none"

  # How many sequences of tosses exist?
  [[question]]
  name = "choices of the environment"
  kind = "sequences"
  expect = 308562

A question without `expect` is answered and not judged. A question may have `options` of its own. With `columns` its scenario is printed as well, the events of some tasks side by side, with a new row at every event "round":

  columns.row = "round"
  columns.tasks = ["a", "b"]

Where paths end in a failed check, a crash or the like that `finding` does not allow, nobody knows what would have come later: unless there is a finding as asked for, there is no answer then.

Every exploration leaves its scenarios, events and summary in the run directory: in a folder with the question's number, for `smallest` one for every value. answers.jsonl has the answers, one JSON object a line.

Exit codes: 0 every answer as expected, 1 an answer differs, 2 could not run, 3 a bound cut an answer."#;

pub(crate) fn study(options: &crate::options::Study) -> Result<u8> {
    let mut study = Study::load(&options.study)?;
    if let Some(firmware) = &options.firmware {
        study.firmware = Firmware::File(firmware.clone());
    }
    let chosen = chosen(&study, &options.only)?;
    let board = options.board.as_deref();
    let asked = chosen.iter().map(|(number, question)| options::asked(&study, board, question, *number));
    let asked: Vec<Asked<'_>> = asked.collect::<Result<_>>()?;
    asked.iter().try_for_each(Asking::check)?;
    let directory = match &options.out {
        Some(path) => RunDirectory::at(path)?,
        None => RunDirectory::create(&study_name(&options.study))?,
    };
    let stop = Arc::new(Stop::default());
    stop_on_signals(&stop)?;
    let mut asking = Asking::new(directory.path().to_owned(), Arc::clone(&stop));
    let mut kept = Kept::new(directory.path())?;
    let mut answers: Vec<Answered<'_>> = Vec::new();
    for one in &asked {
        let mut progress = Progress::new(one.question);
        let answer = asking.answer(one, &mut |value, event| progress.event(value, &event));
        drop(progress);
        let answered = (one.question, answer);
        let line = result::json(&answered);
        kept.write(&line)?;
        if options.format == Format::Json {
            say!("{line}")?;
        }
        answers.push(answered);
        if stop.reason().is_some() {
            break;
        }
    }
    let left = asked.len() - answers.len();
    let code = exit_code(&answers, left);
    let last = fwvs_scenario::json::line(&last_line(&study, &answers, left, code));
    kept.write(&last)?;
    match options.format {
        Format::Json => say!("{last}")?,
        Format::Text => print(&study, &answers, left, directory.path())?,
    }
    Ok(code)
}

/// The answers in the run directory, one a line: what `--format json` prints. Each is there before it is told.
struct Kept {
    path: PathBuf,
    file: File,
}

impl Kept {
    fn new(directory: &Path) -> Result<Self> {
        let path = directory.join("answers.jsonl");
        let file = fwvs_foreign::file::create(&path).map_err(|reason| unwritable(&path, &reason))?;
        Ok(Self { path, file })
    }

    fn write(&mut self, line: &str) -> Result<()> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|reason| unwritable(&self.path, &reason))
    }
}

fn unwritable(path: &Path, reason: &io::Error) -> anyhow::Error {
    anyhow!("cannot write {}: {reason}\nhint: check permissions and free space", shown(path))
}

/// Whether a study makes sense, as far as that can be said without its firmware.
pub(crate) fn check(text: &str, path: &Path) -> Result<()> {
    Study::parse(text, path)?.questions.iter().try_for_each(options::check)
}

/// The questions to ask, each with its number in the study.
fn chosen<'a>(study: &'a Study, only: &[String]) -> Result<Vec<(usize, &'a Question)>> {
    let wanted = |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part));
    let numbered = study.questions.iter().enumerate().map(|(place, question)| (place + 1, question));
    let asked: Vec<_> = numbered.filter(|(_, question)| wanted(&question.name)).collect();
    if asked.is_empty() {
        let names: Vec<&str> = study.questions.iter().map(|question| question.name.as_str()).collect();
        let (only, names) = (only.join("` or `"), names.join("; "));
        bail!("no question has `{}` in its name\nhint: there are: {}", plain(&only), plain(&names));
    }
    Ok(asked)
}

/// What the run directory is called after: the study, and the folder it is in.
fn study_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    match path.parent().and_then(Path::file_name) {
        Some(folder) => format!("{}-{stem}", folder.to_string_lossy()),
        None => stem.into_owned(),
    }
}

/// Could not run outweighs a difference, a difference outweighs a bound. What was not asked counts as cut.
fn exit_code(answers: &[Answered<'_>], left: usize) -> u8 {
    let any = |standing| answers.iter().any(|(question, answer)| Standing::of(question, answer) == standing);
    match () {
        () if any(Standing::CouldNotRun) => COULD_NOT_RUN,
        () if any(Standing::Differs) => 1,
        () if any(Standing::Cut) || left > 0 => 3,
        () => 0,
    }
}

fn number(answers: &[Answered<'_>], standing: Standing) -> u64 {
    answers.iter().filter(|(question, answer)| Standing::of(question, answer) == standing).count() as u64
}

fn last_line(study: &Study, answers: &[Answered<'_>], left: usize, code: u8) -> serde_json::Value {
    json!({
        "event": "study",
        "title": study.title,
        "questions": answers.len() + left,
        "as_expected": number(answers, Standing::AsExpected),
        "answered": number(answers, Standing::Answered),
        "differ": number(answers, Standing::Differs),
        "cut": number(answers, Standing::Cut),
        "could_not_run": number(answers, Standing::CouldNotRun),
        "not_asked": left,
        "seconds": answers.iter().map(|(_, answer)| answer.seconds).sum::<f64>(),
        "exit_code": code,
    })
}

fn print(study: &Study, answers: &[Answered<'_>], left: usize, directory: &Path) -> Result<()> {
    let width = Table::new().width().unwrap_or(100).clamp(40, 140);
    say!("{}\n", wrap(&plain(&study.title), width.into(), 2))?;
    say!("{}", result::table(answers, directory, width))?;
    for (question, answer) in answers {
        let scenario = answer.finding.as_ref().and_then(|finding| finding.scenario.as_deref());
        if let (Some(columns), Some(path)) = (&question.columns, scenario) {
            let rows = Scenario::load(path)
                .map_err(anyhow::Error::from)
                .and_then(|scenario| Ok(columns::rows(columns, &scenario)?));
            let text = match rows {
                Ok(rows) => side_by_side(&columns.row, &columns.tasks, rows, width),
                Err(error) => format!("{}\n", complaint(error.as_ref())),
            };
            say!("{}\n\n{text}", plain(&question.name))?;
        }
    }
    let parts: Vec<String> =
        [Standing::AsExpected, Standing::Answered, Standing::Differs, Standing::Cut, Standing::CouldNotRun]
            .into_iter()
            .map(|standing| (number(answers, standing), standing))
            .filter(|(number, _)| *number > 0)
            .map(|(number, standing)| {
                let style = result::style(standing);
                format!("{number} {style}{}{style:#}", standing.word())
            })
            .chain((left > 0).then(|| format!("{left} not asked")))
            .collect();
    let questions = counted((answers.len() + left) as u64, "question");
    say_styled!("{questions}: {}", parts.join(", "))?;
    let all = format!("scenarios, events and summaries are in {}", shell(directory));
    say!("{}", wrap(&all, width.into(), 2))?;
    if answers.iter().any(|(_, answer)| answer.finding.is_some()) {
        say!("fw-vs replay {}/SCENARIO runs one of them again", shell(directory))?;
    }
    Ok(())
}

/// Columns under the names of their tasks.
fn side_by_side(row: &str, tasks: &[String], rows: Vec<Vec<String>>, width: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table.set_header(std::iter::once(row).chain(tasks.iter().map(String::as_str)).map(plain));
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| plain(cell))));
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 3));
        if place == 0 {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.lines().map(|line| format!("  {}\n", line.trim_end())).collect()
}
