//! From the bytes of a file to segments and the few sections that matter.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gimli::SectionId;
use object::LittleEndian;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use crate::error::Error;
use crate::segment::{Segment, overlap};

pub(crate) const DESCRIPTION: &str = "fwvs_description";
pub(crate) const PARAMETERS: &str = "fwvs_parameters";
pub(crate) const NAMES: &str = "fwvs_names";

/// What every ELF file begins with.
pub(crate) const MAGIC: &[u8] = b"\x7fELF";

type Header = elf::FileHeader32<LittleEndian>;
const ENDIAN: LittleEndian = LittleEndian;

/// A file with its tables read and its ranges checked.
pub(crate) struct Elf {
    pub(crate) image: Arc<[u8]>,
    /// In the order of their load addresses.
    pub(crate) segments: Vec<Segment>,
    /// Where in the image each section is that anybody asks for.
    pub(crate) sections: BTreeMap<&'static str, Range<usize>>,
}

impl Elf {
    pub(crate) fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, Error> {
        let image: Arc<[u8]> = bytes.into();
        check_identity(&image, path)?;
        let has = image.len() as u64;
        let malformed = |what| Error::Malformed { path: path.into(), what };
        let fits = |needs: u64| match needs {
            needs if needs > has => Err(Error::Truncated { path: path.into(), needs, has }),
            _ => Ok(()),
        };
        fits(size_of::<Header>() as u64)?;
        let header = Header::parse(&*image).map_err(|_| malformed("its header makes no sense"))?;
        check_machine(header, path)?;
        let table =
            |offset: u32, count: u16, size: u16| u64::from(offset) + u64::from(count) * u64::from(size);
        fits(table(header.e_phoff(ENDIAN), header.e_phnum(ENDIAN), header.e_phentsize(ENDIAN)))?;
        fits(table(header.e_shoff(ENDIAN), header.e_shnum(ENDIAN), header.e_shentsize(ENDIAN)))?;

        let programs = header
            .program_headers(ENDIAN, &*image)
            .map_err(|_| malformed("its table of segments makes no sense"))?;
        let mut segments = Vec::new();
        for program in programs.iter().filter(|program| program.p_type(ENDIAN) == elf::PT_LOAD) {
            let (offset, size) = program.file_range(ENDIAN);
            fits(offset + size)?;
            let memory_size = program.p_memsz(ENDIAN);
            if size > u64::from(memory_size) {
                return Err(malformed("a segment has more bytes than memory"));
            }
            let bytes = if size == 0 { 0..0 } else { offset as usize..(offset + size) as usize };
            let (load, run) = (program.p_paddr(ENDIAN), program.p_vaddr(ENDIAN));
            let segment = Segment::new(load, run, memory_size, Arc::clone(&image), bytes);
            if segment.load_range().end > 1 << 32 || segment.run_range().end > 1 << 32 {
                return Err(malformed("a segment runs past the end of memory"));
            }
            if memory_size > 0 {
                segments.push(segment);
            }
        }
        segments.sort_by_key(|segment| (segment.address, segment.run_address));
        check_apart(&segments, has).map_err(malformed)?;

        let table = header
            .sections(ENDIAN, &*image)
            .map_err(|_| malformed("its table of sections makes no sense"))?;
        let mut sections = BTreeMap::new();
        for section in table.iter() {
            let Some(name) = table.section_name(ENDIAN, section).ok().and_then(known) else { continue };
            // A compressed section is as good as none: everything it could say is optional.
            let Some((offset, size)) = section.file_range(ENDIAN) else { continue };
            if section.sh_flags(ENDIAN).contains(elf::SHF_COMPRESSED) {
                continue;
            }
            fits(offset + size)?;
            sections.entry(name).or_insert(offset as usize..(offset + size) as usize);
        }
        Ok(Self { image, segments, sections })
    }

    /// The bytes of a section.
    pub(crate) fn section(&self, name: &str) -> Option<&[u8]> {
        self.image.get(self.sections.get(name)?.clone())
    }
}

/// The sections that are ever asked for.
fn known(name: &[u8]) -> Option<&'static str> {
    const DEBUG: [SectionId; 12] = [
        SectionId::DebugAbbrev,
        SectionId::DebugAddr,
        SectionId::DebugAranges,
        SectionId::DebugInfo,
        SectionId::DebugLine,
        SectionId::DebugLineStr,
        SectionId::DebugRanges,
        SectionId::DebugRngLists,
        SectionId::DebugStr,
        SectionId::DebugStrOffsets,
        SectionId::DebugLoc,
        SectionId::DebugLocLists,
    ];
    let ours = [DESCRIPTION, PARAMETERS, NAMES];
    ours.into_iter().chain(DEBUG.map(|id| id.name())).find(|known| known.as_bytes() == name)
}

/// Magic, class and byte order: the part that is the same in every ELF.
fn check_identity(image: &[u8], path: &Path) -> Result<(), Error> {
    if !image.starts_with(MAGIC) {
        return Err(Error::NotElf { path: path.into() });
    }
    let Some([class, order]) = image.get(4..6) else {
        let (needs, has) = (size_of::<Header>() as u64, image.len() as u64);
        return Err(Error::Truncated { path: path.into(), needs, has });
    };
    let other = |found: &str| Err(Error::OtherArchitecture { path: path.into(), found: found.into() });
    match (class, order) {
        (1, 1) => Ok(()),
        (2, _) => other("a 64-bit machine"),
        (1, 2) => other("a big-endian machine"),
        _ => Err(Error::Malformed { path: path.into(), what: "neither its class nor its byte order exists" }),
    }
}

fn check_machine(header: &Header, path: &Path) -> Result<(), Error> {
    let machine = header.e_machine(ENDIAN);
    if machine != elf::EM_ARM {
        let found = match machine {
            elf::EM_386 => "a 32-bit PC".into(),
            elf::EM_RISCV => "RISC-V".into(),
            elf::EM_XTENSA => "Xtensa".into(),
            elf::EM_AVR => "AVR".into(),
            elf::EM_MIPS => "MIPS".into(),
            other => format!("ELF machine number {}", other.0),
        };
        return Err(Error::OtherArchitecture { path: path.into(), found });
    }
    let found = match header.e_type(ENDIAN) {
        elf::ET_EXEC => return Ok(()),
        elf::ET_REL => "an object file".into(),
        elf::ET_DYN => "a shared library or position-independent".into(),
        elf::ET_CORE => "a core dump".into(),
        other => format!("an ELF file of type {}", other.0),
    };
    Err(Error::NotLinked { path: path.into(), found })
}

/// No two segments write the same memory, nor are they made from the same bytes.
fn check_apart(segments: &[Segment], file: u64) -> Result<(), &'static str> {
    let loaded: u64 = segments.iter().map(|segment| segment.bytes().len() as u64).sum();
    if loaded > file {
        return Err("its segments have more bytes than the file");
    }
    let mut filled = segments.iter().filter(|segment| !segment.bytes().is_empty());
    let Some(mut before) = filled.next() else { return Err("nothing in it can be loaded") };
    for segment in filled {
        if overlap(&before.load_range(), &segment.load_range()) {
            return Err("two segments are loaded to the same memory");
        }
        before = segment;
    }
    Ok(())
}
