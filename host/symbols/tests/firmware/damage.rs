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
    let _ = (firmware.hard_fault(), firmware.sha256().len());
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

/// Firmware that was really built is damaged too, where there is any: other sections, other debug information.
#[test]
fn built_firmware_never_panics() {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware");
    let boards = std::fs::read_dir(built).into_iter().flatten().flatten();
    let folders = boards.map(|board| board.path().join("thumbv7m-none-eabi/release"));
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    for path in files.map(|file| file.path()).filter(|path| path.is_file() && path.extension().is_none()) {
        let whole = std::fs::read(&path).expect("a file");
        if !whole.starts_with(b"\x7fELF") {
            continue;
        }
        println!("{}", path.display());
        // A generator of Marsaglia's: the same damage every time.
        let mut state = 88_172_645_463_325_252_u64;
        for _ in 0..40 {
            let mut bytes = whole.clone();
            for _ in 0..20 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let place = (state % bytes.len() as u64) as usize;
                bytes[place] = (state >> 40) as u8;
            }
            interrogate(bytes);
        }
    }
}

#[test]
fn the_whole_file_is_good() {
    let firmware = Firmware::parse(WHOLE.clone(), Path::new("fw.elf")).expect("a firmware");
    assert!(firmware.place_of_instruction(0x48).is_some());
    interrogate(WHOLE.clone());
}
