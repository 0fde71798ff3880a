//! The heart-beat monitor as it was built: the procedure that processor A executes once a period.
//!
//! It decides whether the calls over processor B have to be suspended. After the description in "Model Checking
//! Without a Model" (Godefroid, Hanmer, Jagadeesan, 1998); flaws included.

use heapless::Vec;

use crate::beats::{Beat, Fate, Table};
use crate::constants::{Constants, MOST_ENTRIES};

/// Beats judged in one execution, in this order: as many as there are entries.
pub type Judged = Vec<(usize, Fate), MOST_ENTRIES>;

/// How sensitive a monitor is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing has happened lately.
    One = 1,
    /// Something has, and for a while that is enough.
    Two = 2,
    /// Every late beat counts; only here can the resource be suspended.
    Three = 3,
}

/// The value of the counter that suspends the resource.
pub const SUSPEND: u8 = 3;

/// What a switch executes once a period, whichever design it is.
pub trait HeartBeat {
    /// Executes the procedure. `None`: the resource is suspended, and no beat is sent.
    fn execute(&mut self, now: i32, judged: &mut Judged) -> Option<Beat>;

    /// A beat came back since the last execution.
    fn mark(&mut self, beat: Beat, received: i32);

    fn stage(&self) -> Stage;

    /// The counter of late and lost beats.
    fn counter(&self) -> u8;
}

/// The original design.
pub struct Monitor {
    constants: Constants,
    table: Table,
    stage: Stage,
    /// When the stage was entered.
    since: i32,
    counter: u8,
}

impl Monitor {
    pub fn new(constants: Constants) -> Self {
        Self { constants, table: Table::new(&constants), stage: Stage::One, since: 0, counter: 0 }
    }

    fn enter(&mut self, stage: Stage, now: i32) {
        (self.stage, self.since) = (stage, now);
    }

    /// The counter algorithm, for one beat.
    fn count(&mut self, fate: Fate, now: i32) {
        if fate == Fate::OnTime {
            self.counter = self.counter.saturating_sub(1);
            return;
        }
        if self.counter <= 1 {
            self.counter += 1;
        }
        if self.counter == 2 {
            match self.stage {
                Stage::One => self.enter(Stage::Two, now),
                Stage::Two if now - self.since > self.constants.stage2 => self.enter(Stage::Three, now),
                _ => {}
            }
        }
        if self.counter <= 2 && self.stage != Stage::Two {
            self.counter += 1;
        }
    }
}

impl HeartBeat for Monitor {
    fn execute(&mut self, now: i32, judged: &mut Judged) -> Option<Beat> {
        if self.stage == Stage::Three && now - self.since >= self.constants.stage3 {
            self.enter(Stage::One, now);
        }
        for index in 0..self.table.size() {
            if let Some(delay) = self.table.take_back(index) {
                let fate = if delay <= self.constants.on_time { Fate::OnTime } else { Fate::Late };
                let _ = judged.push((index, fate));
                self.count(fate, now);
            }
        }
        if self.table.take_lost() {
            let _ = judged.push((self.table.next(), Fate::Lost));
            self.count(Fate::Lost, now);
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
