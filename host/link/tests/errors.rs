//! Every error can happen, says what failed, and gives a hint.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fwvs_board::Board;
use fwvs_link::{Error, Gdb, Link, Machine, Options, Pin, Qemu, Supervisor, Traps, availability, open};
use suite::firmware::Firmware;
use suite::script::{End, QEMU, QEMU_WRITES, Script, registers, replies};

/// The name of the variant. A new variant does not compile until it is named here, and the test
/// fails until it is reached.
fn variant(error: &Error) -> &'static str {
    macro_rules! names {
        ($($name:ident)*) => {
            match error { $(Error::$name { .. } => stringify!($name),)* }
        };
    }
    names!(Missing Start ExitedAtStart Pin Firmware Connect Board NoAnswer Died GivenUp Interrupted
        Connection Malformed Checksum Rejected Refused Unsupported Unexpected Length NotProgrammed Range
        UnknownMachine)
}

fn of<T>(outcome: Result<T, Error>) -> Error {
    outcome.err().expect("this cannot work")
}

/// A link to QEMU that has been greeted, and goes on with these bytes.
fn after_greeting(bytes: &[u8], end: End) -> Gdb {
    let script = Script::new([replies(&QEMU), bytes.to_vec()].concat(), end);
    script.link().0.unwrap()
}

/// What reading two bytes leads to.
fn reading(bytes: &[u8], end: End) -> Error {
    of(after_greeting(bytes, end).read(0x1000, &mut [0; 2]))
}

/// What a resume leads to that nobody wants to wait for.
fn braked() -> Error {
    let script = Script::new(replies(&QEMU), End::Close)
        .then(QEMU_WRITES + 2, replies(&["T02thread:01;"]))
        .then(QEMU_WRITES + 3, replies(&[&registers(0x100)]));
    let mut link = script.link().0.unwrap();
    link.heed(Arc::new(|| true));
    of(link.resume(Duration::from_secs(600)))
}

/// What becomes of firmware for memory that keeps what it had.
fn programmed(elf: &Path) -> Error {
    // The writes and the reads are answered in turn: accepted, and other bytes.
    let file = std::fs::read(elf).unwrap();
    let header: &[u8] = &file[52..];
    let size = u32::from_le_bytes(header[16..20].try_into().unwrap());
    let bytes = "00".repeat(size as usize);
    of(after_greeting(&replies(&["OK", &bytes]), End::Close).program().unwrap().program(elf))
}

fn start(machine: Machine, firmware: &Path, pin: Pin) -> Error {
    of(Qemu::start(&machine, firmware, pin))
}

fn all() -> Vec<Error> {
    let mut elf = tempfile::NamedTempFile::new().unwrap();
    elf.write_all(&Firmware::new(0, 0x2000_0000).elf).unwrap();
    let elf = elf.path();
    let machine = || Machine::new("lm3s6965evb");
    let missing = Machine { program: "qemu-system-nowhere".into(), ..machine() };
    let not_a_program = Machine { program: elf.into(), ..machine() };
    let nowhere = TcpListener::bind("localhost:0").unwrap().local_addr().unwrap().to_string();
    let traps = Traps { doorbell: 0x2000_0000, store: 0x100, fault: None };
    let mut given_up = after_greeting(b"", End::Close);
    given_up.read(0, &mut [0]).unwrap_err();
    let unknown = "description = ''\ntarget = 'arm'\n[memory]\nflash = { origin = 0, length = 4 }\n\
        ram = { origin = 4, length = 4 }\nmailbox = { origin = 1024, length = 4 }\n[link]\nkind = 'qemu'\n\
        machine = 'abacus'\ndoorbell = 'watchpoint'\nrestart = 'system-reset'\n";
    vec![
        start(missing, elf, Pin::Free),
        start(not_a_program, elf, Pin::Free),
        start(Machine::new("abacus"), elf, Pin::Free),
        start(machine(), elf, Pin::Core(1000)),
        start(machine(), Path::new("/nowhere/firmware.elf"), Pin::Free),
        start(machine(), Path::new(env!("CARGO_MANIFEST_PATH")), Pin::Free),
        of(Gdb::connect(&nowhere, Options::default())),
        of(Gdb::connect("/nowhere/socket", Options::default())),
        of(open(&Board::load("gdb-server").unwrap(), elf, Pin::Free, Supervisor::default())),
        of(availability(&Board::load("gdb-server").unwrap())),
        reading(b"", End::Silence),
        reading(b"", End::Close),
        reading(&replies(&["W00"])[..5], End::Close),
        of(after_greeting(&replies(&["W00"]), End::Close).resume(Duration::from_secs(1))),
        of(given_up.registers()),
        reading(b"", End::Fail),
        reading(b"$12#zz", End::Close),
        reading(&replies(&["*1"]), End::Close),
        reading(&[b"$".as_slice(), &vec![b'0'; 0x2_0000]].concat(), End::Close),
        reading(b"$1234#00", End::Close),
        reading(b"-", End::Close),
        reading(&replies(&["E14"]), End::Close),
        reading(&replies(&["E.no memory here"]), End::Close),
        of(after_greeting(&replies(&[""]), End::Close).arm(traps)),
        reading(&replies(&["OK"]), End::Close),
        reading(&replies(&["12345"]), End::Close),
        reading(&replies(&["T05"]), End::Close),
        reading(&replies(&["12"]), End::Close),
        reading(&replies(&["123456"]), End::Close),
        of(after_greeting(b"", End::Close).write(u32::MAX, &[0; 2])),
        of(availability(&Board::parse("abacus", unknown).unwrap())),
        programmed(elf),
        braked(),
    ]
}

#[test]
fn every_error_is_reached_and_gives_a_hint() {
    let mut reached = BTreeMap::new();
    for error in all() {
        let text = error.to_string();
        println!("{}:\n{text}\n", variant(&error));
        let (what, hint) = text.rsplit_once("\nhint: ").expect("a hint in a line of its own");
        assert!(!what.is_empty() && !hint.is_empty() && !hint.contains('\n'), "{text}");
        assert!(!text.ends_with(['.', '\n']), "{text}");
        *reached.entry(variant(&error)).or_insert(0) += 1;
    }
    assert_eq!(reached.len(), 22, "{reached:?}");
}

#[test]
fn what_qemu_said_at_its_start_is_told() {
    let error = &all()[2];
    let Error::ExitedAtStart { said, .. } = error else { panic!("{error}") };
    assert!(said.contains("unsupported machine type"), "{said}");
}
