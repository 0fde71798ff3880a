//! Whatever a server sends: an error or a result, in bounded time, and never a panic.

#[expect(dead_code, reason = "other tests use the rest")]
mod suite;

use std::time::{Duration, Instant};

use fwvs_link::{Error, Link, Stop, Traps, packet};
use proptest::prelude::*;
use suite::mutation::{Mutation, mutated};
use suite::script::{End, QEMU, Script, registers, replies};

const TRAPS: Traps = Traps { doorbell: 0x2000_C000, store: 0x100, fault: Some(0x200) };

/// A conversation as QEMU leads it, and one as a server leads it that wants acknowledgements.
fn conversation(with_qemu: bool) -> Vec<String> {
    let state = registers(0x200);
    let rest = ["OK", "OK", "OK", "OK", "O4869", "T05thread:01;watch:2000c000;"];
    let end = ["OK", "T05thread:01;", state.as_str(), "00112233445566778899aabbccddeeff", state.as_str()];
    if with_qemu {
        return [&QEMU, rest.as_slice(), &end].concat().into_iter().map(String::from).collect();
    }
    let greeting = ["PacketSize=400;qXfer:features:read+", "", "l<target/>", "S05"];
    let all = [&greeting, rest.as_slice(), &[state.as_str()], &end].concat();
    all.into_iter().map(String::from).collect()
}

fn framed(bodies: &[String]) -> Vec<u8> {
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    replies(&bodies)
}

/// Everything a link can be asked for, in the order of the conversation.
fn talk(script: Script) -> Result<(Stop, Stop, [u8; 16]), Error> {
    let mut link = script.link_within(Duration::from_millis(2)).0?;
    let budget = Duration::from_millis(1);
    link.arm(TRAPS)?;
    link.reset()?;
    link.write(0x2000_0000, &[1, 2, 3])?;
    let first = link.resume(budget)?;
    link.reset()?;
    let second = link.resume(budget)?;
    let mut bytes = [0; 16];
    link.read(0x2000_0000, &mut bytes)?;
    link.registers()?;
    Ok((first, second, bytes))
}

#[test]
fn undamaged_conversations_succeed() {
    for with_qemu in [true, false] {
        let (first, second, bytes) = talk(Script::new(framed(&conversation(with_qemu)), End::Close)).unwrap();
        assert_eq!((first, second), (Stop::Doorbell, Stop::Fault { pc: 0x200 }));
        assert_eq!(bytes[..3], [0, 0x11, 0x22]);
    }
}

fn piece() -> impl Strategy<Value = usize> {
    prop_oneof![Just(usize::MAX), 1..50usize]
}

fn end() -> impl Strategy<Value = End> {
    prop::sample::select(vec![End::Silence, End::Close, End::Fail, End::Chatter])
}

fn ends(script: Script) -> Result<(), TestCaseError> {
    let started = Instant::now();
    if let Err(error) = talk(script) {
        prop_assert!(error.to_string().contains("\nhint: "), "{error}");
    }
    prop_assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// Damage on the way: checksums do not fit any more.
    #[test]
    fn damaged_conversations_end(
        with_qemu: bool,
        mutations in prop::collection::vec(any::<Mutation>(), 1..3),
        piece in piece(),
        end in end(),
    ) {
        let bytes = mutated(framed(&conversation(with_qemu)), &mutations);
        ends(Script::new(bytes, end).in_pieces(piece))?;
    }

    /// A server that says the wrong things in correct packets.
    #[test]
    fn conversations_with_wrong_replies_end(
        with_qemu: bool,
        wrong in prop::collection::vec((0..20usize, any::<Mutation>()), 0..4),
        lost in prop::option::of(0..20usize),
        repeated in prop::option::of(0..20usize),
        piece in piece(),
        end in end(),
    ) {
        let mut bodies = conversation(with_qemu);
        for (index, mutation) in wrong {
            let index = index % bodies.len();
            let body = mutated(bodies[index].clone().into_bytes(), &[mutation]);
            bodies[index] = String::from_utf8_lossy(&body).into_owned();
        }
        if let Some(index) = lost {
            bodies.remove(index % bodies.len());
        }
        if let Some(index) = repeated {
            let index = index % bodies.len();
            bodies.insert(index, bodies[index].clone());
        }
        ends(Script::new(framed(&bodies), end).in_pieces(piece))?;
    }

    /// A step uses up bytes or waits for more, and finds what was framed.
    #[test]
    fn framing_makes_progress_on_any_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        body in "[^$#}*%+-]{0,40}",
    ) {
        let mut rest = bytes.as_slice();
        while let Ok(packet::Step { frame, used }) = packet::next(rest) {
            prop_assert!(used <= rest.len());
            prop_assert!(frame.is_none() || used > 0);
            rest = &rest[used..];
            if frame.is_none() {
                break;
            }
        }
        let framed = replies(&[&body]);
        let step = packet::next(&framed[1..]).unwrap();
        prop_assert_eq!(step.frame, Some(packet::Frame::Packet(body.as_bytes())));
    }

    #[test]
    fn expansion_is_bounded_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let mut expanded = Vec::new();
        if packet::expand(&bytes, &mut expanded).is_ok() {
            prop_assert!(expanded.len() <= packet::LIMIT);
            prop_assert!(packet::is_compressed(&bytes) || expanded == bytes);
        }
    }
}
