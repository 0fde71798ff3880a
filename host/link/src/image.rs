//! What a firmware file loads, and where. What is in there beyond that is the business of others.

use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use fwvs_foreign::file;
use object::LittleEndian;
use object::elf::{FileHeader32, PT_LOAD, ProgramHeader32};
use object::read::elf::{FileHeader, ProgramHeader};

use crate::Error;

/// No firmware is longer, debug information included.
const LONGEST_FILE: u64 = 1 << 30;

/// The memory that QEMU fills from the firmware file at each reset.
pub(crate) fn loaded(firmware: &Path) -> Result<Vec<RangeInclusive<u32>>, Error> {
    read(firmware, filled)
}

/// The bytes of the firmware file, piece by piece, each with the address where it is loaded.
pub(crate) fn pieces(firmware: &Path) -> Result<Vec<(u32, Vec<u8>)>, Error> {
    read(firmware, written)
}

fn read<T>(firmware: &Path, look: impl Fn(&[u8]) -> io::Result<T>) -> Result<T, Error> {
    let outcome = file::read(firmware, LONGEST_FILE).and_then(|bytes| look(&bytes));
    outcome.map_err(|source| Error::Firmware { path: firmware.into(), source })
}

/// What QEMU fills at each reset, of a firmware file with these bytes. Segments without bytes in the file are left alone; behind
/// the bytes of others, the rest of the segment is cleared.
pub fn filled(file: &[u8]) -> io::Result<Vec<RangeInclusive<u32>>> {
    each_segment(file, |segment| {
        let first = segment.p_paddr(LittleEndian);
        let size = segment.p_memsz(LittleEndian).max(segment.p_filesz(LittleEndian));
        Ok(first..=first.saturating_add(size - 1))
    })
}

/// What is written into a target, and where, of a firmware file with these bytes.
pub fn written(file: &[u8]) -> io::Result<Vec<(u32, Vec<u8>)>> {
    each_segment(file, |segment| {
        let bytes = segment.data(LittleEndian, file);
        let bytes = bytes.map_err(|()| io::Error::new(io::ErrorKind::InvalidData, "a segment is cut off"))?;
        Ok((segment.p_paddr(LittleEndian), bytes.to_vec()))
    })
}

/// What can be said of each segment that has bytes in the file.
fn each_segment<T>(
    file: &[u8],
    look: impl Fn(&ProgramHeader32<LittleEndian>) -> io::Result<T>,
) -> io::Result<Vec<T>> {
    let invalid = |error: object::read::Error| io::Error::new(io::ErrorKind::InvalidData, error);
    let header = FileHeader32::<LittleEndian>::parse(file).map_err(invalid)?;
    let endian = header.endian().map_err(invalid)?;
    let segments = header.program_headers(endian, file).map_err(invalid)?;
    let filled = |segment: &&ProgramHeader32<LittleEndian>| {
        segment.p_type(endian) == PT_LOAD && segment.p_filesz(endian) > 0
    };
    segments.iter().filter(filled).map(look).collect()
}
