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

/// The memory that QEMU fills from the firmware file at each reset. Segments without bytes in the
/// file are left alone; behind the bytes of others, the rest of the segment is cleared.
pub(crate) fn loaded(firmware: &Path) -> Result<Vec<RangeInclusive<u32>>, Error> {
    let range = |segment: &ProgramHeader32<LittleEndian>, _: &[u8]| {
        let first = segment.p_paddr(LittleEndian);
        let size = segment.p_memsz(LittleEndian).max(segment.p_filesz(LittleEndian));
        Ok(first..=first.saturating_add(size - 1))
    };
    each_segment(firmware, range)
}

/// The bytes of the firmware file, piece by piece, each with the address where it is loaded.
pub(crate) fn pieces(firmware: &Path) -> Result<Vec<(u32, Vec<u8>)>, Error> {
    let piece = |segment: &ProgramHeader32<LittleEndian>, file: &[u8]| {
        let bytes = segment.data(LittleEndian, file);
        let bytes = bytes.map_err(|()| io::Error::new(io::ErrorKind::InvalidData, "a segment is cut off"))?;
        Ok((segment.p_paddr(LittleEndian), bytes.to_vec()))
    };
    each_segment(firmware, piece)
}

/// What can be said of each segment that has bytes in the file.
fn each_segment<T>(
    firmware: &Path,
    look: impl Fn(&ProgramHeader32<LittleEndian>, &[u8]) -> io::Result<T>,
) -> Result<Vec<T>, Error> {
    let read = || -> io::Result<Vec<T>> {
        let bytes = file::read(firmware, LONGEST_FILE)?;
        let invalid = |error: object::read::Error| io::Error::new(io::ErrorKind::InvalidData, error);
        let header = FileHeader32::<LittleEndian>::parse(bytes.as_slice()).map_err(invalid)?;
        let endian = header.endian().map_err(invalid)?;
        let segments = header.program_headers(endian, bytes.as_slice()).map_err(invalid)?;
        let filled = |segment: &&ProgramHeader32<LittleEndian>| {
            segment.p_type(endian) == PT_LOAD && segment.p_filesz(endian) > 0
        };
        segments.iter().filter(filled).map(|segment| look(segment, bytes.as_slice())).collect()
    };
    read().map_err(|source| Error::Firmware { path: firmware.into(), source })
}
