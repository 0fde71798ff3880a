//! What was built before the tests run: the program and the example firmware.

use std::path::{Path, PathBuf};

/// The `fw-vs` program in the target folder of the running test or benchmark.
///
/// # Panics
/// If it is not there: a test that cannot look must not pass.
pub fn fw_vs() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a file");
    // A test is target/<profile>/deps/<test>, a benchmark target/<profile>/<benchmark>.
    let folder = test.parent().expect("a file is in a folder");
    let profile = if folder.ends_with("deps") { folder.parent() } else { Some(folder) };
    let target = profile.and_then(Path::parent).expect("tests are built three folders deep");
    let program = target.join("release/fw-vs");
    assert!(
        program.is_file(),
        "{} is not built; `cargo build --release -p fw-vs` does it, and `cargo xtask test` does everything",
        program.display()
    );
    program
}

/// The folder of the example firmware.
pub fn examples() -> PathBuf {
    let folder = std::env::var_os("FWVS_EXAMPLES").map(PathBuf::from);
    folder.unwrap_or_else(|| root().join("target/firmware/qemu-lm3s6965/thumbv7m-none-eabi/release"))
}

/// The firmware of an example.
///
/// # Panics
/// If it is not there.
pub fn example(name: &str) -> PathBuf {
    let file = examples().join(name);
    assert!(
        file.is_file(),
        "{} is not built; `cargo xtask firmware` does it, and `cargo xtask test` does everything",
        file.display()
    );
    file
}

/// The folder that everything is in.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in a folder of the workspace")
}
