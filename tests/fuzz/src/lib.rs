//! Feeds damaged files and replies to every parser of fw-vs.
//!
//! `cargo xtask fuzz` runs it for as long as one likes; the ordinary tests run what it kept, and a little more. Inputs are
//! real ones with damage. Which damage is drawn by lot from a seed that is printed: the same seed, the same inputs. What leads
//! to an error that was not seen before is damaged further, so that the search gets behind the first check.
//!
//! | file | idea |
//! |---|---|
//! | [`parser`] | the parsers, each with real inputs and with what it must do |
//! | [`mutation`] | damage that knows what it damages |
//! | [`campaign`] | one input after the other: what was seen, what is new |
//! | [`conversation`] | a gdb server that says what it is told to say |
//! | [`playback`] | a target that reads as it is told to read |
//! | [`resumption`] | searches that were put aside, gone on with in memory |
//! | [`kept`] | the inputs that once did harm |
#![forbid(unsafe_code)]

pub mod campaign;
pub mod conversation;
pub mod kept;
pub mod mutation;
pub mod parser;
pub mod playback;
pub mod resumption;
