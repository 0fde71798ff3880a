//! One exploration: opens the target, picks the search, and goes on where an earlier run was stopped.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use fwvs_explore::{
    Bounded, Completion, Counts, Limits, Observer, Policy, Reduction as Strategy, Shortest, Stage, Walk,
    Walker, fits, resume, shortest,
};
use fwvs_link::{Brake, Supervisor, Tell};
use fwvs_scenario::number::count;
use fwvs_scenario::{RunDirectory, RunEvent, Summary};
use fwvs_session::States;

use crate::checkpoint::{Checkpoint, SavedSearch};
use crate::error::Error;
use crate::job::{Bound, Job, Search};
use crate::started::started;
use crate::stop::Stop;
use crate::target::{AnySession, Target, absolute};
use crate::until::Until;
use crate::wanted::Wanted;
use crate::watch::Watch;

/// What to run, when to stop, and where the files go. Nothing is started yet.
pub struct Run {
    pub(crate) job: Job,
    pub(crate) target: Target,
    pub(crate) paths: u64,
    pub(crate) time: Option<Duration>,
    pub(crate) enough: usize,
    /// Which findings count for that.
    pub(crate) wanted: Wanted,
    out: Option<PathBuf>,
    resume: Option<(PathBuf, Box<Checkpoint>)>,
}

impl Run {
    /// Checks everything that can be checked before anything is started. Files go to `out`, or to a new directory below
    /// [`RUNS`](fwvs_scenario::run_directory::RUNS).
    pub fn new(mut job: Job, until: Until, out: Option<PathBuf>) -> Result<Self, Error> {
        job.firmware = absolute(&job.firmware);
        if job.firmware.to_str().is_none() {
            return Err(Error::NotUtf8 { path: job.firmware });
        }
        let target = Target::check(&job.board, &job.firmware, &job.parameters)?;
        Ok(Self {
            paths: job.paths(until.paths, until.time.is_some()),
            time: until.time,
            enough: until.findings.unwrap_or(1),
            wanted: until.wanted,
            job,
            target,
            out,
            resume: None,
        })
    }

    /// The run that left its files in that directory, to go on with it.
    pub fn resume(path: &Path, until: Until) -> Result<Self, Error> {
        let checkpoint = Checkpoint::load(path)?;
        let findings = until.findings.or(Some(checkpoint.enough));
        let run = Self::new(checkpoint.job.clone(), Until { findings, ..until }, None)?;
        if checkpoint.firmware_sha256 != run.target.firmware.sha256() {
            return Err(Error::OtherFirmware { firmware: run.job.firmware, run: path.into() });
        }
        Ok(Self { resume: Some((path.into(), Box::new(checkpoint))), ..run })
    }

    /// Searches on a thread of its own, which is pinned to a core, and hands on whatever is told there. Ends when `stop` says so.
    pub fn supervise(self, stop: &Arc<Stop>, mut listen: impl FnMut(RunEvent)) -> Result<Summary, Error> {
        let (sender, events) = mpsc::channel();
        let stop = Arc::clone(stop);
        let search = thread::Builder::new().name("search".into()).spawn(move || self.search(stop, sender));
        let search = search.map_err(Error::NoThread)?;
        // Until the search is over and nobody is left to send anything.
        events.into_iter().for_each(&mut listen);
        search.join().map_err(|panic| broken(&*panic))?
    }

