//! One exploration: counts, findings, bounds, and the files it leaves.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueEnum;
use fwvs_explore::{Completion, Counts, End, Limits, Policy, Rung, System};
use fwvs_scenario::{
    Cause, Finding, FindingSummary, FirmwareReference, Progress, RunDirectory, RunEvent, Scenario, Started,
    Summary, Verdict,
};
use tokio::sync::mpsc::UnboundedSender;

use crate::options::{Explore, Reduction};
use crate::target::{AnySession, Target, absolute};

/// How often progress is told.
const BREATH: Duration = Duration::from_millis(200);

/// What to run, and whom to tell.
pub(crate) struct Run {
    target: Target,
    example: Option<String>,
    limits: Limits,
    time: Option<Duration>,
    divergence: Duration,
    enough: usize,
    reduction: Reduction,
    out: Option<PathBuf>,
    stop: Arc<AtomicBool>,
    events: UnboundedSender<RunEvent>,
}

impl Run {
    pub(crate) fn new(
        options: &Explore,
        target: Target,
        example: Option<String>,
        stop: Arc<AtomicBool>,
        events: UnboundedSender<RunEvent>,
    ) -> Self {
        Self {
            target,
            example,
            limits: Limits {
                depth: options.depth as usize,
                paths: options.max_paths.unwrap_or(u64::MAX),
                ..Limits::default()
            },
            time: options.max_time,
            divergence: options.divergence,
            enough: options.stop.0,
            reduction: options.reduction,
            out: options.out.clone(),
            stop,
            events,
        }
    }

    /// Searches to the end, the first bound, or Ctrl-C.
    pub(crate) fn search(self) -> Result<()> {
        let mut session = self.target.open(self.divergence)?;
        // Where paths end, taking the first task that can go on makes paths share more; where they do not, a busy
        // task must not use up the whole depth.
        let ends = session.rehearse(self.limits.depth)?;
        let policy = if ends { Policy::First } else { Policy::Fair };
        let limits = Limits { policy, ..self.limits };
        let directory = match &self.out {
            Some(path) => RunDirectory::at(path)?,
            None => RunDirectory::create(self.target.firmware.name())?,
        };
        let mut watch = Watch::new(&self, directory);
        watch.tell(RunEvent::Started(self.started(&session, &watch)))?;
        let mut reduction = self.rung().reduction::<AnySession>();
        let result = fwvs_explore::explore(&mut session, &mut *reduction, limits, &mut watch);
        let (completion, counts) = result.inspect_err(|_| watch.note_cut_short())?;
        watch.finish(&session, completion, &counts)
    }

    fn started(&self, session: &AnySession, watch: &Watch<'_>) -> Started {
        Started {
            firmware: self.firmware_name(),
            firmware_sha256: self.target.firmware.sha256().to_owned(),
            board: self.target.board.name.clone(),
            schedule: "free".to_owned(),
            time: "free".to_owned(),
            reduction: self.reduction_name(),
            depth: self.limits.depth as u64,
            workers: 1,
            parameters: self.target.set.clone(),
            tasks: session.roster().tasks().to_vec(),
            objects: session.roster().objects().to_vec(),
            directory: Some(watch.directory.path().to_owned()),
        }
    }

    fn firmware_name(&self) -> String {
        self.target.firmware.name().to_owned()
    }

    fn rung(&self) -> Rung {
        match self.reduction {
            Reduction::None => Rung::None,
            Reduction::Sleep => Rung::Sleep,
            Reduction::Source => Rung::Source,
            Reduction::Optimal => Rung::Optimal,
        }
    }

    fn reduction_name(&self) -> String {
        self.reduction.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }

    fn scenario(&self, finding: &Finding) -> Scenario {
        Scenario {
            format: fwvs_scenario::scenario::FORMAT,
            firmware: FirmwareReference {
                path: absolute(self.target.firmware.path()),
                example: self.example.clone(),
                sha256: self.target.firmware.sha256().to_owned(),
            },
            board: self.target.board.name.clone(),
            schedule: "free".to_owned(),
            depth: self.limits.depth as u64,
            parameters: self.target.set.clone(),
            decisions: finding.steps.clone(),
            finding: Cause::from(finding),
        }
    }
}

/// Looks at every path: collects findings, watches the clock, tells progress.
struct Watch<'a> {
    run: &'a Run,
    directory: RunDirectory,
    begin: Instant,
    told: Instant,
    /// Distinct findings by what is wrong, each with its shortest scenario so far.
    findings: Vec<Finding>,
    known: HashMap<u64, usize>,
    tosses: HashSet<u64>,
    ran: Vec<bool>,
    /// Which bound ended the search, if the search did not end by itself.
    cut: Option<String>,
    failure: Option<anyhow::Error>,
}

impl<'a> Watch<'a> {
    fn new(run: &'a Run, directory: RunDirectory) -> Self {
        let now = Instant::now();
        Self {
            run,
            directory,
            begin: now,
            told: now,
            findings: Vec::new(),
            known: HashMap::new(),
            tosses: HashSet::new(),
            ran: Vec::new(),
            cut: None,
            failure: None,
        }
    }

