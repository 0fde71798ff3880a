//! Damage that knows what it damages: bytes, words of tables, tokens of a text.

use fwvs_link::packet::checksum;
use fwvs_tests::generate::Dice;

/// What an input is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Anything.
    Bytes,
    /// Little-endian words, some of them addresses and lengths.
    Words,
    /// An ELF file: most of it is debug information, and what is checked is in a few small tables.
    Elf,
    /// Packets of a gdb server, each with its checksum.
    Packets,
    /// TOML, JSON, or packets, one a line.
    Text,
}

/// No input grows beyond this, unless it was longer from the beginning.
const LONGEST: usize = 1 << 16;

/// Numbers at which something changes.
const NUMBERS: [u32; 20] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    15,
    16,
    31,
    32,
    127,
    128,
    255,
    256,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

/// Words that mean something in the files of fw-vs.
const TOKENS: [&str; 40] = [
    "null",
    "true",
    "false",
    "-1",
    "0",
    "1e999",
    "-0",
    "1.5",
    "18446744073709551616",
    "-9223372036854775808",
    "99999999999999999999999",
    "\"\"",
    "\"\\u0000\"",
    "\"\\u001b[2J\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[[",
    "]]",
    "[[question]]",
    "[memory]",
    "{\"format\":1}",
    "''",
    "'''",
    "\"\"\"",
    "inf",
    "nan",
    "1979-05-27T07:32:00Z",
    "0xffffffff",
    "0o7",
    "1_000",
    "\u{feff}",
    "\u{202e}",
    "kind = \"smallest\"\nparameter = \"N\"\nfrom = 1\nto = 3\n",
    "--set",
    "N=1",
    "=",
    "\n",
    "#",
    "\\",
];

/// Damages an input in one or several places. Some of what comes in is from `other`, an input of the same kind.
pub fn damage(dice: &mut Dice, shape: Shape, input: &mut Vec<u8>, other: &[u8]) {
    let longest = LONGEST.max(input.len() + 64);
    for _ in 0..1_u64 << dice.roll(4) {
        match shape {
            Shape::Text if dice.roll(4) > 0 => tokens(dice, input, other),
            Shape::Elf if dice.roll(8) > 0 => elf(dice, input),
            Shape::Packets if dice.roll(3) == 0 => sign(dice, input),
            Shape::Words if dice.roll(4) > 0 => word(dice, input, 0, usize::MAX),
            _ => bytes(dice, input, other),
        }
        input.truncate(longest);
    }
    // Whatever has a wrong checksum is looked at no further.
    if shape == Shape::Packets && dice.roll(8) > 0 {
        correct(input);
    }
}

/// Puts something in that means more than itself in a packet: a run, with different lengths, an escape, a beginning, an end.
fn sign(dice: &mut Dice, input: &mut Vec<u8>) {
    const SIGNS: [&[u8]; 10] = [b"*", b"* ", b"*~", b"*\x1c", b"*\xff", b"}", b"}*", b"$", b"#", b"%"];
    let at = place(dice, input.len() + 1);
    let end = (at + place(dice, 3)).min(input.len());
    input.splice(at..end, SIGNS[place(dice, SIGNS.len())].iter().copied());
}

/// Gives each packet the checksum that it should have.
fn correct(input: &mut Vec<u8>) {
    let mut from = 0;
    while let Some(start) = input[from..].iter().position(|byte| matches!(byte, b'$' | b'%')) {
        let body = from + start + 1;
        let Some(length) = input[body..].iter().position(|byte| *byte == b'#') else { return };
        let end = body + length;
        let digits = input[end + 1..].iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let sum = format!("{:02x}", checksum(&input[body..end]));
        input.splice(end + 1..end + 1 + digits, sum.into_bytes());
        from = end + 3;
    }
}

fn place(dice: &mut Dice, length: usize) -> usize {
    dice.roll(length.max(1) as u64) as usize
}

