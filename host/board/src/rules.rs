//! What cannot be true of a board. One set of rules, for those who build firmware and for those who run it.

use crate::{Board, Flaw, LinkKind, Memory, Region};

/// Regions start at a word.
const WORD: u32 = 4;

/// The mailbox starts at such a boundary: the shim keeps its copy of the vector table there, and the vector table offset register
/// wants the table aligned to its size, rounded up to a power of two.
const VECTOR_TABLE: u32 = 1024;

impl Board {
    /// The first thing that cannot be true.
    pub(crate) fn flaw(&self) -> Option<Flaw> {
        let Memory { flash, ram, mailbox } = self.memory;
        let regions = [("flash", flash, WORD), ("ram", ram, WORD), ("mailbox", mailbox, VECTOR_TABLE)];
        let alone = regions.iter().find_map(|&(region, place, boundary)| {
            let Region { origin, length } = place;
            (length == 0)
                .then_some(Flaw::Empty { region })
                .or((place.end() > 1 << 32).then_some(Flaw::Overflow { region }))
                .or((!origin.is_multiple_of(boundary)).then_some(Flaw::Alignment { region, boundary }))
        });
        let pairs = [(0, 1), (0, 2), (1, 2)].map(|(first, second)| (regions[first], regions[second]));
        let together = pairs.iter().find_map(|&((first, a, _), (second, b, _))| {
            let apart = a.end() <= u64::from(b.origin) || b.end() <= u64::from(a.origin);
            (!apart).then_some(Flaw::Overlap { first, second })
        });
        let mut texts = vec![("name", &self.name), ("target", &self.target)];
        if let LinkKind::Qemu { machine, .. } = &self.link {
            texts.push(("machine", machine));
        }
        let text = texts.into_iter().find(|(_, value)| !is_word(value));
        let text = text.map(|(field, value)| Flaw::Text { field, value: value.clone() });
        alone.or(together).or(text)
    }
}

/// Names become arguments of programs, and parts of paths.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}
