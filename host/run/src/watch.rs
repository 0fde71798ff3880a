//! Looks at every path of a run: tallies it, tells what is new, and writes checkpoints.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use fwvs_explore::{Completion, Counts, End, Estimate, Model, Observer, Rung, Runner};
use fwvs_foreign::shown;
use fwvs_scenario::number::counted;
use fwvs_scenario::run_directory::scenario_name;
use fwvs_scenario::{Cause, Finding, RunDirectory, RunEvent, Scenario, Step, Summary, Waiting};

use crate::checkpoint::{Checkpoint, FORMAT, Rhythm, SavedSearch};
use crate::error::Error;
use crate::facts::Facts;
use crate::findings::Seen;
use crate::named::reduction;
use crate::pace::Pace;
use crate::recorded::recorded;
use crate::run::Run;
use crate::stages::Stages;
use crate::standstills::Found;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::target::AnySession;
use crate::verdict::{self, STARTED_OVER, notices, verdict};

/// A run that is under way.
pub(crate) struct Watch<'a> {
    run: &'a Run,
    stop: Arc<Stop>,
    events: Sender<RunEvent>,
    directory: RunDirectory,
    /// What the list of events had when the run was gone on with. Some of it is told after the checkpoint, and found again.
    told_before: Vec<Finding>,
    tally: Tally,
    stages: Stages,
    pace: Pace,
    rhythm: Rhythm,
    /// How often the search started over, as far as was told.
    started_over: u64,
    /// What ended the search, if the search did not end by itself.
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
        Self {
            run,
            stop,
            events,
            directory,
            told_before: Vec::new(),
            tally: Tally::default(),
            stages: Stages::default(),
            pace: Pace::new(begin),
            rhythm: Rhythm::new(),
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

    /// Takes over what an earlier run had come to.
    pub(crate) fn go_on(&mut self, checkpoint: Checkpoint) -> Result<(SavedSearch, Counts), Error> {
        let Checkpoint { search, counts, stages, mut tally, seconds, .. } = checkpoint;
        self.pace.had_taken(seconds);
        self.told_before = self.directory.findings()?;
        tally.findings.are_in(self.directory.path());
        self.directory.has_scenarios(tally.findings.all().len() as u64);
        (self.tally, self.stages) = (tally, stages);
        self.started_over = counts.started_over;
        let paths = self.stages.earlier.paths + counts.paths;
        self.tell(RunEvent::Notice { message: format!("going on after {}", counted(paths, "path")) })?;
        Ok((search, counts))
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

    /// Says so if an earlier run had left its results where this one leaves its own.
    pub(crate) fn note_replaced(&mut self) {
        if self.directory.replaced() {
            let directory = shown(self.directory.path()).to_string();
            self.note(format!("{directory} had the results of an earlier run, which are replaced"));
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
            Some(time) if self.pace.elapsed() >= time => {
                self.cut(format!("--max-time {time:?} is over"));
                true
            }
            _ => false,
        }
    }

    /// The search goes by stages; the number of the one to begin or go on with.
    pub(crate) fn begin_to_grow(&mut self) -> usize {
        if self.stages.at.is_none() {
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
        *self.stages.at.get_or_insert_default()
    }

    pub(crate) fn at_stage(&mut self, stage: usize) {
        self.stages.at = Some(stage);
    }

    /// Everything that the stage has was run.
    pub(crate) fn stage_is_done(&mut self, counts: &Counts) {
        self.stages.earlier = self.stages.earlier + *counts;
    }

    /// What the stages before came to.
    pub(crate) fn earlier(&self) -> &Counts {
        &self.stages.earlier
    }

    /// For searches that cannot be put aside.
    pub(crate) fn never_save(&mut self) {
        self.rhythm.never();
    }

    pub(crate) fn note_cut_short(&mut self) {
        self.note("the search ended early: what was found so far is in the run directory".to_owned());
        if let Some(error) = self.failure.take() {
            tracing::error!(%error, "cannot write to the run directory");
        }
    }

    /// Tells the verdict.
    pub(crate) fn finish(
        mut self,
        session: &AnySession,
        completion: Completion,
        counts: Counts,
    ) -> Result<Summary, Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let facts = Facts::of(&self.run.target, session);
        for message in notices(&facts) {
            self.tell(RunEvent::Notice { message })?;
        }
        let end = verdict::End {
            completion,
            counts,
            stages: self.stages,
            cut: self.cut.take(),
            waiting: self.save_standstills(session)?,
            seconds: self.pace.seconds(),
        };
        let mut summary = verdict(&self.run.job, &self.tally, end, &facts);
        let over = completion == Completion::Exhausted;
        summary.resume = (!over && self.directory.has_checkpoint()).then(|| self.directory.path().to_owned());
        self.directory.save_summary(&summary)?;
        if over {
            // Whoever asked to go on would run everything again.
            self.directory.remove_checkpoint()?;
        }
        self.tell(RunEvent::Summary(summary.clone()))?;
        Ok(summary)
    }

    fn look(&mut self, session: &AnySession, end: End, counts: &Counts) -> Result<ControlFlow<()>, Error> {
        self.tally.look(&self.run.job.world, session, end, counts);
        if end == End::Finding {
            self.found(session)?;
            let wanted = |finding: &&Finding| self.run.wanted.matches(finding.kind, &finding.message);
            if self.tally.findings.all().iter().filter(wanted).count() >= self.run.enough {
                return Ok(ControlFlow::Break(()));
            }
        }
        if self.pace.breathe() {
            let findings = self.tally.findings.all().len();
            let progress = self.pace.progress(&self.stages, counts, session.model().length(), findings);
            self.tell(RunEvent::Progress(progress))?;
        }
        Ok(if self.failure.is_some() || self.interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Writes a scenario to what was found, unless there is one that is as short, and tells what is new.
    fn found(&mut self, session: &AnySession) -> Result<(), Error> {
        let key = session.finding_key();
        let seen = self.tally.findings.meet(key, session.model().length());
        if seen == Seen::Again {
            return Ok(());
        }
        let Some(mut finding) = session.finding() else { return Ok(()) };
        let scenario = self.scenario(session, finding.steps.clone(), Cause::from(&finding));
        if let Seen::Shorter(place) = seen {
            // A shorter way to the same: the file is replaced, nothing is told again.
            if let Some(path) = &self.tally.findings.all()[place].scenario {
                scenario.save(path)?;
            }
            self.tally.findings.shorten(place, finding);
            return Ok(());
        }
        let saved = self.directory.save_scenario(&scenario);
        finding.scenario = saved.as_ref().ok().cloned();
        self.tally.findings.add(key, finding.clone());
        let told = self.tell(RunEvent::Finding(finding));
        saved?;
        told
    }

    fn scenario(&self, session: &AnySession, decisions: Vec<Step>, finding: Cause) -> Scenario {
        recorded(&self.run.job, &self.run.target, session, decisions, finding)
    }

    /// Writes a scenario for each circle of tasks that only waited for each other where paths were cut.
    fn save_standstills(&mut self, session: &AnySession) -> Result<Vec<Waiting>, Error> {
        let found = self.tally.standstills.found();
        let save = |found: Found| {
            let scenario = self.scenario(session, found.steps, found.cause);
            let scenario = Scenario { standstill: Some(found.recorded), ..scenario };
            let scenario = Some(self.directory.save_scenario(&scenario)?);
            Ok(Waiting { scenario, ..found.waiting })
        };
        found.into_iter().map(save).collect()
    }

    fn save(&mut self, counts: &Counts, search: SavedSearch) -> Result<(), Error> {
        let begin = Instant::now();
        let checkpoint = Checkpoint {
            job: self.run.job.clone(),
            firmware_sha256: self.run.target.firmware.sha256().to_owned(),
            enough: self.run.enough,
            search,
            counts: *counts,
            stages: self.stages,
            tally: self.tally.clone(),
            seconds: self.pace.seconds(),
        };
        self.directory.save_checkpoint(FORMAT, &checkpoint)?;
        self.rhythm.written(begin);
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
            self.pace.estimate = Estimate::default();
            self.note(STARTED_OVER.to_owned());
        }
        if self.rhythm.is_due()
            && let Err(failure) = self.save(counts, save())
        {
            self.fail(failure);
        }
    }

    fn stopped(&mut self, counts: &Counts, save: &dyn Fn() -> SavedSearch) {
        if self.rhythm.is_kept()
            && let Err(failure) = self.save(counts, save())
        {
            self.fail(failure);
        }
    }

    fn progress(&mut self, _: &Counts, estimate: &Estimate) {
        self.pace.estimate.clone_from(estimate);
    }
}
