//! The heart-beat monitor over again, as a plain program: every choice of processor B, enumerated by hand.
//!
//! Shares nothing with the firmware, the kernel or the search. What they visit is compared with what this lists.

use std::collections::VecDeque;

/// The parameters of the example that matter here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Size of the table of beats.
    pub entries: u32,
    /// The least time in stage 2, in ticks.
    pub stage2: i32,
    /// Executions of the monitor.
    pub intervals: i32,
    /// At most so many beats late or lost.
    pub late_most: i32,
    /// The redesign instead of the original.
    pub redesigned: bool,
    /// Two switches, one of them started an interval earlier, that must agree.
    pub two_starts: bool,
}

impl Setting {
    /// The reference configuration.
    pub const REFERENCE: Self =
        Self { entries: 6, stage2: 50, intervals: 8, late_most: 1000, redesigned: false, two_starts: false };
}

const PERIOD: i32 = 10;
const STAGE3: i32 = 80;

/// One way through the environment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Path {
    /// Every toss: its bound and its value.
    pub tosses: Vec<(u16, u16)>,
    /// Whether it ends in what the run is after: a suspension, or two switches that differ.
    pub found: bool,
}

/// Every path, in the order of the first toss that differs.
pub fn paths(setting: Setting) -> Vec<Path> {
    let mut paths = Vec::new();
    let mut script: Vec<(u16, u16)> = Vec::new();
    loop {
        let mut tosses = Tosses { script, used: 0 };
        let found = run(setting, &mut tosses);
        script = tosses.script;
        paths.push(Path { tosses: script.clone(), found });
        while script.pop_if(|(bound, value)| bound == value).is_some() {}
        match script.last_mut() {
            Some((_, value)) => *value += 1,
            None => return paths,
        }
    }
}

struct Tosses {
    script: Vec<(u16, u16)>,
    used: usize,
}

impl Tosses {
    fn toss(&mut self, bound: u16) -> u16 {
        if self.used == self.script.len() {
            self.script.push((bound, 0));
        }
        self.used += 1;
        assert_eq!(self.script[self.used - 1].0, bound, "the same choices lead to the same toss");
        self.script[self.used - 1].1
    }
}

/// A monitor that keeps beats by their number; an index is only the order of a table that wraps around.
struct Monitor {
    setting: Setting,
    /// Number of the next beat.
    next: u32,
    /// Numbers of beats that are out, oldest first.
    out: VecDeque<u32>,
    /// Numbers of beats that came back, and whether on time.
    back: Vec<(u32, bool)>,
    stage: u8,
    since: i32,
    late: u8,
}

impl Monitor {
    fn new(setting: Setting) -> Self {
        Self { setting, next: 0, out: VecDeque::new(), back: Vec::new(), stage: 1, since: 0, late: 0 }
    }

    /// True: suspended.
    fn execute(&mut self, now: i32) -> bool {
        let spent = now - self.since;
        if self.stage == 3 && spent >= STAGE3 {
            (self.stage, self.since) = (1, now);
        }
        if self.setting.redesigned && self.stage == 2 && spent > self.setting.stage2 {
            (self.stage, self.since) = (3, now);
        }
        let size = self.setting.entries;
        // The beat that has the index of the next one can only be the one a whole table ago.
        let overdue = self.next.checked_sub(size).filter(|number| self.out.front() == Some(number));
        if overdue.is_some() {
            self.out.pop_front();
        }
        let mut judged: Vec<(u32, bool)> = std::mem::take(&mut self.back);
        if self.setting.redesigned {
            judged.extend(overdue.map(|number| (number, false)));
            judged.sort_unstable();
        } else {
            judged.sort_unstable_by_key(|(number, _)| number % size);
            judged.extend(overdue.map(|number| (number, false)));
        }
        for (_, on_time) in judged {
            self.judge(on_time, now);
        }
        if self.late < 3 {
            self.out.push_back(self.next);
            self.next += 1;
        }
        self.late == 3
    }

    fn judge(&mut self, on_time: bool, now: i32) {
        if on_time {
            self.late = self.late.saturating_sub(1);
        } else if self.setting.redesigned {
            self.late = if self.stage == 3 { 3.min(self.late + 1) } else { 2.min(self.late + 1) };
            if self.stage == 1 && self.late == 2 {
                (self.stage, self.since) = (2, now);
            }
        } else {
            // By cases instead of by steps: what the published algorithm does to each stage and count.
            let over = now - self.since > self.setting.stage2;
            let (stage, late) = match (self.stage, self.late) {
                (1, 0) => (1, 2),
                (1, 1 | 2) => (2, 2),
                (2, 0) => (2, 1),
                (2, 1 | 2) if over => (3, 3),
                (2, 1 | 2) => (2, 2),
                (3, 0) => (3, 2),
                (stage, _) => (stage, 3),
            };
            if stage != self.stage {
                (self.stage, self.since) = (stage, now);
            }
            self.late = late;
        }
    }

    /// The beat that was sent in an interval of the shared count comes back.
    fn returned(&mut self, number: u32, on_time: bool) {
        if let Some(place) = self.out.iter().position(|out| *out == number) {
            self.out.remove(place);
            self.back.push((number, on_time));
        }
    }
}

/// Says whether what is looked for was found.
fn run(setting: Setting, tosses: &mut Tosses) -> bool {
    let mut monitor = Monitor::new(setting);
    let mut early = Monitor::new(setting);
    if setting.two_starts {
        early.execute(0);
        early.returned(0, true);
    }
    // Numbers of the beats that processor B holds.
    let mut held: VecDeque<u32> = VecDeque::new();
    let mut late_left = setting.late_most;
    for interval in 1..=setting.intervals {
        let suspended = monitor.execute(interval * PERIOD);
        if setting.two_starts {
            let other = early.execute(interval * PERIOD);
            if suspended || other {
                return suspended != other;
            }
        } else if suspended {
            return true;
        }
        let fresh = (interval - 1) as u32;
        let mut back = |number, on_time| {
            monitor.returned(number, on_time);
            if setting.two_starts {
                early.returned(number + 1, on_time);
            }
        };
        if late_left > 0 && tosses.toss(1) == 1 {
            late_left -= 1;
        } else {
            held.push_back(fresh);
        }
        let kept = held.back() == Some(&fresh);
        if kept && held.len() == setting.entries as usize {
            held.pop_front().into_iter().for_each(|oldest| back(oldest, false));
        }
        let all_at_once = held.is_empty() || kept && late_left == 0;
        let stay = if all_at_once { 0 } else { usize::from(tosses.toss(held.len() as u16)) };
        if kept && stay > 0 {
            late_left -= 1;
        }
        let slightly_late = kept && stay == 0 && late_left > 0 && tosses.toss(1) == 0;
        late_left -= i32::from(slightly_late);
        for number in held.drain(..held.len() - stay) {
            back(number, number == fresh && !slightly_late);
        }
    }
    false
}
