//! Processor A around the monitor: executes it once a period, passes beats to it, and watches what it does.

use fwvs::{Queue, check, event};

use crate::beats::{Beat, Fate, Heard};
use crate::constants::{MOST_ENTRIES, Setting, Watch};
use crate::monitor::{HeartBeat, Judged, Monitor, Stage};
use crate::redesign::Redesign;

/// The medium between two processors. Everything that processor B may send in one period fits: it never waits.
#[derive(Clone, Copy)]
pub struct Line {
    /// `None`: no more beats, the resource is suspended.
    pub a_to_b: Queue<Option<Beat>, 1>,
    pub b_to_a: Queue<Heard, { MOST_ENTRIES + 1 }>,
}

/// Runs a switch from interval `first` on.
pub fn run(setting: Setting, line: Line, first: i32) {
    if setting.fixed {
        intervals(setting, line, first, Redesign::new(setting.constants));
    } else {
        intervals(setting, line, first, Monitor::new(setting.constants));
    }
}

fn intervals(setting: Setting, line: Line, first: i32, mut monitor: impl HeartBeat) {
    let mut stage2 = Stage2Watch { setting, entered: None };
    for interval in first..=setting.intervals {
        let mut judged = Judged::new();
        let beat = monitor.execute(interval * setting.constants.period, &mut judged);
        if setting.trace {
            trace(interval, &judged, &monitor);
        }
        if setting.watch == Watch::Stage2 {
            stage2.look(interval, monitor.stage());
        }
        let resource_in_service = beat.is_some();
        if !resource_in_service && setting.watch == Watch::Suspension {
            check!(resource_in_service);
        }
        line.a_to_b.send(beat);
        if beat.is_none() {
            return;
        }
        while let Heard::Beat { beat, received } = line.b_to_a.receive() {
            monitor.mark(beat, received);
        }
    }
}

/// How long stage 2 lasts.
struct Stage2Watch {
    setting: Setting,
    /// In which interval.
    entered: Option<i32>,
}

impl Stage2Watch {
    fn look(&mut self, interval: i32, stage: Stage) {
        let due = self.setting.stage2_intervals;
        match (self.entered, stage == Stage::Two) {
            (None, true) => self.entered = Some(interval),
            (Some(entered), true) if interval - entered >= due => {
                let stage_2_was_left_in_time = false;
                check!(stage_2_was_left_in_time);
            }
            (Some(entered), false) => {
                self.entered = None;
                let stage_2_lasted_long_enough = self.setting.stage2_earlier || interval - entered >= due;
                if !stage_2_lasted_long_enough {
                    check!(stage_2_lasted_long_enough);
                }
            }
            _ => {}
        }
    }
}

/// Tells what an execution did, in the order in which it did it.
fn trace(interval: i32, judged: &Judged, monitor: &impl HeartBeat) {
    event!("interval", interval);
    for &(index, fate) in judged {
        match fate {
            Fate::OnTime => event!("on time: beat", index),
            Fate::Late => event!("late: beat", index),
            Fate::Lost => event!("lost: beat", index),
        }
    }
    event!("counter", monitor.counter());
    event!("stage", monitor.stage() as u8);
}
