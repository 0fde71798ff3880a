//! A path, with all that words about it are made of: the firmware, who is there, the states of the path and what ended it.
//! Nothing here or in what is built on it knows how a path is run.

use fwvs_kernel::TaskId;
use fwvs_link::Link;
use fwvs_scenario::{Finding, Step, Waiter};
use fwvs_symbols::Firmware;

use crate::finding::Wrong;
use crate::roster::Roster;
use crate::session::{Session, States};
use crate::standstill::{Standstill, Waits};

/// Everything there is to look at for saying what happened on a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    firmware: &'a Firmware,
    roster: &'a Roster,
    mirror: &'a States,
}

impl<'a> Scene<'a> {
    /// The firmware.
    pub(crate) fn firmware(&self) -> &'a Firmware {
        self.firmware
    }

    /// Who is there.
    pub(crate) fn roster(&self) -> &'a Roster {
        self.roster
    }

    /// The states of the path.
    pub(crate) fn mirror(&self) -> &'a States {
        self.mirror
    }

    /// What ended the path, if that is a finding.
    pub(crate) fn wrong(&self) -> Option<&'a Wrong> {
        self.mirror.found().map(|found| &found.wrong)
    }

    /// The task that ran when the path ended in a finding; `None` for the set-up.
    pub(crate) fn running(&self) -> Option<TaskId> {
        self.mirror.found()?.running
    }

    /// The place in the source of a call that returns to `pc`.
    pub(crate) fn place(&self, pc: u32) -> Option<String> {
        Some(self.firmware.place_of_return(pc)?.to_string())
    }

    /// Whether the firmware says where its code comes from: of the operations that tasks begin with and those of the path, the
    /// line of at least one is known, be it the shim's own.
    fn knows_lines(&self) -> bool {
        let steps = self.mirror.steps().iter().map(|step| step.pc);
        let calls = self.roster.first_calls().iter().copied().chain(steps);
        let mut calls = calls.filter_map(|pc| (pc & !1).checked_sub(2)).peekable();
        calls.peek().is_none() || calls.any(|call| self.firmware.place_of_instruction(call).is_some())
    }
}

/// What the last path of a session comes to, in words.
impl<L: Link> Session<L> {
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene { firmware: self.firmware(), roster: self.roster(), mirror: self.mirror() }
    }

    /// What the last path found, in full.
    pub fn finding(&self) -> Option<Finding> {
        self.scene().finding()
    }

    /// What the last path found, as a number: the same for the same kind, tasks, objects and source places. Cheap, since a search
    /// may come to the same finding a million times.
    pub fn finding_key(&self) -> u64 {
        self.scene().key()
    }

    /// The transitions of the last path, in words.
    pub fn steps(&self) -> Vec<Step> {
        self.scene().steps()
    }

    /// Whether the firmware says where its code comes from: of the operations that tasks begin with and those of the last path,
    /// the line of at least one is known, be it the shim's own.
    pub fn knows_lines(&self) -> bool {
        self.scene().knows_lines()
    }

    /// The tasks and timers whose deadlines passed with transition `at` of the path, as places; nobody's unless it was the
    /// clock's.
    pub fn passed(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.scene().passed(at)
    }

    /// Who waits without a timeout at the end of the last path, if anybody does who should go on.
    pub fn standstill(&self) -> Option<Standstill> {
        self.scene().standstill()
    }

    /// After how many steps of the last path everything was as at its end, but for what timers, their daemon and interrupt
    /// handlers did.
    pub fn standstill_begins(&self, end: &Standstill) -> usize {
        self.scene().standstill_begins(end)
    }

    /// Who could still go on at the end of the last path, each with what it is.
    pub fn could_go_on(&self) -> Vec<String> {
        self.scene().could_go_on()
    }

    /// The timers and lines that could still go on at that end, each with what it is, in the order in which the end has them.
    pub fn outside_in_words(&self, end: &Standstill) -> Vec<String> {
        self.scene().outside_in_words(end)
    }

    /// How the last path came to where it stands, with that sentence for what is wrong there.
    pub fn standing_still(&self, message: String) -> Finding {
        self.scene().standing_still(message)
    }

    /// What one of those who wait at a standstill waits for, and for whom, in words.
    pub fn in_words(&self, waits: &Waits) -> Option<Waiter> {
        self.scene().in_words(waits)
    }
}
