//! Puts every file of `boards/` into the program: a new board is one file there, and nothing else.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("built_in.rs"), list(Path::new("../../boards"))).expect("cargo made the folder");
}

/// The names and the texts of all board files, in the order of their names, as Rust.
fn list(folder: &Path) -> String {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // The text itself and not where it is: what was built is as good elsewhere.
        writeln!(list, "    ({name:?}, {text:?}),").expect("a String takes everything");
    }
    list + "]\n"
}
