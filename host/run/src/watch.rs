//! Looks at every path of a run: collects findings, watches the clock, tells progress, and writes checkpoints.

#[path = "budgets.rs"]
mod budgets;
#[path = "standstills.rs"]
mod standstills;
#[path = "verdict.rs"]
mod verdict;

pub use verdict::NO_LINES;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use fwvs_explore::{Counts, End, Estimate, Model, Observer, Rung, Runner, Saved};
use fwvs_kernel::{Cuts, Event, Transition};
use fwvs_scenario::number::counted;
use fwvs_scenario::run_directory::scenario_name;
use fwvs_scenario::scenario::FORMAT;
use fwvs_scenario::{
    Cause, Finding, FirmwareReference, Progress, RunDirectory, RunEvent, Scenario, Step, Waiting,
};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::job::Job;
use crate::named::{Named, reduction};
use crate::run::Run;
use crate::stop::Stop;
use crate::target::AnySession;
use crate::watch::budgets::{EndedBy, has_unlimited_line};
use crate::watch::standstills::{Found, Standstills};
use crate::without_effect::{asks_for_time, waits_for_time};

/// How often progress is told.
const BREATH: Duration = Duration::from_millis(200);
/// How often a checkpoint is written, at most.
const PAUSE: Duration = Duration::from_secs(1);

/// More stages than any search by stages comes to.
const MOST_STAGES: usize = 1 << 20;

/// What a search does that finds out that it may have left out too much.
const STARTED_OVER: &str = "a path ended by force, behind which --reduction optimal could miss something: the search started \
     over with --reduction source and kept what was found";

pub(crate) type SavedSearch = Saved<Transition, Event>;

/// Everything that a run needs to go on.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) job: Job,
    pub(crate) firmware_sha256: String,
    search: SavedSearch,
    counts: Counts,
    /// Which stage it is, of a search for firmware that never ends, and what the stages before it came to.
    stage: Option<usize>,
    earlier: Counts,
    findings: Vec<Finding>,
    known: Vec<(u64, usize)>,
    tosses: Vec<u64>,
    ran: Vec<bool>,
    #[serde(default)]
    cuts: Cuts,
    /// Whether anybody waited for time, where it was looked at.
    #[serde(default)]
    timed: bool,
    #[serde(default)]
    ended_by: EndedBy,
    #[serde(default)]
    standstills: Standstills,
    seconds: f64,
    /// After how many distinct findings the run was to stop.
    pub(crate) enough: usize,
}

impl Checkpoint {
    /// Reads what a run wrote, from memory; `path` is what errors call it.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let checkpoint: Self = RunDirectory::parse_checkpoint(bytes, path)?;
        checkpoint.check()?;
        Ok(checkpoint)
    }

    /// Refuses what no run writes and what would lead astray: numbers of findings and stages that are not there, and scenarios in
    /// files of which no run makes any.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let places = self.known.iter().all(|(_, place)| *place < self.findings.len());
        let mut scenarios = self.findings.iter().filter_map(|finding| finding.scenario.as_deref());
        let scenarios = scenarios.all(|path| scenario_name(path).is_some());
        if !places || !scenarios || self.stage.is_some_and(|stage| stage > MOST_STAGES) {
            return Err(Error::Contradiction);
        }
        Ok(())
    }
}

