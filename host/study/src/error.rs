//! What is wrong with a study, or keeps a question from being asked.

use std::io;
use std::path::PathBuf;

use fwvs_foreign::{plain, shown};

/// What failed, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No file, or one that may not be read.
    #[error(
        "cannot read the study {}: {reason}\nhint: `fw-vs study --help` shows how one is written",
        shown(path)
    )]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        reason: io::Error,
    },
    /// Not TOML, or something in it that no study has.
    #[error("{} is not a study: {what}\nhint: `fw-vs study --help` lists what a study can have", shown(path))]
    NotAStudy {
        /// Which file.
        path: PathBuf,
        /// What the parser says.
        what: String,
    },
    /// Both an example and a firmware.
    #[error(
        "{} names both an example and a firmware\nhint: a study is over one; leave out the other",
        shown(path)
    )]
    TwoFirmwares {
        /// Which file.
        path: PathBuf,
    },
    /// Neither.
    #[error("{} names no firmware\nhint: begin with `firmware = \"path/to/firmware.elf\"`", shown(path))]
    NoFirmware {
        /// Which file.
        path: PathBuf,
    },
    /// No question.
    #[error("{} asks nothing\nhint: add a [[question]] with a name and a kind", shown(path))]
    NoQuestion {
        /// Which file.
        path: PathBuf,
    },
    /// Two questions of one name.
    #[error("{place}: there are two questions `{}`\nhint: give each a name of its own", plain(name))]
    TwoOfOneName {
        /// The file and the line.
        place: String,
        /// The name.
        name: String,
    },
    /// A question that makes no sense.
    #[error("{place}: question `{}`", plain(name))]
    Senseless {
        /// The file and the line.
        place: String,
        /// Its name.
        name: String,
        /// Why.
        #[source]
        reason: Nonsense,
    },
    /// A question whose exploration cannot begin.
    #[error("{place}: question `{}`", plain(name))]
    CannotAsk {
        /// The file and the line.
        place: String,
        /// Its name.
        name: String,
        /// Why.
        #[source]
        reason: Box<fwvs_run::Error>,
    },
    /// The scenario has no rows.
    #[error(
        "the scenario has no event `{}` of a task `{}` to make columns of\n\
         hint: see the events with `fw-vs replay`",
        plain(row),
        plain(task)
    )]
    NoColumns {
        /// The event that begins a row.
        row: String,
        /// Whose column would be empty.
        task: String,
    },
}

/// Why a question makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum Nonsense {
    /// It has no name.
    #[error("a question needs a name\nhint: write what is asked; the table shows it")]
    NoName,
    /// A parameter is set to a value, and its smallest value is asked for.
    #[error("{} is both set and looked for\nhint: leave it out of `set`", plain(parameter))]
    SetAndLookedFor {
        /// Which parameter.
        parameter: String,
    },
    /// `sequences` with `finding`.
    #[error("`sequences` counts choices, whatever is found\nhint: leave out `finding`")]
    FindingOfSequences,
    /// `sequences` with `columns`.
    #[error("`sequences` has no scenario to make columns of\nhint: leave out `columns`")]
    ColumnsOfSequences,
    /// `columns` without tasks.
    #[error("`columns` names no task\nhint: for example tasks = [\"producer\", \"consumer\"]")]
    NoTask,
    /// What only `smallest` has.
    #[error(
        "`parameter`, `from` and `to` are for the kind `smallest`\nhint: leave them out, or change the kind"
    )]
    OnlyForSmallest,
    /// `smallest` without a parameter or its values.
    #[error(
        "the kind `smallest` needs `parameter`, `from` and `to`\n\
         hint: for example parameter = \"N\", from = 1, to = 9"
    )]
    SmallestOfWhat,
    /// No values, or too many.
    #[error("nothing to try from {from} to {to}\nhint: values are tried upwards, at most {most} of them")]
    NothingToTry {
        /// The first value.
        from: i64,
        /// The last one.
        to: i64,
        /// How many there may be.
        most: i64,
    },
    /// A value that no parameter has.
    #[error(
        "{} = {} is no value of a parameter\nhint: write a number, or bytes as text",
        plain(parameter),
        plain(value)
    )]
    NoValue {
        /// Which parameter.
        parameter: String,
        /// The value.
        value: String,
    },
    /// An expected value that is never tried.
    #[error("expect = {expected} is not among the values from {from} to {to}\nhint: only these are tried")]
    NeverTried {
        /// What is expected.
        expected: i64,
        /// The first value.
        from: i64,
        /// The last one.
        to: i64,
    },
    /// What is expected is no answer to that kind of question.
    #[error("expect = {} is no answer to `{kind}`\nhint: write {instead}", plain(value))]
    NoAnswer {
        /// What is expected.
        value: String,
        /// What kind it is.
        kind: &'static str,
        /// What an answer looks like.
        instead: &'static str,
    },
}
