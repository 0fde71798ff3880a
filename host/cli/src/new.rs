//! `fw-vs new`: a small firmware of one's own, which builds anywhere and has a bug to find.
//!
//! The shim's crates are in no registry, so a project depends on them by path: on those that this program was built beside,
//! or on those that `--shim` names.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, anyhow, bail};
use fwvs_board::Board;
use fwvs_foreign::shown;
use fwvs_report::words::{plain, shell};

use crate::options::{DEFAULT_BOARD, New};
use crate::say::say;
use fwvs_run::target::absolute;

/// Where the shim's crates were when this program was built.
const BUILT_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target-shim");

/// The files of a project. In their texts, words between `@` stand for what differs from project to project.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("new/project/Cargo.toml.txt")),
    ("build.rs", include_str!("new/project/build.rs")),
    (".cargo/config.toml", include_str!("new/project/config.toml")),
    (".gitignore", include_str!("new/project/gitignore")),
    ("src/main.rs", include_str!("new/project/main.rs")),
    ("README.md", include_str!("new/project/README.md")),
    ("Cargo.lock", include_str!("../../../firmware-examples/Cargo.lock")),
];

/// Names that cargo or rustc refuse, or that a folder of `target/` has already.
const TAKEN: [&str; 52] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "unsafe",
    "use",
];

pub(crate) fn new(options: &New) -> Result<u8> {
    let name = options.name.as_str();
    check_name(name)?;
    let board = Board::load(&options.board)?;
    let shim = shim(options.shim.as_deref(), Path::new(BUILT_BESIDE))?;
    let wanted = board_for_the_build(&board)?;
    let program = program();
    let on_board = if options.board == DEFAULT_BOARD {
        String::new()
    } else {
        format!(" --board {}", shell(Path::new(&options.board)))
    };
    let fill = |text: &str| {
        text.replace("@NAME@", name)
            .replace("@TARGET@", &board.target)
            .replace("@ON_BOARD@", &on_board)
            .replace("@PROGRAM@", &this_program())
            .replace("@BOARD@", &quoted(&wanted))
            .replace("@SHIM@", &quoted(&shim.join("shim").to_string_lossy()))
            .replace("@BUILD@", &quoted(&shim.join("build").to_string_lossy()))
    };
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|reason| match reason.kind() {
        ErrorKind::AlreadyExists => {
            anyhow!(
                "there is something called {name} here already\nhint: choose another name, or another folder"
            )
        }
        _ => unwritable(folder, reason),
    })?;
    for (file, text) in FILES {
        let text = if file == "Cargo.lock" { versions(text) } else { fill(text) };
        if let Err(error) = write(&folder.join(file), &text) {
            // Half a project is worse than none; all of it is ours.
            let _ = fs::remove_dir_all(folder);
            return Err(error);
        }
    }
    say!("{name} is a firmware for {} with a bug to find:\n", board.name)?;
    if !can_compile_for(&board.target) {
        say!("  rustup target add {}", board.target)?;
    }
    say!("  cd {name}")?;
    say!("  cargo build --release")?;
    say!("  {program} explore target/{}/release/{name}{on_board}", board.target)?;
    say!("\nIts README says how to go on.")?;
    Ok(0)
}

/// What cargo takes for the name of a package, and a shell for one word.
fn check_name(name: &str) -> Result<()> {
    let letters = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let hint = "hint: begin with a letter, and go on with letters, digits, `-` and `_`, such as my-firmware";
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.chars().all(letters) {
        bail!("`{}` cannot be the name of a project\n{hint}", plain(name));
    }
    // A crate that the project depends on cannot have its name.
    let known =
        |line: &str| line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"')) == Some(name);
    let dependency = name.starts_with("fwvs") || versions(FILES[6].1).lines().any(known);
    if TAKEN.contains(&name) || dependency {
        bail!(
            "`{name}` is taken: by Rust, by cargo or by a crate that firmware needs\nhint: choose another name"
        );
    }
    Ok(())
}