pub(crate) struct Watch<'a> {
    run: &'a Run,
    stop: Arc<Stop>,
    events: Sender<RunEvent>,
    directory: RunDirectory,
    begin: Instant,
    /// What the run had taken before it was stopped.
    before: Duration,
    told: Instant,
    saved: Option<Instant>,
    pause: Duration,
    /// Which stage it is, of a search for firmware that never ends.
    stage: Option<usize>,
    /// What the stages before it came to.
    earlier: Counts,
    /// Distinct findings by what is wrong, each with its shortest scenario so far.
    findings: Vec<Finding>,
    known: HashMap<u64, usize>,
    /// What the list of events had when the run was gone on with. Some of it is told after the checkpoint, and found again.
    told_before: Vec<Finding>,
    tosses: HashSet<u64>,
    ran: Vec<bool>,
    /// Which bounds inside the system cut something.
    cuts: Cuts,
    /// Whether an option makes no difference unless somebody waits for time, and whether anybody did.
    asks_for_time: bool,
    timed: bool,
    ended_by: EndedBy,
    standstills: Standstills,

    estimate: Estimate,
    /// How often the search started over, as far as was told.
    started_over: u64,
    /// Which bound ended the search, if the search did not end by itself.
    cut: Option<String>,
    failure: Option<Error>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        run: &'a Run,
        directory: RunDirectory,
        begin: Instant,
        stop: Arc<Stop>,
        events: Sender<RunEvent>,
    ) -> Self {
        let now = Instant::now();
        Self {
            run,
            stop,
            events,
            directory,
            begin,
            before: Duration::ZERO,
            told: now,
            saved: Some(now),
            pause: PAUSE,
            stage: None,
            earlier: Counts::default(),
            findings: Vec::new(),
            known: HashMap::new(),
            told_before: Vec::new(),
            tosses: HashSet::new(),
            ran: Vec::new(),
            cuts: Cuts::default(),
            asks_for_time: asks_for_time(&run.job.world),
            timed: false,
            ended_by: EndedBy::default(),
            standstills: Standstills::default(),
            estimate: Estimate::default(),
            started_over: 0,
            cut: None,
            failure: None,
        }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Before the first path: from now on there is something to go on with, whenever the run is killed.
    pub(crate) fn begin(&mut self, save: &dyn Fn() -> SavedSearch) {
        self.stopped(&Counts::default(), save);
    }

    /// Takes over what an earlier run had found.
    pub(crate) fn go_on(&mut self, checkpoint: Checkpoint) -> Result<(Option<SavedSearch>, Counts), Error> {
        self.before = Duration::try_from_secs_f64(checkpoint.seconds).unwrap_or_default();
        self.told_before = self.directory.findings()?;
        self.directory.has_scenarios(checkpoint.findings.len() as u64);
        self.findings = checkpoint.findings;
        // The directory may have been moved since, or be seen from another folder, or be somebody else's: files are where it is now.
        for scenario in self.findings.iter_mut().filter_map(|finding| finding.scenario.as_mut()) {
            *scenario = self.directory.path().join(scenario_name(scenario).ok_or(Error::Contradiction)?);
        }
        self.known = checkpoint.known.into_iter().collect();
        self.tosses = checkpoint.tosses.into_iter().collect();
        self.ran = checkpoint.ran;
        (self.cuts, self.timed, self.ended_by) = (checkpoint.cuts, checkpoint.timed, checkpoint.ended_by);
        self.standstills = checkpoint.standstills;
        (self.stage, self.earlier) = (checkpoint.stage, checkpoint.earlier);
        self.started_over = checkpoint.counts.started_over;
        let paths = self.earlier.paths + checkpoint.counts.paths;
        self.tell(RunEvent::Notice { message: format!("going on after {}", counted(paths, "path")) })?;
        Ok((Some(checkpoint.search), checkpoint.counts))
    }

    /// To the run directory first: what was told is never lost. What cannot be written there is told all the same.
    pub(crate) fn tell(&mut self, event: RunEvent) -> Result<(), Error> {
        let kept = match &event {
            RunEvent::Progress(_) => Ok(()),
            RunEvent::Finding(finding) if self.was_told(finding) => Ok(()),
            event => self.directory.append(event),
        };
        // Nobody listens any more only when the program is about to end.
        let _ = self.events.send(event);
        Ok(kept?)
    }

    /// Whether the list of events has the finding already: told by a run that was killed before it wrote the next checkpoint.
    fn was_told(&self, finding: &Finding) -> bool {
        // The directory may have been elsewhere.
        let name = |finding: &Finding| finding.scenario.as_deref().and_then(scenario_name).map(str::to_owned);
        let like = |other: &Finding| Finding { scenario: finding.scenario.clone(), ..other.clone() };
        self.told_before.iter().any(|told| name(told) == name(finding) && like(told) == *finding)
    }

    /// Tells something in passing.
    pub(crate) fn note(&mut self, message: String) {
        if let Err(failure) = self.tell(RunEvent::Notice { message }) {
            self.fail(failure);
        }
    }

    /// Something could not be written: the search ends after the path at hand. The first failure is the one that is told.
    fn fail(&mut self, failure: Error) {
        self.failure.get_or_insert(failure);
    }

    /// A bound was hit.
    pub(crate) fn cut(&mut self, bound: String) {
        self.cut.get_or_insert(bound);
    }

    /// Whether Ctrl-C or the clock ends the search; that is then what cut it.
    pub(crate) fn interrupted(&mut self) -> bool {
        if let Some(reason) = self.stop.reason() {
            self.cut(reason.cut().to_owned());
            return true;
        }
        match self.run.time {
            Some(time) if self.begin.elapsed() >= time => {
                self.cut(format!("--max-time {time:?} is over"));
                true
            }
            _ => false,
        }
    }

    /// The search goes by stages; the number of the one to begin or go on with.
    pub(crate) fn begin_to_grow(&mut self) -> usize {
        if self.stage.is_none() {
            self.note(
                "paths do not end within the depth: more and more delays, longer and longer paths, without a reduction \
                 (--until-tick, --expiries and --interrupts bound them from within)"
                    .to_owned(),
            );
            let asked = self.run.job.reduction.filter(|rung| *rung != Rung::None);
            if let Some(reduction) = asked.map(reduction) {
                self.note(format!("--reduction {reduction} has no say then; --search dfs would go with it"));
            }
        }
        *self.stage.get_or_insert_default()
    }

    pub(crate) fn at_stage(&mut self, stage: usize) {
        self.stage = Some(stage);
    }

    /// Everything that the stage has was run.
    pub(crate) fn stage_is_done(&mut self, counts: &Counts) {
        self.earlier = self.earlier + *counts;
    }

    /// What the stages before came to.
    pub(crate) fn earlier(&self) -> &Counts {
        &self.earlier
    }

    /// For searches that cannot be put aside.
    pub(crate) fn never_save(&mut self) {
        self.saved = None;
    }

    pub(crate) fn note_cut_short(&mut self) {
        self.note("the search ended early: what was found so far is in the run directory".to_owned());
        if let Some(error) = self.failure.take() {
            tracing::error!(%error, "cannot write to the run directory");
        }
    }

    fn seconds(&self) -> f64 {
        (self.before + self.begin.elapsed()).as_secs_f64()
    }

    fn look(&mut self, session: &AnySession, end: End, counts: &Counts) -> Result<ControlFlow<()>, Error> {
        let model = session.model();
        self.ran.resize(model.tasks(), false);
        for at in 0..model.length() {
            self.ran[model.task(model.taken(at))] = true;
            session.passed(at).for_each(|place| self.ran[place] = true);
        }
        if end != End::Asleep {
            self.tosses.insert(session.mirror().tosses());
        }
        self.cuts.add(Cuts::from_bits(counts.held_back.0));
        self.timed = self.timed || self.asks_for_time && waits_for_time(session);
        if end == End::Budget {
            self.ended_by.count(session.mirror().last().cuts());
        }
        self.standstills.look(session, matches!(end, End::Depth | End::Budget));
        if end == End::Finding {
            self.found(session)?;
            let wanted = |finding: &&Finding| self.run.wanted.matches(finding.kind, &finding.message);
            if self.findings.iter().filter(wanted).count() >= self.run.enough {
                return Ok(ControlFlow::Break(()));
            }
        }
        let now = Instant::now();
        if now.duration_since(self.told) >= BREATH {
            self.told = now;
            self.tell(RunEvent::Progress(self.how_far(model.length(), counts)))?;
        }
        Ok(if self.failure.is_some() || self.interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    fn found(&mut self, session: &AnySession) -> Result<(), Error> {
        let key = session.finding_key();
        let known = self.known.get(&key).copied();
        if let Some(place) = known {
            let finding = &mut self.findings[place];
            finding.count += 1;
            if session.model().length() >= finding.steps.len() {
                return Ok(());
            }
        }
        let Some(mut finding) = session.finding() else { return Ok(()) };
        let scenario = self.scenario(session, finding.steps.clone(), Cause::from(&finding));
        match known {
            Some(place) => {
                // A shorter way to the same: the file is replaced, nothing is told again.
                let longer = &mut self.findings[place];
                if let Some(path) = &longer.scenario {
                    scenario.save(path)?;
                }
                (finding.scenario, finding.count) = (longer.scenario.take(), longer.count);
                *longer = finding;
            }
            None => {
                let saved = self.directory.save_scenario(&scenario);
                finding.scenario = saved.as_ref().ok().cloned();
                self.known.insert(key, self.findings.len());
                self.findings.push(finding.clone());
                let told = self.tell(RunEvent::Finding(finding));
                saved?;
                told?;
            }
        }
        Ok(())
    }

    fn scenario(&self, session: &AnySession, decisions: Vec<Step>, finding: Cause) -> Scenario {
        let Run { job, target, .. } = self.run;
        Scenario {
            format: FORMAT,
            firmware: FirmwareReference {
                path: job.firmware.clone(),
                example: job.example.clone(),
                sha256: target.firmware.sha256().to_owned(),
            },
            board: job.board.clone(),
            schedule: session.roster().schedule().name().to_owned(),
            time: job.world.clock.name().to_owned(),
            interrupts: has_unlimited_line(session.roster().kernel()).then_some(job.world.interrupts()),
            expiries: job.world.expiries,
            until_tick: job.world.until_tick,
            livelock: job.world.livelock,
            divergence_ms: job
                .divergence
                .map(|time| u64::try_from(time.as_millis().max(1)).unwrap_or(u64::MAX)),
            depth: job.depth as u64,
            parameters: target.set.clone(),
            decisions,
            finding,
            standstill: None,
        }
    }

    /// Writes a scenario for each circle of tasks that only waited for each other where paths were cut.
    fn save_standstills(&mut self, session: &AnySession) -> Result<Vec<Waiting>, Error> {
        let found = self.standstills.found();
        let save = |found: Found| {
            let scenario = self.scenario(session, found.steps, found.cause);
            let scenario = Scenario { standstill: Some(found.recorded), ..scenario };
            let scenario = Some(self.directory.save_scenario(&scenario)?);
            Ok(Waiting { scenario, ..found.waiting })
        };
        found.into_iter().map(save).collect()
    }

    fn how_far(&self, depth: usize, counts: &Counts) -> Progress {
        let seconds = self.seconds();
        let counts = self.earlier + *counts;
        // Nobody knows how many stages are left.
        let done = self.estimate.done().filter(|_| self.stage.is_none());
        let done = done.map(|done| (done.low, done.high));
        // What is done took so long; what is left takes as long in proportion.
        let left = |done: f64| seconds * (1.0 - done) / done.max(f64::MIN_POSITIVE);
        Progress {
            paths: counts.paths,
            transitions: counts.transitions,
            replayed_transitions: counts.replayed,
            depth: depth as u64,
            findings: self.findings.len() as u64,
            seconds,
            paths_per_second: counts.paths as f64 / seconds.max(f64::MIN_POSITIVE),
            done,
            seconds_left: done.map(|(low, high)| (left(high), left(low))),
        }
    }

    fn save(&mut self, counts: &Counts, search: SavedSearch) -> Result<(), Error> {
        let begin = Instant::now();
        self.directory.save_checkpoint(&Checkpoint {
            job: self.run.job.clone(),
            firmware_sha256: self.run.target.firmware.sha256().to_owned(),
            search,
            counts: *counts,
            stage: self.stage,
            earlier: self.earlier,
            findings: self.findings.clone(),
            known: self.known.iter().map(|(key, place)| (*key, *place)).collect(),
            tosses: self.tosses.iter().copied().collect(),
            ran: self.ran.clone(),
            cuts: self.cuts,
            timed: self.timed,
            ended_by: self.ended_by,
            standstills: self.standstills.clone(),
            seconds: self.seconds(),
            enough: self.run.enough,
        })?;
        // However much there is to write, the search gets most of the time.
        self.pause = PAUSE.max(begin.elapsed() * 20);
        self.saved = Some(Instant::now());
        Ok(())
    }
}

impl Observer<AnySession> for Watch<'_> {
    fn path(&mut self, session: &AnySession, end: End, counts: &Counts) -> ControlFlow<()> {
        match self.look(session, end, counts) {
            Ok(flow) => flow,
            Err(failure) => {
                self.fail(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn between(&mut self, counts: &Counts, save: &dyn Fn() -> SavedSearch) {
        if counts.started_over > self.started_over {
            self.started_over = counts.started_over;
            self.estimate = Estimate::default();
            self.note(STARTED_OVER.to_owned());
        }
        if self.saved.is_some_and(|saved| saved.elapsed() >= self.pause)
            && let Err(failure) = self.save(counts, save())
        {
            self.fail(failure);
        }
    }

    fn stopped(&mut self, counts: &Counts, save: &dyn Fn() -> SavedSearch) {
        if self.saved.is_some()
            && let Err(failure) = self.save(counts, save())
        {
            self.fail(failure);
        }
    }

    fn progress(&mut self, _: &Counts, estimate: &Estimate) {
        self.estimate.clone_from(estimate);
    }
}
