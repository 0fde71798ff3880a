//! What every link must do. A link passes when [`conformance`] returns.

pub(crate) mod firmware;
pub(crate) mod mutation;
pub(crate) mod script;

use std::time::Duration;

use firmware::{FAULT, Firmware, LOADED_VALUE, LOCK_UP, RING, SCRATCH_SIZE, SPIN};
use fwvs_link::{Debug, Error, Link, Stop};

/// Far more than any round takes.
pub(crate) const PLENTY: Duration = Duration::from_secs(20);

type Check = fn(&mut dyn Link, &Firmware);

/// Asks a link for what shows that the firmware is in place, where another test asks such a link for everything.
pub(crate) fn runs_firmware(make: impl FnMut() -> Box<dyn Link>, firmware: &Firmware) {
    let checks: &[(&str, Check)] = &[
        ("registers after reset", registers_after_reset),
        ("doorbell", doorbell),
        ("reset keeps RAM", reset_keeps_ram),
        ("fault", fault),
        ("loaded memory", loaded_memory),
    ];
    check_all(make, firmware, checks);
}

/// Asks a link for everything.
pub(crate) fn conformance(make: impl FnMut() -> Box<dyn Link>, firmware: &Firmware) {
    let checks: &[(&str, Check)] = &[
        ("registers after reset", registers_after_reset),
        ("doorbell", doorbell),
        ("reset keeps RAM", reset_keeps_ram),
        ("memory", memory),
        ("ranges", ranges),
        ("budget", budget),
        ("budget and doorbell at once", budget_and_doorbell_at_once),
        ("fault", fault),
        ("reset is before what follows", reset_is_before_what_follows),
        ("loaded memory", loaded_memory),
        ("arming again", arming_again),
        ("stepping", stepping),
        ("registers are set", registers_are_set),
        ("breakpoints", breakpoints),
        ("time", time),
        ("lockup", lockup),
    ];
    check_all(make, firmware, checks);
}

/// Each check begins with a fresh link.
fn check_all(mut make: impl FnMut() -> Box<dyn Link>, firmware: &Firmware, checks: &[(&str, Check)]) {
    for (name, check) in checks {
        println!("{name}");
        let mut link = make();
        link.arm(firmware.traps).unwrap();
        link.reset().unwrap();
        check(&mut link, firmware);
    }
}

