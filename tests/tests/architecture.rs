//! Which crate may know which: the arrows between the crates of the workspace, from `cargo metadata`.
//!
//! Whoever adds an arrow here changes the architecture, and says so. An arrow that no crate needs any more is taken out: what is
//! listed here is what there is, and `ARCHITECTURE.md` names every crate of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use fwvs_tests::built::root;

/// Every crate of the workspace, and all that it may depend on. What only its tests need is free.
const ARROWS: &[(&str, &[&str])] = &[
    // What happens on the target, and what is said about it.
    ("fwvs-path", &[]),
    ("fwvs-kernel", &["fwvs-path"]),
    ("fwvs-search", &["fwvs-kernel", "fwvs-path"]),
    ("fwvs-wire", &["fwvs-kernel", "fwvs-path", "fwvs-search"]),
    ("fwvs", &["fwvs-kernel", "fwvs-path", "fwvs-search", "fwvs-wire"]),
    ("fwvs-build", &["fwvs-board"]),
    // The host.
    ("fwvs-explore", &["fwvs-path"]),
    ("fwvs-model", &["fwvs-explore", "fwvs-kernel", "fwvs-path", "fwvs-search"]),
    ("fwvs-foreign", &[]),
    ("fwvs-board", &["fwvs-foreign"]),
    ("fwvs-link", &["fwvs-board", "fwvs-foreign"]),
    ("fwvs-scenario", &["fwvs-foreign"]),
    ("fwvs-symbols", &["fwvs-foreign", "fwvs-wire"]),
    (
        "fwvs-session",
        &[
            "fwvs-explore",
            "fwvs-kernel",
            "fwvs-link",
            "fwvs-model",
            "fwvs-path",
            "fwvs-scenario",
            "fwvs-symbols",
            "fwvs-wire",
        ],
    ),
    ("fwvs-report", &["fwvs-foreign", "fwvs-scenario"]),
    (
        "fwvs-run",
        &[
            "fwvs-board",
            "fwvs-explore",
            "fwvs-foreign",
            "fwvs-kernel",
            "fwvs-link",
            "fwvs-scenario",
            "fwvs-session",
            "fwvs-symbols",
        ],
    ),
    ("fwvs-study", &["fwvs-foreign", "fwvs-run", "fwvs-scenario"]),
    (
        "fw-vs",
        &[
            "fwvs-board",
            "fwvs-explore",
            "fwvs-foreign",
            "fwvs-kernel",
            "fwvs-link",
            "fwvs-report",
            "fwvs-run",
            "fwvs-scenario",
            "fwvs-study",
        ],
    ),
    ("xtask", &["fwvs-board", "fwvs-foreign"]),
    // Programs that run on the target and in memory alike: bytes and their meaning.
    ("fwvs-program", &[]),
];

/// May use anything, and nothing else may use them.
const TESTS: [&str; 2] = ["fwvs-tests", "fwvs-fuzz"];

/// What a crate depends on in this workspace, as its manifest says and as its sources say.
struct Crate<'a> {
    dependencies: BTreeSet<&'a str>,
    /// Those of them whose name is nowhere in the crate's sources.
    unused: Vec<&'a str>,
}

/// Everything that the sources of a crate say, its build script included; of the tests' crates, what the tests say, too.
fn sources(folder: &Path, is_for_tests: bool) -> String {
    let mut text = fs::read_to_string(folder.join("build.rs")).unwrap_or_default();
    let mut folders = vec![folder.join("src")];
    folders.extend(is_for_tests.then(|| folder.join("tests")));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a folder can be listed").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "rs" => {
                    text += &fs::read_to_string(&path).expect("a source file is text");
                }
                _ => {}
            }
        }
    }
    text
}

/// Whether a text has a name that is not a part of a longer one: `fwvs` is not in `fwvs_kernel`.
fn names(text: &str, wanted: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(wanted)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + wanted.len()..].starts_with(is_part))
}

