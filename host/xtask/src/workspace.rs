//! Where things are in the repository, and how cargo is called on them.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::stage::stage;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs us; the folder at compile time serves a binary that is started directly.
    let this_crate = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&this_crate).ancestors().nth(2);
    root.expect("xtask is two folders below the root").to_owned()
}

/// Cargo, of the toolchain that built us, in the given folder.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

/// Runs a build. Standard output belongs to the program that is started afterwards, so what the build says goes to
/// standard error. At a terminal cargo shows how far it is; elsewhere it says only what is wrong, and we that it works.
pub(crate) fn build(mut command: Command, what: &str) -> Result<()> {
    let watched = io::stderr().is_terminal();
    if !watched {
        command.arg("--quiet");
    }
    command.stdout(io::stderr());
    let building = format!("building {what}, which takes minutes the first time");
    let status = if watched {
        eprintln!("xtask: {building}");
        command.status()
    } else {
        stage(&building, || command.status())
    };
    let status = status.with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{what} does not build");
    }
    Ok(())
}

/// Becomes the given program, so that signals and the exit code need nobody in between.
#[cfg(unix)]
pub(crate) fn hand_over(mut command: Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot start {command:?}"))
}

/// Runs the given program and passes its exit code on.
#[cfg(not(unix))]
pub(crate) fn hand_over(mut command: Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Whether a program can be called and succeeds; what it prints does not matter.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
