//! The inputs that once did harm. Each is a file in `tests/fuzz-seeds/PARSER`, and the ordinary tests run all of them.

use std::fs;
use std::io;
use std::path::PathBuf;

use fwvs_tests::built::root;
use sha2::{Digest, Sha256};

use crate::parser::Parser;

/// Where those of a parser are.
pub fn folder(parser: &Parser) -> PathBuf {
    root().join("tests/fuzz-seeds").join(parser.name)
}

/// Keeps an input, named after what it did and after its contents. Returns where it is.
pub fn keep(parser: &Parser, what: &str, input: &[u8]) -> io::Result<PathBuf> {
    let folder = folder(parser);
    fs::create_dir_all(&folder)?;
    let digest: String = Sha256::digest(input).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("{what}-{digest}"));
    fs::write(&path, input)?;
    Ok(path)
}

/// All kept inputs of a parser, by name.
pub fn all(parser: &Parser) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder(parser)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}
