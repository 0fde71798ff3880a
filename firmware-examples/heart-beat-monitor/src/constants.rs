//! Everything that can be set without a rebuild.

use fwvs::param;

/// The largest table of beats.
pub const MOST_ENTRIES: usize = 8;

/// Constants of the monitor, in ticks.
#[derive(Clone, Copy)]
pub struct Constants {
    /// Size of the table of beats.
    pub entries: usize,
    pub period: i32,
    /// A beat is on time if it is back after no more than this.
    pub on_time: i32,
    /// Stage 2 lasts longer than this.
    pub stage2: i32,
    /// Stage 3 lasts this long.
    pub stage3: i32,
}

/// What processor B does with beats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// Whatever it can do: lose, hold, return on time or late, but never change the order.
    Full,
    /// Loses every beat.
    Silent,
    /// Returns every beat slightly late.
    SlightlyLate,
    /// Returns beats slightly late and on time in turn.
    Alternating,
    /// Two beats slightly late, two on time, then in turn.
    TwoThenAlternating,
}

/// What is to be found out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Whether the resource is ever suspended.
    Suspension,
    /// Whether stage 2 is ever left at another time than specified.
    Stage2,
    /// Whether a switch that was started an interval earlier ever decides otherwise.
    Starts,
}

/// The parameters of a run.
#[derive(Clone, Copy)]
pub struct Setting {
    pub constants: Constants,
    /// Executions of the monitor before the system ends.
    pub intervals: i32,
    pub environment: Environment,
    pub watch: Watch,
    /// At most so many beats are late or lost.
    pub late_most: i32,
    /// After how many intervals at most stage 2 must be left; the specified number, or what the user says.
    pub stage2_intervals: i32,
    /// Whether stage 2 may be left earlier.
    pub stage2_earlier: bool,
    /// The redesigned monitor instead of the original.
    pub fixed: bool,
    /// Whether the switches tell of every beat and of their state.
    pub trace: bool,
}

impl Setting {
    pub fn read() -> Self {
        let constants = Constants {
            entries: param!("K", 6, 2..=8) as usize,
            period: param!("PERIOD", 10, 3..=1000),
            on_time: param!("ONTIME", 4, 1..=998),
            stage2: param!("STAGE2", 50, 0..=100_000),
            stage3: param!("STAGE3", 80, 0..=100_000),
        };
        assert!(
            constants.on_time + 1 < constants.period,
            "ONTIME leaves no time to be slightly late in PERIOD"
        );
        let environment = match param!("ENVIRONMENT", 0, 0..=4) {
            0 => Environment::Full,
            1 => Environment::Silent,
            2 => Environment::SlightlyLate,
            3 => Environment::Alternating,
            _ => Environment::TwoThenAlternating,
        };
        let watch = match param!("WATCH", 0, 0..=2) {
            0 => Watch::Suspension,
            1 => Watch::Stage2,
            _ => Watch::Starts,
        };
        let asked = param!("STAGE2_MOST", 0, 0..=1000);
        Self {
            intervals: param!("INTERVALS", 8, 1..=1000),
            environment,
            watch,
            late_most: param!("LATE_MAX", 1000, 0..=1000),
            stage2_intervals: if asked > 0 { asked } else { constants.stage2 / constants.period + 1 },
            stage2_earlier: asked > 0,
            fixed: param!("fixed", 0, 0..=1) == 1,
            trace: param!("TRACE", 0, 0..=1) == 1,
            constants,
        }
    }
}
