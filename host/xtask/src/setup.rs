//! Installs what a fresh machine lacks, one line of output for each thing; silent when all is there.
//!
//! A tool that is missing and cannot be installed is an error, never a reason to leave something out.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::firmware::Firmware;
use crate::stage::stage;
use crate::workspace::{cargo, root, succeeds};

/// A program that comes with a package of the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    /// What is called.
    name: &'static str,
    /// The package of Debian and its descendants.
    package: &'static str,
    /// What to do where there is no apt-get.
    elsewhere: &'static str,
}

/// The machine that firmware runs on.
pub(crate) const QEMU: Program = Program {
    name: "qemu-system-arm",
    package: "qemu-system-arm",
    elsewhere: "install QEMU's emulator of Arm systems, for example `dnf install qemu-system-arm` or `brew install qemu`",
};

/// What the tests of `fw-vs debug` connect with.
pub(crate) const GDB: Program = Program {
    name: "gdb-multiarch",
    package: "gdb-multiarch",
    elsewhere: "install a gdb for all architectures under the name gdb-multiarch",
};

/// The command `cargo xtask setup`.
pub(crate) fn all() -> Result<ExitCode> {
    let firmware = Firmware::for_default_board()?;
    programs(&[QEMU])?;
    target(firmware.target())?;
    eprintln!("setup: everything is there");
    Ok(ExitCode::SUCCESS)
}

/// Sees to it that the given programs can be called.
pub(crate) fn programs(wanted: &[Program]) -> Result<()> {
    let search_path = env::var_os("PATH").unwrap_or_default();
    let absent = missing(wanted, &search_path);
    if absent.is_empty() {
        return Ok(());
    }
    let has_apt = find_program("apt-get", &search_path);
    if !has_apt || !is_root() {
        bail!(cannot_install(&absent, has_apt));
    }
    let packages: Vec<&str> = absent.iter().map(|program| program.package).collect();
    // Lists that are out of date matter only if the installation fails, and then it says so itself.
    let _ = apt_get(&["update"], "updating apt-get's lists of packages");
    let what = format!("installing {} with apt-get", packages.join(", "));
    apt_get(&[&["install", "-y", "--no-install-recommends"], packages.as_slice()].concat(), &what)?;
    let still_absent = missing(wanted, &search_path);
    if !still_absent.is_empty() {
        bail!("apt-get reports success, but {} cannot be found in PATH", names(&still_absent));
    }
    Ok(())
}

/// Sees to it that the Rust toolchain can compile for the given target.
pub(crate) fn target(target: &str) -> Result<()> {
    if has_target(target)? {
        return Ok(());
    }
    let hint = format!(
        "hint: install rustup from https://rustup.rs and run `rustup target add {target}`, \
         or the package with Rust's core library for that target"
    );
    rustup(&["target", "add", target], &format!("the Rust target {target}"), &hint)
}

/// Sees to it that `cargo fmt` and `cargo clippy` can be called.
pub(crate) fn checkers() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if succeeds(cargo(&root()).args([subcommand, "--version"])) {
            continue;
        }
        let hint = format!("hint: install {component} for the Rust toolchain in use");
        rustup(&["component", "add", component], component, &hint)?;
    }
    Ok(())
}

fn rustup(arguments: &[&str], what: &str, hint: &str) -> Result<()> {
    if !find_program("rustup", &env::var_os("PATH").unwrap_or_default()) {
        bail!("{what} is missing, and there is no rustup to install it with\n{hint}");
    }
    let mut rustup = Command::new("rustup");
    captured(rustup.args(arguments).current_dir(root()), &format!("installing {what} with rustup"))
}

/// Asks the compiler itself, because a toolchain need not come from rustup.
fn has_target(target: &str) -> Result<bool> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--print", "target-libdir", "--target", target]).current_dir(root());
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("rustc does not know the target {target}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let libraries = String::from_utf8_lossy(&output.stdout);
    Ok(Path::new(libraries.trim_end()).is_dir())
}

fn apt_get(arguments: &[&str], what: &str) -> Result<()> {
    captured(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"), what)
}

/// Runs an installer, says what it does, and shows what it said only if it failed.
fn captured(command: &mut Command, what: &str) -> Result<()> {
    let output = stage(what, || command.output()).with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        eprint!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("{command:?} failed: {}", output.status);
    }
    Ok(())
}

fn is_root() -> bool {
    let answer = Command::new("id").arg("-u").output();
    answer.is_ok_and(|answer| answer.stdout.trim_ascii() == b"0")
}

fn missing(wanted: &[Program], search_path: &OsStr) -> Vec<Program> {
    wanted.iter().filter(|program| !find_program(program.name, search_path)).copied().collect()
}

fn find_program(name: &str, search_path: &OsStr) -> bool {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(search_path).any(|folder| is_executable(&folder.join(&file)))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// The message for a machine where we may not, or cannot, install packages.
fn cannot_install(absent: &[Program], has_apt: bool) -> String {
    let what = names(absent);
    if has_apt {
        let packages: Vec<&str> = absent.iter().map(|program| program.package).collect();
        let packages = packages.join(" ");
        return format!(
            "{what} is not installed, and only root can install it\n\
             hint: run `sudo apt-get install --no-install-recommends {packages}`"
        );
    }
    let hints: Vec<String> = absent.iter().map(|program| format!("\nhint: {}", program.elsewhere)).collect();
    format!("{what} is not installed, and there is no apt-get to install it with{}", hints.concat())
}

fn names(programs: &[Program]) -> String {
    let names: Vec<&str> = programs.iter().map(|program| program.name).collect();
    names.join(" and ")
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_counts_only_if_it_can_be_executed() {
        let folder = tempfile::tempdir().unwrap();
        let search_path = folder.path().as_os_str();
        assert_eq!(missing(&[QEMU], search_path), [QEMU]);

        let file = folder.path().join(QEMU.name);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(missing(&[QEMU], search_path), [QEMU]);

        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(missing(&[QEMU, GDB], search_path), [GDB]);
    }

    #[test]
    fn without_root_the_hint_is_a_line_to_paste() {
        let text = cannot_install(&[QEMU, GDB], true);
        let hint = "hint: run `sudo apt-get install --no-install-recommends qemu-system-arm gdb-multiarch`";
        assert_eq!(text.lines().last(), Some(hint));
    }

    #[test]
    fn without_apt_every_missing_program_has_its_hint() {
        let text = cannot_install(&[QEMU, GDB], false);
        assert_eq!(text.lines().filter(|line| line.starts_with("hint: ")).count(), 2);
    }
}
