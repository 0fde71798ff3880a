//! Memory layout and link arguments of the board that `.cargo/config.toml` names.

fn main() {
    fwvs_build::firmware();
}
