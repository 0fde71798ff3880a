//! Runs a path, and starts again when the target dies.

use std::sync::Arc;
use std::time::Duration;

use fwvs_kernel::{Rules, Schedule, Slot, TaskId, Transition, Verb};
use fwvs_link::{Link, Spent, Stop, Traps};
use fwvs_model::{Found, Model, Step};
use fwvs_path::{End, Plan, Policy};
use fwvs_symbols::Firmware;
use fwvs_wire::{Report, StopCode};

use crate::again::{MOST_FAILURES, MOST_TRIES};
use crate::error::Error;
use crate::finding::Wrong;
use crate::mirror::Mirror;
use crate::roster::Roster;
use crate::talk::{Progress, stop_code};

/// How many records more are read than a path is expected to have.
const SPARE_RECORDS: usize = 4;

/// How often a target may die before it comes to the end of a path.
const MOST_DEATHS: u32 = 10;

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How long a task may run without an operation.
    pub divergence: Duration,
    /// How tasks share the processor, if not as the firmware declares.
    pub schedule: Option<Schedule>,
    /// How time passes, and bounds inside the system. The schedule here does not matter.
    pub rules: Rules,
    /// For how many states on end a task may be kept waiting.
    pub livelock: Option<u32>,
}

impl Settings {
    /// The firmware's own schedule, a free clock, no bounds.
    pub fn new(divergence: Duration) -> Self {
        Self { divergence, schedule: None, rules: Rules::FREE, livelock: None }
    }
}

/// Where the time of a session went.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Shares {
    /// What the link spent.
    pub link: Spent,
    /// Replaying records through the host's kernel.
    pub mirror: Duration,
}

/// The states of its paths.
pub type States = Model<Wrong>;

/// A firmware on a target, and the path that ran last.
#[derive(Debug)]
pub struct Session<L> {
    pub(crate) link: L,
    pub(crate) firmware: Arc<Firmware>,
    pub(crate) settings: Settings,
    /// Addresses and contents of parameters.
    pub(crate) parameters: Vec<(u32, Vec<u8>)>,
    pub(crate) roster: Roster,
    pub(crate) mirror: Mirror,
    /// How many records to ask for at once.
    pub(crate) guess: usize,
    pub(crate) buffer: Vec<u8>,
    /// Of step mode, kept for its memory.
    pub(crate) script: Vec<Transition>,
    pub(crate) mirroring: Duration,
    /// The number of the path, which is in everything that is told of it; never 0.
    pub(crate) path: u16,
    /// How far it has come, as of the last time that the core was halted by force.
    pub(crate) progress: Progress,
    pub(crate) respawns: u32,
    /// Of them, those since a path came to its end.
    deaths: u32,
    pub(crate) doubts: u32,
}

impl<L: Link> Session<L> {
    /// Brings the firmware to its initial state. `parameters` are addresses and words.
    pub fn open(
        link: L,
        firmware: Arc<Firmware>,
        parameters: &[(u32, Vec<u32>)],
        settings: Settings,
    ) -> Result<Self, Error> {
        let bytes = |words: &Vec<u32>| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let nobody = Roster::read(&firmware, &settings.rules, &[], true)?;
        let mut session = Self {
            parameters: parameters.iter().map(|(address, words)| (*address, bytes(words))).collect(),
            mirror: Mirror::new(&nobody),
            roster: nobody,
            link,
            firmware,
            settings,
            guess: 8,
            buffer: Vec::new(),
            script: Vec::new(),
            mirroring: Duration::ZERO,
            path: 0,
            progress: Progress::default(),
            respawns: 0,
            deaths: 0,
            doubts: 0,
        };
        match session.surviving(Self::begin) {
            // Nobody is known then; whoever goes on is interrupted again.
            Err(Error::Link(fwvs_link::Error::Interrupted)) => {}
            ran => ran?,
        }
        Ok(session)
    }

    /// The firmware.
    pub fn firmware(&self) -> &Firmware {
        &self.firmware
    }

    /// Who is there.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The states of the last path.
    pub fn mirror(&self) -> &States {
        &self.mirror.model
    }

    /// What the last path found.
    pub fn wrong(&self) -> Option<&Wrong> {
        self.mirror().found().map(|found| &found.wrong)
    }

    /// The task that ran when the last path ended in a finding; `None` for the set-up.
    pub fn running(&self) -> Option<TaskId> {
        self.mirror().found()?.running
    }

    /// How often the target had to be started again.
    pub fn respawns(&self) -> u32 {
        self.respawns
    }

    /// How many paths were run again because what the target told made no sense, and made sense then.
    pub fn doubts(&self) -> u32 {
        self.doubts
    }

