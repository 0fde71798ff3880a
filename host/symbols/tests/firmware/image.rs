//! A small firmware, written byte by byte, so that every part of it can be made wrong.

use std::path::Path;

use fwvs_symbols::{Error, Firmware, MemoryMap};
use fwvs_wire::{Creation, Decision, Incident, MAGIC, Orders, Record, Report, VERSION};

pub(crate) const RAM: u32 = 0x2000_0000;
pub(crate) const MAILBOX: u32 = 0x2000_c000;

/// Where in the flash things are.
pub(crate) const STORE: u32 = 0x40;
pub(crate) const NAME_OF_N: u32 = 0x80;
pub(crate) const NAME_OF_SEED: u32 = 0x84;

/// Words of the description, by place.
pub(crate) const WORDS: [&str; 13] = [
    "magic",
    "version",
    "doorbell",
    "store",
    "orders",
    "decisions",
    "report",
    "records",
    "setup",
    "creations",
    "incident",
    "tasks",
    "objects",
];

#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) load: u32,
    pub(crate) run: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) memory: u32,
}

/// An ELF before it is written.
#[derive(Clone)]
pub(crate) struct Image {
    pub(crate) class: u8,
    pub(crate) order: u8,
    pub(crate) kind: u16,
    pub(crate) machine: u16,
    pub(crate) segments: Vec<Segment>,
    pub(crate) description: Option<[u32; 13]>,
    /// Name, name's length, value, words, default, minimum, maximum.
    pub(crate) parameters: Vec<[u32; 7]>,
    pub(crate) sections: Vec<(String, Vec<u8>)>,
}

impl Image {
    pub(crate) fn new() -> Self {
        let mut flash = vec![0; 0x100];
        // Stack, reset, NMI, hard fault: the last one with its Thumb bit.
        flash[12..16].copy_from_slice(&0x51_u32.to_le_bytes());
        flash[NAME_OF_N as usize] = b'N';
        flash[NAME_OF_SEED as usize..][..4].copy_from_slice(b"SEED");
        flash[0x90..0x94].copy_from_slice("füx".as_bytes());
        let (decisions, records, creations) = (64, 32, 16);
        let orders = MAILBOX + 4;
        let report = orders + (Orders::BYTES + decisions * size_of::<Decision>()) as u32;
        let setup = report + (Report::BYTES + records * Record::BYTES) as u32;
        let incident = setup + (creations * Creation::BYTES) as u32;
        let value = incident + Incident::BYTES as u32;
        Self {
            class: 1,
            order: 1,
            kind: 2,
            machine: 40,
            segments: vec![
                Segment { load: 0, run: 0, bytes: flash, memory: 0x100 },
                // Initialised variables: stored behind the code, used in RAM.
                Segment { load: 0x100, run: RAM, bytes: b"initial!".to_vec(), memory: 8 },
                Segment { load: RAM + 8, run: RAM + 8, bytes: vec![], memory: 0x100 },
                Segment { load: MAILBOX, run: MAILBOX, bytes: vec![], memory: 0x4000 },
            ],
            description: Some([
                MAGIC,
                VERSION,
                MAILBOX,
                STORE,
                orders,
                decisions as u32,
                report,
                records as u32,
                setup,
                creations as u32,
                incident,
                8,
                16,
            ]),
            parameters: vec![[NAME_OF_N, 1, value, 1, 3, 2, 16], [NAME_OF_SEED, 4, value + 4, 2, 0, 0, 0]],
            sections: vec![("fwvs_names".into(), b"\x05start\x04stop\x09cut".to_vec())],
        }
    }

    /// One word of the description changed, by its name.
    pub(crate) fn with(mut self, word: &str, value: u32) -> Self {
        let place = WORDS.iter().position(|name| *name == word).expect("a word of the description");
        self.description.as_mut().expect("a description")[place] = value;
        self
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut sections = self.sections.clone();
        if let Some(description) = &self.description {
            sections.push(("fwvs_description".into(), words(description)));
        }
        if !self.parameters.is_empty() {
            sections.push(("fwvs_parameters".into(), words(&self.parameters.concat())));
        }
        let mut names = vec![0];
        let mut contents = Vec::new();
        let start = 52 + 32 * self.segments.len();
        let mut append = |bytes: &[u8]| {
            let offset = start + contents.len();
            contents.extend_from_slice(bytes);
            contents.resize(contents.len().next_multiple_of(4), 0);
            offset as u32
        };
        let programs: Vec<u32> = self
            .segments
            .iter()
            .flat_map(|Segment { load, run, bytes, memory }| {
                [1, append(bytes), *run, *load, bytes.len() as u32, *memory, 7, 4]
            })
            .collect();
        // The first entry of the table of sections is always empty.
        let mut table = vec![0; 10];
        for (name, bytes) in &sections {
            table.extend([names.len() as u32, 1, 0, 0, append(bytes), bytes.len() as u32, 0, 0, 4, 0]);
            names.extend_from_slice(name.as_bytes());
            names.push(0);
        }
        let end = append(&names);
        table.extend([0, 3, 0, 0, end, names.len() as u32, 0, 0, 1, 0]);
        let table_at = append(&words(&table));

        let mut file = vec![0x7f, b'E', b'L', b'F', self.class, self.order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        [self.kind, self.machine].iter().for_each(|half| file.extend(half.to_le_bytes()));
        file.extend(words(&[1, STORE, 52, table_at, 0]));
        let sections = sections.len() as u16 + 2;
        let halves = [52, 32, self.segments.len() as u16, 40, sections, sections - 1];
        halves.iter().for_each(|half| file.extend(half.to_le_bytes()));
        file.extend(words(&programs));
        file.extend(contents);
        file
    }

    pub(crate) fn parse(&self) -> Result<Firmware, Error> {
        Firmware::parse(self.bytes(), Path::new("target/fw.elf"))
    }

    pub(crate) fn firmware(&self) -> Firmware {
        self.parse().expect("the firmware is good")
    }

    /// What is said about it.
    pub(crate) fn complaint(&self) -> String {
        self.parse().expect_err("the firmware is wrong").to_string()
    }
}

/// The board the firmware is for.
pub(crate) fn board() -> MemoryMap {
    MemoryMap { flash: 0..0x4_0000, ram: 0x2000_0000..0x2000_c000, mailbox: 0x2000_c000..0x2001_0000 }
}