fn part(dice: &mut Dice, length: usize) -> std::ops::Range<usize> {
    let begin = place(dice, length + 1);
    let most = 1 << dice.roll(7);
    begin..(begin + place(dice, most) + 1).min(length).max(begin)
}

fn number(dice: &mut Dice) -> u32 {
    let near = NUMBERS[place(dice, NUMBERS.len())];
    match dice.roll(4) {
        0 => dice.roll(1 << 32) as u32,
        1 => near.wrapping_add(dice.roll(5) as u32).wrapping_sub(2),
        _ => near,
    }
}

fn bytes(dice: &mut Dice, input: &mut Vec<u8>, other: &[u8]) {
    let length = input.len();
    match dice.roll(10) {
        0 | 1 if length > 0 => {
            let at = place(dice, length);
            input[at] ^= 1 << dice.roll(8);
        }
        2 if length > 0 => {
            let at = place(dice, length);
            input[at] = dice.roll(256) as u8;
        }
        3 => {
            let at = place(dice, length + 1);
            let more: Vec<u8> = (0..1 + dice.roll(8)).map(|_| dice.roll(256) as u8).collect();
            input.splice(at..at, more);
        }
        4 => {
            let part = part(dice, length);
            input.drain(part);
        }
        5 => {
            let copy = input[part(dice, length)].to_vec();
            let at = place(dice, length + 1);
            // Now and then so often that it gets deep.
            let times = if dice.roll(20) == 0 { 1 + place(dice, 5000) } else { 1 + place(dice, 3) };
            input.splice(at..at, copy.repeat(times.min(LONGEST / copy.len().max(1))));
        }
        6 => {
            let (from, to) = (part(dice, other.len()), part(dice, length));
            input.splice(to, other[from].iter().copied());
        }
        7 => input.truncate(place(dice, length + 1)),
        8 => {
            let at = place(dice, length + 1);
            input.splice(at..at, TOKENS[place(dice, TOKENS.len())].bytes());
        }
        _ => word(dice, input, 0, usize::MAX),
    }
}

/// Changes a word within a part of the input; or a half word, or a byte.
fn word(dice: &mut Dice, input: &mut [u8], begin: usize, end: usize) {
    let end = end.min(input.len());
    if end <= begin {
        return;
    }
    let size = [4, 4, 2, 1][place(dice, 4)];
    let at = begin + place(dice, end - begin) / size * size;
    let Some(old) = input.get(at..at + size) else { return };
    let old = old.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
    let new = match dice.roll(4) {
        0 => old.wrapping_add(dice.roll(9) as u32).wrapping_sub(4),
        1 => old ^ 1 << dice.roll(32),
        // Another word of the same table: an address where a length was.
        2 => {
            let other = begin + place(dice, end - begin) / 4 * 4;
            let other = input.get(other..other + 4);
            other.map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        }
        _ => number(dice),
    };
    input[at..at + size].copy_from_slice(&new.to_le_bytes()[..size]);
}

