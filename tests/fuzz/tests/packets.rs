//! Damaged packets are looked into: most of what is fed to a gdb server's parser gets behind the checksum.

use fwvs_fuzz::mutation::{Shape, damage};
use fwvs_link::packet::{self, Flaw};
use fwvs_tests::generate::Dice;

/// Bytes behind a wrong checksum are never expanded: damage must come to where they are.
#[test]
fn most_damaged_packets_are_looked_into() {
    let input: &[u8] = b"+$qSupported:PacketSize=1000#00+$0* T05}\x03thread#00%Stop:T05#00$OK#9a";
    let (mut whole, mut flaws) = (0, Vec::new());
    for seed in 0..2000 {
        let mut input = input.to_vec();
        damage(&mut Dice::new(seed), Shape::Packets, &mut input, b"+$0*~#da");
        let (mut rest, mut expanded) = (input.as_slice(), Vec::new());
        let end = loop {
            match packet::next(rest) {
                Ok(packet::Step { frame: None, .. }) => break Ok(()),
                Ok(packet::Step { frame: Some(frame), used }) => {
                    rest = &rest[used..];
                    if let packet::Frame::Packet(body) = frame {
                        flaws.extend(packet::expand(body, &mut expanded).err());
                    }
                }
                Err(flaw) => break Err(flaw),
            }
        };
        whole += usize::from(end.is_ok());
    }
    let seen = |flaw| flaws.iter().filter(|seen| **seen == flaw).count();
    assert!(whole > 1500, "{whole} of 2000");
    assert!(seen(Flaw::Run) > 50 && seen(Flaw::Escape) > 5, "{flaws:?}");
}
