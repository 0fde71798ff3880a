//! A firmware of some thirty instructions that does on command what a link must cope with. It is
//! assembled here, so that the tests of the link need no compiler for the target.

use fwvs_link::Traps;

/// The firmware and where everything in it is.
pub(crate) struct Firmware {
    /// The ELF file.
    pub(crate) elf: Vec<u8>,
    pub(crate) traps: Traps,
    /// Where the first instruction is.
    pub(crate) entry: u32,
    /// The instructions of the endless loop.
    pub(crate) spin: std::ops::Range<u32>,
    pub(crate) stack: u32,
    /// What the firmware is to do: one of the constants below.
    pub(crate) command: u32,
    /// Rounds since the start. Each round rings the doorbell once.
    pub(crate) counter: u32,
    /// Starts since RAM was cleared.
    pub(crate) starts: u32,
    /// Rounds of the endless loop since RAM was cleared.
    pub(crate) spins: u32,
    /// `spins` as it was at the last start.
    pub(crate) spins_at_start: u32,
    /// How many times to count before the doorbell.
    pub(crate) delay: u32,
    /// What the host answers at the doorbell.
    pub(crate) answer: u32,
    /// The answer as it was read by the first instruction behind the doorbell.
    pub(crate) heard: u32,
    /// A word that the ELF file fills.
    pub(crate) loaded: u32,
    /// Memory that the firmware never touches, [`SCRATCH_SIZE`] bytes.
    pub(crate) scratch: u32,
}

pub(crate) const RING: u32 = 0;
pub(crate) const SPIN: u32 = 1;
pub(crate) const FAULT: u32 = 2;
pub(crate) const LOCK_UP: u32 = 3;
pub(crate) const LOADED_VALUE: u32 = 0xA5A5_5A5A;
pub(crate) const SCRATCH_SIZE: usize = 0x3000;

const VECTORS: u32 = 64;

impl Firmware {
    /// The firmware for a memory map.
    pub(crate) fn new(flash: u32, ram: u32) -> Self {
        let words = ram + 0x400;
        let word = |index: u32| words + 4 * index;
        let code = flash + VECTORS;
        let at = |index: usize| code + 2 * index as u32;
        let (instructions, labels) = assemble(words);
        let stack = ram + 0x400;
        let fault = at(labels.fault_entry);
        let mut image: Vec<u8> = Vec::new();
        let handlers = [fault | 1; 14];
        for vector in [stack, code | 1].into_iter().chain(handlers) {
            image.extend(vector.to_le_bytes());
        }
        image.extend(instructions.iter().flat_map(|instruction| instruction.to_le_bytes()));
        let loaded = ram + 0x800;
        Self {
            elf: elf(code | 1, &[(flash, &image), (loaded, &LOADED_VALUE.to_le_bytes())]),
            traps: Traps { doorbell: word(0), store: at(labels.store), fault: Some(fault) },
            entry: code,
            spin: at(labels.spin)..at(labels.spin_end),
            stack,
            command: word(1),
            counter: word(2),
            starts: word(3),
            spins: word(4),
            spins_at_start: word(5),
            delay: word(6),
            answer: word(7),
            heard: word(8),
            loaded,
            scratch: ram + 0x1000,
        }
    }
}

struct Labels {
    store: usize,
    spin: usize,
    spin_end: usize,
    fault_entry: usize,
}

/// Thumb instructions, with the address of the words as a literal at the end.
fn assemble(words: u32) -> (Vec<u16>, Labels) {
    let load = |register: u16, word: u16| 0x6800 | word << 6 | register; // ldr register, [r0, #4*word]
    let store = |register: u16, word: u16| 0x6000 | word << 6 | register; // str register, [r0, #4*word]
    let add = |register: u16, number: u16| 0x3000 | register << 8 | number;
    let compare = |register: u16, number: u16| 0x2800 | register << 8 | number;
    let distance = |from: usize, to: usize| to.wrapping_sub(from + 2) as u16;
    let branch = |from: usize, to: usize| 0xE000 | distance(from, to) & 0x7FF;
    let branch_if =
        |condition: u16, from: usize, to: usize| 0xD000 | condition << 8 | distance(from, to) & 0xFF;
    const EQUAL: u16 = 0;
    const NOT_NEGATIVE: u16 = 5;
    const LITERAL: usize = 32;
    let instructions = vec![
        0x4800 | ((LITERAL as u16 - 2) / 2), // 0: ldr r0, =words
        load(1, 3),                          // starts += 1
        add(1, 1),
        store(1, 3),
        load(1, 4), // spins_at_start = spins
        store(1, 5),
        0x2100, // counter = 0
        store(1, 2),
        load(1, 2), // 8, a round: counter += 1
        add(1, 1),
        store(1, 2),
        load(2, 1), // 11: obey the command
        compare(2, SPIN as u16),
        branch_if(EQUAL, 13, 25),
        compare(2, FAULT as u16),
        branch_if(EQUAL, 15, 30),
        compare(2, LOCK_UP as u16),
        branch_if(EQUAL, 17, 29),
        load(4, 6), // 18: count down the delay
        0x3C01,     // 19: subs r4, #1
        branch_if(NOT_NEGATIVE, 20, 19),
        store(1, 0), // 21: ring the doorbell
        load(5, 7),  // hear the answer
        store(5, 8),
        branch(24, 8),
        load(3, 4), // 25: spins += 1, for ever
        add(3, 1),
        store(3, 4),
        branch(28, 25),
        0xB671,         // 29: cpsid f, so that a fault cannot be handled
        0xDE00,         // 30: udf #0
        branch(31, 31), // 31: the handler of all exceptions
        words as u16,   // 32: the literal
        (words >> 16) as u16,
    ];
    assert_eq!(instructions.len(), LITERAL + 2, "the literal is at its place");
    (instructions, Labels { store: 21, spin: 25, spin_end: 29, fault_entry: 31 })
}

/// A 32-bit ARM executable with one loadable segment for each piece.
fn elf(entry: u32, pieces: &[(u32, &[u8])]) -> Vec<u8> {
    const HEADER: u16 = 52;
    const SEGMENT: u16 = 32;
    let count = pieces.len() as u16;
    let mut file: Vec<u8> = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    half(&mut file, 2); // executable
    half(&mut file, 40); // ARM
    for value in [1, entry, u32::from(HEADER), 0, 0x0500_0200] {
        word(&mut file, value);
    }
    for value in [HEADER, SEGMENT, count, 0, 0, 0] {
        half(&mut file, value);
    }
    let mut offset = u32::from(HEADER) + u32::from(SEGMENT) * u32::from(count);
    for (address, bytes) in pieces {
        let size = bytes.len() as u32;
        for value in [1, offset, *address, *address, size, size, 7, 4] {
            word(&mut file, value);
        }
        offset += size;
    }
    for (_, bytes) in pieces {
        file.extend_from_slice(bytes);
    }
    file
}