    /// Where the time went.
    pub fn shares(&self) -> Shares {
        Shares { link: self.link.spent(), mirror: self.mirroring }
    }

    /// The link, for whoever wants to look at the target between paths.
    pub fn link(&mut self) -> &mut L {
        &mut self.link
    }

    /// Runs one path: the script, then on by the policy. Of the decisions that are those of the path before, only
    /// the digest is compared.
    pub fn run_path(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        self.run(plan)
    }

    /// Runs the first path twice: a firmware that is not deterministic is best told at once. Says whether the path
    /// came to an end of its own.
    pub fn rehearse(&mut self, depth: usize) -> Result<bool, Error> {
        let depth = depth.try_into().unwrap_or(u32::MAX);
        let first = Plan::new(&[], Policy::First, depth);
        self.run(&first)?;
        let path: Vec<Transition> = self.mirror.model.steps().iter().map(|step| step.transition).collect();
        let complete = self.mirror.model.steps().last().is_none_or(Step::is_complete);
        let known = path.len() - usize::from(!complete);
        Ok(self.run(&Plan { script: &path, same: known, ..first })? != End::Depth)
    }

    /// Follows a script to its end and no further.
    pub fn follow_script(&mut self, script: &[Transition]) -> Result<End, Error> {
        self.run(&Plan::follow(script))
    }

    /// Restarts in step mode: nothing happens until [`Session::step`].
    pub fn restart(&mut self) -> Result<End, Error> {
        self.run(&Plan::follow(&[]))
    }

    /// Takes one transition in step mode and waits for the next decision.
    pub fn step(&mut self, transition: Transition) -> Result<End, Error> {
        let script = self.script_to(transition);
        let plan = Plan::follow(&script);
        let ended = self.surviving(|session| {
            let ended =
                if session.deaths == 0 { session.go_on(&plan) } else { session.restart_and_follow(&plan) };
            session.believe(&plan, ended)
        });
        self.script = script;
        ended.map(|ended| self.judge(ended))
    }

    /// The path so far, and one transition more.
    pub(crate) fn script_to(&mut self, next: Transition) -> Vec<Transition> {
        let mut script = std::mem::take(&mut self.script);
        script.truncate(self.mirror.model.steps().len());
        script.extend(self.mirror.model.steps()[script.len()..].iter().map(|step| step.transition));
        script.push(next);
        script
    }

    /// In step mode, from where the core waits: follows the last decision of the script.
    pub(crate) fn go_on(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        self.send(plan, plan.script.len() - 1)?;
        self.follow(plan)
    }

    /// Takes hold of a target that was just started, and finds out who is there.
    fn begin(&mut self) -> Result<(), Error> {
        let description = self.firmware.description();
        let (doorbell, store) = (description.doorbell, description.store & !1);
        self.link.arm(Traps { doorbell, store, fault: self.firmware.hard_fault() })?;
        self.write_parameters()?;
        let budget = self.settings.divergence;
        let mut outcome = self.first_run();
        for _ in 1..MOST_FAILURES {
            if outcome.as_ref().is_err_and(Error::is_doubtful) {
                self.settings.divergence = budget;
                outcome = self.first_run();
            }
        }
        self.settings.divergence = budget;
        outcome
    }

    fn write_parameters(&mut self) -> Result<(), Error> {
        for (address, bytes) in &self.parameters {
            self.link.write(*address, bytes)?;
        }
        Ok(())
    }

    /// Back to the reset vector. What comes is another path.
    fn reset(&mut self) -> Result<(), Error> {
        self.path = self.path.checked_add(1).unwrap_or(1);
        self.progress = Progress::default();
        Ok(self.link.reset()?)
    }

    /// Runs the set-up.
    fn set_up(&mut self) -> Result<Stop, Error> {
        self.reset()?;
        self.send(&Plan::follow(&[]), 0)?;
        self.run_on()
    }

    /// Finds out who is there.
    fn first_run(&mut self) -> Result<(), Error> {
        let mut stuck = None;
        let mut stop = self.set_up()?;
        let mut tries = 1;
        while matches!(stop, Stop::Budget { .. }) && self.convinced(&mut stuck)?.is_none() {
            if tries == MOST_TRIES {
                return Err(Error::Starved { tries, budget: self.settings.divergence });
            }
            (stop, tries) = (self.set_up()?, tries + 1);
        }
        let (report, cut) = match stop {
            Stop::Doorbell => {
                let report = self.report()?;
                self.check_path(&report)?;
                let cut = !matches!(stop_code(&report)?, StopCode::Asked | StopCode::End | StopCode::Wrong);
                (report, cut)
            }
            Stop::Budget { .. } if self.progress.begun => (self.report()?, true),
            Stop::Lockup { .. } => return self.respawn(),
            Stop::Budget { .. } | Stop::Fault { .. } | Stop::Breakpoint { .. } | Stop::Other { .. } => {
                return Ok(());
            }
        };
        let entries = self.entries(&report)?;
        self.roster = Roster::read(&self.firmware, &self.settings.rules, &entries, cut)?;
        self.mirror = Mirror::new(&self.roster);
        Ok(())
    }

