//! What the build script of a Rust firmware calls: memory layout and link arguments for the chosen board.
//!
//! A firmware has this crate as a build-dependency and a `build.rs` of one line:
//!
//! ```no_run
//! fwvs_build::firmware();
//! ```
//!
//! The board comes from the environment variable `FWVS_BOARD`: the name of a board that comes with fw-vs, or a path to
//! a `.toml` file; without it, the board that fw-vs takes when nobody names one. Everything the linker needs is said from here and nothing in a
//! `.cargo/config.toml` or in `RUSTFLAGS`, because cargo reads neither reliably: `--manifest-path` skips the first,
//! and an ambient `RUSTFLAGS` replaces what the file says.

mod error;
mod linker_scripts;

use std::path::{Path, PathBuf};
use std::{env, fs};

use error::Error;
use fwvs_board::{Board, DEFAULT};

/// Prepares the link of a firmware; to be called from its build script.
///
/// Writes `memory.x` and `fwvs.x` to `OUT_DIR` and tells cargo to link with them and with `link.x` of
/// `cortex-m-rt`. What goes wrong is reported as an error of the build, in cargo's own form.
pub fn firmware() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FWVS_BOARD");
    match prepare() {
        Ok(directives) => directives.iter().for_each(|line| println!("{line}")),
        // One directive a line: cargo has no escape for a line break.
        Err(error) => error.to_string().lines().for_each(|line| println!("cargo::error={line}")),
    }
}

fn prepare() -> Result<Vec<String>, Error> {
    let wanted = env::var("FWVS_BOARD").unwrap_or_else(|_| DEFAULT.to_owned());
    let board = Board::load(&wanted)?;
    if cargo_variable("CARGO_CFG_TARGET_OS") != "none" {
        let target = cargo_variable("TARGET");
        return Err(Error::NotFirmware { target, board_target: board.target });
    }
    let folder = PathBuf::from(cargo_variable("OUT_DIR"));
    write(&folder.join("memory.x"), &linker_scripts::memory_x(&board.memory))?;
    write(&folder.join("fwvs.x"), &linker_scripts::fwvs_x())?;
    Ok(directives(&board, &folder))
}

/// What cargo has to know once the linker scripts are in `folder`.
fn directives(board: &Board, folder: &Path) -> Vec<String> {
    // A board that comes with fw-vs is part of this crate, which cargo builds again when it changes.
    let file = board.file.iter().map(|file| format!("cargo::rerun-if-changed={}", file.display()));
    let link = [
        format!("cargo::rustc-link-search={}", folder.display()),
        // Without this lld thinks in pages of 64 KiB: where flash starts inside a page, it adds a segment that
        // loads the ELF header below it.
        "cargo::rustc-link-arg=--nmagic".to_owned(),
        // Debug information of functions that were left out would else say that they are at address 0, over the vectors and
        // whatever comes behind them. No Cortex-M has memory for code up there.
        "cargo::rustc-link-arg=-zdead-reloc-in-nonalloc=.debug_*=0xf0000000".to_owned(),
        // `fwvs.x` inserts into what `link.x` lays out, so it comes second.
        "cargo::rustc-link-arg=-Tlink.x".to_owned(),
        "cargo::rustc-link-arg=-Tfwvs.x".to_owned(),
    ];
    file.chain(link).collect()
}

/// A variable that cargo sets for every build script.
fn cargo_variable(name: &str) -> String {
    env::var(name)
        .unwrap_or_else(|_| panic!("cargo sets {name} for build scripts: call firmware() only from build.rs"))
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    fs::write(file, text).map_err(|source| Error::Write { file: file.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_x_comes_before_the_script_that_inserts_into_it() {
        let board = Board::load(DEFAULT).unwrap();
        let lines = directives(&board, Path::new("/out"));
        let position = |wanted: &str| lines.iter().position(|line| line.ends_with(wanted)).unwrap();
        assert!(position("=-Tlink.x") < position("=-Tfwvs.x"));
        assert!(lines.contains(&"cargo::rustc-link-search=/out".to_owned()));
        assert!(lines.contains(&"cargo::rustc-link-arg=--nmagic".to_owned()));
    }

    #[test]
    fn a_changed_board_file_rebuilds_the_firmware() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../boards/qemu-lm3s6965.toml");
        let board = Board::load(file).unwrap();
        let wanted = format!("cargo::rerun-if-changed={file}");
        assert!(directives(&board, Path::new("/out")).contains(&wanted));
    }
}
