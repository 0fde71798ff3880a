//! What each rung of the ladder costs, on programs that people know.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fwvs_explore::{Completion, Counts, End, Limits, Policy, Precision, Rung, explore};
use fwvs_program::{Instruction, ObjectSpec};

use crate::memory::Memory;
use crate::program::Program;

/// One program, one rung.
#[derive(Clone, Debug)]
pub struct Line {
    /// The program.
    pub program: String,
    /// The rung.
    pub rung: &'static str,
    /// Whether the bound on paths ended it: then the counts are only a part.
    pub cut: bool,
    /// How much was done.
    pub counts: Counts,
    /// How long that took.
    pub time: Duration,
}

impl Program {
    /// Tasks that each send a number of messages to one queue, and one that receives them all.
    pub fn producers(count: u8, messages: usize, capacity: u8) -> Self {
        let produce = |value| vec![Instruction::Send { object: 0, value, add: false }; messages];
        let mut tasks: Vec<_> = (1..=count).map(produce).collect();
        tasks.push(vec![Instruction::Receive { object: 0 }; messages * usize::from(count)]);
        Self { objects: vec![ObjectSpec::Queue { capacity }], tasks, ..Self::default() }
    }

    /// Tasks in a ring, each with a queue from the one before; every message goes round so many stations.
    pub fn ring(count: u8, stations: usize) -> Self {
        let task = |place: u8| {
            let next = (place + 1) % count;
            let mut code = vec![Instruction::Send { object: next, value: place, add: false }];
            for _ in 0..stations {
                code.push(Instruction::Receive { object: place });
                code.push(Instruction::Send { object: next, value: 0, add: true });
            }
            code
        };
        let capacity = stations as u8 + 1;
        Self {
            objects: vec![ObjectSpec::Queue { capacity }; count.into()],
            tasks: (0..count).map(task).collect(),
            ..Self::default()
        }
    }
}

/// The rungs and what they are called.
pub const RUNGS: [(Rung, &str); 7] = [
    (Rung::None, "none"),
    (Rung::Sleep, "sleep"),
    (Rung::Persistent(Precision::Task), "persistent task"),
    (Rung::Persistent(Precision::State), "persistent state"),
    (Rung::Persistent(Precision::Runtime), "persistent runtime"),
    (Rung::Source, "source"),
    (Rung::Optimal, "optimal"),
];

/// The programs and what they are called.
pub fn programs() -> Vec<(String, Program)> {
    let mut all: Vec<(String, Program)> =
        (3..=6).map(|count| (format!("philosophers {count}"), Program::philosophers(count, false))).collect();
    all.push(("producers 2".into(), Program::producers(2, 3, 2)));
    all.push(("producers 3".into(), Program::producers(3, 2, 2)));
    all.push(("ring 3".into(), Program::ring(3, 2)));
    all.push(("ring 4".into(), Program::ring(4, 2)));
    all
}

/// Runs every rung on every program; no search runs more than `paths` paths.
pub fn benchmark(paths: u64) -> Vec<Line> {
    let mut lines = Vec::new();
    for (name, program) in programs() {
        for (rung, called) in RUNGS {
            let limits = Limits { paths, policy: Policy::First, ..Limits::default() };
            let mut observe = |_: &Memory, _: End, _: &Counts| ControlFlow::Continue(());
            let begin = Instant::now();
            let mut memory = Memory::new(&program);
            let Ok((completion, counts)) = explore(&mut memory, &mut *rung.reduction(), limits, &mut observe);
            let cut = completion != Completion::Exhausted;
            lines.push(Line { program: name.clone(), rung: called, cut, counts, time: begin.elapsed() });
        }
    }
    lines
}

/// For people.
pub fn table(lines: &[Line]) -> String {
    let mut text = format!(
        "{:<16}{:<20}{:>13}{:>14}{:>15}{:>12}\n",
        "program", "reduction", "executions", "transitions", "sleep-blocked", "ms"
    );
    for line in lines {
        let more = if line.cut { ">" } else { "" };
        let counts = &line.counts;
        writeln!(
            text,
            "{:<16}{:<20}{:>13}{:>14}{:>15}{:>12.3}",
            line.program,
            line.rung,
            format!("{more}{}", counts.paths),
            format!("{more}{}", counts.transitions),
            format!("{more}{}", counts.sleep_blocked),
            line.time.as_secs_f64() * 1000.0
        )
        .expect("text can be written");
    }
    text
}

/// For machines.
pub fn csv(lines: &[Line]) -> String {
    let mut text = String::from("program,reduction,complete,executions,transitions,sleep_blocked,seconds\n");
    for line in lines {
        let Counts { paths, transitions, sleep_blocked, .. } = line.counts;
        let (program, rung, complete, seconds) =
            (&line.program, line.rung, !line.cut, line.time.as_secs_f64());
        writeln!(text, "{program},{rung},{complete},{paths},{transitions},{sleep_blocked},{seconds:.6}")
            .expect("text can be written");
    }
    text
}
