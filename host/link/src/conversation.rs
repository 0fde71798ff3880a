//! Packets over a stream: collecting requests, sending them with one call, waiting for replies.
//!
//! Buffers are made once and reused; a round of requests and replies allocates nothing. What the
//! packets say is left to `gdb.rs` and `reply.rs`.

use std::io::ErrorKind;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::clock::{Clock, LOOK};
use crate::packet::{self, Flaw, Frame};
use crate::{Error, Request, Stream, Supervisor};

/// Reads cannot be told to give up earlier than this.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);
/// For how long a target may get no time before the user is told.
const LONG: Duration = Duration::from_secs(5);
/// For how long it may get none when nobody wants to wait for it.
const NOT_SO_LONG: Duration = Duration::from_secs(3);

/// Both directions of a connection to a GDB server.
pub(crate) struct Conversation {
    stream: Box<dyn Stream>,
    pub(crate) peer: String,
    /// How long a reply may take, in the target's own time.
    pub(crate) patience: Duration,
    pub(crate) clock: Clock,
    pub(crate) supervisor: Supervisor,
    /// Nobody wanted to wait any longer, and there is a reply yet to come.
    pub(crate) is_abandoned: bool,
    /// Whether packets are acknowledged with `+`.
    pub(crate) acknowledge: bool,
    /// What the stream was told last; telling it costs a system call.
    timeout: Duration,
    output: Vec<u8>,
    input: Box<[u8]>,
    /// The part of `input` that was received and not yet understood.
    unread: Range<usize>,
    expanded: Vec<u8>,
}

/// Where the body of the last packet is, until the next one is received.
#[derive(Clone)]
pub(crate) enum Body {
    Received(Range<usize>),
    Expanded,
}

impl Conversation {
    pub(crate) fn new(
        mut stream: Box<dyn Stream>,
        peer: String,
        patience: Duration,
        clock: Clock,
        supervisor: Supervisor,
    ) -> Result<Self, Error> {
        let timeout = patience.clamp(SHORTEST_TIMEOUT, LOOK);
        stream.set_timeout(timeout).map_err(|source| Error::Connection { peer: peer.clone(), source })?;
        Ok(Self {
            stream,
            peer,
            patience,
            clock,
            supervisor,
            is_abandoned: false,
            acknowledge: true,
            timeout,
            output: Vec::with_capacity(0x1000),
            // One more than a packet of the largest size with its frame: "too long" is then told
            // by the packet, never by a full buffer.
            input: vec![0; packet::LIMIT + 8].into_boxed_slice(),
            unread: 0..0,
            expanded: Vec::new(),
        })
    }

    /// Adds a packet to what is sent next.
    pub(crate) fn queue(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        packet::frame(&mut self.output, fill);
    }

    /// The number of bytes that wait to be sent.
    pub(crate) fn queued(&self) -> usize {
        self.output.len()
    }

    /// Sends everything that was queued with one call.
    pub(crate) fn send(&mut self) -> Result<(), Error> {
        let sent = self.stream.write_all(&self.output);
        self.output.clear();
        sent.map_err(|source| self.failed(source))
    }

    /// Sends the one byte that stops a running core.
    pub(crate) fn interrupt(&mut self) -> Result<(), Error> {
        self.stream.write_all(&[0x03]).map_err(|source| self.failed(source))
    }

    /// Limits how long a single read blocks, so that `receive` can keep a limit of this size.
    pub(crate) fn look_up_every(&mut self, interval: Duration) -> Result<(), Error> {
        let interval = interval.clamp(SHORTEST_TIMEOUT, self.patience.max(SHORTEST_TIMEOUT));
        if interval != self.timeout {
            self.stream.set_timeout(interval).map_err(|source| self.failed(source))?;
            self.timeout = interval;
        }
        Ok(())
    }

