//! Where the firmware of the examples is.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fwvs_foreign::plain;

/// The example that runs when nobody says what to run.
pub(crate) const DEFAULT: &str = "philosophers";

/// The firmware of an example, built for a board.
pub(crate) fn find(name: &str, board: &str) -> Result<PathBuf> {
    let shown = plain(name);
    let Some(folder) = folder(board) else {
        let board = plain(board);
        bail!(
            "the examples are not built for board {board}\n\
             hint: `cargo xtask explore --board {board} --example {shown}` builds and runs them"
        );
    };
    let file = folder.join(name);
    if !name.contains(['/', '\\']) && file.is_file() {
        return Ok(file);
    }
    let known = known(&folder);
    bail!("there is no example `{shown}`\nhint: there are {}", plain(&known.join(", ")))
}

/// As `cargo xtask` says, or beside this program in the build folder.
fn folder(board: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("FWVS_EXAMPLES") {
        return Some(PathBuf::from(folder)).filter(|folder| folder.is_dir());
    }
    let program = std::env::current_exe().ok()?;
    // Where a gdb server listens makes no other firmware.
    let board = board.split_once('=').map_or(board, |(board, _)| board);
    let built = program.parent()?.parent()?.join("firmware").join(board);
    let targets = std::fs::read_dir(built).ok()?;
    targets.flatten().map(|target| target.path().join("release")).find(|folder| folder.is_dir())
}

/// Every example that is there: files without an ending.
fn known(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_file() && entry.path().extension().is_none())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}
