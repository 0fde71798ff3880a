//! Why a firmware cannot be linked for the chosen board.

use std::io;
use std::path::PathBuf;

/// Why a firmware cannot be linked for the chosen board. Messages are written for the person who runs the build.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The board is unknown, or its file cannot be used.
    #[error(transparent)]
    Board(#[from] fwvs_board::Error),
    /// Cargo builds for a computer instead of a board.
    #[error(
        "firmware cannot be built for {target}\nhint: add --target {board_target}, or let `cargo xtask firmware` build it"
    )]
    NotFirmware {
        /// What cargo builds for.
        target: String,
        /// What the board needs.
        board_target: String,
    },
    /// A linker script cannot be written.
    #[error("cannot write the linker script {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
