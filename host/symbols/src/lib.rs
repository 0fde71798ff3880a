//! What a firmware ELF says.
//!
//! Where its bytes go, what the shim inside it announces (mailbox, capacities, parameters, names), and which line of
//! source an address comes from. An ELF is somebody else's file: whatever is in it, every question has an answer or
//! an error, never a panic. How to bring the bytes to a target is left to the links.
//!
//! | file | idea |
//! |---|---|
//! | [`firmware`] | the whole, and every question that can be asked |
//! | [`segment`] | what is loaded where, and whether a board has room for it |
//! | [`parameter`] | numbers and bytes the firmware lets a user set |
//! | [`place`] | from an address to function, file and line |
//! | [`error`] | what can be wrong with an ELF |
#![forbid(unsafe_code)]

mod description;
mod elf;
pub mod error;
pub mod firmware;
pub mod parameter;
pub mod place;
pub mod segment;

pub use error::{DescriptionFault, Error, ParameterFault};
pub use firmware::Firmware;
pub use fwvs_wire::Description;
pub use parameter::Parameter;
pub use place::Place;
pub use segment::{MemoryMap, Segment};
