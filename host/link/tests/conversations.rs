//! What is said to which server, and what is made of its replies.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::time::Duration;

use fwvs_link::{Error, Gdb, Link, Registers, Request, Stop, Traps};
use suite::script::{End, PLAIN, QEMU, QEMU_WRITES, Script, Sent, registers, replies};

const TRAPS: Traps = Traps { doorbell: 0x2000_C000, store: 0x100, fault: Some(0x200) };
const BUDGET: Duration = Duration::from_millis(2);
const RANG: &str = "T05thread:01;watch:2000c000;";

/// A link to a QEMU that says this after its greeting.
fn qemu(bodies: &[&str]) -> (Gdb, Sent) {
    let script = Script::new(replies(&[QEMU.as_slice(), bodies].concat()), End::Close);
    opened(script)
}

fn opened(script: Script) -> (Gdb, Sent) {
    let (link, sent) = script.link();
    let link = link.unwrap();
    (link, sent)
}

/// What was sent since the last look.
fn taken(sent: &Sent) -> Vec<String> {
    std::mem::take(&mut sent.lock().unwrap())
}

/// The body of what must be one packet.
fn framed(bodies: &[&str]) -> String {
    let bytes = replies(bodies).escape_ascii().to_string();
    bytes.replace('+', "")
}

#[test]
fn qemu_gets_reset_write_and_resume_in_one_piece() {
    let (mut link, sent) = qemu(&["OK", "OK", "OK", "OK", RANG, "0102"]);
    link.arm(TRAPS).unwrap();
    taken(&sent);
    link.reset().unwrap();
    link.write(0x2000_0000, &[1, 0xAB]).unwrap();
    assert_eq!(taken(&sent), [""; 0], "nothing is sent before it must be");
    assert_eq!(link.resume(BUDGET).unwrap(), Stop::Doorbell);
    let once = framed(&["qRcmd,73797374656d5f7265736574", "M20000000,2:01ab", "c"]);
    assert_eq!(taken(&sent), [once]);
    let mut bytes = [0; 2];
    link.read(0x10, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2]);
    assert_eq!(taken(&sent), [framed(&["m10,2"])], "and no acknowledgement ever");
}

#[test]
fn after_the_doorbell_qemu_goes_on_behind_the_store_in_thumb_state() {
    let (mut link, sent) = qemu(&["OK", "OK", RANG, RANG, "OK", RANG]);
    link.arm(TRAPS).unwrap();
    link.resume(BUDGET).unwrap();
    taken(&sent);
    link.resume(BUDGET).unwrap();
    assert_eq!(taken(&sent), [framed(&["c103"])]);
    link.reset().unwrap();
    link.resume(BUDGET).unwrap();
    assert_eq!(taken(&sent), [framed(&["qRcmd,73797374656d5f7265736574", "c"])], "a reset goes elsewhere");
}

#[test]
fn a_plain_server_is_asked_one_thing_at_a_time_and_acknowledged() {
    let wait = replies(&[&PLAIN, ["OK", "OK", "OK"].as_slice(), &["S05"]].concat());
    let (mut link, sent) = opened(Script::new(wait, End::Silence));
    let greeting = ["qSupported:xmlRegisters=arm", "qqemu.Supported", "?"];
    let expected: Vec<String> = greeting.iter().flat_map(|body| [framed(&[body]), "+".into()]).collect();
    assert_eq!(taken(&sent), expected);
    link.reset().unwrap();
    link.write(0, &[0; 200]).unwrap();
    let said = taken(&sent);
    assert_eq!(said.len(), 6, "the write is split into packets of a modest size: {said:?}");
    assert!(said.iter().all(|text| text.len() <= 400));
}

#[test]
fn acknowledgements_end_where_the_server_offers_it() {
    let bodies = ["QStartNoAckMode+;PacketSize=400", "OK", "", "T05", "00"];
    let (mut link, sent) = opened(Script::new(replies(&bodies), End::Close));
    link.read(0, &mut [0]).unwrap();
    let acknowledged = taken(&sent).iter().filter(|text| *text == "+").count();
    assert_eq!(acknowledged, 2, "the first reply and the agreement");
}

#[test]
fn a_hardware_breakpoint_is_replaced_where_there_is_none() {
    let (mut link, sent) = qemu(&["OK", "", "OK"]);
    taken(&sent);
    link.arm(TRAPS).unwrap();
    let expected = ["Z2,2000c000,4", "Z1,200,2", "Z0,200,2"].map(|body| framed(&[body]));
    assert_eq!(taken(&sent), expected);
}

