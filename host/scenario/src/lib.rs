//! What a run says: findings, run events, the summary, the scenario file, and the directory that keeps them.
//!
//! Everything here is names and numbers for people and scripts. Ids, records and addresses were turned into words
//! before they came here, so the crate knows neither kernel nor target; how it looks on a terminal is up to others.
//!
//! | file | idea |
//! |---|---|
//! | [`finding`] | what went wrong, the steps to it, and where every task stands |
//! | [`deadlock`] | the sentence for a deadlock |
//! | [`declared`] | what a firmware declares, kind by kind |
//! | [`value`] | value of a parameter |
//! | [`event`] | what a run reports while it goes on |
//! | [`summary`] | what a run says last: verdict, counts, assumptions |
//! | [`scenario`] | the file that makes a finding happen again |
//! | [`number`] | numbers as people read them |
//! | [`json`] | JSON in which every letter is seen |
//! | [`run_directory`] | where a run leaves its events, scenarios and summary |
//! | [`error`] | what can be wrong with files and directories |
#![forbid(unsafe_code)]

mod atomic;
pub mod deadlock;
pub mod declared;
pub mod error;
pub mod event;
pub mod finding;
pub mod json;
mod layout;
pub mod number;
mod path;
pub mod run_directory;
pub mod scenario;
pub mod summary;
pub mod value;

pub use deadlock::{OtherEnd, Waiter, WaitsTo, deadlock_message};
pub use declared::{Declared, DeclaredKind};
pub use error::Error;
pub use event::{Progress, RunEvent, Started};
pub use finding::{Fill, Finding, FindingKind, Priority, Standing, Step};
pub use run_directory::RunDirectory;
pub use scenario::{Cause, FirmwareReference, Scenario};
pub use summary::{FindingSummary, Summary, Verdict, Waiting, Within};
pub use value::Value;
