//! The program `fw-vs`. Everything it does is in the library, where tests reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    fw_vs::main()
}
