//! Benchmarks: build as for an exploration, then run the benchmark program of the tests.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::fw_vs::prepare;
use crate::workspace::{cargo, hand_over, root};

/// Runs the benchmark program with the given arguments, in the folder where the user is.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let examples = prepare(arguments)?;
    let here = env::current_dir().context("cannot find out the current folder")?;
    let mut command = cargo(&here);
    command
        .args(["run", "--quiet", "--release", "--package", "fwvs-tests", "--bin", "bench", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .arg("--")
        .args(arguments)
        .envs([examples]);
    hand_over(command)
}
