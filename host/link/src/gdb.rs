//! A link over any GDB server: the GDB remote protocol from the debugger's side.
//!
//! Sources: the appendix "GDB Remote Serial Protocol" of the GDB manual, and what QEMU makes of it.
//! QEMU takes many requests in one piece, as long as nothing follows a resume, and must not be sent
//! acknowledgements: while the core runs, any byte halts it. Every other server is asked one thing
//! at a time and gets the acknowledgements it wants.

mod debug;
mod memory;
mod run;

use std::collections::BTreeSet;
use std::net::TcpStream;
use std::ops::RangeInclusive;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use fwvs_board::Doorbell;

use crate::clock::Clock;
use crate::conversation::{Body, Conversation};
use crate::reply::{self, Answer, Report};
use crate::{
    Brake, Debug, Error, Link, Program, Registers, Request, Spent, Stop, Stream, Supervisor, Traps, packet,
};

/// How to get along with a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The command for the server's monitor that halts the core at its reset vector.
    pub reset: String,
    /// How the doorbell is noticed.
    pub doorbell: Doorbell,
    /// How long a reply may take, in the target's own time where that is known.
    pub patience: Duration,
    /// Memory that a reset fills again from the firmware file, if that is known. A write there must
    /// not overtake a reset.
    pub loaded: Option<Vec<RangeInclusive<u32>>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reset: "system_reset".into(),
            doorbell: Doorbell::Watchpoint,
            patience: Duration::from_secs(5),
            loaded: None,
        }
    }
}

/// A link to a GDB server.
pub struct Gdb {
    talk: Conversation,
    options: Options,
    packet_size: usize,
    /// QEMU: requests may be pipelined, and a reset is accepted first and executed a bit later.
    is_qemu: bool,
    /// Whether the server's register description was read, which changes the layout of the reply.
    is_described: bool,
    traps: Option<Traps>,
    /// Those of whoever debugs, apart from the traps.
    breakpoints: BTreeSet<u32>,
    /// Where the next resume goes on, when not where the core stands.
    go_on_at: Option<u32>,
    /// Requests that were queued and whose replies were not yet looked at.
    pending: Vec<Request>,
    is_reset_pending: bool,
    /// Why the conversation cannot go on.
    given_up: Option<String>,
    spent: Spent,
}

/// How many bytes are queued before they are sent without waiting for a read or resume.
const QUEUE_LIMIT: usize = 0x1_0000;

impl Gdb {
    /// Connects to `host:port`, `:port`, or the path of a socket.
    pub fn connect(address: &str, options: Options) -> Result<Self, Error> {
        let failed = |source| Error::Connect { address: address.into(), source };
        let stream: Box<dyn Stream> = if address.contains('/') {
            Box::new(UnixStream::connect(address).map_err(failed)?)
        } else {
            let full = if address.starts_with(':') { format!("localhost{address}") } else { address.into() };
            let stream = TcpStream::connect(full).map_err(failed)?;
            stream.set_nodelay(true).map_err(failed)?;
            Box::new(stream)
        };
        Self::over(stream, format!("the gdb server at {}", fwvs_foreign::plain(address)), options)
    }

    /// Talks over an open stream. `peer` is the server's name in errors.
    pub fn over(stream: Box<dyn Stream>, peer: String, options: Options) -> Result<Self, Error> {
        Self::supervised(stream, peer, options, Clock::wall(), Supervisor::default())
    }

    /// Talks over an open stream to a target with a clock of its own, supervised from the start.
    pub(crate) fn supervised(
        stream: Box<dyn Stream>,
        peer: String,
        options: Options,
        clock: Clock,
        supervisor: Supervisor,
    ) -> Result<Self, Error> {
        let talk = Conversation::new(stream, peer, options.patience, clock, supervisor)?;
        let mut link = Self {
            talk,
            options,
            packet_size: 0,
            is_qemu: false,
            is_described: false,
            traps: None,
            breakpoints: BTreeSet::new(),
            go_on_at: None,
            pending: Vec::new(),
            is_reset_pending: false,
            given_up: None,
            spent: Spent::default(),
        };
        link.greet()?;
        Ok(link)
    }

