//! Board files: which memory a board has, which target its firmware is compiled for, and how it is reached.
//!
//! The build scripts of firmware read them, and so does whoever runs firmware: both by the rules that are here, and nowhere else.
//! How to reach a board is only *said* here; to do it is the business of the links.
//!
//! | file | idea |
//! |---|---|
//! | `board.rs` | what a board file says |
//! | `rules.rs` | what cannot be true of a board |
//! | `known.rs` | the boards that come with fw-vs, and the file that a user names |
//! | `error.rs` | what is wrong with a board, with what to do about it |
#![forbid(unsafe_code)]

mod board;
mod error;
mod known;
mod rules;

pub use board::{Board, Doorbell, LinkKind, Memory, Region, Restart};
pub use error::{Error, Flaw};
pub use known::DEFAULT;