/// The folder of the shim's crates: as asked for, or where this program was built.
fn shim(asked: Option<&Path>, built_beside: &Path) -> Result<PathBuf> {
    let is_shim =
        |folder: &Path| ["shim", "build"].iter().all(|part| folder.join(part).join("Cargo.toml").is_file());
    let within =
        [asked.unwrap_or(built_beside).to_owned(), asked.unwrap_or(built_beside).join("target-shim")];
    match within.iter().find(|folder| is_shim(folder)) {
        Some(folder) => match absolute(folder).to_str() {
            Some(text) => Ok(text.into()),
            None => bail!(
                "the path of the shim, {}, is not UTF-8: Cargo.toml could not name it\nhint: rename the folder",
                folder.display()
            ),
        },
        None if asked.is_some() => bail!(
            "the shim's crates are not in {}\nhint: give the folder of the sources of fw-vs: it has a folder target-shim",
            within[0].display()
        ),
        None => bail!(
            "firmware is built against the shim's crates, and the sources that this fw-vs was built from are gone from {}\n\
             hint: give the folder where they are now with --shim",
            within[0].display()
        ),
    }
}

/// The board as the build knows it: a name, or a file wherever the build runs. How to reach it is no business of a build.
fn board_for_the_build(board: &Board) -> Result<String> {
    let Some(file) = &board.file else {
        return Ok(board.name.clone());
    };
    match absolute(file).to_str() {
        Some(path) => Ok(path.to_owned()),
        None => bail!("the path of the board file {} is not UTF-8\nhint: rename the folder", shown(file)),
    }
}

/// Text as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Of a list of locked crates those that come from a registry: the versions that the examples are tested with.
fn versions(lock: &str) -> String {
    const PACKAGE: &str = "[[package]]\n";
    let (head, packages) = lock.split_once(PACKAGE).unwrap_or((lock, ""));
    let kept = packages.split(PACKAGE).filter(|package| package.contains("\nsource = "));
    std::iter::once(head.to_owned()).chain(kept.map(|package| format!("{PACKAGE}{package}"))).collect()
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|reason| unwritable(path, reason))
}

/// The reason stays one of the system's: of some there is more to say than this.
fn unwritable(path: &Path, reason: std::io::Error) -> anyhow::Error {
    let what = format!("cannot write {}\nhint: check permissions and free space", path.display());
    anyhow::Error::new(reason).context(what)
}

/// This program by its path, which works wherever a shell looks for programs.
fn this_program() -> String {
    std::env::current_exe().map_or("fw-vs".to_owned(), |this| shell(&this))
}

/// How to call this program again: by its name if a shell finds it, else by its path.
fn program() -> String {
    let Ok(this) = std::env::current_exe() else { return "fw-vs".to_owned() };
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let first =
        std::env::split_paths(&search_path).map(|folder| folder.join("fw-vs")).find(|file| file.is_file());
    let found = first.is_some_and(|first| absolute(&first) == absolute(&this));
    if found { "fw-vs".to_owned() } else { shell(&this) }
}

/// Whether the Rust toolchain has what it takes. If nobody can tell, it is left to cargo to complain.
fn can_compile_for(target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]).stdin(Stdio::null());
    match rustc.output() {
        Ok(output) if output.status.success() => {
            Path::new(String::from_utf8_lossy(&output.stdout).trim_end()).is_dir()
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_cargo_takes() {
        for name in ["thermostat", "my-firmware_2", "Relay", "philosophers"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "-x",
            "2fast",
            "a b",
            "../a",
            "a/b",
            "é",
            "a\x1b[2J",
            "fn",
            "test",
            "cortex-m-rt",
            "fwvs-build",
        ] {
            let error = format!("{:#}", check_name(name).expect_err(name));
            assert!(error.contains("\nhint: ") && !error.contains('\x1b'), "{error}");
        }
    }

    #[test]
    fn the_sources_that_the_program_was_built_from_are_asked_for_when_they_are_gone() {
        let folder = std::env::temp_dir().join("fw-vs-is-not-here");
        let gone = shim(None, &folder).expect_err("nothing is there").to_string();
        assert!(gone.contains("are gone from") && gone.contains("--shim"), "{gone}");
        let wrong = shim(Some(&folder), Path::new(BUILT_BESIDE)).expect_err("nothing is there").to_string();
        assert!(wrong.contains("are not in"), "{wrong}");
    }

    #[test]
    fn the_sources_may_be_named_by_their_root() {
        let root = Path::new(BUILT_BESIDE).parent().unwrap();
        assert_eq!(shim(Some(root), Path::new("")).unwrap(), shim(None, Path::new(BUILT_BESIDE)).unwrap());
    }

    #[test]
    fn only_crates_of_a_registry_have_a_version_to_keep() {
        let lock = versions(FILES[6].1);
        assert!(
            lock.contains("name = \"cortex-m-rt\"\n") && !lock.contains("name = \"philosophers\"\n"),
            "{lock}"
        );
        assert!(lock.starts_with("# This file") && lock.contains("\nversion = "), "{lock}");
    }
}
