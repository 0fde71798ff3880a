//! Builds the example firmware for a board.
//!
//! The examples are a cargo workspace of their own. They are built for the board's target only if nothing meant for
//! the host gets in, so their cargo sees neither the host's flags nor its target folder.

use std::env;
use std::ffi::OsString;
use std::path::{self, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use fwvs_board::{Board, DEFAULT, LinkKind};

use crate::setup;
use crate::workspace::{build, cargo, root};

/// The example firmware, for one board.
pub(crate) struct Firmware {
    board: Board,
    /// What the build scripts are told: the name of a board that comes with fw-vs, or the path of the user's file.
    told: OsString,
}

/// The command `cargo xtask firmware`.
pub(crate) fn command(board: &str) -> Result<ExitCode> {
    let firmware = Firmware::for_board(board)?;
    setup::target(firmware.target())?;
    firmware.build()?;
    println!("{}", firmware.examples().display());
    Ok(ExitCode::SUCCESS)
}

impl Firmware {
    /// The examples for a board: a name, or a path that counts from the current folder.
    /// Where a gdb server listens makes no other firmware.
    pub(crate) fn for_board(board: &str) -> Result<Firmware> {
        Self::of(Board::load(board)?)
    }

    /// The examples for the board that is meant when nobody names one.
    pub(crate) fn for_default_board() -> Result<Firmware> {
        Self::for_board(DEFAULT)
    }

    /// The examples for every other board that QEMU plays.
    pub(crate) fn for_other_emulators() -> Result<Vec<Firmware>> {
        let is_other = |board: &Board| matches!(board.link, LinkKind::Qemu { .. }) && board.name != DEFAULT;
        Board::all()?.into_iter().filter(is_other).map(Self::of).collect()
    }

    fn of(board: Board) -> Result<Firmware> {
        let told = match &board.file {
            None => board.name.clone().into(),
            // Absolute, because the build script runs in another folder.
            Some(file) => path::absolute(file)
                .with_context(|| format!("cannot find out where {} is", file.display()))?
                .into_os_string(),
        };
        Ok(Firmware { board, told })
    }

    /// The board's name.
    pub(crate) fn board(&self) -> &str {
        &self.board.name
    }

    /// The compilation target.
    pub(crate) fn target(&self) -> &str {
        &self.board.target
    }

    /// The folder of the ELF files, each called like its example.
    pub(crate) fn examples(&self) -> PathBuf {
        self.target_folder().join(self.target()).join("release")
    }

    /// Builds all examples.
    pub(crate) fn build(&self) -> Result<()> {
        build(self.cargo("build"), &format!("the example firmware for {}", self.board()))
    }

    /// A cargo command on all examples.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        self.cargo_on(subcommand, &["--workspace"])
    }

    /// A cargo command on some of them.
    pub(crate) fn cargo_on(&self, subcommand: &str, which: &[&str]) -> Command {
        let mut command = cargo(&examples_workspace());
        clear_host_settings(&mut command, self.target());
        command
            .args([subcommand, "--release"])
            .args(which)
            .args(["--target", self.target(), "--target-dir"])
            .arg(self.target_folder())
            .env("FWVS_BOARD", &self.told);
        command
    }

    fn target_folder(&self) -> PathBuf {
        root().join("target/firmware").join(self.board())
    }
}

/// The workspace of the examples.
pub(crate) fn examples_workspace() -> PathBuf {
    root().join("firmware-examples")
}

/// Takes out of a command's environment what people set for programs of the host.
pub(crate) fn clear_host_settings(command: &mut Command, target: &str) {
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| is_host_setting(name, target)) {
            command.env_remove(name);
        }
    }
}

/// Whether an environment variable would change what is built for `target`, or where.
///
/// Settings of the host's own target stay, such as its linker: build scripts are linked with it.
fn is_host_setting(name: &str, target: &str) -> bool {
    const WHOLE: [&str; 9] = [
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_ENCODED_RUSTDOCFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
        "CARGO_BUILD_RUSTDOCFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_BUILD_TARGET_DIR",
        "CARGO_TARGET_DIR",
    ];
    let of_the_target = format!("CARGO_TARGET_{}_", target.to_uppercase().replace(['-', '.'], "_"));
    WHOLE.contains(&name) || name.starts_with("CARGO_PROFILE_") || name.starts_with(&of_the_target)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    const TARGET: &str = "thumbv7m-none-eabi";

    #[test]
    fn flags_targets_folders_and_profiles_of_the_host_are_cleared() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "CARGO_BUILD_TARGET_DIR",
            "CARGO_TARGET_DIR",
            "CARGO_TARGET_THUMBV7M_NONE_EABI_RUSTFLAGS",
            "CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER",
            "CARGO_PROFILE_RELEASE_DEBUG",
        ] {
            assert!(is_host_setting(name, TARGET), "{name}");
        }
    }

    #[test]
    fn what_the_build_of_build_scripts_needs_stays() {
        for name in [
            "PATH",
            "CARGO",
            "CARGO_HOME",
            "CARGO_BUILD_JOBS",
            "RUSTC_WRAPPER",
            "RUSTUP_TOOLCHAIN",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER",
        ] {
            assert!(!is_host_setting(name, TARGET), "{name}");
        }
    }

    #[test]
    fn the_address_of_a_board_makes_no_other_firmware() {
        let firmware = Firmware::for_board("gdb-server=localhost:1234").unwrap();
        assert_eq!(firmware.board(), "gdb-server");
    }

    #[test]
    fn a_file_is_found_wherever_the_build_script_runs() {
        let file = root().join("boards/qemu-mps2-an385.toml");
        let firmware = Firmware::for_board(file.to_str().unwrap()).unwrap();
        let command = firmware.cargo("build");
        let board = command.get_envs().find(|(name, _)| *name == "FWVS_BOARD").and_then(|(_, value)| value);
        assert!(board.is_some_and(|board| Path::new(board).is_absolute()));
    }

    #[test]
    fn cargo_is_told_board_target_and_folder() {
        let firmware = Firmware::for_default_board().unwrap();
        let command = firmware.cargo("build");
        let folder = root().join("target/firmware").join(DEFAULT);
        let arguments: Vec<&OsStr> = command.get_args().collect();
        assert_eq!(arguments[..5], ["build", "--release", "--workspace", "--target", TARGET]);
        assert_eq!(arguments[5..], [OsStr::new("--target-dir"), folder.as_os_str()]);
        assert_eq!(command.get_current_dir(), Some(root().join("firmware-examples").as_path()));
        let board = command.get_envs().find(|(name, _)| *name == "FWVS_BOARD").and_then(|(_, value)| value);
        assert_eq!(board, Some(OsStr::new(DEFAULT)));
        assert_eq!(firmware.examples(), folder.join(TARGET).join("release"));
    }
}
