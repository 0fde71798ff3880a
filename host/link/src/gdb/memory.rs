//! Memory and registers over the GDB remote protocol, in parts that fit the server's packets.

use std::time::Instant;

use super::Gdb;
use crate::conversation::Body;
use crate::{Error, Registers, Request, packet, reply};

/// How many requests QEMU is sent before the replies are collected. Small enough that neither side
/// fills the socket and waits for the other.
const WINDOW: usize = 16;

impl Gdb {
    pub(super) fn read_memory(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Error> {
        check_range(address, bytes.len())?;
        // QEMU has accepted a reset before it is done; only what is sent after that sees it.
        if self.is_reset_pending {
            self.settle()?;
        }
        let started = Instant::now();
        let mut outcome = Ok(());
        // The reply is `$`, two digits a byte, `#cc`.
        let part_size = (self.packet_size - 4) / 2;
        let window = if self.is_qemu { WINDOW } else { 1 };
        let mut next = address;
        for parts in bytes.chunks_mut(part_size * window) {
            let mut queued = next;
            for part in parts.chunks(part_size) {
                self.talk.queue(|output| {
                    output.push(b'm');
                    packet::push_number(output, queued);
                    output.push(b',');
                    packet::push_number(output, part.len() as u32);
                });
                queued = queued.wrapping_add(part.len() as u32);
            }
            self.talk.send()?;
            outcome = outcome.and(self.collect());
            for part in parts.chunks_mut(part_size) {
                let request = Request::Read { address: next, length: part.len() };
                next = next.wrapping_add(part.len() as u32);
                let body = self.talk.reply(request)?;
                let decoded = self.decode(request, &body, part);
                match decoded {
                    Err(error) if !error.is_answer() => return Err(error),
                    decoded => outcome = outcome.and(decoded),
                }
            }
            if outcome.is_err() {
                break;
            }
        }
        self.spent.transfer += started.elapsed();
        outcome
    }

    fn decode(&self, request: Request, body: &Body, part: &mut [u8]) -> Result<(), Error> {
        let text = self.talk.body(body);
        if packet::read_hex(text, part).is_some() {
            return Ok(());
        }
        let is_data =
            !text.is_empty() && text.len().is_multiple_of(2) && text.iter().all(u8::is_ascii_hexdigit);
        if is_data && text.len() != 2 * part.len() {
            let (expected, received) = (part.len(), text.len() / 2);
            return Err(Error::Length { peer: self.talk.peer.clone(), request, expected, received });
        }
        Err(self.unexpected(request, body))
    }

    pub(super) fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), Error> {
        check_range(address, bytes.len())?;
        if self.is_reset_pending && self.is_loaded(address, bytes.len()) {
            self.settle()?;
        }
        // `$M`, eight digits, comma, up to eight digits, colon, two digits a byte, `#cc`.
        let part_size = (self.packet_size - 24) / 2;
        let mut next = address;
        for part in bytes.chunks(part_size) {
            let start = next;
            next = next.wrapping_add(part.len() as u32);
            self.queue(Request::Write { address: start, length: part.len() }, |output| {
                output.push(b'M');
                packet::push_number(output, start);
                output.push(b',');
                packet::push_number(output, part.len() as u32);
                output.push(b':');
                packet::push_hex(output, part);
            })?;
        }
        Ok(())
    }

    pub(super) fn read_registers(&mut self, skip_reports: bool) -> Result<Registers, Error> {
        self.settle()?;
        let started = Instant::now();
        self.talk.queue(|output| output.push(b'g'));
        self.talk.send()?;
        let mut body = self.talk.reply(Request::Registers)?;
        // One halt leads to one report that nobody waited for, not to more.
        if skip_reports && reply::report(self.talk.body(&body)).is_some() {
            body = self.talk.reply(Request::Registers)?;
        }
        let registers = registers(self.talk.body(&body), self.is_described);
        self.spent.transfer += started.elapsed();
        registers.ok_or_else(|| self.unexpected(Request::Registers, &body))
    }

    /// Whether a reset may fill memory at these addresses again.
    fn is_loaded(&self, address: u32, length: usize) -> bool {
        let last = address.saturating_add(u32::try_from(length).unwrap_or(u32::MAX).saturating_sub(1));
        self.options
            .loaded
            .as_ref()
            .is_none_or(|ranges| ranges.iter().any(|range| *range.start() <= last && address <= *range.end()))
    }
}

fn check_range(address: u32, length: usize) -> Result<(), Error> {
    let fits = (length as u64) <= (1 << 32) - u64::from(address);
    if fits { Ok(()) } else { Err(Error::Range { address, length }) }
}

/// Reads the reply to `g`. Without a description it has the layout of old ARM cores, with eight
/// floating-point registers of 96 bits and their status between pc and xpsr.
fn registers(text: &[u8], is_described: bool) -> Option<Registers> {
    const CORE: usize = 16 * 8;
    let status = if is_described { CORE } else { CORE + 8 * 24 + 8 };
    let mut bytes = [0; 68];
    packet::read_hex(text.get(..CORE)?, &mut bytes[..64])?;
    packet::read_hex(text.get(status..status + 8)?, &mut bytes[64..])?;
    let word = |index: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * index + byte]));
    Some(Registers { r: std::array::from_fn(word), xpsr: word(16) })
}
