//! Damaged files: an error or a firmware, never a panic.

use std::path::Path;
use std::sync::LazyLock;

use fwvs_symbols::Firmware;
use proptest::prelude::*;

use crate::image::board;
use crate::places::with_lines;

static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| with_lines(5).bytes());

/// Asks everything there is to ask.
fn interrogate(bytes: Vec<u8>) {
    let Ok(firmware) = Firmware::parse(bytes, Path::new("fw.elf")) else { return };
    let _ = firmware.check_fits(&board());
    let _ = (firmware.hard_fault(), firmware.schedule(), firmware.sha256().len());
    for place in (0..64).chain([u16::MAX]) {
        let _ = firmware.event_name(place);
    }
    for address in (0x30..0x80).chain([0, 1, 2, u32::MAX]) {
        let _ = (firmware.place_of_instruction(address), firmware.place_of_return(address));
        let _ = (firmware.text(address, 4), firmware.bytes(address, u32::MAX));
    }
    for parameter in firmware.parameters() {
        let _ = (parameter.parse("1"), parameter.parse("00ff"), parameter.default_words());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = WHOLE.clone();
        for (place, byte) in changes {
            *place.get_mut(&mut bytes) = byte;
        }
        interrogate(bytes);
    }

    #[test]
    fn changed_words_never_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u32>(), 0..32_u32), 1..4),
    ) {
        let mut bytes = WHOLE.clone();
        for (place, word, shift) in changes {
            let place = place.index(bytes.len() / 4) * 4;
            bytes[place..place + 4].copy_from_slice(&(word >> shift).to_le_bytes());
        }
        interrogate(bytes);
    }

    #[test]
    fn a_piece_of_a_file_never_panics(end in 0..WHOLE.len()) {
        prop_assert!(Firmware::parse(WHOLE[..end].to_vec(), Path::new("fw.elf")).is_err());
    }

    #[test]
    fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
        interrogate(noise.clone());
        interrogate([b"\x7fELF\x01\x01\x01".as_slice(), &noise].concat());
    }
}

#[test]
fn the_whole_file_is_good() {
    let firmware = Firmware::parse(WHOLE.clone(), Path::new("fw.elf")).expect("a firmware");
    assert!(firmware.place_of_instruction(0x48).is_some());
    interrogate(WHOLE.clone());
}
