//! A study as it is written: TOML, checked as a whole before anything runs.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use fwvs_foreign::{file, plain, shown};
use fwvs_run::Wanted;
use fwvs_scenario::Value as Parameter;
use serde::Deserialize;
use toml::Spanned;

use crate::error::{Error, Nonsense};

/// More values of a parameter than anybody waits for.
const MOST_VALUES: i64 = 10_000;

/// No study is longer; a file that is was given by mistake.
const LONGEST_FILE: u64 = 1 << 24;

/// A list of questions over one firmware.
#[derive(Debug)]
pub struct Study {
    /// What it is about.
    pub title: String,
    /// What the questions are asked of.
    pub firmware: Firmware,
    /// The name of a board, or the path of its file.
    pub board: Option<String>,
    /// In the order in which they are asked.
    pub questions: Vec<Question>,
}

/// Which firmware a study is over.
#[derive(PartialEq, Eq, Debug)]
pub enum Firmware {
    /// The example of that name.
    Example(String),
    /// An ELF file.
    File(PathBuf),
}

/// One question.
#[derive(Debug)]
pub struct Question {
    /// What tables call it; no other has the same name.
    pub name: String,
    /// What is asked.
    pub kind: Kind,
    /// Parameters of the firmware: those of the study, and the question's own.
    pub set: BTreeMap<String, Parameter>,
    /// Options of `fw-vs explore`.
    pub options: Vec<String>,
    /// Which findings count.
    pub wanted: Wanted,
    /// The answer that was expected.
    pub expect: Option<Value>,
    /// How to print its scenario.
    pub columns: Option<Columns>,
    /// For errors: the file and the line.
    pub place: String,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whether a finding exists.
    Exists,
    /// Whether none does.
    Never,
    /// The smallest value of a parameter with which a finding exists.
    Smallest {
        /// Which parameter.
        parameter: String,
        /// What is tried, upwards.
        values: RangeInclusive<i64>,
    },
    /// How many sequences of toss values there are.
    Sequences,
}

impl Kind {
    /// As it is written.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::Never => "never",
            Self::Smallest { .. } => "smallest",
            Self::Sequences => "sequences",
        }
    }
}

/// An answer, given or expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Yes or no.
    Truth(bool),
    /// A number, or a parameter's value.
    Number(i64),
    /// No value of the parameter.
    None,
}

/// How to print a scenario: the events of some tasks side by side.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    /// The event that begins a row; its value says which.
    pub row: String,
    /// A column for each.
    pub tasks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyText {
    title: Option<String>,
    example: Option<String>,
    firmware: Option<PathBuf>,
    board: Option<String>,
    #[serde(default)]
    set: BTreeMap<String, toml::Value>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default, rename = "question")]
    questions: Vec<Spanned<QuestionText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionText {
    name: String,
    kind: KindText,
    #[serde(default)]
    set: BTreeMap<String, toml::Value>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    finding: Option<Wanted>,
    parameter: Option<String>,
    from: Option<i64>,
    to: Option<i64>,
    expect: Option<toml::Value>,
    columns: Option<Columns>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum KindText {
    Exists,
    Never,
    Smallest,
    Sequences,
}

impl Study {
    /// Reads a study file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = file::read_text(path, LONGEST_FILE)
            .map_err(|reason| Error::Unreadable { path: path.into(), reason })?;
        Self::parse(&text, path)
    }

    /// Reads a study that is in memory; `path` is what errors call it, and where its firmware is looked for.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let here = || path.to_path_buf();
        let study: StudyText = toml::from_str(text).map_err(|error| {
            // The parser's sentence may quote a text of several lines.
            let what = error.to_string().trim_end().replace(error.message(), &plain(error.message()));
            Error::NotAStudy { path: here(), what }
        })?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let firmware = match (study.example, study.firmware) {
            (Some(example), None) => Firmware::Example(example),
            (None, Some(firmware)) => Firmware::File(beside.join(firmware)),
            (Some(_), Some(_)) => return Err(Error::TwoFirmwares { path: here() }),
            (None, None) => return Err(Error::NoFirmware { path: here() }),
        };
        if study.questions.is_empty() {
            return Err(Error::NoQuestion { path: here() });
        }
        let mut questions: Vec<Question> = Vec::new();
        for question in study.questions {
            let place = format!("{}:{}", shown(path), line(text, &question.span()));
            let question = question.into_inner();
            let name = question.name.clone();
            if questions.iter().any(|other| other.name == name) {
                return Err(Error::TwoOfOneName { place, name });
            }
            let checked = question.check(&study.set, &study.options, place.clone());
            questions.push(checked.map_err(|reason| Error::Senseless { place, name, reason })?);
        }
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        Ok(Self {
            title: study.title.unwrap_or_else(|| name.into_owned()),
            firmware,
            board: study.board.map(|board| board_beside(beside, board)),
            questions,
        })
    }
}