#[test]
fn a_core_that_stops_behind_the_store_goes_on_from_there() {
    for (pc, resumed) in [(0x104, "c"), (0x100, "c102")] {
        let bodies =
            ["qXfer:features:read+", "", "l", "S05", "OK", "OK", RANG, &registers(pc), RANG, &registers(pc)];
        let (mut link, sent) = opened(Script::new(replies(&bodies), End::Close));
        link.arm(TRAPS).unwrap();
        assert_eq!(link.resume(BUDGET).unwrap(), Stop::Doorbell);
        taken(&sent);
        link.resume(BUDGET).unwrap();
        assert_eq!(taken(&sent)[0], framed(&[resumed]));
    }
}

fn other(pc: u32) -> Stop {
    Stop::Other { cause: "signal 5".into(), pc }
}

#[test]
fn stops_are_told_apart_by_where_the_core_stands() {
    for (pc, stop) in [
        (0x200, Stop::Fault { pc: 0x200 }),
        (0x300, other(0x300)),
        // Without its watchpoint the store is an instruction like others.
        (0x100, other(0x100)),
    ] {
        let (mut link, _) = qemu(&["OK", "OK", "T05thread:01;", &registers(pc)]);
        link.arm(TRAPS).unwrap();
        assert_eq!(link.resume(BUDGET).unwrap(), stop);
    }
    let elsewhere = "T05thread:01;watch:2000d000;";
    let (mut link, _) = qemu(&["OK", "OK", elsewhere, &registers(0x100)]);
    link.arm(TRAPS).unwrap();
    assert_eq!(link.resume(BUDGET).unwrap(), other(0x100));
}

/// The core stopped while the byte that was to halt it was on its way; some servers then report a
/// second stop.
#[test]
fn a_stop_that_crosses_the_halt_is_seen_once() {
    for second_report in [["T02thread:01;"].as_slice(), &[]] {
        let greeted = replies(&[QEMU.as_slice(), &["OK", "OK"]].concat());
        let armed = QEMU_WRITES + 2;
        let (resumed, halted, looked) = (armed + 1, armed + 2, armed + 3);
        let script = Script::new(greeted, End::Silence)
            .then(halted, replies(&[RANG]))
            .then(looked, replies(&[second_report, [registers(0x100).as_str()].as_slice()].concat()))
            .then(looked + 1, replies(&["OK", RANG]));
        let (mut link, sent) = opened(script);
        link.arm(TRAPS).unwrap();
        assert_eq!(sent.lock().unwrap().len(), armed);
        assert_eq!(link.resume(BUDGET).unwrap(), Stop::Doorbell);
        assert_eq!(sent.lock().unwrap()[resumed..halted], ["\\x03"]);
        link.write(0, &[0]).unwrap();
        assert_eq!(link.resume(BUDGET).unwrap(), Stop::Doorbell);
        assert!(sent.lock().unwrap().last().unwrap().contains("$c103#"));
    }
}

/// QEMU keeps a hit to itself that happens while it is halted by force.
#[test]
fn a_core_halted_at_the_store_has_rung() {
    let stopped = "T05thread:01;";
    for (places, resumed) in [([0x100].as_slice(), "c103"), (&[0x102, 0x102], "c")] {
        let greeted = replies(&[QEMU.as_slice(), &["OK", "OK"]].concat());
        let (at_store, places) = (registers(0x100), places.iter().map(|&pc| registers(pc)));
        let mut rest = vec!["T02thread:01;".to_string(), at_store];
        rest.extend(places.flat_map(|state| [stopped.to_string(), state]));
        rest.push(RANG.into());
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let script = Script::new(greeted, End::Close).then(QEMU_WRITES + 4, replies(&rest));
        let (mut link, sent) = opened(script);
        link.arm(TRAPS).unwrap();
        assert_eq!(link.resume(BUDGET).unwrap(), Stop::Doorbell);
        let steps = taken(&sent).iter().filter(|text| **text == framed(&["s"])).count();
        assert_eq!(steps, rest.len() / 2 - 1);
        link.resume(BUDGET).unwrap();
        assert_eq!(taken(&sent), [framed(&[resumed])]);
    }
}

#[test]
fn a_core_that_ignores_the_halt_is_given_up() {
    let script = Script::new(replies(&QEMU), End::Silence);
    let (mut link, _) = opened(script);
    let error = link.resume(BUDGET).unwrap_err();
    assert!(matches!(error, Error::NoAnswer { request: Request::Halt, .. }), "{error}");
    assert!(matches!(link.reset(), Err(Error::GivenUp { .. })));
}

