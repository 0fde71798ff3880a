//! What the program `fw-vs` does: explores every order in which the tasks of RTOS firmware can interact.
//!
//! Parsing, opening and wiring only: what is searched is `explore`'s, what is said is `report`'s. A library only so that tests
//! reach the parsers in [`foreign`].
#![forbid(unsafe_code)]

mod applies;
mod boards;
mod choice;
mod complaint;
mod doctor;
mod examples;
mod explore;
pub mod foreign;
mod given;
mod job;
mod known_as;
mod new;
mod options;
mod replay;
mod say;
mod signals;
mod study;

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

use crate::options::Command;

/// Exit code of everything that kept fw-vs from giving a verdict.
const COULD_NOT_RUN: u8 = 2;

/// Runs the command that the arguments of this process ask for.
pub fn main() -> ExitCode {
    let options = match given::read(std::env::args_os()) {
        Ok(options) => options,
        Err(mut error) => {
            say::plain_values(&mut error);
            return match say::usage(&error) {
                Ok(()) => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(COULD_NOT_RUN)),
                Err(error) => could_not_run(&error),
            };
        }
    };
    tracing_subscriber::fmt()
        .with_writer(|| say::Log)
        .with_ansi(false)
        .with_env_filter(EnvFilter::try_from_env("FWVS_LOG").unwrap_or_else(|_| EnvFilter::new("error")))
        .init();
    let survives = signals::survive_long_files();
    let result = survives.and_then(|()| match options.command {
        Command::Explore(options) => explore::explore(&options),
        Command::Replay(options) => replay::replay(&options),
        Command::Study(options) => study::study(&options),
        Command::New(options) => new::new(&options),
        Command::Boards => boards::boards(),
        Command::Doctor => doctor::doctor(),
    });
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => could_not_run(&error),
    }
}

fn could_not_run(error: &anyhow::Error) -> ExitCode {
    say::warn(&format!("fw-vs: {}", complaint::complaint(error.as_ref())));
    ExitCode::from(COULD_NOT_RUN)
}
