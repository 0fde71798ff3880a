//! Every command of fw-vs: set up, build, hand over.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use fwvs_board::DEFAULT as DEFAULT_BOARD;

use crate::firmware::Firmware;
use crate::setup::{self, QEMU};
use crate::workspace::{build, cargo, hand_over, root};

/// Tells fw-vs, its tests and its benchmarks in which folder the ELF files of the examples are.
pub(crate) const EXAMPLES_VARIABLE: &str = "FWVS_EXAMPLES";

/// Runs fw-vs with the given command and arguments, in the folder where the user is.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let examples = prepare(arguments)?;
    let mut command = Command::new(binary()?);
    command.args(arguments).envs([examples]);
    hand_over(command)
}

/// Installs what is missing, and builds fw-vs and the examples for the board that the arguments name.
/// Returns the environment variable that says where the examples are.
pub(crate) fn prepare(arguments: &[OsString]) -> Result<(&'static str, PathBuf)> {
    let firmware = Firmware::for_board(board(arguments))?;
    setup::programs(&[QEMU])?;
    setup::target(firmware.target())?;
    firmware.build()?;
    build(build_command(), "fw-vs")?;
    Ok((EXAMPLES_VARIABLE, firmware.examples()))
}

/// How the binary is built.
pub(crate) fn build_command() -> Command {
    let mut command = cargo(&root());
    command.args(["build", "--release", "--package", "fw-vs"]);
    command
}

/// Where cargo puts the binary: into the same target folder as this program, wherever the user has moved that.
fn binary() -> Result<PathBuf> {
    let this_program = env::current_exe().context("cannot find out where xtask is")?;
    let target_folder =
        this_program.ancestors().nth(2).context("xtask is not in a target folder of cargo")?;
    Ok(target_folder.join("release").join(format!("fw-vs{}", env::consts::EXE_SUFFIX)))
}

/// The board that fw-vs will choose: examples have to be built for the same one.
fn board(arguments: &[OsString]) -> &str {
    let mut texts = arguments.iter().map(|argument| argument.to_str().unwrap_or_default());
    while let Some(text) = texts.next() {
        match text {
            "--" => break,
            // A missing value is for fw-vs to complain about.
            "--board" => return texts.next().unwrap_or(DEFAULT_BOARD),
            _ => {}
        }
        if let Some(board) = text.strip_prefix("--board=") {
            return board;
        }
    }
    DEFAULT_BOARD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board_of(line: &str) -> String {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        board(&arguments).to_owned()
    }

    #[test]
    fn examples_are_built_for_the_board_that_fw_vs_will_use() {
        assert_eq!(board_of("explore --example philosophers"), DEFAULT_BOARD);
        assert_eq!(board_of("explore --board other --example philosophers"), "other");
        assert_eq!(board_of("explore --board=../my.toml"), "../my.toml");
        assert_eq!(board_of("explore -- --board other"), DEFAULT_BOARD);
        assert_eq!(board_of("explore --board"), DEFAULT_BOARD);
    }
}
