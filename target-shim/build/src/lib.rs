//! What the build script of a Rust firmware calls.
