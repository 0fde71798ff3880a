//! A list of questions over one firmware, answered and compared with what was expected.
//!
//! A question is answered by one exploration, or by one for every value of a parameter. What explorations are and how they are
//! run is [`fwvs_run`]'s; the options that a study quotes are read by whoever knows the command line, and come here as a job.
//!
//! | file | idea |
//! |---|---|
//! | [`file`](mod@file) | how a study is written, and what is refused |
//! | [`asking`] | answers a question by exploration |
//! | [`standing`] | an answer against what was expected |
//! | [`columns`] | a scenario as the events of tasks side by side |
//! | [`error`] | what is wrong with a study |
#![forbid(unsafe_code)]

pub mod asking;
pub mod columns;
pub mod error;
pub mod file;
pub mod standing;

pub use asking::{Answer, Asked, Asking, Found};
pub use error::{Error, Nonsense};
pub use file::{Columns, Firmware, Kind, Question, Study, Value};
pub use standing::Standing;
