//! How the firmware's world behaves: schedule, clock, and bounds inside the system.

use std::time::Duration;

use fwvs_kernel::{Clock, Rules, Schedule};
use fwvs_session::Settings;
use serde::{Deserialize, Serialize};

use crate::named;

/// How often a line fires that has no limit, when nobody says otherwise.
const INTERRUPTS: u16 = 1;

/// Schedule, clock, and bounds inside the system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// How tasks share the processor, if not as the firmware declares.
    #[serde(with = "named::option")]
    pub schedule: Option<Schedule>,
    /// How time passes.
    #[serde(with = "named")]
    pub clock: Clock,
    /// How often each line may fire that has no limit of its own, if somebody said so: else once. `u16::MAX` is no limit.
    pub interrupts: Option<u16>,
    /// How often each timer may expire, and each task's waits.
    pub expiries: Option<u16>,
    /// The last tick that may come.
    pub until_tick: Option<u32>,
    /// For how many states on end a task may be kept waiting.
    pub livelock: Option<u32>,
}

impl World {
    /// How often each line may fire that has no limit of its own.
    pub(crate) fn interrupts(&self) -> u16 {
        self.interrupts.unwrap_or(INTERRUPTS)
    }

    /// For a session with that budget of time for each task.
    pub fn settings(&self, divergence: Duration) -> Settings {
        Settings {
            divergence,
            schedule: self.schedule,
            rules: Rules {
                clock: self.clock,
                interrupts: self.interrupts(),
                expiries: self.expiries.unwrap_or(u16::MAX),
                until: self.until_tick.unwrap_or(u32::MAX),
                ..Rules::FREE
            },
            livelock: self.livelock,
        }
    }
}