    /// Searches to the end, the first bound, or until `stop` says so. Pins the calling thread to a core.
    pub fn search(mut self, stop: Arc<Stop>, events: Sender<RunEvent>) -> Result<Summary, Error> {
        let begin = Instant::now();
        let (pulled, time) = (Arc::clone(&stop), self.time);
        let brake: Brake =
            Arc::new(move || pulled.reason().is_some() || time.is_some_and(|time| begin.elapsed() >= time));
        let settings = self.job.world.settings(self.job.divergence());
        let listener = events.clone();
        let tell: Tell = Arc::new(move |message| {
            // Nobody listens any more only when the program is about to end.
            let _ = listener.send(RunEvent::Notice { message: message.to_owned() });
        });
        let mut session = self.target.open(settings, Supervisor::new(Some(brake), Some(tell)))?;
        // Where paths end, taking the first task that can go on makes paths share more; where they do not, a busy
        // task must not use up the whole depth.
        let (ends, rehearsed) = match session.rehearse(self.job.depth) {
            Err(fwvs_session::Error::Link(fwvs_link::Error::Interrupted)) => (true, false),
            ends => (ends?, true),
        };
        let length = session.mirror().steps().len();
        let policy = if ends { Policy::First } else { Policy::Fair };
        let limits = Limits { policy, depth: self.job.depth, paths: self.paths };
        let resumed = self.resume.take();
        let directory = match (&resumed, &self.out) {
            (Some((path, _)), _) => RunDirectory::reopen(path)?,
            (None, Some(path)) => RunDirectory::at(path)?,
            (None, None) => RunDirectory::create(self.target.firmware.name())?,
        };
        let mut watch = Watch::new(&self, directory, begin, stop, events);
        let (from, checkpoint) = resumed.map(|(path, checkpoint)| (path, *checkpoint)).unzip();
        let (saved, counts) = match checkpoint {
            Some(checkpoint) => {
                let (search, counts) = watch.go_on(checkpoint)?;
                (Some(search), counts)
            }
            None => {
                watch.tell(RunEvent::Started(started(&self, &session, watch.directory(), ends)))?;
                watch.note_replaced();
                (None, Counts::default())
            }
        };
        if !rehearsed {
            // Which search it is to be is not known yet, and what is left to run stays as it was.
            watch.interrupted();
            return watch.finish(&session, Completion::Interrupted, counts);
        }
        let mut search = |strategy: &mut dyn Strategy<States>, watch: &mut Watch<'_>, counts, saved| {
            match saved {
                Some(saved) if !fits(&mut session, &saved)? => return Ok((Completion::Astray, counts)),
                Some(saved) => strategy.restore(saved),
                None => watch.begin(&|| strategy.save()),
            }
            resume(&mut session, strategy, limits, counts, watch)
        };
        let walk = |walker| Walk::new(walker, self.job.seed);
        let result = match self.job.search {
            Search::Shortest => {
                watch.never_save();
                let found = shortest(&mut session, limits, &mut watch);
                found.map(|(found, counts)| (watch.minimal(&found), counts))
            }
            Search::Random => search(&mut walk(Walker::Random), &mut watch, counts, saved),
            Search::Pct => {
                let length = length.clamp(1, usize::from(u16::MAX)) as u16;
                let walker = Walker::Priorities { changes: self.job.bug_depth.saturating_sub(1), length };
                search(&mut walk(walker), &mut watch, counts, saved)
            }
            Search::Auto | Search::Dfs => match self.job.bound.map(Bound::parts) {
                Some((cost, _, most)) => search(&mut Bounded::new(cost, most), &mut watch, counts, saved),
                None if ends || self.job.search == Search::Dfs => {
                    search(&mut *self.job.rung().reduction(), &mut watch, counts, saved)
                }
                None => growing(&mut session, limits, &mut watch, counts, saved),
            },
        };
        let (completion, counts) = result.inspect_err(|_| watch.note_cut_short())?;
        match (completion, from) {
            (Completion::Astray, Some(run)) => return Err(Error::Misfit { run }),
            (Completion::Astray, None) => unreachable!("a search scripts only what is enabled"),
            (Completion::Interrupted, _) => drop(watch.interrupted()),
            _ => {}
        }
        watch.finish(&session, completion, counts)
    }
}

/// For firmware that never ends: one stage after the other, until nothing is left out.
fn growing(
    session: &mut AnySession,
    limits: Limits,
    watch: &mut Watch<'_>,
    mut counts: Counts,
    mut saved: Option<SavedSearch>,
) -> Result<(Completion, Counts), fwvs_session::Error> {
    let deepest = limits.depth;
    for (number, stage) in Stage::all(deepest).enumerate().skip(watch.begin_to_grow()) {
        watch.at_stage(number);
        let mut strategy = stage.search();
        match saved.take() {
            Some(saved) if !fits(session, &saved)? => return Ok((Completion::Astray, counts)),
            Some(saved) => Strategy::<States>::restore(&mut strategy, saved),
            None if number == 0 => watch.begin(&|| Strategy::<States>::save(&strategy)),
            None => {}
        }
        let paths = limits.paths.saturating_sub(watch.earlier().paths);
        if paths == 0 {
            watch.stopped(&counts, &|| Strategy::<States>::save(&strategy));
            return Ok((Completion::Paths, counts));
        }
        let limits = Limits { depth: stage.depth, paths, ..limits };
        let (completion, so_far) = resume(session, &mut strategy, limits, counts, watch)?;
        let cut = so_far.bound_cuts > 0 || so_far.depth_cuts > 0 && stage.depth < deepest;
        if completion != Completion::Exhausted || !cut {
            return Ok((completion, so_far));
        }
        watch.stage_is_done(&so_far);
        counts = Counts::default();
    }
    unreachable!("stages grow until nothing is left out")
}

/// A bug of our own, as it is told.
fn broken(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why");
    Error::Broken { what: text.to_owned() }
}

impl Watch<'_> {
    /// Says that a scenario is the shortest there is, or that none was found up to where the search went.
    fn minimal<T>(&mut self, found: &Shortest<T>) -> Completion {
        match found {
            Shortest::Minimal(path) => {
                let message =
                    format!("the scenario is minimal: none of fewer than {} steps", count(path.len() as u64));
                self.note(message);
                Completion::Exhausted
            }
            Shortest::Nothing => Completion::Exhausted,
            Shortest::Bounded(depth) => {
                self.interrupted();
                let depth = count(*depth as u64);
                self.cut(format!("no finding within {depth} steps; longer paths were not all run"));
                Completion::Exhausted
            }
        }
    }
}
