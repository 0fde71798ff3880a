//! `cargo xtask`: from a fresh clone to a running exploration, and all checks, with one command each.
//!
//! This file is the command line. What each command does is in a file of its own; what fw-vs itself can do is left
//! to the binary `fw-vs`, to which every command that is not listed here is passed on.

mod bench;
mod firmware;
mod fuzz;
mod fw_vs;
mod setup;
mod stage;
mod test;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use fwvs_board::DEFAULT as DEFAULT_BOARD;
use fwvs_foreign::harmless;

const ABOUT_FW_VS: &str = "\
Every other command belongs to fw-vs: xtask installs what is missing, builds the example firmware \
and fw-vs itself, and hands over. Exit codes are those of fw-vs; 2 also says that a build failed.

  cargo xtask explore --example NAME       search all interleavings of an example
  cargo xtask explore path/to/fw.elf       the same for a firmware of your own
  cargo xtask replay SCENARIO              run a recorded scenario again
  cargo xtask boards                       known boards
  cargo xtask explore --help               all options of a command";

/// Set-up, builds and checks of fw-vs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", after_help = ABOUT_FW_VS)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing: QEMU and the compilation target of the default board.
    ///
    /// Every other command does this first, so it is needed only to prepare a machine ahead of time. QEMU comes from
    /// apt-get when you are root; otherwise the command says what to install and exits with 2.
    Setup,
    /// Build the example firmware.
    ///
    /// The ELF files are in target/firmware/BOARD/TARGET/release/.
    Firmware {
        /// A name from boards/, or a path to a .toml file.
        #[arg(long, default_value = DEFAULT_BOARD)]
        board: String,
    },
    /// Run all checks, the same as CI: formatting, lints, documentation, builds, tests.
    ///
    /// Stops at the first check that fails, names it and exits with 1. Ends with a table of how long each check took.
    Test {
        /// Also the tests that take minutes.
        #[arg(long)]
        full: bool,
    },
    /// Measure how fast fw-vs explores; arguments go to the benchmark program.
    #[command(disable_help_flag = true)]
    Bench {
        /// Arguments of the benchmark program; --help lists them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Feed damaged files and replies to every parser of fw-vs; --help lists them.
    #[command(disable_help_flag = true)]
    Fuzz {
        /// Arguments of the fuzzer; --help lists them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    #[command(external_subcommand)]
    FwVs(Vec<OsString>),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Setup => setup::all(),
        Command::Firmware { board } => firmware::command(&board),
        Command::Test { full } => test::all(full),
        Command::Bench { arguments } => bench::run(&arguments),
        Command::Fuzz { arguments } => fuzz::run(&arguments),
        Command::FwVs(arguments) => fw_vs::run(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {}", harmless(&format!("{error:#}")));
        ExitCode::from(COULD_NOT_RUN)
    })
}

/// The exit code of fw-vs for "could not run". A failed build must not look like a finding, which is 1.
const COULD_NOT_RUN: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_xtask_does_not_know_goes_to_fw_vs_with_its_options() {
        let line = ["xtask", "explore", "--example", "philosophers", "--help"];
        let Command::FwVs(arguments) = Arguments::parse_from(line).command else {
            panic!("explore belongs to fw-vs");
        };
        assert_eq!(arguments, line[1..]);
    }

    #[test]
    fn options_of_the_benchmark_are_passed_on() {
        let line = ["xtask", "bench", "--help", "--board=other", "--", "x"];
        let Command::Bench { arguments } = Arguments::parse_from(line).command else {
            panic!("bench is known");
        };
        assert_eq!(arguments, ["--help", "--board=other", "--", "x"]);
    }
}
