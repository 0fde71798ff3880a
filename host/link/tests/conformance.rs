//! Every link against real QEMU: as a process of ours, and as a server someone else has started.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::ffi::OsStr;
use std::io::Write;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use fwvs_board::{Board, Doorbell};
use fwvs_link::{Gdb, Link, Machine, Options, Pin, Qemu, Supervisor, open};
use suite::firmware::Firmware;
use suite::{conformance, runs_firmware};

const FLASH: u32 = 0;
const RAM: u32 = 0x2000_0000;

fn file(firmware: &Firmware) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::with_suffix(".elf").unwrap();
    file.write_all(&firmware.elf).unwrap();
    file
}

#[test]
fn qemu_conforms() {
    let firmware = Firmware::new(FLASH, RAM);
    let file = file(&firmware);
    let machine = Machine::new("lm3s6965evb");
    conformance(|| Box::new(Qemu::start(&machine, file.path(), Pin::Free).unwrap()), &firmware);
}

#[test]
fn qemu_conforms_pinned_and_with_a_breakpoint_for_a_doorbell() {
    let firmware = Firmware::new(FLASH, RAM);
    let file = file(&firmware);
    let mut machine = Machine::new("lm3s6965evb");
    machine.doorbell = Doorbell::Breakpoint;
    conformance(|| Box::new(Qemu::start(&machine, file.path(), Pin::Core(0)).unwrap()), &firmware);
}

/// The default board is covered above.
#[test]
fn the_other_qemu_boards_conform() {
    for board in Board::all().unwrap() {
        if Machine::of(&board).is_none() || board.name == "qemu-lm3s6965" {
            continue;
        }
        println!("{}", board.name);
        let firmware = Firmware::new(board.memory.flash.origin, board.memory.ram.origin);
        let file = file(&firmware);
        conformance(|| open(&board, file.path(), Pin::Free, Supervisor::default()).unwrap(), &firmware);
    }
}

#[test]
fn any_gdb_server_conforms() {
    let firmware = Firmware::new(FLASH, RAM);
    let file = file(&firmware);
    let mut servers = Vec::new();
    conformance(
        || {
            let (server, port) = serve(Some(file.path()));
            servers.push(server);
            let address = format!("localhost:{port}");
            // By its board, or by hand and without knowing the firmware.
            if servers.len().is_multiple_of(2) {
                let board = Board::load(&format!("gdb-server={address}")).unwrap();
                open(&board, file.path(), Pin::Free, Supervisor::default()).unwrap()
            } else {
                Box::new(Gdb::connect(&address, Options::default()).unwrap())
            }
        },
        &firmware,
    );
}

/// A server that knows no firmware is given some, into flash and into RAM; then it is a target like others.
#[test]
fn firmware_is_put_where_there_is_none() {
    let firmware = Firmware::new(FLASH, RAM);
    let file = file(&firmware);
    let mut servers = Vec::new();
    runs_firmware(
        || {
            let (server, port) = serve(None);
            servers.push(server);
            let text = include_str!("../../../boards/gdb-server.toml");
            let board = Board::parse("programmed", &format!("{text}program = true\n")).unwrap();
            let board = board.at(&format!("localhost:{port}")).unwrap();
            open(&board, file.path(), Pin::Free, Supervisor::default()).unwrap()
        },
        &firmware,
    );
}

#[test]
fn qemu_that_loads_its_firmware_takes_no_other() {
    let firmware = Firmware::new(FLASH, RAM);
    let file = file(&firmware);
    let mut link = Qemu::start(&Machine::new("lm3s6965evb"), file.path(), Pin::Free).unwrap();
    assert!(link.program().is_none() && link.debug().is_some());
}

/// Ends a server with its test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that somebody else has started. It is given a socket that listens already: a port that was only looked up could
/// be somebody else's by the time the server wants it, and nobody has to try again until it listens.
fn serve(firmware: Option<&std::path::Path>) -> (Server, u16) {
    let socket = TcpListener::bind("localhost:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let server = Command::new("qemu-system-arm")
        .args("-M lm3s6965evb -display none -nodefaults -S -monitor none -serial none".split(' '))
        .args(["-chardev", "socket,id=gdb,fd=0,server=on,wait=off,nodelay=on", "-gdb", "chardev:gdb"])
        .args(firmware.into_iter().flat_map(|file| [OsStr::new("-kernel"), file.as_os_str()]))
        .stdin(OwnedFd::from(socket))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (Server(server), port)
}
