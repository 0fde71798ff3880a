//! Memory layout and link arguments of the chosen board.

fn main() {
    fwvs_build::firmware();
}
