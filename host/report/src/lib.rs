//! Run events turned into terminal text and JSON lines.
//!
//! Consumes events and nothing else: whoever runs something reports what happens, and does not know who listens.
//! Findings and results go to standard output, the progress line to standard error and only on a terminal.
//!
//! | file | idea |
//! |---|---|
//! | [`reporter`] | what every listener is |
//! | [`text`] | for people: prints events, keeps the progress line out of the way |
//! | [`json`] | for scripts: one object a line |
//! | [`finding`] | a finding as text: headline, steps, where every task stands, how to replay it |
//! | `rows` | steps as rows of a table: what is one call is one row |
//! | [`summary`] | what a run amounts to, in plain words |
//! | [`narrow`] | a table where there is no room for one |
//! | [`progress`] | how far a run has come, on one line |
//! | `status` | the line that says so, and is gone when the run is over |
//! | [`words`] | numbers, times and foreign text, fit for a terminal |
#![forbid(unsafe_code)]

pub mod finding;
pub mod json;
pub mod narrow;
pub mod progress;
pub mod reporter;
mod rows;
mod status;
pub mod summary;
pub mod text;
pub mod words;

pub use json::JsonReporter;
pub use reporter::Reporter;
pub use text::TextReporter;
