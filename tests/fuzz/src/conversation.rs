//! A gdb server that says what it is told to say.

use std::io::{self, Read, Write};
use std::time::Duration;

use fwvs_link::{Error, Gdb, Link, Options, Stop, Stream, Traps, packet};

/// A conversation as it is written down: a line of settings, then the bodies of packets, one a line.
///
/// The first byte of the settings says how long the pieces are in which bytes arrive, the second how it ends.
pub struct Script {
    bytes: Vec<u8>,
    said: usize,
    piece: usize,
    end: u8,
}

impl Script {
    /// Packets with correct checksums: what is in them is what is tried.
    pub fn of_bodies(input: &[u8]) -> Self {
        let mut lines = input.split(|byte| *byte == b'\n');
        let settings = lines.next().unwrap_or_default();
        let mut bytes = Vec::new();
        for body in lines {
            bytes.push(b'+');
            packet::frame(&mut bytes, |output| output.extend_from_slice(body));
        }
        Self::of_bytes(settings, bytes)
    }

    /// Bytes as they come.
    pub fn of_bytes(settings: &[u8], bytes: Vec<u8>) -> Self {
        let setting = |place: usize| settings.get(place).copied().unwrap_or_default();
        let piece = if setting(0) % 2 == 0 { usize::MAX } else { 1 + usize::from(setting(0) / 2) };
        Self { bytes, said: 0, piece, end: setting(1) }
    }

    /// Everything that a link can be asked for. All of it takes a few milliseconds, whatever is said.
    pub fn talk(self) -> Result<(Stop, Stop), Error> {
        let options =
            Options { patience: Duration::from_millis(1), loaded: Some(Vec::new()), ..Options::default() };
        let mut link = Gdb::over(Box::new(self), "the script".into(), options)?;
        let budget = Duration::from_millis(1);
        link.arm(Traps { doorbell: 0x2000_C000, store: 0x100, fault: Some(0x200) })?;
        link.reset()?;
        link.write(0x2000_0000, &[1, 2, 3])?;
        let first = link.resume(budget)?;
        link.reset()?;
        let second = link.resume(budget)?;
        let mut bytes = [0; 16];
        link.read(0x2000_0000, &mut bytes)?;
        link.registers()?;
        Ok((first, second))
    }
}

impl Read for Script {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let rest = &self.bytes[self.said..];
        if rest.is_empty() {
            return match self.end % 3 {
                0 => Ok(0),
                1 => Err(io::ErrorKind::WouldBlock.into()),
                _ => Err(io::ErrorKind::HostUnreachable.into()),
            };
        }
        let count = rest.len().min(bytes.len()).min(self.piece);
        bytes[..count].copy_from_slice(&rest[..count]);
        self.said += count;
        Ok(count)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Script {
    fn set_timeout(&mut self, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
