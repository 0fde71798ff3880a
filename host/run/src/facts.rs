//! What a verdict has to know of the firmware and its target, apart from what happened on paths.

use fwvs_kernel::{Kind, Role, Schedule};

use crate::target::{AnySession, Target};

/// A task, a timer, a line: whoever can go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Actor {
    /// What it is called.
    pub(crate) name: String,
    /// What it is.
    pub(crate) role: Role,
    /// Whether it had ended before the first path began.
    pub(crate) has_ended: bool,
}

/// The roster of a firmware, and what became of its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    /// The firmware's name.
    pub(crate) firmware: String,
    /// Which build of it.
    pub(crate) firmware_sha256: String,
    /// On which board.
    pub(crate) board: String,
    /// How tasks share the processor.
    pub(crate) schedule: Schedule,
    /// Whoever can go on, in the order of their places.
    pub(crate) actors: Vec<Actor>,
    /// How often each interrupt line says that it can fire; `u16::MAX` where it does not say.
    pub(crate) lines: Vec<u16>,
    /// Whether source lines are known.
    pub(crate) knows_lines: bool,
    /// How often the target died and was started again.
    pub(crate) respawns: u32,
    /// How many paths were run again because what the target told made no sense.
    pub(crate) doubts: u32,
}

impl Facts {
    /// As they are now.
    pub(crate) fn of(target: &Target, session: &AnySession) -> Self {
        let roster = session.roster();
        let kernel = roster.kernel();
        let actors = kernel.tasks().iter().zip(roster.tasks());
        let actors = actors.map(|(task, name)| Actor {
            name: name.clone(),
            role: task.role,
            has_ended: task.has_ended(),
        });
        let lines = kernel.objects().iter().filter_map(|object| match object.kind {
            Kind::Line { limit } => Some(limit),
            _ => None,
        });
        Self {
            firmware: target.firmware.name().to_owned(),
            firmware_sha256: target.firmware.sha256().to_owned(),
            board: target.board.name.clone(),
            schedule: roster.schedule(),
            actors: actors.collect(),
            lines: lines.collect(),
            knows_lines: session.knows_lines(),
            respawns: session.respawns(),
            doubts: session.doubts(),
        }
    }

    /// Whether there is a line for which the firmware does not say how often it fires.
    pub(crate) fn has_unlimited_line(&self) -> bool {
        self.lines.contains(&u16::MAX)
    }
}
