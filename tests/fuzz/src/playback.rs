//! A target that reads as it is told to read: what a real one said, recorded, damaged, and played to a session.

use std::ops::ControlFlow;
use std::time::Duration;

use fwvs_explore::{Counts, End, Exhaustive, Limits, Model, Runner, explore};
use fwvs_link::{Brake, Debug, Error as LinkError, Link, Registers, Spent, Stop, Traps};
use fwvs_session::{Error, Session};
use fwvs_tests::meddle::{Meddled, Meddling};
use fwvs_tests::target::Target;

/// Long enough for a path of a small firmware.
const DIVERGENCE: Duration = Duration::from_millis(500);

/// What is said whenever something is read, one after the other; zeros when everything was said.
pub struct Playback<'a> {
    rest: &'a [u8],
    /// A session that asks for ever would never end.
    patience: u32,
}

impl<'a> Playback<'a> {
    /// From the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, patience: 2000 }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), LinkError> {
        self.patience = self.patience.checked_sub(1).ok_or(LinkError::Interrupted)?;
        let (now, later) = self.rest.split_at(bytes.len().min(self.rest.len()));
        bytes[..now.len()].copy_from_slice(now);
        bytes[now.len()..].fill(0);
        self.rest = later;
        Ok(())
    }
}

impl Link for Playback<'_> {
    fn reset(&mut self) -> Result<(), LinkError> {
        Ok(())
    }

    fn read(&mut self, _: u32, bytes: &mut [u8]) -> Result<(), LinkError> {
        self.fill(bytes)
    }

    fn write(&mut self, _: u32, _: &[u8]) -> Result<(), LinkError> {
        Ok(())
    }

    fn resume(&mut self, _: Duration) -> Result<Stop, LinkError> {
        let mut how = [0; 4];
        self.fill(&mut how)?;
        let pc = u32::from_le_bytes(how) >> 8;
        Ok(match how[0] {
            1 => Stop::Budget { pc },
            2 => Stop::Fault { pc },
            3 => Stop::Lockup { message: "Lockup".into() },
            4 => Stop::Other { cause: "signal 5".into(), pc },
            _ => Stop::Doorbell,
        })
    }

    fn registers(&mut self) -> Result<Registers, LinkError> {
        let mut bytes = [0; 68];
        self.fill(&mut bytes)?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Ok(Registers { r: std::array::from_fn(|place| word(place * 4)), xpsr: word(64) })
    }

    fn arm(&mut self, _: Traps) -> Result<(), LinkError> {
        Ok(())
    }

    fn heed(&mut self, _: Brake) {}

    fn respawn(&mut self) -> Option<Result<(), LinkError>> {
        None
    }

    fn knows_target_time(&self) -> bool {
        false
    }

    fn spent(&self) -> Spent {
        Spent::default()
    }

    fn debug(&mut self) -> Option<&mut dyn Debug> {
        Some(self)
    }
}

impl Debug for Playback<'_> {
    fn step(&mut self) -> Result<Option<Stop>, LinkError> {
        let mut how = [0; 1];
        self.fill(&mut how)?;
        Ok((how[0] == 1).then_some(Stop::Doorbell))
    }

    fn set_registers(&mut self, _: &Registers) -> Result<(), LinkError> {
        Ok(())
    }

    fn set_breakpoint(&mut self, _: u32) -> Result<(), LinkError> {
        Ok(())
    }

    fn clear_breakpoint(&mut self, _: u32) -> Result<(), LinkError> {
        Ok(())
    }
}

/// Opens a session, explores a little, and steps through a path: all that `fw-vs explore` does with what it reads.
pub fn use_all<L: Link>(target: &Target, link: L) -> Result<Counts, Error> {
    let mut session = target.open(link, DIVERGENCE)?;
    session.rehearse(50)?;
    let mut look = |session: &Session<L>, end: End, _: &Counts| {
        if end == End::Finding {
            let finding = session.finding().expect("a finding has words");
            assert_eq!(finding.steps.len(), session.model().length());
            session.finding_key();
        }
        ControlFlow::Continue(())
    };
    let limits = Limits { depth: 50, paths: 6, ..Limits::default() };
    let (_, counts) = explore(&mut session, &mut Exhaustive::default(), limits, &mut look)?;
    let mut ended = session.restart()?;
    while ended == End::Asked {
        let at = session.model().length();
        let next = session.model().enabled(at).next().expect("the target asks only if something is enabled");
        ended = session.step(next)?;
    }
    if ended == End::Finding {
        session.finding().expect("a finding has words");
    }
    Ok(counts)
}

/// What a real target says: all of it, as [`Playback`] plays it, and the entries of its set-up alone.
///
/// # Panics
/// If QEMU cannot be started, or the target does not do what it should.
pub fn recorded(target: &Target) -> (Vec<u8>, Vec<u8>) {
    struct Recorder<'a> {
        said: &'a mut Vec<u8>,
        entries: &'a mut Vec<u8>,
        setup: u32,
    }
    impl Meddling for Recorder<'_> {
        fn after_resume(&mut self, stop: Stop) -> Result<Stop, LinkError> {
            let (how, pc) = match stop {
                Stop::Doorbell => (0, 0),
                Stop::Budget { pc } => (1, pc),
                Stop::Fault { pc } => (2, pc),
                Stop::Lockup { .. } => (3, 0),
                Stop::Breakpoint { pc } | Stop::Other { pc, .. } => (4, pc),
            };
            self.said.extend_from_slice(&(pc << 8 | how).to_le_bytes());
            Ok(stop)
        }

        fn after_read(&mut self, address: u32, bytes: &mut [u8]) {
            self.said.extend_from_slice(bytes);
            if address == self.setup {
                *self.entries = bytes.to_vec();
            }
        }
    }
    let (mut said, mut entries) = (Vec::new(), Vec::new());
    let setup = target.firmware().description().setup;
    let mut qemu = target.qemu();
    let recorder = Recorder { said: &mut said, entries: &mut entries, setup };
    use_all(target, Meddled::new(&mut qemu, recorder)).expect("nobody has damaged anything");
    (said, entries)
}
