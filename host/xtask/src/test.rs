//! All checks, one after the other; the same on a developer's machine and in CI.
//!
//! Everything is compiled in the release profile: the end-to-end tests need the speed, and a second profile would
//! compile every dependency again.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::firmware::{Firmware, clear_host_settings, examples_workspace};
use crate::fw_vs::{self, EXAMPLES_VARIABLE};
use crate::setup::{self, GDB, QEMU};
use crate::workspace::{cargo, root};

/// Tells the tests to include those that take minutes.
const FULL_VARIABLE: &str = "FWVS_FULL";

/// What is also run on the other boards that QEMU plays; the tests compare it with the default one.
const EVERYWHERE: [&str; 6] =
    ["--package", "philosophers", "--package", "lock-order", "--package", "misbehaviours"];

/// One check.
struct Step {
    name: String,
    command: Command,
}

/// The command `cargo xtask test`.
pub(crate) fn all(full: bool) -> Result<ExitCode> {
    let firmware = Firmware::for_default_board()?;
    let others = Firmware::for_other_emulators()?;
    let start = Instant::now();
    setup::programs(&[QEMU, GDB])?;
    for firmware in [&firmware].into_iter().chain(&others) {
        setup::target(firmware.target())?;
    }
    setup::checkers()?;
    let mut times = vec![("setup".to_owned(), start.elapsed())];
    for Step { name, mut command } in steps(&firmware, &others, full) {
        eprintln!("\n== {name}");
        let start = Instant::now();
        let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
        times.push((name.clone(), start.elapsed()));
        if !status.success() {
            println!("\n{}\nthe step `{name}` failed", table(&times));
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("\n{}\nall checks passed", table(&times));
    Ok(ExitCode::SUCCESS)
}

/// All checks, those first that fail most often and fastest.
fn steps(firmware: &Firmware, others: &[Firmware], full: bool) -> Vec<Step> {
    let step = |name: &str, command| Step { name: name.to_owned(), command };
    let mut steps = vec![
        step("format", with(cargo(&root()), &["fmt", "--all", "--check"])),
        step("format of firmware", with(cargo(&examples_workspace()), &["fmt", "--all", "--check"])),
        step(
            "lints",
            with(
                cargo(&root()),
                &["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"],
            ),
        ),
        step("lints of the shim on the target", shim_lints(firmware.target())),
        step("lints of firmware", with(firmware.cargo("clippy"), &["--", "-D", "warnings"])),
        step("documentation", documentation()),
        step("firmware", firmware.cargo("build")),
    ];
    for other in others {
        steps.push(step(&format!("firmware for {}", other.board()), other.cargo_on("build", &EVERYWHERE)));
    }
    steps.push(step("fw-vs", fw_vs::build_command()));
    steps.push(step("tests", tests(firmware, full)));
    steps
}

fn with(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments);
    command
}

/// What runs on the target is also compiled for it: on the host alone, a use of `std` would go unnoticed.
fn shim_lints(target: &str) -> Command {
    let mut command = cargo(&root());
    clear_host_settings(&mut command, target);
    command.args(["clippy", "--release", "--target", target]);
    for package in ["fwvs", "fwvs-kernel", "fwvs-path", "fwvs-search", "fwvs-wire"] {
        command.args(["--package", package]);
    }
    with(command, &["--", "-D", "warnings"])
}

fn documentation() -> Command {
    let mut command = with(cargo(&root()), &["doc", "--release", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

fn tests(firmware: &Firmware, full: bool) -> Command {
    let mut command = with(cargo(&root()), &["test", "--release", "--workspace", "--no-fail-fast"]);
    command.env(EXAMPLES_VARIABLE, firmware.examples()).env_remove(FULL_VARIABLE);
    if full {
        command.env(FULL_VARIABLE, "1");
    }
    command
}

/// The steps with their seconds, and the sum.
fn table(times: &[(String, Duration)]) -> String {
    let total = ("total".to_owned(), times.iter().map(|(_, time)| time).sum());
    let width = times.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let row = |(name, time): &(String, Duration)| format!("{name:width$} {:7.1} s\n", time.as_secs_f64());
    times.iter().chain([&total]).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(command: &Command, wanted: &str) -> Option<String> {
        let (_, value) = command.get_envs().find(|(name, _)| *name == wanted)?;
        Some(value?.to_str()?.to_owned())
    }

    #[test]
    fn long_tests_run_only_when_asked_for() {
        let firmware = Firmware::for_default_board().unwrap();
        assert_eq!(variable(&tests(&firmware, false), FULL_VARIABLE), None);
        assert_eq!(variable(&tests(&firmware, true), FULL_VARIABLE), Some("1".to_owned()));
    }

    #[test]
    fn tests_are_told_where_the_firmware_is() {
        let firmware = Firmware::for_default_board().unwrap();
        let folder = variable(&tests(&firmware, false), EXAMPLES_VARIABLE);
        assert_eq!(folder.as_deref(), firmware.examples().to_str());
    }

    #[test]
    fn the_table_ends_with_the_sum() {
        let times = [("format", Duration::from_millis(500)), ("lints of firmware", Duration::from_secs(12))];
        let times = times.map(|(name, time)| (name.to_owned(), time));
        let expected = "\
format                0.5 s
lints of firmware    12.0 s
total                12.5 s
";
        assert_eq!(table(&times), expected);
    }
}