    fn run(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        let ended = self.surviving(|session| {
            // Of the path before, a target that died may have left less than there was.
            let plan = Plan { same: plan.same.min(session.mirror.model.steps().len()), ..*plan };
            let outcome = session.restart_and_follow(&plan);
            session.believe(&plan, outcome)
        });
        ended.map(|ended| self.judge(ended))
    }

    /// Does something, and does it again if the target dies: nothing that was found is lost with it.
    fn surviving<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let mut is_dead = false;
        loop {
            let outcome = if is_dead { self.respawn().and_then(|()| work(self)) } else { work(self) };
            match outcome {
                Err(Error::Link(last)) if last.is_death() => {
                    self.deaths += 1;
                    tracing::warn!(%last, deaths = self.deaths, "the target died");
                    if self.deaths >= MOST_DEATHS {
                        return Err(Error::KeepsDying { times: self.deaths, last });
                    }
                    is_dead = true;
                }
                Ok(done) => {
                    self.deaths = 0;
                    return Ok(done);
                }
                error => return error,
            }
        }
    }

    /// What the host alone sees of a path: an operation that was not declared, a task that is kept waiting.
    fn judge(&mut self, ended: End) -> End {
        let ended = self.cut_undeclared(ended);
        let ended = self.kept_waiting(ended);
        if ended != End::Finding {
            self.mirror.model.ended(ended, None);
        }
        ended
    }

    /// Cuts the path where a task has been kept waiting for longer than it may.
    fn kept_waiting(&mut self, ended: End) -> End {
        let Some(limit) = self.settings.livelock else { return ended };
        let mut waiting = vec![0_u32; self.roster.tasks().len()];
        for at in 0..=self.mirror.model.steps().len() {
            let kernel = self.mirror.model.kernel(at);
            for (place, task) in kernel.tasks().iter().enumerate() {
                // Whoever delays itself waits for nobody.
                let delays = task.is_at(Verb::Delay) || task.is_at(Verb::DelayUntil);
                let waits = task.should_go_on()
                    && !delays
                    && kernel.is_kept_waiting(place)
                    && !(at > 0 && self.mirror.model.steps()[at - 1].transition.task == task.id);
                waiting[place] = if waits { waiting[place] + 1 } else { 0 };
                // What is wrong with the last step is worse than that somebody waits while it is taken.
                let worse = ended == End::Finding && at == self.mirror.model.steps().len();
                if waiting[place] > limit && !worse {
                    let task = task.id;
                    return self.cut_at(at, Wrong::Livelock { task, states: limit });
                }
            }
        }
        ended
    }

    /// Another target in place of one that died.
    pub(crate) fn respawn(&mut self) -> Result<(), Error> {
        self.respawns += 1;
        self.renew()
    }

    /// A fresh target, where the link can make one.
    pub(crate) fn renew(&mut self) -> Result<(), Error> {
        if let Some(respawned) = self.link.respawn() {
            respawned?;
        }
        self.write_parameters()
    }

    pub(crate) fn restart_and_follow(&mut self, plan: &Plan<'_, Transition>) -> Result<End, Error> {
        // A path is mostly about as long as the one before, and a record too many costs less than a second read.
        self.guess = self.mirror.model.steps().len().saturating_sub(plan.same) + SPARE_RECORDS;
        self.reset()?;
        self.mirror.model.back_to(plan.same, plan.asleep);
        self.send(plan, 0)?;
        self.follow(plan)
    }

    pub(crate) fn found(&mut self, report: &Report, wrong: Wrong) -> End {
        let [mark, index] = report.running;
        self.ended_in(wrong, (mark == Slot::MARK).then_some(TaskId(Slot { mark, index })))
    }

    /// The host ends the path after so many transitions, with a finding of its own.
    pub(crate) fn cut_at(&mut self, length: usize, wrong: Wrong) -> End {
        self.mirror.model.cut(length);
        let running = self.mirror.model.steps().last().map(|step| step.transition.task);
        self.ended_in(wrong, running)
    }

    fn ended_in(&mut self, wrong: Wrong, running: Option<TaskId>) -> End {
        let by_force = wrong.about(self.scene()).by_force;
        self.mirror.model.ended(End::Finding, Some(Found { wrong, running, by_force }));
        End::Finding
    }
}
