//! Where a task goes round that comes to no operation: in words that do not depend on where it happened to be halted.

use std::collections::BTreeMap;

use fwvs_link::{Error as LinkError, Link};
use fwvs_symbols::{Firmware, Place};
use serde::Serialize;

use crate::error::Error;
use crate::session::Session;
use crate::talk::Progress;

/// How many instructions one look follows. A loop is seen as a whole if it goes round twice in that.
const LOOK: usize = 800;
/// How often somebody looks, the core running on in between: a short loop in a long one is not all there is.
const LOOKS: u32 = 3;

/// Where a core goes round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub enum Spin {
    /// From the first to the last instruction of a loop, without what it calls.
    Loop {
        /// The first instruction.
        first: u32,
        /// The last instruction.
        last: u32,
    },
    /// It waits for an interrupt, after that instruction.
    Sleeps {
        /// The instruction.
        pc: u32,
    },
    /// In no loop, and where there is no line of the source.
    NoCode,
    /// In no loop that is short enough to be seen.
    Unknown,
}

/// A core that came to nothing in all the time it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stuck {
    pub(crate) progress: Progress,
    pub(crate) spin: Spin,
}

impl<L: Link> Session<L> {
    /// Follows a core that was halted by force, instruction by instruction. `None` if it has not run at all or comes to something
    /// now: then it was held up by something else.
    pub(crate) fn stuck(&mut self) -> Result<Option<Stuck>, Error> {
        let progress = self.progress()?;
        if self.stands_at_start()? {
            return Ok(None);
        }
        let mut spin = None;
        for look in 0..LOOKS {
            if look > 0 {
                let stop = self.link.resume(self.settings.divergence / 20)?;
                if !matches!(stop, fwvs_link::Stop::Budget { .. }) {
                    return Ok(None);
                }
            }
            let seen = match self.look() {
                Ok(seen) => seen,
                // A link that cannot step.
                Err(LinkError::Unsupported { .. } | LinkError::Refused { .. }) => Some(Spin::Unknown),
                Err(error) => return Err(error.into()),
            };
            let Some(seen) = seen else { return Ok(None) };
            if *spin.get_or_insert(seen) != seen {
                spin = Some(Spin::Unknown);
            }
        }
        let spin = spin.unwrap_or(Spin::Unknown);
        Ok((self.progress()? == progress).then_some(Stuck { progress, spin }))
    }

    /// Whether the core stands where it was resumed from: at its reset, or behind the doorbell.
    fn stands_at_start(&mut self) -> Result<bool, Error> {
        let pc = self.link.registers()?.pc() & !1;
        let store = self.firmware.description().store & !1;
        Ok([self.firmware.entry().map(|entry| entry & !1), Some(store), Some(store + 2)].contains(&Some(pc)))
    }

    /// Where the core goes round for some instructions; `None` if the doorbell rings.
    fn look(&mut self) -> Result<Option<Spin>, LinkError> {
        let mut trail = Trail::default();
        let mut now = self.link.registers()?;
        for _ in 0..LOOK {
            let pc = now.pc() & !1;
            let instruction = Instruction::at(&self.firmware, pc);
            trail.at(pc, instruction);
            if instruction == Instruction::Sleep {
                return Ok(Some(Spin::Sleeps { pc }));
            }
            let Some(debug) = self.link.debug() else { return Ok(Some(Spin::Unknown)) };
            if debug.step()?.is_some() {
                return Ok(None);
            }
            now = self.link.registers()?;
        }
        Ok(Some(trail.spin(&self.firmware)))
    }
}

/// What kind of instruction, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instruction {
    Call,
    Return,
    Sleep,
    Other,
}

impl Instruction {
    fn at(firmware: &Firmware, pc: u32) -> Self {
        let half = |at: u32| Some(u16::from_le_bytes(firmware.bytes(at, 2)?.try_into().ok()?));
        let Some(first) = half(pc) else { return Self::Other };
        match (first, half(pc.wrapping_add(2)).unwrap_or(0)) {
            // bx lr; pop with pc, short, long, and of pc alone.
            (0x4770 | 0xbd00..=0xbdff, _) | (0xf85d, 0xfb04) => Self::Return,
            (0xe8bd, registers) if registers & 0x8000 != 0 => Self::Return,
            // bl; blx with a register.
            (0xf000..=0xf7ff, second) if second & 0xd000 == 0xd000 => Self::Call,
            (first, _) if first & 0xff87 == 0x4780 => Self::Call,
            // wfi, wfe: nobody knows when a step over them ends.
            (0xbf30 | 0xbf20, _) => Self::Sleep,
            _ => Self::Other,
        }
    }
}