    /// Agrees on the manners. The core is halted all the while, so acknowledgements do no harm.
    fn greet(&mut self) -> Result<(), Error> {
        let body = self.ask("qSupported:xmlRegisters=arm")?;
        let features = reply::features(self.talk.body(&body));
        self.packet_size = features.packet_size;
        if features.no_acknowledgement {
            let body = self.ask("QStartNoAckMode")?;
            self.expect_accepted(Request::Greeting("QStartNoAckMode"), &body)?;
            self.talk.acknowledge = false;
        }
        // Only QEMU knows this question.
        let body = self.ask("qqemu.Supported")?;
        self.is_qemu = matches!(reply::answer(self.talk.body(&body)), Answer::Something);
        self.talk.acknowledge &= !self.is_qemu;
        if features.description {
            // Once asked, a server leaves registers out of its replies that the core does not have.
            // What the description says is known: it is an M-profile core.
            self.ask("qXfer:features:read:target.xml:0,30")?;
            self.is_described = true;
        }
        // Halts a core that runs, and makes QEMU forget breakpoints of an earlier debugger.
        let body = self.ask("?")?;
        match reply::report(self.talk.body(&body)) {
            Some(Report::Stopped { .. }) => Ok(()),
            Some(Report::Gone) | None => Err(self.unexpected(Request::Greeting("?"), &body)),
        }
    }

    fn ask(&mut self, question: &'static str) -> Result<Body, Error> {
        self.talk.queue(|output| output.extend_from_slice(question.as_bytes()));
        self.talk.send()?;
        self.talk.reply(Request::Greeting(question))
    }

    /// Does something that leaves the conversation unusable unless it ends with an answer.
    fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.talk.is_abandoned {
            return Err(Error::Interrupted);
        }
        if let Some(cause) = &self.given_up {
            return Err(Error::GivenUp { peer: self.talk.peer.clone(), cause: cause.clone() });
        }
        let outcome = work(self);
        if let Err(error) = &outcome
            && !error.is_answer()
        {
            self.given_up = Some(error.summary());
        }
        outcome
    }

    /// Takes a request into the queue. Servers other than QEMU are asked at once.
    fn queue(&mut self, request: Request, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
        self.talk.queue(fill);
        self.pending.push(request);
        if self.is_qemu && self.talk.queued() < QUEUE_LIMIT {
            return Ok(());
        }
        self.settle()
    }

    /// Sends what is queued and waits for its replies.
    fn settle(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        let had_reset = self.pending.contains(&Request::Reset);
        self.talk.send()?;
        let outcome = self.collect();
        let phase = if had_reset { &mut self.spent.reset } else { &mut self.spent.transfer };
        *phase += started.elapsed();
        outcome
    }

    /// Looks at the replies to what was queued and is sent by now: all of them, also behind a
    /// refusal, so that the next reply belongs to the next request.
    fn collect(&mut self) -> Result<(), Error> {
        let mut outcome = Ok(());
        for index in 0..self.pending.len() {
            let request = self.pending[index];
            let body = self.reply_behind_output(request)?;
            let text = self.talk.body(&body);
            let accepted = match reply::answer(text) {
                // Some servers reply to a monitor command with its output.
                Answer::Something if request == Request::Reset && reply::report(text).is_none() => Ok(()),
                _ => self.expect_accepted(request, &body),
            };
            match accepted {
                Err(error) if !error.is_answer() => return Err(error),
                accepted => outcome = outcome.and(accepted),
            }
        }
        self.pending.clear();
        self.is_reset_pending = false;
        outcome
    }

    fn reply_behind_output(&mut self, request: Request) -> Result<Body, Error> {
        let started = Instant::now();
        loop {
            let body = self.talk.reply(request)?;
            if reply::answer(self.talk.body(&body)) != Answer::Output {
                return Ok(body);
            }
            let within = self.talk.patience;
            if started.elapsed() > within {
                return Err(Error::NoAnswer { peer: self.talk.peer.clone(), request, within });
            }
        }
    }

    fn expect_accepted(&self, request: Request, body: &Body) -> Result<(), Error> {
        match reply::answer(self.talk.body(body)) {
            Answer::Accepted => Ok(()),
            _ => Err(self.unexpected(request, body)),
        }
    }

    /// The error for a reply that is not what was hoped for.
    fn unexpected(&self, request: Request, body: &Body) -> Error {
        let body = self.talk.body(body);
        let peer = self.talk.peer.clone();
        if reply::report(body) == Some(Report::Gone) {
            return Error::Died { peer, how: None, said: String::new() };
        }
        match reply::answer(body) {
            Answer::Unsupported => Error::Unsupported { peer, request },
            Answer::Refused(code) => {
                Error::Refused { peer, request, reason: format!("E{}", reply::excerpt(code)) }
            }
            _ => Error::Unexpected { peer, request, reply: reply::excerpt(body) },
        }
    }

    /// Sets (`Z`) or removes (`z`) a watchpoint or breakpoint.
    fn trap(&mut self, letter: u8, kind: u8, address: u32, size: u32) -> Result<(), Error> {
        let request = if kind == b'2' { Request::Watchpoint(address) } else { Request::Breakpoint(address) };
        self.settle()?;
        self.talk.queue(|output| {
            output.extend_from_slice(&[letter, kind, b',']);
            packet::push_number(output, address);
            output.push(b',');
            packet::push_number(output, size);
        });
        self.pending.push(request);
        self.settle()
    }

    fn breakpoint(&mut self, letter: u8, address: u32) -> Result<(), Error> {
        // The code is in flash: a hardware breakpoint, or what the server has instead.
        match self.trap(letter, b'1', address & !1, 2) {
            Err(Error::Unsupported { .. }) => self.trap(letter, b'0', address & !1, 2),
            outcome => outcome,
        }
    }

    fn set_traps(&mut self, letter: u8, traps: Traps) -> Result<(), Error> {
        match self.options.doorbell {
            Doorbell::Watchpoint => self.trap(letter, b'2', traps.doorbell, 4)?,
            Doorbell::Breakpoint => self.breakpoint(letter, traps.store)?,
        }
        traps.fault.map_or(Ok(()), |fault| self.breakpoint(letter, fault))
    }
}