pub(crate) fn read_word(link: &mut dyn Link, address: u32) -> u32 {
    let mut bytes = [0; 4];
    link.read(address, &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

pub(crate) fn write_word(link: &mut dyn Link, address: u32, value: u32) {
    link.write(address, &value.to_le_bytes()).unwrap();
}

fn start(link: &mut dyn Link, firmware: &Firmware, command: u32, delay: u32) {
    link.reset().unwrap();
    write_word(link, firmware.command, command);
    write_word(link, firmware.delay, delay);
}

fn registers_after_reset(link: &mut dyn Link, firmware: &Firmware) {
    for command in [RING, SPIN, FAULT] {
        start(link, firmware, command, 0);
        link.resume(Duration::from_millis(5)).unwrap();
        link.reset().unwrap();
        let registers = link.registers().unwrap();
        assert_eq!(registers.pc() & !1, firmware.entry);
        assert_eq!(registers.sp(), firmware.stack);
        assert_eq!(registers.xpsr & 0x1FF, 0, "thread mode");
    }
}

fn doorbell(link: &mut dyn Link, firmware: &Firmware) {
    start(link, firmware, RING, 0);
    for round in 1..=50 {
        assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
        assert_eq!(read_word(link, firmware.counter), round);
        if round > 1 {
            assert_eq!(read_word(link, firmware.heard), round - 1, "the answer to the ring before");
        }
        write_word(link, firmware.answer, round);
    }
}

fn reset_keeps_ram(link: &mut dyn Link, firmware: &Firmware) {
    write_word(link, firmware.starts, 0);
    write_word(link, firmware.scratch, 0x1234_5678);
    for round in 1..=20 {
        start(link, firmware, RING, 0);
        assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
        assert_eq!(read_word(link, firmware.starts), round);
        assert_eq!(read_word(link, firmware.counter), 1, "it began anew");
        assert_eq!(read_word(link, firmware.scratch), 0x1234_5678);
    }
}

fn memory(link: &mut dyn Link, firmware: &Firmware) {
    // Around words, half words, and the sizes at which transfers are split.
    let lengths = [0, 1, 2, 3, 4, 5, 7, 8, 31, 188, 199, 2033, 2036, 2037, 2046, 2047, 4095, 4097, 9000];
    for (turn, length) in lengths.into_iter().enumerate() {
        for offset in 1..=4 {
            let background = vec![0xEE; SCRATCH_SIZE];
            link.write(firmware.scratch, &background).unwrap();
            let pattern: Vec<u8> = (0..length).map(|index| (index * 7 + turn + offset) as u8).collect();
            link.write(firmware.scratch + offset as u32, &pattern).unwrap();
            let mut all = vec![0; SCRATCH_SIZE];
            link.read(firmware.scratch, &mut all).unwrap();
            assert!(all[..offset].iter().all(|&byte| byte == 0xEE), "{length} at {offset}");
            assert!(all[offset..offset + length] == pattern, "{length} at {offset}");
            assert!(all[offset + length..].iter().all(|&byte| byte == 0xEE), "{length} at {offset}");
            let mut part = vec![0; length];
            link.read(firmware.scratch + offset as u32, &mut part).unwrap();
            assert!(part == pattern, "{length} at {offset}");
        }
    }
}

fn ranges(link: &mut dyn Link, firmware: &Firmware) {
    let beyond = |outcome| matches!(outcome, Err(Error::Range { address: 0xFFFF_FFFE, length: 3 }));
    assert!(beyond(link.write(0xFFFF_FFFE, &[0; 3])));
    assert!(beyond(link.read(0xFFFF_FFFE, &mut [0; 3])));
    assert_eq!(read_word(link, firmware.loaded), LOADED_VALUE, "the link is as good as before");
}

fn budget(link: &mut dyn Link, firmware: &Firmware) {
    start(link, firmware, SPIN, 0);
    for _ in 0..3 {
        let before = read_word(link, firmware.spins);
        let Stop::Budget { pc } = link.resume(Duration::from_millis(10)).unwrap() else {
            panic!("nothing but the budget can end this");
        };
        assert!(firmware.spin.contains(&pc), "{pc:#x}");
        assert_eq!(link.registers().unwrap().pc() & !1, pc);
        let after = read_word(link, firmware.spins);
        assert_ne!(before, after, "it ran");
        assert_eq!(read_word(link, firmware.spins), after, "it is halted");
    }
    start(link, firmware, RING, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
}

/// The core may stop by itself while it is being halted by force. Neither stop may get lost or be
/// seen twice.
fn budget_and_doorbell_at_once(link: &mut dyn Link, firmware: &Firmware) {
    start(link, firmware, RING, 0);
    let mut seen = [0, 0];
    let mut rings = 0;
    let mut delay = 1000;
    for _ in 0..300 {
        write_word(link, firmware.delay, delay);
        match link.resume(Duration::from_millis(1)).unwrap() {
            Stop::Doorbell => {
                rings += 1;
                seen[0] += 1;
                delay += delay / 8;
                assert_eq!(read_word(link, firmware.counter), rings);
                if rings > 1 {
                    assert_eq!(read_word(link, firmware.heard), rings - 1);
                }
                write_word(link, firmware.answer, rings);
            }
            Stop::Budget { .. } => {
                seen[1] += 1;
                delay -= delay / 8;
                let counter = read_word(link, firmware.counter);
                assert!(counter == rings || counter == rings + 1, "{counter} after {rings}");
            }
            stop => panic!("{stop:?}"),
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both happened: {seen:?}");
}

fn fault(link: &mut dyn Link, firmware: &Firmware) {
    let entry = firmware.traps.fault.unwrap();
    for _ in 0..3 {
        start(link, firmware, FAULT, 0);
        assert_eq!(link.resume(PLENTY).unwrap(), Stop::Fault { pc: entry });
        let registers = link.registers().unwrap();
        assert_eq!(registers.xpsr & 0x1FF, 3, "in the HardFault handler");
        assert!(registers.lr() >= 0xFFFF_FF00, "with an exception return in lr");
        start(link, firmware, RING, 0);
        assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
        assert_eq!(read_word(link, firmware.counter), 1);
    }
}

/// Not one instruction of the old run may be executed between a reset and the resume that was
/// queued behind it.
fn reset_is_before_what_follows(link: &mut dyn Link, firmware: &Firmware) {
    for _ in 0..200 {
        start(link, firmware, SPIN, 0);
        assert!(matches!(link.resume(Duration::from_millis(1)).unwrap(), Stop::Budget { .. }));
        start(link, firmware, RING, 0);
        write_word(link, firmware.spins, 0);
        assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
        assert_eq!(read_word(link, firmware.spins_at_start), 0);
        assert_eq!(read_word(link, firmware.spins), 0);
    }
}

/// A reset may fill memory from the firmware file. What is written after it stays.
fn loaded_memory(link: &mut dyn Link, firmware: &Firmware) {
    assert_eq!(read_word(link, firmware.loaded), LOADED_VALUE);
    start(link, firmware, RING, 0);
    write_word(link, firmware.loaded, 7);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
    assert_eq!(read_word(link, firmware.loaded), 7);
}

fn arming_again(link: &mut dyn Link, firmware: &Firmware) {
    let mut elsewhere = firmware.traps;
    elsewhere.doorbell = firmware.scratch;
    elsewhere.store = firmware.spin.start;
    elsewhere.fault = None;
    link.arm(elsewhere).unwrap();
    start(link, firmware, RING, 0);
    assert!(matches!(link.resume(Duration::from_millis(5)).unwrap(), Stop::Budget { .. }));
    link.arm(firmware.traps).unwrap();
    start(link, firmware, RING, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
}

fn debug(link: &mut dyn Link) -> &mut dyn Debug {
    link.debug().expect("every link of ours can do that")
}

fn pc(link: &mut dyn Link) -> u32 {
    link.registers().unwrap().pc() & !1
}

fn stepping(link: &mut dyn Link, firmware: &Firmware) {
    start(link, firmware, RING, 0);
    for number in 0..6 {
        assert_eq!(pc(link), firmware.entry + 2 * number);
        assert_eq!(debug(link).step().unwrap(), None);
    }
    assert_eq!(link.registers().unwrap().r[0], firmware.traps.doorbell, "the first of them loads it");
    // Round and round, the doorbell's store included.
    for round in 1..=2 {
        let steps = (0..100).find(|_| debug(link).step().unwrap() == Some(Stop::Doorbell));
        assert!(steps.is_some(), "it rings in round {round}");
        assert_eq!(read_word(link, firmware.counter), round);
        assert_eq!(pc(link), firmware.traps.store + 2, "it goes on behind the store");
    }
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
    assert_eq!(read_word(link, firmware.counter), 3);
}

fn registers_are_set(link: &mut dyn Link, firmware: &Firmware) {
    start(link, firmware, RING, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
    let mut wanted = link.registers().unwrap();
    // Neither sp, which is a multiple of four, nor pc.
    (1..13).for_each(|number| wanted.r[number] = 0x1111_1111 * number as u32);
    wanted.r[14] = 0x1234_5679;
    wanted.xpsr ^= 0xF000_0000;
    debug(link).set_registers(&wanted).unwrap();
    assert_eq!(link.registers().unwrap(), wanted);
    assert_eq!(debug(link).step().unwrap(), None);
    assert_ne!(pc(link), firmware.traps.store, "it went on behind the doorbell");
    // A round is left out.
    wanted.r[15] = firmware.spin.start;
    debug(link).set_registers(&wanted).unwrap();
    let stop = link.resume(Duration::from_millis(5)).unwrap();
    assert!(matches!(stop, Stop::Budget { pc } if firmware.spin.contains(&pc)), "{stop:?}");
}

fn breakpoints(link: &mut dyn Link, firmware: &Firmware) {
    let stop = Stop::Breakpoint { pc: firmware.spin.start };
    write_word(link, firmware.spins, 0);
    debug(link).set_breakpoint(firmware.spin.start).unwrap();
    for _ in 0..2 {
        let before = read_word(link, firmware.spins);
        start(link, firmware, SPIN, 0);
        for round in 0..5 {
            assert_eq!(link.resume(PLENTY).unwrap(), stop, "also after a reset");
            assert_eq!(pc(link), firmware.spin.start);
            assert_eq!(read_word(link, firmware.spins), before + round);
        }
    }
    start(link, firmware, RING, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell, "it is not on the way");
    start(link, firmware, SPIN, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), stop);
    debug(link).clear_breakpoint(firmware.spin.start).unwrap();
    assert!(matches!(link.resume(Duration::from_millis(5)).unwrap(), Stop::Budget { .. }));
    // Behind the doorbell's store, where a core goes on that stands in front of it.
    debug(link).set_breakpoint(firmware.traps.store + 2).unwrap();
    start(link, firmware, RING, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell, "the core stands on it already");
    assert_eq!(read_word(link, firmware.counter), 2);
    debug(link).set_breakpoint(firmware.spin.start).unwrap();
    if let Some(respawned) = link.respawn() {
        respawned.unwrap();
        start(link, firmware, SPIN, 0);
        assert_eq!(link.resume(PLENTY).unwrap(), stop, "also in a new target");
    }
}

fn time(link: &mut dyn Link, firmware: &Firmware) {
    let before = link.spent();
    start(link, firmware, SPIN, 0);
    link.resume(Duration::from_millis(10)).unwrap();
    let after = link.spent();
    assert!(after.run >= before.run + Duration::from_millis(10));
    link.reset().unwrap();
    link.registers().unwrap();
    assert!(link.spent().reset > after.reset);
    assert!(link.spent().transfer > after.transfer);
}

/// A link that owns its target tells a lockup and gets a new target; any other one sees it die.
fn lockup(link: &mut dyn Link, firmware: &Firmware) {
    start(link, firmware, LOCK_UP, 0);
    let outcome = link.resume(PLENTY);
    let given_up = |outcome| matches!(outcome, Err(Error::GivenUp { .. }));
    assert!(given_up(link.registers().map(drop)));
    assert!(given_up(link.resume(PLENTY).map(drop)));
    assert!(given_up(link.reset()));
    let Some(respawned) = link.respawn() else {
        assert!(matches!(outcome, Err(Error::Died { how: None, .. })), "{outcome:?}");
        return;
    };
    let Ok(Stop::Lockup { message }) = outcome else { panic!("{outcome:?}") };
    assert!(message.starts_with("Lockup"), "{message}");
    respawned.unwrap();
    start(link, firmware, RING, 0);
    assert_eq!(link.resume(PLENTY).unwrap(), Stop::Doorbell, "armed as before");
    start(link, firmware, FAULT, 0);
    assert!(matches!(link.resume(PLENTY).unwrap(), Stop::Fault { .. }));
}
