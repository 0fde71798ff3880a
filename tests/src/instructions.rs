//! How many instructions the target needs: counted, not timed, so that the numbers are the same on every machine.
//!
//! QEMU logs every instruction that it executes. What a transition costs is the difference between a longer and a shorter
//! path, divided by how many transitions longer it is.

use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use fwvs_kernel::{Rules, Schedule, TaskId, Transition};
use fwvs_link::{Link, Machine, Pin, Qemu};
use fwvs_path::{Plan, Policy};
use fwvs_session::Session;
use tempfile::TempDir;

use crate::target::Target;

/// What something costs on the target, in instructions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Instructions {
    /// A path without transitions: from reset to the doorbell.
    pub path: usize,
    /// A transition that the host has decided on.
    pub scripted: f64,
    /// A transition that the target has decided on.
    pub extended: f64,
}

/// An example whose first path is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// What it is called.
    pub name: &'static str,
    /// The example.
    pub example: &'static str,
    /// Its parameters.
    pub set: &'static [(&'static str, &'static str)],
    /// How its tasks share the processor.
    pub schedule: Schedule,
}

/// Few tasks, many operations; the same with priorities; more tasks.
pub const SUBJECTS: [Subject; 3] = [
    Subject {
        name: "ping-pong, free",
        example: "ping-pong",
        set: &[("rounds", "8")],
        schedule: Schedule::Free,
    },
    Subject {
        name: "ping-pong, priority",
        example: "ping-pong",
        set: &[("rounds", "8")],
        schedule: Schedule::Priority,
    },
    Subject { name: "philosophers, free", example: "philosophers", set: &[], schedule: Schedule::Free },
];

/// Counts the first path of an example.
///
/// # Errors
/// If QEMU's log cannot be written or read.
///
/// # Panics
/// If the example cannot be run.
pub fn count(subject: &Subject) -> io::Result<Instructions> {
    let (mut counted, path) = Counted::open(subject)?;
    let mut cost = |script: usize, depth: usize| counted.run(&path[..script], &[], depth);
    let (short, long) = (path.len() / 4, path.len());
    let more = (long - short) as f64;
    Ok(Instructions {
        path: cost(0, 0)?,
        scripted: (cost(long, long)? as f64 - cost(short, short)? as f64) / more,
        extended: (cost(0, long)? as f64 - cost(0, short)? as f64) / more,
    })
}

/// What each of two sleepers costs at a transition that the target decides on: two philosophers sleep while another one,
/// who has nothing to do with them, takes and gives.
///
/// # Errors
/// As [`count`].
///
/// # Panics
/// As [`count`].
pub fn sleeper() -> io::Result<f64> {
    const MEAL: usize = 4;
    let subject = Subject { name: "", example: "philosophers", set: &[("N", "5")], schedule: Schedule::Free };
    let (mut counted, _) = Counted::open(&subject)?;
    let asleep = [2, 3].map(|nth| Transition { task: TaskId::setup(nth), alternative: 0 });
    let (alone, with_both) = (counted.run(&[], &[], MEAL)?, counted.run(&[], &asleep, MEAL)?);
    Ok((with_both as f64 - alone as f64) / (MEAL * asleep.len()) as f64)
}

/// An example on a QEMU that counts.
struct Counted {
    session: Session<Qemu>,
    log: Log,
}

impl Counted {
    /// Starts it and runs its first path.
    fn open(subject: &Subject) -> io::Result<(Self, Vec<Transition>)> {
        let target = Target::example(subject.example, subject.set);
        let log = Log::new()?;
        let machine = Machine { program: log.qemu.clone(), ..Machine::new("lm3s6965evb") };
        let qemu = Qemu::start(&machine, target.firmware().path(), Pin::Free).expect("QEMU starts");
        let rules = Rules { schedule: subject.schedule, ..Rules::FREE };
        let session = target.open_for(qemu, rules, Duration::from_secs(60)).expect("the example starts");
        let mut counted = Self { session, log };
        counted.run(&[], &[], usize::MAX)?;
        let steps = counted.session.mirror().steps().iter();
        let path = steps.map(|step| step.transition).collect();
        Ok((counted, path))
    }

    /// How many instructions a path takes.
    fn run(&mut self, script: &[Transition], asleep: &[Transition], depth: usize) -> io::Result<usize> {
        let plan = Plan { asleep, ..Plan::new(script, Policy::First, depth.try_into().unwrap_or(u32::MAX)) };
        self.session.run_path(&plan).expect("the path can be run");
        // The log is complete when the core is halted and somebody has asked for something.
        self.session.link().registers().expect("QEMU answers");
        self.log.since_last_time()
    }
}

/// A QEMU that logs every instruction, one a line.
struct Log {
    /// The program to start.
    qemu: PathBuf,
    file: PathBuf,
    lines: usize,
    /// Where both are.
    _folder: TempDir,
}

impl Log {
    fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (qemu, file) = (folder.path().join("qemu-system-arm"), folder.path().join("log"));
        let log = file.display();
        fs::write(
            &qemu,
            format!("#!/bin/sh\nexec qemu-system-arm -singlestep -d exec,nochain -D '{log}' \"$@\"\n"),
        )?;
        fs::set_permissions(&qemu, Permissions::from_mode(0o755))?;
        Ok(Self { qemu, file, lines: 0, _folder: folder })
    }

    /// How many instructions were executed since the last call.
    fn since_last_time(&mut self) -> io::Result<usize> {
        let mut log = Vec::new();
        File::open(&self.file)?.read_to_end(&mut log)?;
        let lines = log.iter().filter(|byte| **byte == b'\n').count();
        let more = lines - self.lines;
        self.lines = lines;
        Ok(more)
    }
}
