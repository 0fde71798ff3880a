//! QEMU as a process: its death is noticed, and it does not outlive us.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fwvs_link::{Error, Link, Machine, Pin, Qemu, Stop, Supervisor};
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
        let Error::Died { how: Some(how), .. } = &error else { panic!("{error}") };
        assert_eq!(how, "signal: 9 (SIGKILL)", "{error}");
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

/// A line of a process's status.
fn status_of(process: u32, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("{name} is not in {status}")).trim().to_owned()
}

#[test]
fn qemu_is_in_a_sandbox_and_reads_no_settings_of_the_user() {
    let (_, file) = firmware();
    for pin in [Pin::Free, Pin::Core(0)] {
        let link = Qemu::start(&Machine::new("lm3s6965evb"), file.path(), pin).unwrap();
        assert_eq!(status_of(link.pid(), "Seccomp"), "2", "every system call is filtered");
        let arguments = fs::read(format!("/proc/{}/cmdline", link.pid())).unwrap();
        let arguments: Vec<&[u8]> = arguments.split(|byte| *byte == 0).collect();
        assert!(arguments.contains(&b"-no-user-config".as_slice()));
        if pin != Pin::Free {
            assert_eq!(status_of(link.pid(), "Cpus_allowed_list"), "0", "it stays on its core");
        }
    }
}

/// A machine whose QEMU does that first, with `$count` the number of the start, from 1, and then becomes the real one.
fn machine_that(folder: &Path, first: &str) -> Machine {
    let (program, starts) = (folder.join("qemu-system-arm"), folder.join("starts"));
    let starts = starts.display();
    let script = format!(
        "#!/bin/sh\necho >> {starts}\ncount=$(wc -l < {starts})\n{first}\nexec qemu-system-arm \"$@\"\n"
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    Machine { program, ..Machine::new("lm3s6965evb") }
}

fn starts(folder: &Path) -> usize {
    fs::read_to_string(folder.join("starts")).unwrap().lines().count()
}

/// Somebody who writes down what is told.
fn listener() -> (Supervisor, Arc<Mutex<Vec<String>>>) {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&heard);
    (
        Supervisor::new(None, Some(Arc::new(move |message: &str| told.lock().unwrap().push(message.into())))),
        heard,
    )
}

#[test]
fn a_qemu_without_a_sandbox_is_used_without_one_and_that_is_told_once() {
    let ((_, file), folder) = (firmware(), tempfile::tempdir().unwrap());
    let refuses =
        "case \"$*\" in *-sandbox*) echo 'qemu: -sandbox on: There is no option group' >&2; exit 1;; esac";
    let machine = machine_that(folder.path(), refuses);
    let (supervisor, heard) = listener();
    let mut link = Qemu::supervised(&machine, file.path(), Pin::Free, supervisor).unwrap();
    assert_eq!(status_of(link.pid(), "Seccomp"), "0");
    link.respawn().unwrap().unwrap();
    assert_eq!(starts(folder.path()), 3);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].contains("without a sandbox") && heard[0].contains("no option group"), "{heard:?}");
}

#[test]
fn a_qemu_that_dies_while_it_starts_is_started_again() {
    let ((_, file), folder) = (firmware(), tempfile::tempdir().unwrap());
    let machine = machine_that(folder.path(), "if [ $count -le 4 ]; then kill -9 $$; fi");
    let link = Qemu::start(&machine, file.path(), Pin::Free).unwrap();
    assert_eq!(starts(folder.path()), 5);
    drop(link);
    // Kindly asked to end, it says so and has no exit code.
    let folder = tempfile::tempdir().unwrap();
    let machine = machine_that(folder.path(), "if [ $count -le 2 ]; then exit 0; fi");
    Qemu::start(&machine, file.path(), Pin::Free).unwrap();
    assert_eq!(starts(folder.path()), 3);
}

#[test]
fn a_qemu_that_can_never_start_is_told_of_soon() {
    let (_, file) = firmware();
    for (does, tried) in [("kill -9 $$", 10), ("echo no >&2; exit 1", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let machine = machine_that(folder.path(), does);
        let error = Qemu::start(&machine, file.path(), Pin::Free).map(drop).unwrap_err();
        assert!(matches!(error, Error::ExitedAtStart { .. }), "{error}");
        assert_eq!(starts(folder.path()), tried, "{does}");
    }
}

/// Its time stands still: it is waited for, the user is told, and whoever cannot wait ends it.
#[test]
fn a_stopped_qemu_is_waited_for_and_can_be_given_up() {
    let (firmware, file) = firmware();
    let (mut supervisor, heard) = listener();
    let enough = Arc::new(AtomicBool::new(false));
    let brake = Arc::clone(&enough);
    supervisor.brake = Some(Arc::new(move || brake.load(Ordering::Relaxed)));
    let mut link =
        Qemu::supervised(&Machine::new("lm3s6965evb"), file.path(), Pin::Free, supervisor).unwrap();
    link.arm(firmware.traps).unwrap();
    let pid = process(link.pid());
    for during_a_run in [true, false] {
        link.reset().unwrap();
        suite::write_word(&mut link, firmware.command, if during_a_run { RING } else { SPIN });
        kill_process(pid, Signal::STOP).unwrap();
        let waker = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(7));
            kill_process(pid, Signal::CONT).unwrap();
        });
        let begin = Instant::now();
        let stop = link.resume(Duration::from_millis(500)).unwrap();
        assert!(begin.elapsed() > Duration::from_secs(6), "{:?}", begin.elapsed());
        assert_eq!(stop == Stop::Doorbell, during_a_run, "{stop:?}");
        waker.join().unwrap();
    }
    assert_eq!(heard.lock().unwrap().len(), 1, "{heard:?}");

    kill_process(pid, Signal::STOP).unwrap();
    enough.store(true, Ordering::Relaxed);
    let begin = Instant::now();
    for _ in 0..2 {
        let error = link.registers().unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{error}");
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
