//! Every kind of wrong, with all that is said about it.
//!
//! To add a kind, add a variant and its row in [`Wrong::about`], and let the host find it where it can be seen. If users are to
//! know it by a new word, add that to [`FindingKind`].

use std::time::Duration;

use fwvs_kernel::TaskId;
use fwvs_scenario::FindingKind;
use fwvs_wire::Incident;
use fwvs_wire::value::Value;

use super::key::Same;
use super::whose::at;
use crate::scene::Scene;
use crate::spin::Spin;

/// What ended a path. Which task ran is said apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Nobody can go on, and somebody should.
    Deadlock,
    /// A check does not hold.
    Assertion {
        /// What it compared, as far as that is known.
        sides: [Value; 2],
    },
    /// A panic.
    Panic {
        /// Its message, or as much of it as there was room for.
        text: String,
        /// Where, as "FILE:LINE".
        place: String,
        /// Whether it came before the shim was started.
        early: bool,
    },
    /// A task ran over the end of its stack.
    StackOverflow,
    /// No room for what was created.
    Full {
        /// Of what, as in [`fwvs_wire::room`].
        what: u32,
        /// How much there is.
        room: u32,
    },
    /// An operation that makes no sense.
    Misuse {
        /// Which, as in [`fwvs_wire::misuse`], of what, and where.
        incident: Box<Incident>,
    },
    /// A task did something that it had not declared.
    Undeclared,
    /// The kernel found something wrong.
    Kernel(fwvs_kernel::Wrong),
    /// A task is kept waiting for too long.
    Livelock {
        /// Who.
        task: TaskId,
        /// For how many states on end, at least.
        states: u32,
    },
    /// A fault exception.
    Fault {
        /// The registers.
        incident: Box<Incident>,
    },
    /// A fault before the shim was started.
    EarlyFault,
    /// A fault inside a fault handler: the core gave up.
    Lockup,
    /// A task that runs for longer than it may without an operation.
    Divergence {
        /// Where it goes round.
        spin: Spin,
        /// How long it was given.
        budget: Duration,
    },
}

/// All that is said about something wrong.
pub(crate) struct About<'a> {
    /// What sort of finding it is.
    pub(super) kind: FindingKind,
    /// Whether it ends the path by force: it comes with the last transition, and nobody can know before that it will.
    pub(crate) by_force: bool,
    /// A name for it that stays as it is: the first part of its key.
    pub(super) name: &'static str,
    /// What makes two of them the same finding. Numbers in the sentence never do.
    pub(super) same: Same<'a>,
    /// The sentence, which is worked out when it is asked for: a search may come to the same finding a million times.
    pub(super) sentence: Box<dyn FnOnce() -> String + 'a>,
}

impl Wrong {
    /// All that is said about it, where it ended the path of that scene.
    pub(crate) fn about<'a>(&'a self, scene: Scene<'a>) -> About<'a> {
        match self {
            Self::Deadlock => About {
                kind: FindingKind::Deadlock,
                by_force: false,
                name: "deadlock",
                same: Same::Waits,
                sentence: Box::new(move || scene.who_waits_for_whom()),
            },
            Self::Kernel(fwvs_kernel::Wrong::Cycle(_)) => About {
                kind: FindingKind::Deadlock,
                by_force: !scene.mirror().was_foreseen(),
                name: "cycle",
                same: Same::Waits,
                sentence: Box::new(move || scene.who_waits_for_whom()),
            },
            Self::Kernel(wrong) => About {
                kind: FindingKind::Unexpected,
                by_force: !scene.mirror().was_foreseen(),
                name: "kernel",
                same: Same::Forbidden(*wrong),
                sentence: Box::new(move || scene.forbidden(*wrong)),
            },
            Self::Assertion { sides } => About {
                kind: FindingKind::Assertion,
                by_force: false,
                name: "assertion",
                same: Same::LastStep,
                sentence: Box::new(move || scene.failed_check(sides)),
            },
            Self::Panic { text, place, early } => About {
                kind: FindingKind::Assertion,
                by_force: true,
                name: "panic",
                same: Same::Place(place),
                sentence: Box::new(move || {
                    let firmware = || "before fwvs::start, the firmware".to_owned();
                    let who = if *early { firmware() } else { scene.who_ran() };
                    format!("{who} panicked: {text} ({place})")
                }),
            },
            Self::StackOverflow => About {
                kind: FindingKind::Crash,
                by_force: true,
                name: "stack_overflow",
                same: Same::LastStep,
                sentence: Box::new(move || {
                    let place = scene.last_place();
                    let after =
                        place.map_or(String::new(), |place| format!(" after its operation at {place}"));
                    format!("{} ran over the end of its stack{after}", scene.who_ran())
                }),
            },
            Self::Full { what, room } => About {
                kind: FindingKind::Unexpected,
                by_force: true,
                name: "full",
                same: Same::Number(*what),
                sentence: Box::new(move || scene.no_room(*what, *room)),
            },
            Self::Misuse { incident } => About {
                kind: FindingKind::Unexpected,
                by_force: true,
                name: "misuse",
                same: Same::Instruction { pc: incident.pc, code: incident.code },
                sentence: Box::new(move || scene.misused(incident)),
            },
            Self::Undeclared => About {
                kind: FindingKind::Unexpected,
                by_force: true,
                name: "undeclared",
                same: Same::LastStep,
                sentence: Box::new(move || {
                    let (who, what, at) = (scene.who_ran(), scene.last_operation(), at(scene.last_place()));
                    format!("{who} did what its footprint does not have: {what}{at}")
                }),
            },
            Self::Livelock { task, states } => About {
                kind: FindingKind::Livelock,
                by_force: true,
                name: "livelock",
                same: Same::WaitOf(*task),
                sentence: Box::new(move || scene.kept_waiting(*task, *states)),
            },
            Self::Fault { incident } => About {
                kind: FindingKind::Crash,
                by_force: true,
                name: "fault",
                same: Same::Instruction { pc: incident.pc, code: incident.cfsr },
                sentence: Box::new(move || scene.crashed(incident)),
            },
            Self::EarlyFault => About {
                kind: FindingKind::Crash,
                by_force: true,
                name: "early_fault",
                same: Same::LastStep,
                sentence: Box::new(|| "the firmware crashed before it started the shim".to_owned()),
            },
            Self::Lockup => About {
                kind: FindingKind::Crash,
                by_force: true,
                name: "lockup",
                same: Same::LastStep,
                sentence: Box::new(move || {
                    format!("{} crashed, and the fault handler as well", scene.who_ran())
                }),
            },
            Self::Divergence { spin, budget } => About {
                kind: FindingKind::Divergence,
                by_force: true,
                name: "divergence",
                same: Same::Round(*spin),
                sentence: Box::new(move || {
                    let (who, at) = (scene.who_ran(), scene.round(*spin));
                    format!("{who} ran for {budget:?} without an operation{at}")
                }),
            },
        }
    }
}
