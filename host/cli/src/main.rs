//! The `fw-vs` binary.
fn main() {}
