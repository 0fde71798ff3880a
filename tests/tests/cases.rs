//! The cases that are data: every folder in `tests/cases` with a `case.toml`, as a test of its own with the folder's name.

use fwvs_tests::case_file;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let case = |(name, folder): (String, std::path::PathBuf)| {
        Trial::test(name, move || case_file::run(&folder).map_err(Failed::from))
    };
    libtest_mimic::run(&arguments, case_file::all().into_iter().map(case).collect()).exit();
}
