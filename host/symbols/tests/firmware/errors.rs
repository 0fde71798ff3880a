//! What is said about files that are no firmware, or not for this board.

use std::path::Path;

use fwvs_symbols::{Error, Firmware};
use fwvs_wire::VERSION;

use crate::image::{Image, MAILBOX, NAME_OF_N, RAM, board};

fn refused(bytes: &[u8]) -> String {
    Firmware::parse(bytes.to_vec(), Path::new("fw.elf")).expect_err("no firmware").to_string()
}

#[track_caller]
fn says(complaint: &str, words: &str) {
    assert!(complaint.contains(words), "{complaint}");
    assert!(complaint.lines().last().is_some_and(|line| line.starts_with("hint: ")), "{complaint}");
}

#[test]
fn files_that_cannot_be_read_are_told_apart() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("fw.elf");
    let load = |path: &Path| Firmware::load(path).expect_err("no firmware");
    assert!(matches!(load(&path), Error::NoSuchFile { .. }));
    says(&load(&path).to_string(), &format!("no firmware at {}", path.display()));
    says(&load(directory.path()).to_string(), "it is a directory");
    says(&load(Path::new("/dev/zero")).to_string(), "it is not a regular file");
    std::fs::write(&path, Image::new().bytes()).expect("a file");
    assert_eq!(Firmware::load(&path).expect("a firmware").sha256(), Image::new().firmware().sha256());
}

#[test]
fn other_files_and_other_machines_are_named() {
    says(&refused(b""), "fw.elf is not an ELF file");
    says(&refused(b":10000000"), "fw.elf is not an ELF file");
    let with = |change: &dyn Fn(&mut Image)| {
        let mut image = Image::new();
        change(&mut image);
        image.complaint()
    };
    says(&with(&|image| image.class = 2), "is for a 64-bit machine, not for a 32-bit little-endian ARM core");
    says(&with(&|image| image.order = 2), "is for a big-endian machine");
    says(&with(&|image| image.order = 9), "broken ELF file: neither its class nor its byte order exists");
    says(&with(&|image| image.machine = 243), "is for RISC-V");
    says(&with(&|image| image.machine = 999), "is for ELF machine number 999");
    says(&with(&|image| image.kind = 1), "is an object file, not a linked program");
    says(&with(&|image| image.kind = 3), "is a shared library or position-independent, not a linked program");
}

#[test]
fn a_file_that_was_cut_says_how_much_is_missing() {
    let whole = Image::new().bytes();
    says(&refused(&whole[..5]), "cut off: its headers speak of 52 bytes, it has 5");
    says(&refused(&whole[..51]), "cut off: its headers speak of 52 bytes, it has 51");
    says(&refused(&whole[..60]), "is cut off");
    let last = refused(&whole[..whole.len() - 1]);
    says(&last, &format!("cut off: its headers speak of {} bytes, it has {}", whole.len(), whole.len() - 1));
}

#[test]
fn contradictory_segments_are_refused() {
    let with = |change: &dyn Fn(&mut Image)| {
        let mut image = Image::new();
        change(&mut image);
        image.complaint()
    };
    says(&with(&|image| image.segments[0].memory = 1), "a segment has more bytes than memory");
    says(&with(&|image| image.segments[1].load = 0xfffc_0000 + 0x3_fffc), "runs past the end of memory");
    says(&with(&|image| image.segments[1].load = 0xfc), "two segments are loaded to the same memory");
    says(&with(&|image| image.segments.drain(..2).for_each(drop)), "nothing in it can be loaded");
}

#[test]
fn a_firmware_without_the_shim_says_how_to_get_it() {
    let mut image = Image::new();
    image.description = None;
    assert!(matches!(image.parse(), Err(Error::NoShim { .. })));
    says(&image.complaint(), "does not contain the fw-vs shim (no section fwvs_description)");
}

#[test]
fn a_description_that_cannot_be_true_is_refused() {
    let with = |word, value| Image::new().with(word, value).complaint();
    says(&with("magic", 7), "it begins with 0x00000007 instead of 0x73767766");
    let version = with("version", 9);
    says(&version, &format!("it speaks version 9, this fw-vs speaks version {VERSION}"));
    says(&version, "hint: build the firmware with the shim of this fw-vs");
    says(&with("decisions", 0), "room for 0 decisions makes no sense, 1 to 65535 would");
    says(&with("records", u32::MAX), "room for 4294967295 records makes no sense");
    says(&with("creations", 0x1_0000), "room for 65536 creations makes no sense");
    says(&with("tasks", 256), "room for 256 tasks makes no sense, 1 to 255 would");
    says(&with("objects", 1000), "room for 1000 objects makes no sense");
    says(&with("doorbell", MAILBOX + 2), "the doorbell at 0x2000c002 is not aligned to 4 bytes");
    says(&with("report", u32::MAX - 3), "the report at 0xfffffffc runs past the end of memory");
    says(&with("doorbell", MAILBOX + 8), "the orders and the doorbell share memory at 0x2000c008");
    says(&with("decisions", 65), "the orders and the report share memory");
    says(&with("store", RAM + 0x20), "rings the doorbell, at 0x20000020, is not in the image");
    let mut twice = Image::new();
    let words: Vec<u8> = twice
        .description
        .take()
        .into_iter()
        .flatten()
        .flat_map(u32::to_le_bytes)
        .collect::<Vec<u8>>()
        .repeat(2);
    twice.sections.push(("fwvs_description".into(), words));
    says(&twice.complaint(), "it has 104 bytes instead of 52");
    let mut short = Image::new();
    short.description = None;
    short.sections.push(("fwvs_description".into(), b"fwvs".to_vec()));
    says(&short.complaint(), "it has 4 bytes instead of 52");
}