/// A board file is looked for where the firmware is: beside the study. Names stay as they are.
fn board_beside(folder: &Path, board: String) -> String {
    let file = board.split_once('=').map_or(board.as_str(), |(file, _)| file);
    if file.ends_with(".toml") { folder.join(board).to_string_lossy().into_owned() } else { board }
}

impl QuestionText {
    fn check(
        self,
        common: &BTreeMap<String, toml::Value>,
        options: &[String],
        place: String,
    ) -> Result<Question, Nonsense> {
        if self.name.trim().is_empty() {
            return Err(Nonsense::NoName);
        }
        let kind = self.kind()?;
        let mut set = BTreeMap::new();
        for (name, value) in common.iter().chain(&self.set) {
            set.insert(name.clone(), assigned(name, value)?);
        }
        if let Kind::Smallest { parameter, .. } = &kind
            && self.set.contains_key(parameter)
        {
            return Err(Nonsense::SetAndLookedFor { parameter: parameter.clone() });
        }
        if self.finding.is_some() && kind == Kind::Sequences {
            return Err(Nonsense::FindingOfSequences);
        }
        if let Some(columns) = &self.columns {
            if kind == Kind::Sequences {
                return Err(Nonsense::ColumnsOfSequences);
            }
            if columns.tasks.is_empty() {
                return Err(Nonsense::NoTask);
            }
        }
        let expect = self.expect.as_ref().map(|value| expected(&kind, value)).transpose()?;
        Ok(Question {
            options: options.iter().chain(&self.options).cloned().collect(),
            name: self.name,
            kind,
            set,
            wanted: self.finding.unwrap_or_default(),
            expect,
            columns: self.columns,
            place,
        })
    }

    fn kind(&self) -> Result<Kind, Nonsense> {
        if !matches!(self.kind, KindText::Smallest)
            && (self.parameter.is_some() || self.from.is_some() || self.to.is_some())
        {
            return Err(Nonsense::OnlyForSmallest);
        }
        Ok(match self.kind {
            KindText::Exists => Kind::Exists,
            KindText::Never => Kind::Never,
            KindText::Sequences => Kind::Sequences,
            KindText::Smallest => {
                let (Some(parameter), Some(from), Some(to)) = (&self.parameter, self.from, self.to) else {
                    return Err(Nonsense::SmallestOfWhat);
                };
                if from > to || to.saturating_sub(from) >= MOST_VALUES {
                    return Err(Nonsense::NothingToTry { from, to, most: MOST_VALUES });
                }
                Kind::Smallest { parameter: parameter.clone(), values: from..=to }
            }
        })
    }
}

/// A parameter's value: a number stays a number.
fn assigned(name: &str, value: &toml::Value) -> Result<Parameter, Nonsense> {
    match value {
        toml::Value::Integer(number) => Ok(Parameter::Number(*number)),
        toml::Value::String(text) => Ok(Parameter::Text(text.clone())),
        _ => Err(Nonsense::NoValue { parameter: name.to_owned(), value: value.to_string() }),
    }
}

/// What is expected of a question of that kind.
fn expected(kind: &Kind, value: &toml::Value) -> Result<Value, Nonsense> {
    match (kind, value) {
        (Kind::Exists | Kind::Never, toml::Value::Boolean(truth)) => Ok(Value::Truth(*truth)),
        (Kind::Smallest { values, .. }, toml::Value::Integer(number)) if !values.contains(number) => {
            let (from, to) = (*values.start(), *values.end());
            Err(Nonsense::NeverTried { expected: *number, from, to })
        }
        (Kind::Smallest { .. }, toml::Value::Integer(number)) => Ok(Value::Number(*number)),
        (Kind::Sequences, toml::Value::Integer(number @ 0..)) => Ok(Value::Number(*number)),
        (Kind::Smallest { .. }, toml::Value::String(text)) if text == "none" => Ok(Value::None),
        (kind, value) => {
            let instead = match kind {
                Kind::Exists | Kind::Never => "true or false",
                Kind::Smallest { .. } => "a number, or \"none\"",
                Kind::Sequences => "a number",
            };
            Err(Nonsense::NoAnswer { value: value.to_string(), kind: kind.word(), instead })
        }
    }
}