    /// To the run directory first: what was told is never lost.
    fn tell(&mut self, event: RunEvent) -> Result<()> {
        if !matches!(event, RunEvent::Progress(_)) {
            self.directory.append(&event)?;
        }
        // Nobody listens any more only when the program is about to end.
        let _ = self.run.events.send(event);
        Ok(())
    }

    fn note_cut_short(&mut self) {
        let message = "the search ended early: what was found so far is in the run directory".to_owned();
        if let Err(error) = self.tell(RunEvent::Notice { message }) {
            tracing::error!(%error, "cannot write to the run directory");
        }
    }

    fn look(&mut self, session: &AnySession, end: End, counts: &Counts) -> Result<ControlFlow<()>> {
        self.ran.resize(session.tasks(), false);
        for at in 0..session.length() {
            self.ran[session.task(session.taken(at))] = true;
        }
        self.tosses.insert(session.mirror().tosses());
        if end == End::Finding {
            self.found(session)?;
            if self.findings.len() >= self.run.enough {
                return Ok(ControlFlow::Break(()));
            }
        }
        let now = Instant::now();
        if now.duration_since(self.told) >= BREATH {
            self.told = now;
            self.tell(RunEvent::Progress(self.progress(session, counts)))?;
        }
        if self.run.stop.load(Ordering::Relaxed) {
            self.cut = Some("interrupted by Ctrl-C".to_owned());
            return Ok(ControlFlow::Break(()));
        }
        if let Some(time) = self.run.time
            && now.duration_since(self.begin) >= time
        {
            self.cut = Some(format!("--max-time {time:?} is over"));
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn found(&mut self, session: &AnySession) -> Result<()> {
        let key = session.finding_key();
        let known = self.known.get(&key).copied();
        if let Some(place) = known {
            let finding = &mut self.findings[place];
            finding.count += 1;
            if session.length() >= finding.steps.len() {
                return Ok(());
            }
        }
        let Some(mut finding) = session.finding() else { return Ok(()) };
        let scenario = self.run.scenario(&finding);
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
                finding.scenario = Some(self.directory.save_scenario(&scenario)?);
                self.known.insert(key, self.findings.len());
                self.findings.push(finding.clone());
                self.tell(RunEvent::Finding(finding))?;
            }
        }
        Ok(())
    }

    fn progress(&self, session: &AnySession, counts: &Counts) -> Progress {
        let seconds = self.begin.elapsed().as_secs_f64();
        Progress {
            paths: counts.paths,
            transitions: counts.transitions,
            replayed_transitions: counts.replayed,
            depth: session.length() as u64,
            findings: self.findings.len() as u64,
            seconds,
            paths_per_second: counts.paths as f64 / seconds.max(f64::MIN_POSITIVE),
            done: None,
            seconds_left: None,
        }
    }

    fn finish(mut self, session: &AnySession, completion: Completion, counts: &Counts) -> Result<()> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut bounds_hit: Vec<String> = self.cut.take().into_iter().collect();
        if completion == Completion::Paths {
            bounds_hit.push(format!("--max-paths {} reached, and there were more", self.run.limits.paths));
        }
        if counts.depth_cuts > 0 {
            let (depth, cuts) = (self.run.limits.depth, counts.depth_cuts);
            bounds_hit.push(format!("--depth {depth} cut {cuts} of {} paths", counts.paths));
        }
        if session.respawns() > 0 {
            let message = format!("the target died and was started again {} times", session.respawns());
            self.tell(RunEvent::Notice { message })?;
        }
        let tasks = session.roster().tasks();
        let idle = |(task, ran): (&String, &bool)| (!ran).then(|| format!("{task} never ran"));
        let vacuous = tasks.iter().zip(&self.ran).filter_map(idle).collect();
        let found = !self.findings.is_empty();
        let summary = Summary {
            verdict: Verdict::of(self.findings.len(), bounds_hit.len()),
            paths: counts.paths,
            transitions: counts.transitions,
            replayed_transitions: counts.replayed,
            sleep_blocked: counts.sleep_blocked,
            depth_cuts: counts.depth_cuts,
            findings: self.findings.iter().map(FindingSummary::from).collect(),
            toss_sequences: self.tosses.len() as u64,
            assumptions: if found { Vec::new() } else { assumptions() },
            vacuous,
            bounds_hit,
            seconds: self.begin.elapsed().as_secs_f64(),
            board: self.run.target.board.name.clone(),
            firmware: self.run.firmware_name(),
            firmware_sha256: self.run.target.firmware.sha256().to_owned(),
            schedule: "free".to_owned(),
            time: "free".to_owned(),
            reduction: self.run.reduction_name(),
            workers: 1,
        };
        self.directory.save_summary(&summary)?;
        self.tell(RunEvent::Summary(summary))
    }
}

/// What a clean verdict rests on.
fn assumptions() -> Vec<String> {
    vec!["tasks share memory only under a lock, or hand it over by an RTOS object".to_owned()]
}

impl fwvs_explore::Observer<AnySession> for Watch<'_> {
    fn path(&mut self, session: &AnySession, end: End, counts: &Counts) -> ControlFlow<()> {
        match self.look(session, end, counts) {
            Ok(flow) => flow,
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }
}