/// Changes a word in one of the parts that are checked: the header, a table, a section of ours, or a debug section.
fn elf(dice: &mut Dice, input: &mut [u8]) {
    let word_at = |at: usize| {
        input.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    let half_at =
        |at: usize| input.get(at..at + 2).map_or(0, |b| usize::from(u16::from_le_bytes([b[0], b[1]])));
    let (programs, sections) = (word_at(28), word_at(32));
    let (program_count, section_count) = (half_at(44), half_at(48));
    let part = match dice.roll(8) {
        0 => 0..52,
        1 => programs..programs.saturating_add(program_count * 32),
        2 => sections..sections.saturating_add(section_count * 40),
        _ => {
            // Each section as often as each other, however long it is.
            let header = sections.saturating_add(place(dice, section_count) * 40);
            let (offset, size) = (word_at(header.saturating_add(16)), word_at(header.saturating_add(20)));
            offset..offset.saturating_add(size)
        }
    };
    word(dice, input, part.start, part.end);
}

/// Changes a token of a text.
fn tokens(dice: &mut Dice, input: &mut Vec<u8>, other: &[u8]) {
    let mine = split(input);
    if mine.is_empty() {
        input.extend_from_slice(TOKENS[place(dice, TOKENS.len())].as_bytes());
        return;
    }
    let at = mine[place(dice, mine.len())].clone();
    match dice.roll(9) {
        0 => drop(input.drain(at)),
        1 => {
            let copy = input[at.clone()].to_vec();
            input.splice(at.end..at.end, copy);
        }
        2 => {
            let from = mine[place(dice, mine.len())].clone();
            let copy = input[from].to_vec();
            input.splice(at, copy);
        }
        3 => {
            let theirs = split(other);
            let from = theirs.get(place(dice, theirs.len())).cloned().unwrap_or(0..0);
            input.splice(at, other[from].iter().copied());
        }
        4 => drop(input.splice(at, TOKENS[place(dice, TOKENS.len())].bytes())),
        5 => drop(input.splice(at, number(dice).to_string().into_bytes())),
        6 => {
            let deep = if dice.roll(10) == 0 { 1 + place(dice, 20_000) } else { 1 + place(dice, 4) };
            let (open, close) = [("[", "]"), ("{\"a\":", "}"), ("{a=", "}"), ("(", ")")][place(dice, 4)];
            let nested =
                [open.repeat(deep).into_bytes(), input[at.clone()].to_vec(), close.repeat(deep).into_bytes()];
            input.splice(at, nested.concat());
        }
        7 => {
            let line = input[at.start..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(input.len(), |end| at.start + end + 1);
            let copy = input[at.start..line].to_vec();
            let to = place(dice, input.len() + 1);
            input.splice(to..to, copy);
        }
        _ => {
            let letters: String = ["\u{1b}", "\u{0}", "é", "\u{202e}", "\"", "\\", " "][place(dice, 7)]
                .repeat(1 + place(dice, 4));
            let to = at.start + place(dice, at.len() + 1);
            input.splice(to..to, letters.into_bytes());
        }
    }
}

/// Words, numbers and strings, and each other letter for itself. White space is left out.
fn split(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | 0x80..);
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let begin = at;
        at += 1;
        match byte {
            b' ' | b'\n' | b'\t' => continue,
            b'"' => {
                let end = text[at..].iter().position(|byte| matches!(byte, b'"' | b'\n'));
                at = end.map_or(text.len(), |end| at + end + 1);
            }
            _ if is_word(byte) => at += text[at..].iter().take_while(|byte| is_word(byte)).count(),
            _ => {}
        }
        tokens.push(begin..at);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_words_strings_and_signs() {
        let text = b"a = [\"b c\", 1_0]";
        let tokens: Vec<&[u8]> = split(text).into_iter().map(|part| &text[part]).collect();
        assert_eq!(tokens, [&b"a"[..], b"=", b"[", b"\"b c\"", b",", b"1_0", b"]"]);
    }

    #[test]
    fn the_same_seed_does_the_same_damage_to_anything() {
        let inputs: [&[u8]; 4] = [b"", b"x", b"\x7fELF", b"a = [\"b\"]\n"];
        for shape in [Shape::Bytes, Shape::Words, Shape::Elf, Shape::Packets, Shape::Text] {
            for seed in 0..2000 {
                let damaged = || {
                    let mut input = inputs[seed as usize % inputs.len()].to_vec();
                    damage(&mut Dice::new(seed), shape, &mut input, b"other = 1");
                    input
                };
                assert_eq!(damaged(), damaged(), "{shape:?} {seed}");
                // What is corrected grows by two digits for each sign that may end a packet.
                assert!(damaged().len() <= 2 * LONGEST);
            }
        }
    }
}
