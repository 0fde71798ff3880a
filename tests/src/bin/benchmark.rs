//! Prints what each rung of the ladder costs; with `--csv`, for machines.

use fwvs_tests::benchmark::{benchmark, csv, table};

fn main() {
    let lines = benchmark(1_000_000);
    let text = if std::env::args().any(|argument| argument == "--csv") { csv(&lines) } else { table(&lines) };
    print!("{text}");
}
