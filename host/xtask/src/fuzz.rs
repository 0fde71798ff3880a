//! Fuzzing: build as for an exploration, since real firmware is what is damaged, then run the program that does it.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::fw_vs::prepare;
use crate::workspace::{cargo, hand_over, root};

/// Runs the fuzzer with the given arguments, in the folder where the user is.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    // The firmware is that of the default board, whatever is fuzzed.
    let examples = prepare(&[])?;
    let here = env::current_dir().context("cannot find out the current folder")?;
    let mut command = cargo(&here);
    command
        .args(["run", "--quiet", "--release", "--package", "fwvs-fuzz", "--bin", "fuzz", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .arg("--")
        .args(arguments)
        .envs([examples]);
    hand_over(command)
}
