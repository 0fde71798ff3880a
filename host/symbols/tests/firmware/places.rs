//! From addresses to lines, with debug information that is written here.

use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, LineProgram, LineString, Sections, UnitEntryId,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, constants};

use fwvs_symbols::Firmware;

use crate::image::Image;

const DIRECTORY: &str = "/home/somebody/project";
const MAIN: &str = "philosophers/src/main.rs";
const SHIM: &str = "/home/somebody/fw-vs/target-shim/shim/src/semaphore.rs";
const CORE: &str = "/rustc/0123456789abcdef/library/core/src/option.rs";

/// `main` is at 0x40..0x60; `fwvs::Semaphore::take` is inlined at 0x48..0x50 by line 31, and into it, at
/// 0x4c..0x50, `core::option::Option::take`. Behind it, at 0x60..0x70, is a function of the shim's own.
pub(crate) fn with_lines(version: u16) -> Image {
    let encoding = Encoding { format: Format::Dwarf32, version, address_size: 4 };
    let mut dwarf = DwarfUnit::new(encoding);
    let text = |text: &str| LineString::String(text.as_bytes().to_vec());
    let line_encoding = LineEncoding::default();
    let mut lines = LineProgram::new(encoding, line_encoding, text(DIRECTORY), None, text(MAIN), None);
    let directory = lines.default_directory();
    let [main, shim, core] = [MAIN, SHIM, CORE].map(|file| lines.add_file(text(file), directory, None));
    lines.begin_sequence(Some(Address::Constant(0x40)));
    let rows = [(0x40, main, 30), (0x48, shim, 12), (0x4c, core, 99), (0x50, main, 32), (0x60, shim, 50)];
    for (address, file, line) in rows {
        let row = lines.row();
        (row.address_offset, row.file, row.line) = (address - 0x40, file, line);
        lines.generate_row();
    }
    lines.end_sequence(0x30);
    dwarf.unit.line_program = lines;

    let root = dwarf.unit.root();
    let mut add = |parent: UnitEntryId, tag, name: Option<&str>, range: Option<(u64, u64)>| {
        let entry = dwarf.unit.add(parent, tag);
        let entry_data = dwarf.unit.get_mut(entry);
        if let Some(name) = name {
            let name = AttributeValue::String(name.as_bytes().to_vec());
            entry_data.set(constants::DW_AT_linkage_name, name);
        }
        if let Some((low, high)) = range {
            entry_data.set(constants::DW_AT_low_pc, AttributeValue::Address(Address::Constant(low)));
            entry_data.set(constants::DW_AT_high_pc, AttributeValue::Udata(high - low));
        }
        entry
    };
    let function = constants::DW_TAG_subprogram;
    let inlined = constants::DW_TAG_inlined_subroutine;
    let take = add(root, function, Some("_ZN4fwvs9Semaphore4take17h0123456789abcdefE"), None);
    let option = add(root, function, Some("_ZN4core6option6Option4take17h0123456789abcdefE"), None);
    let outer = add(root, function, Some("_ZN12philosophers4main17h0123456789abcdefE"), Some((0x40, 0x60)));
    add(root, function, Some("_ZN4fwvs4gate17h0123456789abcdefE"), Some((0x60, 0x70)));
    let middle = add(outer, inlined, None, Some((0x48, 0x50)));
    let inner = add(middle, inlined, None, Some((0x4c, 0x50)));
    for (entry, origin, file, line) in [(middle, take, main, 31), (inner, option, shim, 13)] {
        let entry = dwarf.unit.get_mut(entry);
        entry.set(constants::DW_AT_abstract_origin, AttributeValue::UnitRef(origin));
        entry.set(constants::DW_AT_call_file, AttributeValue::FileIndex(Some(file)));
        entry.set(constants::DW_AT_call_line, AttributeValue::Udata(line));
    }
    let unit = dwarf.unit.get_mut(root);
    unit.set(constants::DW_AT_language, AttributeValue::Language(constants::DW_LANG_Rust));
    unit.set(constants::DW_AT_name, AttributeValue::String(MAIN.into()));
    unit.set(constants::DW_AT_comp_dir, AttributeValue::String(DIRECTORY.into()));
    unit.set(constants::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0x40)));
    unit.set(constants::DW_AT_high_pc, AttributeValue::Udata(0x30));

    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections).expect("debug information can be written");
    let mut image = Image::new();
    sections
        .for_each(|id, bytes| {
            image.sections.push((id.name().into(), bytes.slice().to_vec()));
            Ok::<(), ()>(())
        })
        .expect("sections can be copied");
    image
}

fn shown(firmware: &Firmware, pc: u32) -> Option<(String, String)> {
    firmware.place_of_instruction(pc).map(|place| (place.function.clone(), place.to_string()))
}

#[test]
fn a_line_is_the_users_own_and_below_the_directory_it_was_compiled_in() {
    for version in [4, 5] {
        let firmware = with_lines(version).firmware();
        let at = |pc| shown(&firmware, pc);
        let main =
            |line: u32| Some(("philosophers::main".into(), format!("philosophers/src/main.rs:{line}")));
        assert_eq!(at(0x40), main(30));
        assert_eq!(at(0x48), main(31), "the shim's inlined method is passed over");
        assert_eq!(at(0x4c), main(31), "and so is what is inlined into that");
        assert_eq!(at(0x50), main(32));
        let shim = "/home/somebody/fw-vs/target-shim/shim/src/semaphore.rs:50";
        assert_eq!(at(0x60), Some(("fwvs::gate".into(), shim.into())), "better the shim's line than none");
        assert_eq!(at(0x70), None);
        assert_eq!(at(u32::MAX), None);
    }
}

#[test]
fn a_return_address_stands_for_the_call_before_it() {
    let firmware = with_lines(4).firmware();
    let line = |pc| firmware.place_of_return(pc).map(|place| place.line);
    assert_eq!(line(0x50), Some(31));
    assert_eq!(line(0x51), Some(31), "the Thumb bit is no part of the address");
    assert_eq!(line(0x52), Some(32));
    assert_eq!([line(0), line(1)], [None, None]);
    assert_eq!(line(0x64), None, "a call from the shim itself has no line of the user's");
}

#[test]
fn without_debug_information_there_is_no_place() {
    assert_eq!(Image::new().firmware().place_of_instruction(0x40), None);
    let mut garbage = with_lines(4);
    for (name, bytes) in &mut garbage.sections {
        if name == ".debug_abbrev" {
            bytes.fill(0xff);
        }
    }
    assert_eq!(garbage.firmware().place_of_instruction(0x40), None);
}
