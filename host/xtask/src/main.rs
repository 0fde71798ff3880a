//! Set-up, checks, benchmarks.
fn main() {}