#[test]
fn a_refused_write_surfaces_at_the_resume_and_the_core_is_halted() {
    let greeted = replies(&[QEMU.as_slice(), &["E14", "OK"]].concat());
    let script = Script::new(greeted, End::Close)
        .then(QEMU_WRITES + 2, replies(&["T02thread:01;", &registers(0x300), "07"]));
    let (mut link, sent) = opened(script);
    link.write(0x9000_0000, &[1, 2, 3]).unwrap();
    link.write(0x2000_0000, &[1]).unwrap();
    let error = link.resume(Duration::from_secs(600)).unwrap_err();
    let Error::Refused { request, reason, .. } = &error else { panic!("{error}") };
    assert_eq!((request, reason.as_str()), (&Request::Write { address: 0x9000_0000, length: 3 }, "E14"));
    assert_eq!(sent.lock().unwrap()[QEMU_WRITES + 1], "\\x03");
    let mut byte = [0];
    link.read(0, &mut byte).unwrap();
    assert_eq!(byte, [7], "the conversation goes on");
}

#[test]
fn a_refused_write_surfaces_at_the_read_whose_reply_is_its_own() {
    let (mut link, _) = qemu(&["E22", "05", "06"]);
    link.write(0, &[1]).unwrap();
    assert!(matches!(link.read(0, &mut [0]), Err(Error::Refused { .. })));
    let mut byte = [0];
    link.read(0, &mut byte).unwrap();
    assert_eq!(byte, [6]);
}

#[test]
fn a_reset_is_awaited_before_anything_is_read() {
    let (mut link, sent) = qemu(&["OK", &registers(0x40), "OK", "00"]);
    taken(&sent);
    link.reset().unwrap();
    link.registers().unwrap();
    link.reset().unwrap();
    link.read(0, &mut [0]).unwrap();
    let reset = framed(&["qRcmd,73797374656d5f7265736574"]);
    assert_eq!(taken(&sent), [reset.clone(), framed(&["g"]), reset, framed(&["m0,1"])]);
}

#[test]
fn output_of_the_monitor_is_passed_over() {
    let (mut link, _) = qemu(&["OK", "OK", "O4869", "OK", "O4869", RANG, "7265736574", RANG]);
    link.arm(TRAPS).unwrap();
    for _ in 0..2 {
        link.reset().unwrap();
        assert_eq!(link.resume(BUDGET).unwrap(), Stop::Doorbell);
    }
}

#[test]
fn escapes_run_lengths_notifications_and_noise_are_understood() {
    let mut bytes = replies(&QEMU);
    bytes.extend(b"%Stop:T05#");
    bytes.extend(format!("{:02x}", fwvs_link::packet::checksum(b"Stop:T05")).bytes());
    bytes.extend(b"noise\r\n");
    bytes.extend(replies(&["1* }\x122"]));
    let (mut link, _) = opened(Script::new(bytes, End::Close).in_pieces(1));
    let mut read = [0; 3];
    link.read(0, &mut read).unwrap();
    assert_eq!(read, [0x11, 0x11, 0x22]);
}

#[test]
fn registers_are_read_in_both_layouts() {
    let words: Vec<String> = (1..=16u32).map(|word| format!("{:08x}", word.swap_bytes())).collect();
    let expected = Registers { r: std::array::from_fn(|index| index as u32 + 1), xpsr: 0x0100_0003 };
    let described = words.concat() + "03000001";
    let old = words.concat() + &"0".repeat(8 * 24 + 8) + "03000001";
    let (mut link, _) = qemu(&[&described]);
    assert_eq!(link.registers().unwrap(), expected);
    let (mut link, _) =
        opened(Script::new(replies(&[&PLAIN, [old.as_str()].as_slice()].concat()), End::Close));
    assert_eq!(link.registers().unwrap(), expected);
    let (mut link, _) = qemu(&[&described[..described.len() - 2]]);
    assert!(matches!(link.registers(), Err(Error::Unexpected { .. })));
    let (mut link, _) = qemu(&[&described.replace('1', "x")]);
    assert!(matches!(link.registers(), Err(Error::Unexpected { .. })));
}

#[test]
fn a_server_that_talks_for_ever_is_given_up() {
    let (mut link, _) = opened(Script::new(replies(&QEMU), End::Chatter));
    link.reset().unwrap();
    let error = link.registers().unwrap_err();
    assert!(matches!(error, Error::NoAnswer { request: Request::Reset, .. }), "{error}");
    let (mut link, _) = opened(Script::new(replies(&QEMU), End::Chatter));
    let error = link.resume(BUDGET).unwrap_err();
    assert!(matches!(error, Error::NoAnswer { request: Request::Halt, .. }), "{error}");
}
