//! The heart-beat monitor redesigned: three changes, each for one surprise of the original. See the README.

use crate::beats::{Beat, Fate, Table};
use crate::constants::Constants;
use crate::monitor::{HeartBeat, Judged, SUSPEND, Stage};

/// The redesign.
pub struct Redesign {
    constants: Constants,
    table: Table,
    stage: Stage,
    /// When the stage was entered.
    since: i32,
    counter: u8,
}

impl Redesign {
    pub fn new(constants: Constants) -> Self {
        Self { constants, table: Table::new(&constants), stage: Stage::One, since: 0, counter: 0 }
    }

    fn enter(&mut self, stage: Stage, now: i32) {
        (self.stage, self.since) = (stage, now);
    }

    /// Stages are left by the clock alone: at every execution, whatever the counter.
    fn leave_stage(&mut self, now: i32) {
        let spent = now - self.since;
        match self.stage {
            Stage::Two if spent > self.constants.stage2 => self.enter(Stage::Three, now),
            Stage::Three if spent >= self.constants.stage3 => self.enter(Stage::One, now),
            _ => {}
        }
    }

    /// One up for a late beat, one down for one on time: beats in turn cancel out. Before stage 3 it stops at 2.
    fn count(&mut self, fate: Fate, now: i32) {
        let most = if self.stage == Stage::Three { SUSPEND } else { SUSPEND - 1 };
        match fate {
            Fate::OnTime => self.counter = self.counter.saturating_sub(1),
            Fate::Late | Fate::Lost => self.counter = most.min(self.counter + 1),
        }
        if self.counter == SUSPEND - 1 && self.stage == Stage::One {
            self.enter(Stage::Two, now);
        }
    }
}

impl HeartBeat for Redesign {
    fn execute(&mut self, now: i32, judged: &mut Judged) -> Option<Beat> {
        self.leave_stage(now);
        // From the oldest beat to the newest, wherever in the table that begins.
        let (oldest, size) = (self.table.next(), self.table.size());
        for index in (oldest..size).chain(0..oldest) {
            let fate = match self.table.take_back(index) {
                Some(delay) if delay <= self.constants.on_time => Fate::OnTime,
                Some(_) => Fate::Late,
                None if index == oldest && self.table.take_lost() => Fate::Lost,
                None => continue,
            };
            let _ = judged.push((index, fate));
            self.count(fate, now);
        }
        if self.counter == SUSPEND {
            return None;
        }
        Some(self.table.send(now))
    }

    fn mark(&mut self, beat: Beat, received: i32) {
        self.table.mark(beat, received);
    }

    fn stage(&self) -> Stage {
        self.stage
    }

    fn counter(&self) -> u8 {
        self.counter
    }
}
