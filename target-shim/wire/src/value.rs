//! Target to host: what a side of a failed comparison was. Bits and what they stand for; the host puts them in words.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A side of a comparison, as it travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Value {
    /// What the bits stand for, and above that how many `Some` are around it.
    sort: u32,
    /// The low half comes first.
    bits: [u32; 2],
}

/// What a [`Value`] stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Known {
    /// An unsigned integer.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A truth value.
    Bool(bool),
    /// A letter.
    Letter(char),
    /// A number of 32 bits that need not be whole.
    Single(f32),
    /// A number of 64 bits that need not be whole.
    Double(f64),
    /// An option without anything in it.
    Nothing,
}

const UNSIGNED: u32 = 1;
const SIGNED: u32 = 2;
const BOOL: u32 = 3;
const LETTER: u32 = 4;
const SINGLE: u32 = 5;
const DOUBLE: u32 = 6;
const NOTHING: u32 = 7;
/// One `Some` around it.
const SOME: u32 = 1 << 8;

impl Value {
    /// Of a type that nobody has words for.
    pub const UNKNOWN: Self = Self { sort: 0, bits: [0; 2] };

    /// The value on its way to the host.
    pub const fn new(known: Known) -> Self {
        let (sort, bits) = match known {
            Known::Unsigned(value) => (UNSIGNED, value),
            Known::Signed(value) => (SIGNED, value.cast_unsigned()),
            Known::Bool(value) => (BOOL, value as u64),
            Known::Letter(value) => (LETTER, value as u64),
            Known::Single(value) => (SINGLE, value.to_bits() as u64),
            Known::Double(value) => (DOUBLE, value.to_bits()),
            Known::Nothing => (NOTHING, 0),
        };
        Self { sort, bits: [bits as u32, (bits >> 32) as u32] }
    }

    /// An option with that in it.
    pub const fn in_some(self) -> Self {
        // What nobody has words for is no more than that.
        if self.sort == 0 { self } else { Self { sort: self.sort.wrapping_add(SOME), ..self } }
    }

    /// What it is, and how many `Some` are around it; nothing for what has no words, or makes no sense.
    pub fn known(self) -> Option<(Known, u32)> {
        let [low, high] = self.bits;
        let wide = u64::from(low) | u64::from(high) << 32;
        let known = match self.sort % SOME {
            UNSIGNED => Known::Unsigned(wide),
            SIGNED => Known::Signed(wide.cast_signed()),
            BOOL if wide <= 1 => Known::Bool(wide == 1),
            LETTER if high == 0 => Known::Letter(char::from_u32(low)?),
            SINGLE if high == 0 => Known::Single(f32::from_bits(low)),
            DOUBLE => Known::Double(f64::from_bits(wide)),
            NOTHING if wide == 0 => Known::Nothing,
            _ => return None,
        };
        Some((known, self.sort / SOME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_on_the_target_is_known_on_the_host() {
        for known in [
            Known::Unsigned(u64::MAX),
            Known::Signed(-3),
            Known::Bool(true),
            Known::Letter('ß'),
            Known::Single(0.5),
            Known::Double(-0.25),
            Known::Nothing,
        ] {
            assert_eq!(Value::new(known).known(), Some((known, 0)));
            assert_eq!(Value::new(known).in_some().in_some().known(), Some((known, 2)));
        }
        assert_eq!(Value::UNKNOWN.known(), None);
        assert_eq!(Value::UNKNOWN.in_some(), Value::UNKNOWN, "it is no better known inside of something");
    }

    #[test]
    fn bits_that_make_no_sense_are_nothing_known() {
        for (sort, bits) in
            [(BOOL, [2, 0]), (LETTER, [0xD800, 0]), (SINGLE, [0, 1]), (NOTHING, [1, 0]), (99, [0, 0])]
        {
            assert_eq!(Value { sort, bits }.known(), None, "{sort}");
        }
    }
}