/// Every crate of the workspace, by its name.
fn crates(metadata: &Metadata) -> BTreeMap<&str, Crate<'_>> {
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let describe = |package: &'_ Package| {
        let real = package
            .dependencies
            .iter()
            .filter(|dependency| matches!(dependency.kind, DependencyKind::Normal | DependencyKind::Build));
        let real = real.filter_map(|dependency| ours.get(dependency.name.as_str()).copied());
        let dependencies: BTreeSet<&str> = real.collect();
        let manifest = package.manifest_path.as_std_path();
        let text = sources(
            manifest.parent().expect("a manifest is in a folder"),
            TESTS.contains(&package.name.as_str()),
        );
        let is_used = |name: &str| names(&text, &name.replace('-', "_"));
        let unused = dependencies.iter().copied().filter(|name| !is_used(name)).collect();
        Crate { dependencies, unused }
    };
    metadata.packages.iter().map(|package| (package.name.as_str(), describe(package))).collect()
}

fn workspace() -> Metadata {
    let mut command = MetadataCommand::new();
    command.current_dir(root()).no_deps().other_options(["--offline".into()]);
    command.exec().expect("cargo knows the workspace")
}

#[test]
fn crates_depend_on_what_they_may_know_and_on_nothing_else() {
    let metadata = workspace();
    let found = crates(&metadata);
    let listed: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).chain(TESTS).collect();
    let there: BTreeSet<&str> = found.keys().copied().collect();
    assert_eq!(there, listed, "the crates of the workspace and those listed here");
    assert_eq!(listed.len(), ARROWS.len() + TESTS.len(), "no crate has two rows");
    for (name, may) in ARROWS {
        let allowed: BTreeSet<&str> = may.iter().copied().collect();
        let dependencies = &found[name].dependencies;
        let forbidden: Vec<&&str> = dependencies.difference(&allowed).collect();
        assert!(forbidden.is_empty(), "{name} must not depend on {forbidden:?}");
        let stale: Vec<&&str> = allowed.difference(dependencies).collect();
        assert!(stale.is_empty(), "{name} does not depend on {stale:?} any more: take that out of its row");
        assert_eq!(allowed.len(), may.len(), "{name} has an arrow twice");
    }
}

/// A dependency that is only in a manifest is an arrow without a reason.
#[test]
fn crates_use_what_they_depend_on() {
    let metadata = workspace();
    for (name, Crate { unused, .. }) in crates(&metadata) {
        assert!(unused.is_empty(), "{name} depends on {unused:?} and never names it");
    }
}

/// The first column of the map in `ARCHITECTURE.md`: folders, of which each crate is one.
#[test]
fn the_map_has_every_crate_and_no_other() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("there is a map");
    let (_, map) = text.split_once("## The map\n").expect("it has a section of its own");
    let rows = map.trim_start().split("\n\n").next().expect("it begins with a table");
    let first = |row: &str| row.split('|').nth(1).map(|cell| cell.trim().trim_matches('`').to_owned());
    let drawn: BTreeSet<String> = rows.lines().skip(2).filter_map(first).collect();
    let metadata = workspace();
    let folder = |package: &Package| {
        let manifest = package.manifest_path.as_std_path().parent().expect("it is in a folder");
        manifest.strip_prefix(root()).expect("it is in the workspace").display().to_string()
    };
    let there: BTreeSet<String> = metadata.packages.iter().map(folder).collect();
    assert_eq!(drawn, there, "the map of ARCHITECTURE.md and the folders of the crates");
}

#[test]
fn a_part_of_a_name_is_not_the_name() {
    assert!(names("use fwvs_kernel::Tick;", "fwvs_kernel"));
    assert!(names("fwvs::start(setup)", "fwvs"));
    assert!(!names("use fwvs_kernel::Tick;", "fwvs"));
    assert!(!names("my_fwvs::start", "fwvs"));
}
