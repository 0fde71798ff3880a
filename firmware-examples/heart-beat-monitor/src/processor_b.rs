//! Processor B and the medium: what can become of a beat. All choices of the system are made here.

use fwvs::{check, toss};
use heapless::Deque;

use crate::beats::{Beat, Heard};
use crate::constants::{Constants, Environment, MOST_ENTRIES, Setting};
use crate::switch::Line;

/// Reacts to the beats of every switch alike, period by period.
///
/// With two switches the second was started an interval earlier, and had its first beat back on time.
pub fn run<const SWITCHES: usize>(setting: Setting, lines: [Line; SWITCHES]) {
    let mut environment = Choices::new(setting);
    let mut held = Held::new(setting.constants);
    if let [_, early] = lines.as_slice()
        && let Some(beat) = early.a_to_b.receive()
    {
        early.b_to_a.send(Heard::Beat { beat, received: beat.sent + setting.constants.on_time });
        early.b_to_a.send(Heard::Tick);
    }
    for _ in 0..setting.intervals {
        let beats = lines.map(|line| line.a_to_b.receive());
        if let [on_time, early] = beats.as_slice() {
            let (suspended, suspended_if_started_earlier) = (on_time.is_none(), early.is_none());
            if suspended != suspended_if_started_earlier {
                check!(suspended == suspended_if_started_earlier);
            }
        }
        let Some(beats) = all(beats) else { return };
        held.react(&mut environment, beats, &lines);
        for line in lines {
            line.b_to_a.send(Heard::Tick);
        }
    }
}

/// The beats, unless one of them is missing.
fn all<const SWITCHES: usize>(beats: [Option<Beat>; SWITCHES]) -> Option<[Beat; SWITCHES]> {
    beats.iter().all(Option::is_some).then(|| beats.map(|beat| beat.expect("all are there")))
}

/// The beats that processor B has and has not sent back, oldest first: one of every switch.
struct Held<const SWITCHES: usize> {
    constants: Constants,
    beats: Deque<[Beat; SWITCHES], MOST_ENTRIES>,
}

impl<const SWITCHES: usize> Held<SWITCHES> {
    fn new(constants: Constants) -> Self {
        Self { constants, beats: Deque::new() }
    }

    fn react(&mut self, choices: &mut Choices, beats: [Beat; SWITCHES], lines: &[Line; SWITCHES]) {
        let now = beats[0].sent;
        let lost = choices.lose();
        if !lost {
            let _ = self.beats.push_back(beats);
            // Any later it would be stale, which is as good as lost.
            if self.beats.len() == self.constants.entries {
                self.send_oldest(lines, now + 1);
            }
        }
        // Behind a beat of this period that stays, nothing can overtake.
        let fresh = !lost && !self.beats.is_empty();
        let stay = choices.stay(self.beats.len(), fresh);
        let late = fresh && stay == 0 && choices.slightly_late();
        while self.beats.len() > stay {
            let newest = fresh && self.beats.len() == 1;
            let delay = match (newest, late) {
                (false, _) => 1,
                (true, false) => self.constants.on_time,
                (true, true) => self.constants.on_time + 1,
            };
            self.send_oldest(lines, now + delay);
        }
    }

    fn send_oldest(&mut self, lines: &[Line; SWITCHES], received: i32) {
        if let Some(beats) = self.beats.pop_front() {
            for (beat, line) in beats.into_iter().zip(lines) {
                line.b_to_a.send(Heard::Beat { beat, received });
            }
        }
    }
}

/// What the environment decides.
struct Choices {
    environment: Environment,
    /// How many more beats may be late or lost.
    late_left: i32,
    /// Beats so far that were not lost.
    beats: u32,
    /// Which beats are late where they are in turn: the first and every other one, or the rest.
    phase: u32,
}

impl Choices {
    fn new(setting: Setting) -> Self {
        let phase = match setting.environment {
            Environment::Alternating => toss(1),
            _ => 0,
        };
        Self {
            environment: setting.environment,
            late_left: setting.late_most,
            beats: 0,
            phase: u32::from(phase),
        }
    }

    /// Whether a beat is lost.
    fn lose(&mut self) -> bool {
        let lost = match self.environment {
            Environment::Full => self.late_left > 0 && toss(1) == 1,
            Environment::Silent => true,
            _ => false,
        };
        self.late_left -= i32::from(lost);
        lost
    }

    /// How many of the beats at hand stay; if any, then so does the newest.
    fn stay(&mut self, most: usize, fresh: bool) -> usize {
        let forced = most == 0 || fresh && self.late_left <= 0;
        if self.environment != Environment::Full || forced {
            return 0;
        }
        let stay = usize::from(toss(most as u16));
        self.late_left -= i32::from(fresh && stay > 0);
        stay
    }

    /// Whether a beat that goes back in its own period is slightly late.
    fn slightly_late(&mut self) -> bool {
        let number = self.beats;
        self.beats += 1;
        let late = match self.environment {
            Environment::Full => self.late_left > 0 && toss(1) == 0,
            Environment::Silent => false,
            Environment::SlightlyLate => true,
            Environment::Alternating => number % 2 == self.phase,
            Environment::TwoThenAlternating => number < 2 || number >= 4 && number.is_multiple_of(2),
        };
        self.late_left -= i32::from(late);
        late
    }
}
