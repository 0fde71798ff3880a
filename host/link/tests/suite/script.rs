//! The server's side of a conversation, written down beforehand: for everything that a real server
//! does too rarely, or never.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fwvs_link::{Gdb, Options, Stream, packet};

/// What happens when everything was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Silence,
    Close,
    Fail,
    /// Output for the user that never ends.
    Chatter,
}

/// A stream that plays a script and remembers what was sent, write by write.
pub(crate) struct Script {
    /// Each part is said when that many writes were seen.
    parts: VecDeque<(usize, Vec<u8>)>,
    /// At most so many bytes a read.
    piece: usize,
    end: End,
    pub(crate) sent: Sent,
}

pub(crate) type Sent = Arc<Mutex<Vec<String>>>;

impl Script {
    pub(crate) fn new(bytes: Vec<u8>, end: End) -> Self {
        let sent = Sent::default();
        Self { parts: [(0, bytes)].into(), piece: usize::MAX, end, sent }
    }

    /// More bytes, which are held back until that many writes were seen.
    pub(crate) fn then(mut self, writes: usize, bytes: Vec<u8>) -> Self {
        self.parts.push_back((writes, bytes));
        self
    }

    pub(crate) fn in_pieces(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }

    /// A link that talks to the script, and what it sends. Its patience matters only where the
    /// script keeps silent.
    pub(crate) fn link(self) -> (Result<Gdb, fwvs_link::Error>, Sent) {
        let long = matches!(self.end, End::Close | End::Fail);
        self.link_within(Duration::from_millis(if long { 60_000 } else { 30 }))
    }

    pub(crate) fn link_within(self, patience: Duration) -> (Result<Gdb, fwvs_link::Error>, Sent) {
        let sent = Arc::clone(&self.sent);
        let options = Options { patience, loaded: Some(Vec::new()), ..Options::default() };
        (Gdb::over(Box::new(self), "the script".into(), options), sent)
    }
}

impl Read for Script {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let writes = self.sent.lock().unwrap().len();
        while let Some((after, part)) = self.parts.front_mut() {
            if part.is_empty() {
                self.parts.pop_front();
                continue;
            }
            if *after > writes {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let count = part.len().min(bytes.len()).min(self.piece);
            bytes[..count].copy_from_slice(&part[..count]);
            part.drain(..count);
            return Ok(count);
        }
        match self.end {
            End::Silence => Err(io::ErrorKind::WouldBlock.into()),
            End::Close => Ok(0),
            End::Fail => Err(io::ErrorKind::HostUnreachable.into()),
            End::Chatter => {
                let chatter = replies(&["O41"]);
                bytes[..chatter.len()].copy_from_slice(&chatter);
                Ok(chatter.len())
            }
        }
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sent.lock().unwrap().push(bytes.escape_ascii().to_string());
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

/// Packets as a server sends them, each behind an acknowledgement.
pub(crate) fn replies(bodies: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for body in bodies {
        bytes.push(b'+');
        packet::frame(&mut bytes, |output| output.extend_from_slice(body.as_bytes()));
    }
    bytes
}

/// How QEMU 7.2 introduces itself.
pub(crate) const QEMU: [&str; 4] = [
    "PacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+",
    "sstepbits;sstep;PhyMemMode",
    "l<?xml version=\"1.0\"?><target><architecture>arm</architecture></target>",
    "T05thread:01;",
];

/// How a server introduces itself that knows nothing optional.
pub(crate) const PLAIN: [&str; 3] = ["", "", "S05"];

/// The number of writes of a greeting to QEMU: a question and an acknowledgement each; none any more
/// once it is known to be QEMU.
pub(crate) const QEMU_WRITES: usize = 6;

/// A reply to `g` with this program counter, for a server with a description.
pub(crate) fn registers(pc: u32) -> String {
    let mut words = [0; 17];
    words[15] = pc;
    words[16] = 0x0100_0000;
    words.map(|word: u32| format!("{:08x}", word.swap_bytes())).concat()
}