/// Which instructions were executed how often, by how deep in calls they were.
#[derive(Default)]
struct Trail {
    depth: i32,
    visits: BTreeMap<(i32, u32), u32>,
}

impl Trail {
    fn at(&mut self, pc: u32, instruction: Instruction) {
        *self.visits.entry((self.depth, pc)).or_default() += 1;
        match instruction {
            Instruction::Call => self.depth += 1,
            Instruction::Return => self.depth -= 1,
            Instruction::Sleep | Instruction::Other => {}
        }
    }

    /// The loop of the outermost function: where it was halted, in the loop or in what that calls, does not matter.
    fn spin(&self, firmware: &Firmware) -> Spin {
        let Some(((outermost, first), _)) = self.visits.first_key_value() else { return Spin::Unknown };
        let level = self.visits.range((*outermost, 0)..=(*outermost, u32::MAX));
        let is_whole = level.clone().all(|(_, visits)| *visits > 1);
        match level.last() {
            Some(((_, last), _)) if is_whole => Spin::Loop { first: *first, last: *last },
            _ if self.visits.keys().all(|(_, pc)| firmware.place_of_instruction(*pc).is_none()) => {
                Spin::NoCode
            }
            _ => Spin::Unknown,
        }
    }
}

impl Spin {
    /// Where that is, to be put behind a sentence.
    pub(crate) fn words(self, firmware: &Firmware) -> String {
        match self {
            Self::Loop { first, last } => match lines(firmware, first, last) {
                Some((file, from, to)) if from == to => format!(", in a loop at {file}:{from}"),
                Some((file, from, to)) => format!(", in a loop at {file}:{from}-{to}"),
                None => {
                    format!(", in a loop from {first:#010x} to {last:#010x}, which is no line of the source")
                }
            },
            Self::Sleeps { pc } => match firmware.place_of_instruction(pc) {
                Some(place) => format!(", asleep until an interrupt comes at {place}"),
                None => format!(", asleep until an interrupt comes at {pc:#010x}"),
            },
            Self::NoCode => ", in code which is no line of the source".to_owned(),
            Self::Unknown => String::new(),
        }
    }
}

/// The lines of a loop, in the function that most of it is of: what the compiler put in between may be from anywhere.
fn lines(firmware: &Firmware, first: u32, last: u32) -> Option<(String, u32, u32)> {
    let places: Vec<Place> =
        (first..=last).step_by(2).filter_map(|pc| firmware.place_of_instruction(pc)).collect();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for place in &places {
        *counts.entry((&place.file, &place.function)).or_default() += 1;
    }
    let (most, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let of_it = places.iter().filter(|place| (place.file.as_str(), place.function.as_str()) == most);
    let lines = of_it.map(|place| place.line);
    Some((most.0.to_owned(), lines.clone().min()?, lines.max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(pcs: &[(u32, Instruction)]) -> Trail {
        let mut trail = Trail::default();
        pcs.iter().for_each(|(pc, instruction)| trail.at(*pc, *instruction));
        trail
    }

    /// The levels that a trail has, outermost first.
    fn outermost(trail: &Trail) -> Vec<u32> {
        let level = trail.visits.keys().next().expect("something was executed").0;
        trail.visits.keys().filter(|(depth, _)| *depth == level).map(|(_, pc)| *pc).collect()
    }

    #[test]
    fn what_a_loop_calls_is_not_the_loop_wherever_one_begins_to_look() {
        use Instruction::{Call, Other, Return};
        let round = [(10, Other), (12, Call), (50, Other), (52, Return), (16, Other)];
        for begin in 0..round.len() {
            let pcs: Vec<_> = round.iter().cycle().skip(begin).take(15).copied().collect();
            assert_eq!(outermost(&trail(&pcs)), [10, 12, 16], "from {begin}");
        }
    }
}
