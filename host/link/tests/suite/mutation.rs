//! Damage to bytes that were valid: it gets much further into a reader than noise.

use proptest::prelude::*;

/// One piece of damage. Positions are taken modulo the length.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mutation {
    Flip { at: usize, bits: u8 },
    Insert { at: usize, byte: u8 },
    Cut { at: usize, length: usize },
    Duplicate { at: usize, length: usize },
    Truncate { at: usize },
}

impl Arbitrary for Mutation {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        let at = 0..4096usize;
        let length = 1..40usize;
        // Bytes that mean something are more telling than others.
        let byte = prop_oneof![any::<u8>(), prop::sample::select(b"$#+-%*}:;=OEXTSW0f\n\"".to_vec())];
        prop_oneof![
            4 => (at.clone(), 1..=255u8).prop_map(|(at, bits)| Self::Flip { at, bits }),
            4 => (at.clone(), byte).prop_map(|(at, byte)| Self::Insert { at, byte }),
            3 => (at.clone(), length.clone()).prop_map(|(at, length)| Self::Cut { at, length }),
            3 => (at.clone(), length).prop_map(|(at, length)| Self::Duplicate { at, length }),
            1 => at.prop_map(|at| Self::Truncate { at }),
        ]
        .boxed()
    }
}

pub(crate) fn mutated(mut bytes: Vec<u8>, mutations: &[Mutation]) -> Vec<u8> {
    for mutation in mutations {
        if bytes.is_empty() {
            break;
        }
        let size = bytes.len();
        let part = |at: usize, length: usize| at % size..(at % size + length).min(size);
        match *mutation {
            Mutation::Flip { at, bits } => bytes[at % size] ^= bits,
            Mutation::Insert { at, byte } => bytes.insert(at % size, byte),
            Mutation::Cut { at, length } => drop(bytes.drain(part(at, length))),
            Mutation::Duplicate { at, length } => {
                let copy = bytes[part(at, length)].to_vec();
                bytes.splice(at % size..at % size, copy);
            }
            Mutation::Truncate { at } => bytes.truncate(at % size),
        }
    }
    bytes
}
