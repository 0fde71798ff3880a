//! How to reach a core: reset it, write its memory, let it run, see why it stopped; and debug it, and put firmware into it, where
//! the link can.
//!
//! | file | idea |
//! |---|---|
//! | `link.rs` | what every link can do, what some can, and why a core stopped |
//! | `packet.rs` | bytes of the GDB remote protocol: framing, checksums, hexadecimal |
//! | `conversation.rs` | packets over a stream: queueing, waiting, acknowledging |
//! | `reply.rs` | what a reply means: accepted, refused, stopped |
//! | `gdb.rs`, `gdb/*` | a link over any GDB server |
//! | `qemu.rs`, `process.rs` | a link that owns a QEMU process |
//! | `clock.rs` | how much time the target has had |
//! | `supervisor.rs` | who may end a wait, and who is told of a long one |
//! | `pin.rs` | which core a link and its emulator run on |
//! | `image.rs` | what a firmware file loads, and where |
//! | `board.rs` | from a board to its link |
//! | `error.rs` | everything that can go wrong, with what to do about it |
//!
//! What is written to the core, and what a stop means for the search, is the session's business.

mod board;
mod clock;
mod conversation;
mod error;
mod gdb;
mod image;
mod link;
pub mod packet;
mod pin;
mod process;
mod qemu;
mod reply;
mod stream;
mod supervisor;

pub use board::{availability, open};
pub use error::{Error, Request};
pub use fwvs_board::Doorbell;
pub use gdb::{Gdb, Options};
pub use image::{filled, written};
pub use link::{Brake, Debug, Link, Program, Registers, Spent, Stop, Traps};
pub use pin::{Claim, Pin};
pub use qemu::{Machine, Qemu};
pub use stream::Stream;
pub use supervisor::{Supervisor, Tell};