impl Link for Gdb {
    fn reset(&mut self) -> Result<(), Error> {
        self.attempt(|link| {
            link.go_on_at = None;
            link.is_reset_pending = true;
            let command = std::mem::take(&mut link.options.reset);
            let outcome = link.queue(Request::Reset, |output| {
                output.extend_from_slice(b"qRcmd,");
                packet::push_hex(output, command.as_bytes());
            });
            link.options.reset = command;
            outcome
        })
    }

    fn read(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Error> {
        self.attempt(|link| link.read_memory(address, bytes))
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Error> {
        self.attempt(|link| link.write_memory(address, bytes))
    }

    fn resume(&mut self, budget: Duration) -> Result<Stop, Error> {
        self.attempt(|link| link.run_on(budget))
    }

    fn registers(&mut self) -> Result<Registers, Error> {
        self.attempt(|link| {
            let mut registers = link.read_registers(false)?;
            // QEMU stands in front of the doorbell's store, and goes on behind it.
            registers.r[15] = link.go_on_at.unwrap_or(registers.r[15]);
            Ok(registers)
        })
    }

    fn arm(&mut self, traps: Traps) -> Result<(), Error> {
        self.attempt(|link| {
            if let Some(old) = link.traps.take() {
                link.set_traps(b'z', old)?;
            }
            link.set_traps(b'Z', traps)?;
            link.traps = Some(traps);
            Ok(())
        })
    }

    fn heed(&mut self, brake: Brake) {
        self.talk.supervisor.brake = Some(brake);
    }

    /// The server belongs to someone else.
    fn respawn(&mut self) -> Option<Result<(), Error>> {
        None
    }

    fn knows_target_time(&self) -> bool {
        self.talk.clock.is_the_targets()
    }

    fn spent(&self) -> Spent {
        self.spent
    }

    fn program(&mut self) -> Option<&mut dyn Program> {
        Some(self)
    }

    fn debug(&mut self) -> Option<&mut dyn Debug> {
        Some(self)
    }
}
