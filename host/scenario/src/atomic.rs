//! Files that are there completely or not at all, even if the machine stops in between.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use fwvs_foreign::file;

use crate::error::Error;

/// Ends the names of files that were never finished.
pub(crate) const UNFINISHED: &str = ".unfinished";

/// Writes beside `path`, waits until that is on the disk, and renames.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    attempt(path, bytes).map_err(|reason| Error::Unwritable { path: path.into(), reason })
}

fn attempt(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is not the name of a file"))?;
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}{UNFINISHED}", std::process::id()));
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let beside = directory.join(beside);
    let finished = file::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if finished.is_err() {
        // Best effort: the error that matters is the one above.
        let _ = fs::remove_file(&beside);
    }
    finished?;
    // The new name is on the disk only once its directory is.
    File::open(directory)?.sync_all()
}