#[test]
fn a_parameter_that_cannot_be_true_is_refused() {
    let with = |place: usize, value: u32| {
        let mut image = Image::new();
        image.parameters[0][place] = value;
        image.complaint()
    };
    says(
        &with(0, 0x9000_0000),
        "parameter 1 declared in target/fw.elf is wrong: its name, 1 bytes at 0x90000000",
    );
    says(&with(0, 0), "its name is empty, too long, or has other letters");
    says(&with(1, 0), "its name is empty, too long, or has other letters");
    says(&with(1, 65), "its name is empty, too long, or has other letters");
    says(&with(2, MAILBOX + 0x2001), "the place of N, 0x2000e001, cannot hold its value");
    says(&with(2, 0), "the place of N, 0x00000000, cannot hold its value");
    says(&with(2, MAILBOX), "the doorbell and the value of parameter N share memory");
    says(&with(3, 0), "N has 0 words, 1 to 4096 would do");
    says(&with(3, u32::MAX), "N has 4294967295 words");
    says(&with(4, 17), "N goes from 2 to 16 and is 17 by default");
    says(&with(6, 1), "N goes from 2 to 1 and is 3 by default");
    let mut twice = Image::new();
    twice.parameters[1][..2].copy_from_slice(&[NAME_OF_N, 1]);
    says(&twice.complaint(), "parameter 2 declared in target/fw.elf is wrong: N is declared twice");
    let mut cut = Image::new();
    cut.parameters.clear();
    cut.sections.push(("fwvs_parameters".into(), vec![0; 27]));
    says(&cut.complaint(), "the section ends in the middle of it");
}

#[test]
fn an_unknown_parameter_lists_the_declared_ones() {
    let complaint = |image: &Image, name| image.firmware().parameter(name).expect_err("unknown").to_string();
    let image = Image::new();
    let near = "fw has no parameter \"sed\"\nhint: did you mean SEED? it declares N=3, SEED (up to 8 bytes)";
    assert_eq!(complaint(&image, "sed"), near);
    let far = "fw has no parameter \"temperature\"\nhint: it declares N=3, SEED (up to 8 bytes)";
    assert_eq!(complaint(&image, "temperature"), far);
    let mut without = image;
    without.parameters.clear();
    says(&complaint(&without, "N"), "hint: it declares none, so leave out --set");
}

#[test]
fn a_firmware_for_another_board_says_what_does_not_fit() {
    let firmware = Image::new().firmware();
    let complaint = |change: &dyn Fn(&mut fwvs_symbols::MemoryMap)| {
        let mut memory = board();
        change(&mut memory);
        firmware.check_fits(&memory).expect_err("it does not fit").to_string()
    };
    says(
        &complaint(&|memory| memory.flash = 0x0800_0000..0x0810_0000),
        "a segment of target/fw.elf is at 0x00000000..0x00000100, outside the board's \
         flash 0x08000000..0x08100000 and RAM 0x20000000..0x2000c000",
    );
    says(
        &complaint(&|memory| memory.flash.end = 0x104),
        "a segment of target/fw.elf is at 0x00000100..0x00000108",
    );
    says(
        &complaint(&|memory| memory.ram.end = 0x2000_0100),
        "the memory of a segment of target/fw.elf is at 0x20000008",
    );
    let moved = complaint(&|memory| memory.mailbox = 0x3000_0000..0x3000_4000);
    says(&moved, "0x2000c000..0x20010000, outside the board's");
    let mut unloaded = Image::new();
    unloaded.segments.truncate(3);
    let unloaded = |change: &dyn Fn(&mut fwvs_symbols::MemoryMap)| {
        let mut memory = board();
        change(&mut memory);
        unloaded.firmware().check_fits(&memory).expect_err("it does not fit").to_string()
    };
    let moved = unloaded(&|memory| memory.mailbox = 0x3000_0000..0x3000_4000);
    says(
        &moved,
        "the doorbell of target/fw.elf is at 0x2000c000..0x2000c004, outside the board's mailbox 0x30000000",
    );
    says(
        &unloaded(&|memory| memory.mailbox.end = 0x2000_c100),
        "outside the board's mailbox 0x2000c000..0x2000c100",
    );
    let mut far = Image::new();
    far.parameters[0][2] = 0x4000_0000;
    let far = far.firmware().check_fits(&board()).expect_err("no memory there").to_string();
    says(&far, "the value of parameter N of target/fw.elf is at 0x40000000..0x40000004");
}
