//! The parsers of this crate for files that somebody else may have written.
//!
//! Each does all that is done to such a file before anything is started, and gives back nothing but the error. Fuzzing and
//! its kept inputs come in here.

use std::path::Path;

use anyhow::Result;
use fwvs_run::Checkpoint;

use crate::study;

/// A study: the text of its file, and the options in it.
pub fn study(text: &str, path: &Path) -> Result<()> {
    study::check(text, path)
}

/// The checkpoint of a run that was stopped.
pub fn checkpoint(bytes: &[u8], path: &Path) -> Result<()> {
    Checkpoint::parse(bytes, path)?;
    Ok(())
}

/// An error as it is told, hints and all.
pub fn told(error: &anyhow::Error) -> String {
    crate::complaint::complaint(error.as_ref())
}