    /// The next packet, or `None` when there is none within the limit.
    pub(crate) fn receive(&mut self, request: Request, limit: Duration) -> Result<Option<Body>, Error> {
        let mut started: Option<Instant> = None;
        loop {
            if let Some(body) = self.understand(request)? {
                return Ok(Some(body));
            }
            // At least one look at the stream, however short the limit.
            match started {
                None => started = Some(Instant::now()),
                Some(started) if started.elapsed() >= limit => return Ok(None),
                Some(_) => {}
            }
            self.fill()?;
        }
    }

    /// Like [`Self::receive`], for replies that must come.
    pub(crate) fn reply(&mut self, request: Request) -> Result<Body, Error> {
        let mut since = None;
        loop {
            if let Some(body) = self.receive(request, LOOK.min(self.patience))? {
                return Ok(body);
            }
            self.wait_on(&mut since, request)?;
        }
    }

    /// Whether a reply that must come is to be waited for any longer. `since` is when that began, in the target's time.
    pub(crate) fn wait_on(&mut self, since: &mut Option<Duration>, request: Request) -> Result<(), Error> {
        let now = self.clock.look();
        let within = self.patience;
        if now.saturating_sub(*since.get_or_insert(now)) >= within {
            return Err(Error::NoAnswer { peer: self.peer.clone(), request, within });
        }
        self.tell_of_a_stall();
        if self.clock.stalled() >= NOT_SO_LONG && self.supervisor.wants_an_end() {
            self.is_abandoned = true;
            return Err(Error::Interrupted);
        }
        Ok(())
    }

    /// Tells the user if the target has got no time for long.
    pub(crate) fn tell_of_a_stall(&self) {
        if self.clock.stalled() >= LONG {
            self.supervisor.tell_of_a_stall();
        }
    }

    /// The body of the packet that was received last.
    pub(crate) fn body(&self, body: &Body) -> &[u8] {
        match body {
            Body::Received(range) => &self.input[range.clone()],
            Body::Expanded => &self.expanded,
        }
    }

    /// The next packet among the bytes at hand.
    fn understand(&mut self, request: Request) -> Result<Option<Body>, Error> {
        while !self.unread.is_empty() {
            let bytes = &self.input[self.unread.clone()];
            let step = packet::next(bytes).map_err(|flaw| self.flawed(flaw))?;
            let behind = self.unread.start + step.used;
            let body = match step.frame {
                None => {
                    self.unread.start = behind;
                    return Ok(None);
                }
                Some(Frame::Acknowledged | Frame::Notification) => None,
                Some(Frame::Rejected) => {
                    return Err(Error::Rejected { peer: self.peer.clone(), request });
                }
                Some(Frame::Packet(body)) if packet::is_compressed(body) => {
                    packet::expand(body, &mut self.expanded).map_err(|flaw| self.flawed(flaw))?;
                    Some(Body::Expanded)
                }
                // Behind the body come `#` and two digits.
                Some(Frame::Packet(body)) => Some(Body::Received(behind - 3 - body.len()..behind - 3)),
            };
            self.unread.start = behind;
            if body.is_some() {
                if self.acknowledge {
                    self.stream.write_all(b"+").map_err(|source| self.failed(source))?;
                }
                return Ok(body);
            }
        }
        Ok(None)
    }

    /// Waits for bytes, for as long as the stream was told to.
    fn fill(&mut self) -> Result<(), Error> {
        if self.unread.start > 0 {
            self.input.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        match self.stream.read(&mut self.input[self.unread.end..]) {
            Ok(0) => Err(self.died()),
            Ok(count) => {
                self.unread.end += count;
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(()),
                _ => Err(self.failed(error)),
            },
        }
    }

    fn died(&self) -> Error {
        Error::Died { peer: self.peer.clone(), how: None, said: String::new() }
    }

    fn failed(&self, source: std::io::Error) -> Error {
        match source.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof => self.died(),
            _ => Error::Connection { peer: self.peer.clone(), source },
        }
    }

    fn flawed(&self, flaw: Flaw) -> Error {
        let (peer, text) = (self.peer.clone(), flaw.to_string());
        match flaw {
            Flaw::Checksum { .. } => Error::Checksum { peer, flaw: text },
            _ => Error::Malformed { peer, flaw: text },
        }
    }
}
