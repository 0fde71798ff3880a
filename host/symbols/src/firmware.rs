//! The firmware as a whole, and every question that can be asked of it.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use fwvs_foreign::file;
use fwvs_wire::Description;
use sha2::{Digest, Sha256};

use crate::description::{self, Block};
use crate::elf::{DESCRIPTION, Elf, MAGIC, NAMES, PARAMETERS};
use crate::error::{DescriptionFault, Error};
use crate::parameter::{self, Parameter};
use crate::place::{Place, Places};
use crate::segment::{MemoryMap, Segment, within};

/// No firmware is longer, debug information included; a file that is was given by mistake.
const LONGEST_FILE: u64 = 1 << 30;

/// A firmware that was built against the shim.
pub struct Firmware {
    path: PathBuf,
    name: String,
    sha256: String,
    elf: Elf,
    description: Description<u32>,
    blocks: Vec<Block>,
    parameters: Vec<Parameter>,
    places: Places,
}

impl Firmware {
    /// Reads an ELF file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let unreadable = |reason: io::Error| match reason.kind() {
            io::ErrorKind::NotFound => Error::NoSuchFile { path: path.into() },
            _ => Error::Unreadable { path: path.into(), reason },
        };
        // Something long that was given by mistake need not be read to its end.
        let beginning = file::beginning(path, MAGIC.len() as u64, LONGEST_FILE).map_err(unreadable)?;
        if beginning != MAGIC {
            return Err(Error::NotElf { path: path.into() });
        }
        Self::parse(file::read(path, LONGEST_FILE).map_err(unreadable)?, path)
    }

    /// Reads an ELF that is already in memory; `path` is what it is called.
    pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, Error> {
        let elf = Elf::parse(bytes, path)?;
        let Some(section) = elf.section(DESCRIPTION) else {
            return Err(Error::NoShim { path: path.into() });
        };
        let wrong = |fault| Error::Description { path: path.into(), fault };
        let description = description::read(section).map_err(wrong)?;
        if bytes_of(&elf.segments, description.store & !1, 2).is_none() {
            return Err(wrong(DescriptionFault::Store { address: description.store }));
        }
        let mut blocks = description::blocks(&description).map_err(wrong)?;
        let parameters = match elf.section(PARAMETERS) {
            Some(section) => parameter::read_all(section, &elf.segments)
                .map_err(|(number, fault)| Error::ParameterEntry { path: path.into(), number, fault })?,
            None => Vec::new(),
        };
        for parameter in &parameters {
            let name = format!("value of parameter {}", parameter.name);
            let length = u64::from(parameter.words) * 4;
            blocks.push(description::block(name, parameter.address, length).map_err(wrong)?);
        }
        description::check_apart(&blocks).map_err(wrong)?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let sha256 = identity(&elf.segments);
        let places = Places::new(&elf);
        Ok(Self { path: path.into(), name, sha256, elf, description, blocks, parameters, places })
    }

    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's name without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which build it is: a digest of what is loaded and where, in the order of load addresses.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// What is loaded, in the order of load addresses.
    pub fn segments(&self) -> &[Segment] {
        &self.elf.segments
    }

    /// What the shim says: checked, apart from which memory the board has.
    pub fn description(&self) -> &Description<u32> {
        &self.description
    }

    /// What a user can set, as the linker put it in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter of that name; the error knows the others.
    pub fn parameter(&self, name: &str) -> Result<&Parameter, Error> {
        let found = self.parameters.iter().find(|parameter| parameter.name == name);
        found.ok_or_else(|| parameter::unknown(&self.name, &self.parameters, name))
    }

    /// Bytes of the image, by the address at which the program sees them.
    pub fn bytes(&self, address: u32, length: u32) -> Option<&[u8]> {
        bytes_of(&self.elf.segments, address, length)
    }

    /// Text in the image.
    pub fn text(&self, address: u32, length: u32) -> Option<&str> {
        str::from_utf8(self.bytes(address, length)?).ok()
    }

    /// The name of a user event: a place in the table of names, where one byte of length stands before the text.
    pub fn event_name(&self, place: u16) -> Option<&str> {
        let (length, rest) = self.elf.section(NAMES)?.get(usize::from(place)..)?.split_first()?;
        let text = rest.get(..usize::from(*length))?;
        // A long name is cut at a byte, which may be in the middle of a letter.
        let whole = match str::from_utf8(text) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => str::from_utf8(&text[..error.valid_up_to()]).ok()?,
            Err(_) => return None,
        };
        Some(whole).filter(|text| !text.is_empty())
    }

    /// Where the core begins after a reset.
    pub fn entry(&self) -> Option<u32> {
        self.vector(1)
    }

    /// Where the hard fault handler begins.
    pub fn hard_fault(&self) -> Option<u32> {
        self.vector(3)
    }

    /// An entry of the vector table, which is what is loaded first, if there is code.
    fn vector(&self, number: usize) -> Option<u32> {
        let first = self.elf.segments.iter().find(|segment| !segment.bytes().is_empty())?;
        let entry = first.bytes().get(number * 4..number * 4 + 4)?;
        let handler = u32::from_le_bytes(entry.try_into().ok()?) & !1;
        self.bytes(handler, 2).is_some().then_some(handler)
    }

    /// The user's line with the call that returns to `pc`, Thumb bit or not; nothing if only the shim is there, as
    /// when a task ends.
    pub fn place_of_return(&self, pc: u32) -> Option<Place> {
        self.places.own((pc & !1).checked_sub(2)?)
    }

    /// The line of the instruction at `pc`: the user's, or at least somebody's, for a fault can be anywhere.
    pub fn place_of_instruction(&self, pc: u32) -> Option<Place> {
        self.places.any(pc & !1)
    }

    /// Whether a board has this memory: flash or RAM for what is loaded, the mailbox for what is shared.
    pub fn check_fits(&self, memory: &MemoryMap) -> Result<(), Error> {
        let show = |name: &str, range: &std::ops::Range<u64>| {
            format!("{name} {:#010x}..{:#010x}", range.start, range.end)
        };
        let (flash, ram) = (show("flash", &memory.flash), show("RAM", &memory.ram));
        let mailbox = show("mailbox", &memory.mailbox);
        let check =
            |what: &str, range: std::ops::Range<u64>, rooms: &[&std::ops::Range<u64>], board: String| {
                match rooms.iter().any(|room| within(&range, room)) {
                    true => Ok(()),
                    false => {
                        Err(Error::OutsideBoard { path: self.path.clone(), what: what.into(), range, board })
                    }
                }
            };
        for segment in &self.elf.segments {
            if !segment.bytes().is_empty() {
                let loaded = segment.load_range();
                check("a segment", loaded, &[&memory.flash, &memory.ram], format!("{flash} and {ram}"))?;
            }
            // The mailbox may be a section that is never loaded.
            let mut rooms = vec![&memory.flash, &memory.ram];
            let mut board = format!("{flash} and {ram}");
            if segment.bytes().is_empty() {
                rooms.push(&memory.mailbox);
                board = format!("{flash}, {ram} and {mailbox}");
            }
            check("the memory of a segment", segment.run_range(), &rooms, board)?;
        }
        let (shared, values) = self.blocks.split_at(self.blocks.len() - self.parameters.len());
        for block in shared {
            check(&format!("the {}", block.name), block.range.clone(), &[&memory.mailbox], mailbox.clone())?;
        }
        for block in values {
            let rooms = [&memory.ram, &memory.mailbox];
            check(
                &format!("the {}", block.name),
                block.range.clone(),
                &rooms,
                format!("{ram} and {mailbox}"),
            )?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Firmware {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Firmware").field("path", &self.path).field("sha256", &self.sha256).finish()
    }
}

/// Bytes of a segment, by run address.
pub(crate) fn bytes_of(segments: &[Segment], address: u32, length: u32) -> Option<&[u8]> {
    segments.iter().find_map(|segment| {
        let start = address.checked_sub(segment.run_address)? as usize;
        segment.bytes().get(start..start.checked_add(length as usize)?)
    })
}

/// A digest of addresses, lengths and bytes. Debug information and file layout do not count.
fn identity(segments: &[Segment]) -> String {
    let mut digest = Sha256::new();
    for segment in segments.iter().filter(|segment| !segment.bytes().is_empty()) {
        digest.update(segment.address.to_le_bytes());
        digest.update((segment.bytes().len() as u32).to_le_bytes());
        digest.update(segment.bytes());
    }
    digest.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

const _: () = {
    const fn shared_between_workers<T: Send + Sync>() {}
    shared_between_workers::<Firmware>();
};
