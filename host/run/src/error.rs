//! What keeps a run from beginning, or from coming to a verdict.

use std::io;
use std::path::PathBuf;

use fwvs_foreign::shown;

/// What failed, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path of the firmware cannot be written down.
    #[error(
        "the path of the firmware, {}, is not UTF-8: scenarios and checkpoints could not name it\n\
         hint: rename the folder or the file, or copy the firmware elsewhere",
        shown(path)
    )]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// The firmware was built anew since the run began that is to go on.
    #[error(
        "{} is not the firmware that the run in {} explored\nhint: it was built anew since; start a new run",
        shown(firmware),
        shown(run)
    )]
    OtherFirmware {
        /// The firmware.
        firmware: PathBuf,
        /// The run's directory.
        run: PathBuf,
    },
    /// No run writes such a checkpoint.
    #[error("the checkpoint contradicts itself\nhint: start a new run")]
    Contradiction,
    /// A checkpoint that agrees with itself, and not with what the firmware does.
    #[error(
        "the checkpoint in {} does not fit the firmware: what it says of the search cannot come about\n\
         hint: start a new run",
        shown(run)
    )]
    Misfit {
        /// The run's directory.
        run: PathBuf,
    },
    /// The board as its file says.
    #[error(transparent)]
    Board(#[from] fwvs_board::Error),
    /// The way to the board.
    #[error(transparent)]
    Link(#[from] fwvs_link::Error),
    /// The firmware as a file.
    #[error(transparent)]
    Firmware(#[from] fwvs_symbols::Error),
    /// The firmware as it runs.
    #[error(transparent)]
    Session(#[from] fwvs_session::Error),
    /// Files of the run.
    #[error(transparent)]
    Files(#[from] fwvs_scenario::Error),
    /// The system has no thread left.
    #[error("cannot start a thread to search")]
    NoThread(#[source] io::Error),
    /// A bug of our own.
    #[error(
        "the search ended by force: {what}\nhint: this is a bug in fw-vs; please report it with the command line"
    )]
    Broken {
        /// As much as is known.
        what: String,
    },
}