/// The line that a part of the text begins in.
fn line(text: &str, part: &Range<usize>) -> usize {
    text[..part.start.min(text.len())].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Study, Error> {
        Study::parse(text, Path::new("tests/study.toml"))
    }

    /// The error, with its hint.
    fn refused(text: &str) -> String {
        let error = parse(text).expect_err(text);
        let reason = std::error::Error::source(&error).map_or(String::new(), |reason| format!(": {reason}"));
        let error = format!("{error}{reason}");
        assert!(error.contains("\nhint: ") || error.contains("hint: "), "{error}");
        error
    }

    fn question(rest: &str) -> String {
        format!("example = \"x\"\n[set]\nN = 1\n[[question]]\nname = \"q\"\n{rest}\n")
    }

    #[test]
    fn a_question_overrides_what_is_set_for_all() {
        let study =
            parse(&question("kind = \"exists\"\nset = { N = 2, M = \"0aff\" }\nexpect = true")).unwrap();
        assert_eq!((study.title.as_str(), study.firmware), ("study", Firmware::Example("x".into())));
        let [only] = study.questions.as_slice() else { panic!("one question") };
        let set: Vec<(&str, Parameter)> = only.set.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        assert_eq!(set, [("M", "0aff".into()), ("N", 2.into())]);
        assert_eq!((&only.kind, only.expect), (&Kind::Exists, Some(Value::Truth(true))));
        assert_eq!(only.place, "tests/study.toml:4");
    }

    #[test]
    fn a_firmware_is_looked_for_beside_the_study() {
        let study =
            parse("firmware = \"build/x.elf\"\n[[question]]\nname = \"q\"\nkind = \"never\"").unwrap();
        assert_eq!(study.firmware, Firmware::File("tests/build/x.elf".into()));
    }

    #[test]
    fn a_board_file_is_looked_for_beside_the_study() {
        let study = |board: &str| {
            let question = "[[question]]\nname = \"q\"\nkind = \"never\"";
            parse(&format!("example = \"x\"\nboard = \"{board}\"\n{question}")).unwrap().board.unwrap()
        };
        assert_eq!(study("my.toml"), "tests/my.toml");
        assert_eq!(study("my.toml=localhost:1"), "tests/my.toml=localhost:1");
        assert_eq!(study("/boards/my.toml"), "/boards/my.toml");
        assert_eq!(study("qemu-lm3s6965"), "qemu-lm3s6965");
        assert_eq!(study("gdb-server=/tmp/my.toml"), "gdb-server=/tmp/my.toml");
    }

    #[test]
    fn every_kind_has_its_own_expectation() {
        let smallest = "kind = \"smallest\"\nparameter = \"P\"\nfrom = 1\nto = 3\n";
        for (rest, expected) in [
            ("kind = \"exists\"\nexpect = false".to_owned(), Value::Truth(false)),
            ("kind = \"never\"\nexpect = true".to_owned(), Value::Truth(true)),
            ("kind = \"sequences\"\nexpect = 7".to_owned(), Value::Number(7)),
            (format!("{smallest}expect = 2"), Value::Number(2)),
            (format!("{smallest}expect = \"none\""), Value::None),
        ] {
            assert_eq!(parse(&question(&rest)).unwrap().questions[0].expect, Some(expected), "{rest}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_hint() {
        let smallest = "kind = \"smallest\"\nparameter = \"P\"\n";
        for (text, part) in [
            ("[[question]]\nname = \"q\"\nkind = \"never\"".to_owned(), "names no firmware"),
            (
                "example = \"x\"\nfirmware = \"y\"\n[[question]]\nname = \"q\"\nkind = \"never\"".to_owned(),
                "both",
            ),
            ("example = \"x\"".to_owned(), "asks nothing"),
            ("example = \"x\"\nexmaple = \"y\"".to_owned(), "unknown field `exmaple`"),
            ("example = ".to_owned(), "is not a study"),
            (question(""), "missing field `kind`"),
            (question("kind = \"sometimes\""), "unknown variant `sometimes`"),
            (
                question("kind = \"never\"\nfrom = 1"),
                "study.toml:4: question `q`: `parameter`, `from` and `to`",
            ),
            (question(smallest), "needs `parameter`, `from` and `to`"),
            (question(&format!("{smallest}from = 3\nto = 2")), "nothing to try"),
            (
                question(&format!("{smallest}from = -9223372036854775808\nto = 9223372036854775807")),
                "nothing to try",
            ),
            (question(&format!("{smallest}from = 1\nto = 2\nset = {{ P = 1 }}")), "both set and looked for"),
            (question("kind = \"never\"\nexpect = 3"), "no answer to `never`"),
            (question("kind = \"sequences\"\nexpect = \"none\""), "no answer to `sequences`"),
            (question("kind = \"sequences\"\nexpect = -1"), "no answer to `sequences`"),
            (
                question(&format!("{smallest}from = 2\nto = 4\nexpect = 5")),
                "not among the values from 2 to 4",
            ),
            (question("kind = \"never\"\n").replace("\"q\"", "\" \""), "a question needs a name"),
            (question("kind = \"never\"\ncolumns = { row = \"r\", tasks = [] }"), "`columns` names no task"),
            (
                question("kind = \"sequences\"\ncolumns = { row = \"r\", tasks = [\"t\"] }"),
                "no scenario to make columns of",
            ),
            (question("kind = \"sequences\"\nfinding = { kind = \"crash\" }"), "leave out `finding`"),
            (question("kind = \"never\"\nfinding = { kind = \"oops\" }"), "unknown variant `oops`"),
            (question("kind = \"never\"\nset = { N = true }"), "no value of a parameter"),
            (question("kind = \"never\"\n[[question]]\nname = \"q\"\nkind = \"never\""), "two questions `q`"),
        ] {
            let error = refused(&text);
            assert!(error.contains(part), "{error}\nshould contain {part}");
        }
    }
}
