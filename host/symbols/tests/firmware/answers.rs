//! What a good firmware answers.

use std::path::Path;

use crate::image::{Image, MAILBOX, NAME_OF_SEED, RAM, board};

#[test]
fn segments_come_in_the_order_of_their_load_addresses() {
    let mut image = Image::new();
    image.segments.reverse();
    let firmware = image.firmware();
    let loads: Vec<(u32, usize)> =
        firmware.segments().iter().map(|segment| (segment.address, segment.bytes().len())).collect();
    assert_eq!(loads, [(0, 0x100), (0x100, 8), (RAM + 8, 0), (MAILBOX, 0)]);
    assert_eq!((firmware.name(), firmware.path()), ("fw", Path::new("target/fw.elf")));
    assert_eq!(firmware.description().doorbell, MAILBOX);
}

#[test]
fn the_digest_is_of_what_is_loaded_and_where() {
    let image = Image::new();
    let digest = image.firmware().sha256().to_owned();
    // Made with another implementation: address, length and bytes of the two segments that have any.
    assert_eq!(digest, "103bfb69edd90456e0188f7a7ff4fea68ba1427431cef056ce3c240cbae83705");
    let mut same = image.clone();
    same.segments.reverse();
    same.sections.push((".comment".into(), b"built on a Tuesday".to_vec()));
    assert_eq!(same.firmware().sha256(), digest);
    let mut other = image.clone();
    other.segments[0].bytes[0xff] = 1;
    assert_ne!(other.firmware().sha256(), digest);
    let mut moved = image;
    moved.segments[1].load += 4;
    assert_ne!(moved.firmware().sha256(), digest);
}

#[test]
fn bytes_are_found_where_the_program_sees_them() {
    let firmware = Image::new().firmware();
    assert_eq!(firmware.bytes(RAM, 8), Some(&b"initial!"[..]));
    assert_eq!(firmware.bytes(RAM + 7, 1), Some(&b"!"[..]));
    assert_eq!(firmware.bytes(RAM + 7, 2), None, "zeroed memory is not in the image");
    assert_eq!(firmware.bytes(RAM, u32::MAX), None);
    assert_eq!(firmware.bytes(u32::MAX, 1), None);
    assert_eq!(firmware.text(NAME_OF_SEED, 4), Some("SEED"));
    assert_eq!(firmware.text(0x90, 4), Some("füx"));
    assert_eq!(firmware.text(0x90, 2), None, "half a letter is no text");
}

#[test]
fn event_names_have_their_length_before_them() {
    let firmware = Image::new().firmware();
    assert_eq!(firmware.event_name(0), Some("start"));
    assert_eq!(firmware.event_name(6), Some("stop"));
    assert_eq!(firmware.event_name(11), None, "the table ends too early");
    assert_eq!(firmware.event_name(15), None);
    assert_eq!(firmware.event_name(u16::MAX), None);
    let mut letters = Image::new();
    letters.sections[0].1 = b"\x03f\xc3\xbc\x02f\xc3\x02\xfff".to_vec();
    let letters = letters.firmware();
    assert_eq!(
        [0, 4, 7].map(|place| letters.event_name(place)),
        [Some("fü"), Some("f"), None],
        "cut, not garbled"
    );
    let mut nameless = Image::new();
    nameless.sections.clear();
    assert_eq!(nameless.firmware().event_name(0), None);
}

#[test]
fn the_hard_fault_handler_is_entry_three_without_its_thumb_bit() {
    assert_eq!(Image::new().firmware().hard_fault(), Some(0x50));
    let mut wild = Image::new();
    wild.segments[0].bytes[12..16].copy_from_slice(&0xdead_beef_u32.to_le_bytes());
    assert_eq!(wild.firmware().hard_fault(), None, "there is no code");
}

#[test]
fn parameters_keep_the_order_of_the_section() {
    let firmware = Image::new().firmware();
    let declared: Vec<_> = firmware.parameters().iter().map(|p| (p.name.as_str(), p.words)).collect();
    assert_eq!(declared, [("N", 1), ("SEED", 2)]);
    let n = firmware.parameter("N").expect("it is declared");
    assert_eq!((n.default, n.minimum, n.maximum), (3, 2, 16));
    assert_eq!((n.default_words(), n.default_text()), (vec![3], "3".into()));
    let mut without = Image::new();
    without.parameters.clear();
    assert!(without.firmware().parameters().is_empty());
}

#[test]
fn a_number_is_decimal_or_hexadecimal_and_within_its_range() {
    let mut image = Image::new();
    image.parameters[0][5] = (-16_i32) as u32;
    let firmware = image.firmware();
    let n = firmware.parameter("N").expect("it is declared");
    let value = |text: &str| n.parse(text).ok();
    assert_eq!(value("2"), Some(vec![2]));
    assert_eq!(value("0x10"), Some(vec![16]));
    assert_eq!(value("-0x10"), Some(vec![(-16_i32) as u32]));
    assert_eq!(value("-1"), Some(vec![u32::MAX]));
    for wrong in
        ["", "-", "0x", "17", "-17", "two", "1 ", "+1", "--1", "0x-1", "4294967298", "99999999999999999999"]
    {
        assert_eq!(value(wrong), None, "{wrong}");
    }
    let error = n.parse("17").expect_err("too large").to_string();
    let expected = "parameter N cannot be \"17\": that is outside its range\n\
                    hint: give a number from -16 to 16, such as 3";
    assert_eq!(error, expected);
}

#[test]
fn a_list_is_hexadecimal_and_padded_with_zeros() {
    let firmware = Image::new().firmware();
    let seed = firmware.parameter("SEED").expect("it is declared");
    assert_eq!(seed.parse("").ok(), Some(vec![0, 0]));
    assert_eq!(seed.parse("0aFF").ok(), Some(vec![0xff0a, 0]));
    assert_eq!(seed.parse("0102030405060708").ok(), Some(vec![0x0403_0201, 0x0807_0605]));
    for wrong in ["1", "0x01", "zz", "010203040506070809", "é1"] {
        assert!(seed.parse(wrong).is_err(), "{wrong}");
    }
    let error = seed.parse("123").expect_err("odd").to_string();
    assert!(
        error.starts_with(
            "parameter SEED cannot be \"123\": half a byte is missing\nhint: give up to 8 bytes"
        )
    );
}

#[test]
fn a_firmware_fits_the_board_it_was_linked_for() {
    Image::new().firmware().check_fits(&board()).expect("it is for this board");
}
