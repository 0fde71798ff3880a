//! What READMEs show is what fw-vs prints, but for times and dates.
//!
//! `FWVS_BLESS=1` writes what is printed into the READMEs of examples instead, to be read before it is committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fwvs_symbols::Firmware;
use fwvs_tests::console::Console;

/// Opens what a README shows of a run of `fw-vs`; the command follows.
const RUN: &str = "```console\n$ fw-vs explore ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the repository").to_owned()
}

/// Times, rates and dates as `#`, also those of a run so slow that its seconds have no fraction.
fn without_times(text: &str) -> String {
    let timed = |line: &str| line.contains(" paths/s") || line.contains("fw-vs-runs/");
    let line = |line: &str| {
        let digits =
            |letter: char| if letter.is_ascii_digit() || ",.".contains(letter) { '#' } else { letter };
        let line = if timed(line) { line.chars().map(digits).collect() } else { line.to_owned() };
        let mut short = line.trim_end().to_owned();
        while short.contains("##") {
            short = short.replace("##", "#");
        }
        short
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What `fw-vs explore` prints, and how it ends.
fn explore(arguments: &str) -> (String, Option<i32>) {
    let arguments: Vec<&str> = ["explore"].into_iter().chain(arguments.split_whitespace()).collect();
    let said = Console::new().run(&arguments);
    (said.stdout.trim().to_owned(), said.code)
}

#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let block = readme.split("```console\n$ cargo xtask explore ").nth(1).expect("it opens with a command");
    let (arguments, shown) = block
        .split("```")
        .next()
        .and_then(|block| block.split_once('\n'))
        .expect("a command, then its output");
    let (printed, code) = explore(arguments);
    assert_eq!(without_times(&printed), without_times(shown.trim()));
    assert_eq!(code, Some(1), "a finding");
}

#[test]
fn examples_print_what_their_readmes_show() {
    let bless = std::env::var_os("FWVS_BLESS").is_some();
    let mut examples: Vec<PathBuf> = fs::read_dir(root().join("firmware-examples"))
        .expect("there are examples")
        .map(|entry| entry.expect("a folder can be listed").path().join("README.md"))
        .filter(|readme| readme.exists())
        .collect();
    examples.sort();
    let mut runs = 0;
    for path in examples {
        let readme = fs::read_to_string(&path).expect("it exists");
        let mut blessed = readme.clone();
        for block in readme.split(RUN).skip(1) {
            let (arguments, shown) =
                block.split("```").next().and_then(|block| block.split_once('\n')).expect("a command");
            let (printed, _) = explore(arguments);
            runs += 1;
            let same = without_times(&printed) == without_times(shown.trim());
            if bless && !same {
                blessed =
                    blessed.replace(&format!("{arguments}\n{shown}"), &format!("{arguments}\n{printed}\n"));
            } else if !same {
                assert_eq!(
                    without_times(&printed),
                    without_times(shown.trim()),
                    "{}: {arguments}",
                    path.display()
                );
            }
        }
        if blessed != readme {
            fs::write(&path, blessed).expect("the README can be written");
        }
    }
    assert!(runs > 0, "some README shows a run");
}

/// A firmware of its own for each program that the README shows, with what the README leaves out.
fn firmware_of_the_readme() -> Vec<PathBuf> {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let shown = readme.split("```rust\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    let examples = root().join("firmware-examples");
    let shim = root().join("target-shim");
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"readme\"\nedition = \"2024\"\n[workspace]\n[dependencies]\ncortex-m-rt = \"0.7\"\n\
             fwvs = {{ path = {:?}, features = [\"panic-handler\"] }}\n[build-dependencies]\n\
             fwvs-build = {{ path = {:?} }}\n[profile.release]\npanic = \"abort\"\ndebug = 2\n",
            shim.join("shim"),
            shim.join("build"),
        ),
    );
    write("build.rs", "fn main() { fwvs_build::firmware(); }");
    fs::copy(examples.join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("the examples have one");
    fs::create_dir_all(folder.path().join("src/bin")).expect("a folder can be made");
    let mut names = Vec::new();
    for (number, shown) in shown.enumerate() {
        let mut text = "#![no_std]\n#![no_main]\nuse cortex_m_rt::entry;\nuse fwvs::*;\n".to_owned();
        if !shown.contains("static STACKS") {
            text += "static STACKS: [Stack<512>; 2] = [const { Stack::new() }; 2];\n";
        }
        text += shown;
        if !shown.contains("#[entry]") {
            text += "#[entry]\nfn main() -> ! {\n    fwvs::start_rtos(setup)\n}\n";
        }
        write(&format!("src/bin/readme-{number}.rs"), &text);
        names.push(format!("readme-{number}"));
    }
    let target = root().join("target/firmware/readme");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--offline", "--quiet", "--target", "thumbv7m-none-eabi"]);
    cargo.arg("--target-dir").arg(&target).current_dir(&folder);
    // What people set for programs of the host does not fit the target.
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "FWVS_BOARD"] {
        cargo.env_remove(variable);
    }
    assert!(cargo.status().expect("cargo starts").success(), "the README shows what does not build");
    names.iter().map(|name| target.join("thumbv7m-none-eabi/release").join(name)).collect()
}

/// Functions that the linker leaves out have debug information all the same. If it says that they are at address 0, the first
/// functions in flash lose the lines of their calls to them.
fn nothing_is_where_the_vectors_are(elf: &Path) {
    let firmware = Firmware::load(elf).expect("it was just built");
    for address in (0..0x400).step_by(2) {
        assert_eq!(firmware.place_of_instruction(address), None, "{address:#x} in {}", elf.display());
    }
}

/// The first has nothing wrong, and in the second a watchdog bites that comes at any moment.
#[test]
fn the_firmware_that_the_readme_shows_builds_and_runs() {
    let verdicts: Vec<(String, String)> = firmware_of_the_readme()
        .iter()
        .map(|elf| {
            nothing_is_where_the_vectors_are(elf);
            let explored = Console::new().explore(&[elf.to_str().expect("a plain path")]);
            (explored.counts().0.to_owned(), explored.started()["schedule"].to_string())
        })
        .collect();
    let expected = [("complete", "\"free\""), ("found", "\"priority\"")];
    assert_eq!(verdicts, expected.map(|(verdict, schedule)| (verdict.to_owned(), schedule.to_owned())));
}
