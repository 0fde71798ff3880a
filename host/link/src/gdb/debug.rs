//! What a debugger needs, and putting firmware into memory, over the GDB remote protocol.

use std::path::Path;

use super::Gdb;
use crate::{Debug, Error, Link, Program, Registers, Request, Stop, image, packet};

/// The registers by the numbers that the protocol has for them on ARM: between pc and xpsr were those of a floating-point
/// unit of old.
const REGISTERS: [(&str, u32); 17] = [
    ("r0", 0),
    ("r1", 1),
    ("r2", 2),
    ("r3", 3),
    ("r4", 4),
    ("r5", 5),
    ("r6", 6),
    ("r7", 7),
    ("r8", 8),
    ("r9", 9),
    ("r10", 10),
    ("r11", 11),
    ("r12", 12),
    ("sp", 13),
    ("lr", 14),
    ("pc", 15),
    ("xpsr", 25),
];

impl Gdb {
    /// Where breakpoints are that a debugger has set.
    pub(crate) fn breakpoints(&self) -> impl Iterator<Item = u32> {
        self.breakpoints.iter().copied()
    }
}

impl Debug for Gdb {
    fn step(&mut self) -> Result<Option<Stop>, Error> {
        self.attempt(Self::step_once)
    }

    fn set_registers(&mut self, registers: &Registers) -> Result<(), Error> {
        self.attempt(|link| {
            // From now on it counts where the debugger wants the core to be.
            link.go_on_at = None;
            let values = registers.r.iter().chain([&registers.xpsr]);
            for ((name, number), value) in REGISTERS.into_iter().zip(values) {
                link.queue(Request::SetRegister(name), |output| {
                    output.push(b'P');
                    packet::push_number(output, number);
                    output.push(b'=');
                    packet::push_hex(output, &value.to_le_bytes());
                })?;
            }
            link.settle()
        })
    }

    fn set_breakpoint(&mut self, address: u32) -> Result<(), Error> {
        self.attempt(|link| {
            if !link.breakpoints.contains(&(address & !1)) {
                link.breakpoint(b'Z', address)?;
                link.breakpoints.insert(address & !1);
            }
            Ok(())
        })
    }

    fn clear_breakpoint(&mut self, address: u32) -> Result<(), Error> {
        self.attempt(|link| {
            if link.breakpoints.remove(&(address & !1)) {
                link.breakpoint(b'z', address)?;
            }
            Ok(())
        })
    }
}

impl Program for Gdb {
    fn program(&mut self, firmware: &Path) -> Result<(), Error> {
        for (address, bytes) in image::pieces(firmware)? {
            self.write(address, &bytes)?;
            let mut there = vec![0; bytes.len()];
            self.read(address, &mut there)?;
            if let Some(at) = there.iter().zip(&bytes).position(|(there, wanted)| there != wanted) {
                let peer = self.talk.peer.clone();
                return Err(Error::NotProgrammed { peer, address: address.wrapping_add(at as u32) });
            }
        }
        // Only a reset makes the core look at its vectors.
        self.reset()
    }
}
