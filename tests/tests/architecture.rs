//! Which crate may know which: the arrows between the crates of the workspace, from `cargo metadata`.
//!
//! Whoever adds an arrow here changes the architecture, and says so.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};
use fwvs_tests::built::root;

type Arrows<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Every crate of the workspace, and all that it may depend on. What only its tests need is free.
const ARROWS: &[(&str, &[&str])] = &[
    // What happens on the target, and what is said about it.
    ("fwvs-kernel", &[]),
    ("fwvs-search", &["fwvs-kernel"]),
    ("fwvs-wire", &["fwvs-kernel", "fwvs-search"]),
    ("fwvs", &["fwvs-kernel", "fwvs-search", "fwvs-wire"]),
    ("fwvs-build", &[]),
    // The host.
    ("fwvs-explore", &[]),
    ("fwvs-foreign", &[]),
    ("fwvs-link", &["fwvs-foreign"]),
    ("fwvs-scenario", &["fwvs-foreign"]),
    ("fwvs-symbols", &["fwvs-foreign", "fwvs-kernel", "fwvs-wire"]),
    (
        "fwvs-session",
        &[
            "fwvs-explore",
            "fwvs-kernel",
            "fwvs-link",
            "fwvs-scenario",
            "fwvs-search",
            "fwvs-symbols",
            "fwvs-wire",
        ],
    ),
    ("fwvs-report", &["fwvs-foreign", "fwvs-kernel", "fwvs-scenario", "fwvs-symbols"]),
    (
        "fw-vs",
        &[
            "fwvs-explore",
            "fwvs-foreign",
            "fwvs-kernel",
            "fwvs-link",
            "fwvs-report",
            "fwvs-scenario",
            "fwvs-session",
            "fwvs-symbols",
        ],
    ),
    ("xtask", &["fwvs-build", "fwvs-foreign"]),
    // Programs that run on the target and in memory alike: bytes and their meaning.
    ("fwvs-program", &[]),
];

/// May use anything, and nothing else may use them.
const TESTS: [&str; 2] = ["fwvs-tests", "fwvs-fuzz"];

#[test]
fn crates_depend_on_nothing_but_what_they_may_know() {
    let mut command = MetadataCommand::new();
    command.current_dir(root()).no_deps().other_options(["--offline".into()]);
    let metadata = command.exec().expect("cargo knows the workspace");
    let names: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let found: Arrows<'_> = metadata
        .packages
        .iter()
        .map(|package| {
            let real = package.dependencies.iter().filter(|dependency| {
                matches!(dependency.kind, DependencyKind::Normal | DependencyKind::Build)
                    && names.contains(dependency.name.as_str())
            });
            (package.name.as_str(), real.map(|dependency| dependency.name.as_str()).collect())
        })
        .collect();
    let allowed: Arrows<'_> = ARROWS.iter().map(|(name, to)| (*name, to.iter().copied().collect())).collect();
    let listed: BTreeSet<&str> = allowed.keys().copied().chain(TESTS).collect();
    assert_eq!(names, listed, "the crates of the workspace and those listed here");
    for (name, may) in &allowed {
        let forbidden: Vec<&&str> = found[name].difference(may).collect();
        assert!(forbidden.is_empty(), "{name} must not depend on {forbidden:?}");
    }
}
