//! The heart-beat monitor of a telephone switch, and everything that can become of a heart-beat.
//!
//! Processor A sends a beat to processor B once a period and gets it back: on time, late or never. From that the
//! monitor decides whether to suspend the calls over B. The README tells what its developers believed of it, and what
//! of that is true.
//!
//! | file | idea |
//! |---|---|
//! | `monitor` | the procedure as it was built |
//! | `redesign` | the same without its surprises |
//! | `beats` | the messages, and the table of those that are out |
//! | `switch` | processor A around the monitor |
//! | `processor_b` | the environment: every choice is made there |
//! | `constants` | the parameters |
#![no_std]
#![no_main]

mod beats;
mod constants;
mod monitor;
mod processor_b;
mod redesign;
mod switch;

use cortex_m_rt::entry;
use fwvs::{Name, Queue, Stack, Task};

use crate::constants::{Setting, Watch};
use crate::switch::Line;

static STACKS: [Stack<1536>; 3] = [const { Stack::new() }; 3];

fn setup() {
    let setting = Setting::read();
    let line = line("AtoB", "BtoA");
    Task::new("switch", &STACKS[0]).start(move || switch::run(setting, line, 1));
    if setting.watch == Watch::Starts {
        let early = self::line("early AtoB", "early BtoA");
        Task::new("early switch", &STACKS[1]).start(move || switch::run(setting, early, 0));
        Task::new("processor B", &STACKS[2]).start(move || processor_b::run(setting, [line, early]));
    } else {
        Task::new("processor B", &STACKS[2]).start(move || processor_b::run(setting, [line]));
    }
}

fn line(a_to_b: impl Into<Name>, b_to_a: impl Into<Name>) -> Line {
    Line { a_to_b: Queue::new(a_to_b), b_to_a: Queue::new(b_to_a) }
}

#[entry]
fn main() -> ! {
    fwvs::start(setup)
}
