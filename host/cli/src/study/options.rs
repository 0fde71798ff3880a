//! The options of `fw-vs explore` that a study quotes, and the job that they make together with the rest of a question.

use anyhow::{Context, Result, bail};
use fwvs_report::words::plain;
use fwvs_study::{Asked, Firmware, Kind, Question, Study};

use crate::given;
use crate::job::{job, until};
use crate::options::{Command, Explore, Options};
use crate::say::plain_values;

/// What a study decides itself, for every question.
const DECIDED: [&str; 6] = ["--out", "--format", "--stop", "--accept", "--resume", "--example"];

/// The question with its exploration, on that board unless the study or the options name one.
pub(crate) fn asked<'a>(
    study: &Study,
    board: Option<&str>,
    question: &'a Question,
    number: usize,
) -> Result<Asked<'a>> {
    let asked = || {
        let mut options = options(question)?;
        match &study.firmware {
            Firmware::Example(name) => options.example = Some(name.clone()),
            Firmware::File(path) => options.firmware = Some(path.clone()),
        }
        if let Some(board) = board.or(study.board.as_deref()) {
            if options.given.has("board") {
                return decided("--board");
            }
            options.board = board.to_owned();
        }
        let own = question.set.iter().map(|(name, value)| (name.clone(), value.to_string()));
        let quoted = std::mem::take(&mut options.parameters);
        if let Kind::Smallest { parameter, .. } = &question.kind
            && quoted.iter().any(|(name, _)| name == parameter)
        {
            bail!("{} is both set and looked for\nhint: leave it out of `options`", plain(parameter));
        }
        options.parameters = own.chain(quoted).collect();
        Ok(Asked { question, number, job: job(&options)?, until: until(&options) })
    };
    asked().with_context(|| of(question))
}

/// Whether the options of a question make sense, without a look at firmware and board.
pub(crate) fn check(question: &Question) -> Result<()> {
    options(question).map(drop).with_context(|| of(question))
}

/// What errors call a question.
fn of(question: &Question) -> String {
    format!("{}: question `{}`", question.place, plain(&question.name))
}

fn options(question: &Question) -> Result<Explore> {
    let name = |word: &'_ String| word.split('=').next().unwrap_or_default().to_owned();
    if let Some(option) = question.options.iter().map(name).find(|name| DECIDED.contains(&name.as_str())) {
        return decided(&option);
    }
    let words = ["fw-vs", "explore"].into_iter().chain(question.options.iter().map(String::as_str));
    let options = match given::read(words) {
        Ok(Options { command: Command::Explore(options) }) => options,
        Ok(_) => unreachable!("the words are those of an exploration"),
        Err(mut error) => {
            plain_values(&mut error);
            let text = error.to_string();
            let what = text.lines().next().unwrap_or_default();
            bail!(
                "{}\nhint: options are those of `fw-vs explore`, one text for each word",
                what.trim_start_matches("error: ")
            )
        }
    };
    match options.firmware {
        Some(_) => decided("FIRMWARE.elf"),
        None => Ok(options),
    }
}

fn decided<T>(option: &str) -> Result<T> {
    bail!("{option} cannot be among the options of a study, which decides that itself\nhint: leave it out")
}
