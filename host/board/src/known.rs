//! Which board is meant: one of those that come with fw-vs, by its name, or the file that a user names.
//!
//! The boards that come with fw-vs are part of the program, so that it works in any folder.

use std::path::Path;

use fwvs_foreign::file;

use crate::{Board, Error};

/// The board that is meant when nobody names one.
pub const DEFAULT: &str = "qemu-lm3s6965";

/// The boards that come with fw-vs: name and text, in the order of their names. The build script finds them.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// No board file is longer; a file that is was given by mistake.
const LONGEST_FILE: u64 = 1 << 20;

impl Board {
    /// The board that a user asks for: a path to a `.toml` file, or the name of a board that comes with fw-vs. `NAME=ADDRESS` gives
    /// a gdb server's address.
    pub fn load(name_or_path: &str) -> Result<Self, Error> {
        match name_or_path.split_once('=') {
            Some((name, address)) if !Path::new(name_or_path).exists() => Self::find(name)?.at(address),
            _ => Self::find(name_or_path),
        }
    }

    /// All boards that come with fw-vs, in the order of their names.
    pub fn all() -> Result<Vec<Self>, Error> {
        BUILT_IN.iter().map(|(name, text)| Self::parse(name, text)).collect()
    }

    fn find(name: &str) -> Result<Self, Error> {
        if name.ends_with(".toml") {
            return Self::read(Path::new(name));
        }
        if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Self::parse(name, text);
        }
        let known: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).into()).collect();
        Err(Error::Unknown { name: name.into(), nearest: nearest(name, &known), known })
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let text = file::read_text(path, LONGEST_FILE)
            .map_err(|source| Error::Read { path: path.into(), source })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::of_file(&name, Some(path), &text)
    }
}

/// The most similar name, if one can be meant.
fn nearest(name: &str, known: &[String]) -> Option<String> {
    let distances = known.iter().map(|candidate| (distance(name, candidate), candidate));
    let (steps, candidate) = distances.min()?;
    let is_part = |part: &&String| name.len() >= 3 && part.contains(name);
    if steps <= name.len() / 3 { Some(candidate) } else { known.iter().find(is_part) }.cloned()
}

/// How many characters must be inserted, removed or replaced (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}
