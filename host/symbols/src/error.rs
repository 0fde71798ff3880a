//! What can be wrong with an ELF, and with what a user asks of it.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use fwvs_foreign::{plain, shown};
use fwvs_wire::{MAGIC, VERSION};

/// What failed, with which file, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing is there.
    #[error(
        "no firmware at {}\nhint: build it first, or name one of the examples with --example",
        shown(path)
    )]
    NoSuchFile {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A directory, a device, or something that may not be read.
    #[error("cannot read {}: {reason}\nhint: give the path of one ELF file", shown(path))]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        reason: io::Error,
    },
    /// Something else than an ELF.
    #[error(
        "{} is not an ELF file\nhint: give the linker's output, not a .bin or .hex made from it",
        shown(path)
    )]
    NotElf {
        /// Which file.
        path: PathBuf,
    },
    /// An ELF for some other machine.
    #[error(
        "{} is for {found}, not for a 32-bit little-endian ARM core\nhint: build it for the board's target, such as thumbv7m-none-eabi",
        shown(path)
    )]
    OtherArchitecture {
        /// Which file.
        path: PathBuf,
        /// What it is for.
        found: String,
    },
    /// An object file, a shared library, a core dump.
    #[error("{} is {found}, not a linked program\nhint: give the linker's output", shown(path))]
    NotLinked {
        /// Which file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// Part of the file is missing.
    #[error(
        "{} is cut off: its headers speak of {needs} bytes, it has {has}\nhint: copy or build it again",
        shown(path)
    )]
    Truncated {
        /// Which file.
        path: PathBuf,
        /// How long it would have to be.
        needs: u64,
        /// How long it is.
        has: u64,
    },
    /// All there, but contradictory.
    #[error("{} is a broken ELF file: {what}\nhint: build it again", shown(path))]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A firmware that was not built against the shim.
    #[error(
        "{} does not contain the fw-vs shim (no section fwvs_description)\nhint: a Rust firmware depends on the crate fwvs and builds with fwvs-build; for C see fw-vs shim --help",
        shown(path)
    )]
    NoShim {
        /// Which file.
        path: PathBuf,
    },
    /// What the shim says about itself cannot be true.
    #[error("the shim in {} is described wrongly: {fault}\nhint: {}", shown(path), fault.hint())]
    Description {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        fault: DescriptionFault,
    },
    /// A parameter's declaration cannot be true.
    #[error(
        "parameter {number} declared in {} is wrong: {fault}\nhint: declare parameters with the shim's macro only",
        shown(path)
    )]
    ParameterEntry {
        /// Which file.
        path: PathBuf,
        /// Which entry, counted from 1.
        number: usize,
        /// What is wrong.
        fault: ParameterFault,
    },
    /// The firmware was linked for some other board.
    #[error(
        "{what} of {} is at {:#010x}..{:#010x}, outside the board's {board}\nhint: link it for this board, or choose the board it was linked for with --board",
        shown(path), range.start, range.end
    )]
    OutsideBoard {
        /// Which file.
        path: PathBuf,
        /// Part of it.
        what: String,
        /// Where that is.
        range: Range<u64>,
        /// What the board has.
        board: String,
    },
    /// A parameter that the firmware does not declare.
    #[error("{} has no parameter {name:?}\nhint: {hint}", plain(firmware))]
    UnknownParameter {
        /// Which firmware.
        firmware: String,
        /// What was asked for.
        name: String,
        /// The nearest, and all of them.
        hint: String,
    },
    /// A value that a parameter cannot have.
    #[error("parameter {} cannot be {value:?}: {reason}\nhint: {hint}", plain(name))]
    ParameterValue {
        /// Which parameter.
        name: String,
        /// What it was to be.
        value: String,
        /// Why not.
        reason: &'static str,
        /// What it can be.
        hint: String,
    },
}

/// Why a description cannot be true.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message says what the fields are")]
pub enum DescriptionFault {
    #[error("it has {found} bytes instead of {expected}")]
    Length { found: usize, expected: usize },
    #[error("it begins with {found:#010x} instead of {MAGIC:#010x}")]
    Magic { found: u32 },
    #[error("it speaks version {found}, this fw-vs speaks version {VERSION}")]
    Version { found: u32 },
    #[error("room for {found} {what} makes no sense, {least} to {most} would")]
    Capacity { what: &'static str, found: u32, least: u32, most: u32 },
    #[error("the {block} at {address:#010x} is not aligned to {alignment} bytes")]
    Misaligned { block: String, address: u32, alignment: u32 },
    #[error("the {block} at {address:#010x} runs past the end of memory")]
    PastTheEnd { block: String, address: u32 },
    #[error("the {first} and the {second} share memory at {address:#010x}")]
    Overlap { first: String, second: String, address: u32 },
    #[error("the instruction that rings the doorbell, at {address:#010x}, is not in the image")]
    Store { address: u32 },
}

impl DescriptionFault {
    fn hint(&self) -> &'static str {
        match self {
            Self::Version { .. } => {
                "build the firmware with the shim of this fw-vs, or use the fw-vs it was built for"
            }
            Self::Length { .. } => "link exactly one copy of the shim into the firmware",
            _ => "clean and build the firmware again; no other code may write to section fwvs_description",
        }
    }
}

/// Why a parameter's declaration cannot be true.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message says what the fields are")]
pub enum ParameterFault {
    #[error("the section ends in the middle of it")]
    CutOff,
    #[error("its name, {length} bytes at {address:#010x}, is not in the image")]
    NameOutside { address: u32, length: u32 },
    #[error("its name is empty, too long, or has other letters than --set can take")]
    NameUnusable,
    #[error("{name} is declared twice")]
    Twice { name: String },
    #[error("{name} has {words} words, 1 to {most} would do")]
    Words { name: String, words: u32, most: u32 },
    #[error("{name} goes from {minimum} to {maximum} and is {default} by default")]
    Bounds { name: String, minimum: i32, maximum: i32, default: i32 },
    #[error("the place of {name}, {address:#010x}, cannot hold its value")]
    Place { name: String, address: u32 },
}
