//! QEMU as a process: its death is noticed, and it does not outlive us.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fwvs_link::{Error, Link, Machine, Pin, Qemu, Stop};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use suite::firmware::{Firmware, RING, SPIN};

fn firmware() -> (Firmware, tempfile::NamedTempFile) {
    let firmware = Firmware::new(0, 0x2000_0000);
    let mut file = tempfile::NamedTempFile::with_suffix(".elf").unwrap();
    file.write_all(&firmware.elf).unwrap();
    (firmware, file)
}

fn start(file: &tempfile::NamedTempFile) -> Qemu {
    Qemu::start(&Machine::new("lm3s6965evb"), file.path(), Pin::Free).unwrap()
}

fn process(id: u32) -> Pid {
    Pid::from_raw(id.try_into().unwrap()).unwrap()
}

/// Whether a process goes away by itself.
fn vanishes(id: u32) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        if test_kill_process(process(id)).is_err() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn a_killed_qemu_is_told_and_replaced() {
    let (firmware, file) = firmware();
    let mut link = start(&file);
    link.arm(firmware.traps).unwrap();
    let first = link.pid();
    for kill_before_write in [true, false] {
        let pid = process(link.pid());
        if kill_before_write {
            kill_process(pid, Signal::KILL).unwrap();
        }
        link.reset().unwrap();
        suite::write_word(&mut link, firmware.command, SPIN);
        if !kill_before_write {
            std::thread::spawn(move || kill_process(pid, Signal::KILL));
        }
        let error = link.resume(suite::PLENTY).unwrap_err();
        let Error::Died { status: Some(status), .. } = &error else { panic!("{error}") };
        assert_eq!(status.signal(), Some(9), "{error}");
        link.respawn().unwrap().unwrap();
        link.reset().unwrap();
        suite::write_word(&mut link, firmware.command, RING);
        assert_eq!(link.resume(suite::PLENTY).unwrap(), Stop::Doorbell);
        assert_eq!(suite::read_word(&mut link, firmware.counter), 1);
    }
    assert_ne!(link.pid(), first);
}

#[test]
fn qemu_ends_with_its_link_and_not_with_the_thread_that_made_it() {
    let (firmware, file) = firmware();
    let mut link = std::thread::scope(|scope| scope.spawn(|| start(&file)).join().unwrap());
    link.arm(firmware.traps).unwrap();
    suite::write_word(&mut link, firmware.command, RING);
    assert_eq!(link.resume(suite::PLENTY).unwrap(), Stop::Doorbell);
    let pid = link.pid();
    drop(link);
    assert!(test_kill_process(process(pid)).is_err(), "it is gone at once");
}

const HOST: &str = "FWVS_TEST_HOST";

/// Not a test of its own: the host that is killed below.
#[test]
fn host_to_be_killed() {
    if std::env::var_os(HOST).is_none() {
        return;
    }
    let (firmware, file) = firmware();
    let mut link = start(&file);
    suite::write_word(&mut link, firmware.command, SPIN);
    println!("\nQEMU {}", link.pid());
    link.resume(Duration::from_secs(600)).unwrap();
}

#[test]
fn a_killed_host_takes_qemu_with_it() {
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "host_to_be_killed", "--nocapture"])
        .env(HOST, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines().map_while(Result::ok);
    let qemu = lines.filter_map(|line| line.strip_prefix("QEMU ")?.parse().ok()).next().unwrap();
    assert!(test_kill_process(process(qemu)).is_ok(), "it runs");
    host.kill().unwrap();
    assert_eq!(host.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
    assert!(vanishes(qemu));
}
