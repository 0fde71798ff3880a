//! `fw-vs replay`: one recorded scenario, and whether it still happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use fwvs_explore::End;
use fwvs_foreign::plain;
use fwvs_kernel::{Clock, Schedule, Transition};
use fwvs_link::{Supervisor, Tell};
use fwvs_report::{Reporter, TextReporter};
use fwvs_run::named::Named;
use fwvs_run::{AnySession, DIVERGENCE, NO_LINES, Target, World};
use fwvs_scenario::{FindingKind, RunEvent, Scenario, Step, Waiter, deadlock_message};

use crate::examples;
use crate::options::Replay;
use crate::say::{forgive, say, warn};

/// It happened again: a finding.
const HAPPENED: u8 = 1;
/// It did not.
const DID_NOT: u8 = 0;

pub(crate) fn replay(options: &Replay) -> Result<u8> {
    let scenario = Scenario::load(&options.scenario)?;
    let board = options.board.as_deref().unwrap_or(&scenario.board);
    let path = firmware(options, &scenario, board)?;
    let written = scenario.parameters.iter().map(|(name, value)| (name.clone(), value.to_string()));
    let target = Target::check(board, &path, &written.collect())?;
    if target.firmware().sha256() != scenario.firmware.sha256 {
        warn("note: this is another build of the firmware than the recorded one; trying all the same");
    }
    let named = (Schedule::of_name(&scenario.schedule), Clock::of_name(&scenario.time));
    let (Some(schedule), Some(clock)) = named else {
        bail!(
            "the scenario has a schedule `{}` and a clock `{}` that this fw-vs does not know\nhint: it was written by another version",
            plain(&scenario.schedule),
            plain(&scenario.time)
        );
    };
    check_clock(&scenario)?;
    let Scenario { livelock, interrupts, expiries, until_tick, .. } = scenario;
    let interrupts = Some(interrupts.unwrap_or(u16::MAX));
    let world = World { schedule: Some(schedule), clock, livelock, interrupts, expiries, until_tick };
    let recorded = scenario.divergence_ms.filter(|time| *time > 0).map(Duration::from_millis);
    let divergence = options.divergence.or(recorded).unwrap_or(DIVERGENCE);
    let tell: Tell = Arc::new(|message| crate::say::warn(&format!("note: {message}")));
    let mut session = target.open(world.settings(divergence), Supervisor::new(None, Some(tell)))?;
    let script = decisions(&scenario, &session)?;
    let ended = session.follow_script(&script)?;
    let finding = session.finding().map(|mut finding| {
        finding.scenario = Some(options.scenario.clone());
        finding
    });
    if let Some(difference) = difference(&scenario.decisions, &session.steps(), ended) {
        say!("did not happen: {}", plain(&difference))?;
        return Ok(DID_NOT);
    }
    if finding.is_some() && !session.knows_lines() {
        crate::say::warn(&format!("note: {NO_LINES}"));
    }
    match finding {
        Some(finding) if finding.kind == scenario.finding.kind => {
            let same = finding.message == scenario.finding.message;
            forgive(TextReporter::stdout().event(&RunEvent::Finding(finding)))?;
            say!("happened again{}", if same { "" } else { ", in other words than recorded" })?;
            Ok(HAPPENED)
        }
        Some(finding) => {
            let (kind, recorded) = (finding.kind, scenario.finding.kind);
            forgive(TextReporter::stdout().event(&RunEvent::Finding(finding)))?;
            say!("something else happened: {kind} instead of {recorded}")?;
            Ok(HAPPENED)
        }
        None if scenario.finding.kind == FindingKind::Deadlock
            && tasks_wait(&scenario, options, &session)? =>
        {
            Ok(HAPPENED)
        }
        None => {
            say!("did not happen: every decision was followed, and there was no {}", scenario.finding.kind)?;
            Ok(DID_NOT)
        }
    }
}

/// Says so if the scenario was recorded by a version in which every deadline passed on its own, and one did.
fn check_clock(scenario: &Scenario) -> Result<()> {
    let together = scenario.schedule == "priority" && scenario.time != "free";
    let alone = |step: &&Step| step.operation == "expire" || step.outcome.as_deref() == Some("time is up");
    let recorded = scenario.decisions.iter().zip(1..).find(|(step, _)| together && alone(step));
    if let Some((Step { task, operation, .. }, number)) = recorded {
        bail!(
            "the scenario does not fit this fw-vs: at step {number} the time of {task} is up (`{operation}`) as a decision of its own, and now all deadlines of a tick pass together\nhint: it was written by an earlier version; explore again with --time {}",
            scenario.time
        );
    }
    Ok(())
}

/// Somebody could go on, so it is no deadlock: whether the recorded tasks wait all the same, for each other or for what only
/// a timer or an interrupt could bring. Says so then.
fn tasks_wait(scenario: &Scenario, options: &Replay, session: &AnySession) -> Result<bool> {
    let Some(end) = session.standstill() else { return Ok(false) };
    let waiters: Vec<Waiter> = end.waits.iter().filter_map(|waits| session.in_words(waits)).collect();
    let recorded = |waiter: &&Waiter| match &scenario.standstill {
        Some(standstill) => standstill.tasks.contains(&waiter.task),
        None => names(&scenario.finding.message, &waiter.task),
    };
    let waiters: Vec<Waiter> = waiters.iter().filter(recorded).cloned().collect();
    let all = match &scenario.standstill {
        Some(standstill) => waiters.len() == standstill.tasks.len(),
        // Where another task can go on, nobody knows whether it would not help.
        None => !waiters.is_empty() && !end.others,
    };
    if !all {
        return Ok(false);
    }
    let message = deadlock_message(&waiters);
    let same = message == scenario.finding.message;
    let mut finding = session.standing_still(message);
    finding.scenario = Some(options.scenario.clone());
    forgive(TextReporter::stdout().waiting(&finding))?;
    let what = match (&scenario.standstill, same) {
        (Some(_), true) => "happened again: the same tasks wait",
        (None, true) => "not quite a deadlock: the same tasks wait",
        (Some(_), false) => "happened again, in other words than recorded: the same tasks wait",
        (None, false) => "not quite a deadlock: tasks wait, in other words than recorded",
    };
    let still = session.could_go_on();
    let still = if still.is_empty() { "nobody".to_owned() } else { still.join(", ") };
    say!("{what}; {} could still go on", plain(&still))?;
    Ok(true)
}

/// Whether the sentence for a deadlock says that the task waits.
fn names(message: &str, task: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(" waits ") || rest.starts_with(" (priority ");
    message.split("; ").any(|clause| clause.strip_prefix(task).is_some_and(goes_on))
}

/// The firmware that the user names, the recorded one, or the example of that name.
fn firmware(options: &Replay, scenario: &Scenario, board: &str) -> Result<PathBuf> {
    if let Some(path) = &options.firmware {
        return Ok(path.clone());
    }
    let recorded = &scenario.firmware.path;
    match &scenario.firmware.example {
        Some(example) if !recorded.exists() || options.board.is_some() => examples::find(example, board),
        _ => Ok(recorded.clone()),
    }
}

/// The recorded decisions, in terms of the firmware at hand.
fn decisions(scenario: &Scenario, session: &AnySession) -> Result<Vec<Transition>> {
    let roster = session.roster();
    let transition = |step: &Step| match roster.task_named(&step.task) {
        Some(task) => Ok(Transition { task, alternative: step.alternative.unwrap_or(0) }),
        None => bail!(
            "the scenario is of another firmware: {} has no task `{}`\nhint: it has {}",
            session.firmware().name(),
            plain(&step.task),
            plain(&roster.tasks().join(", "))
        ),
    };
    scenario.decisions.iter().map(transition).collect()
}

/// The first step that went another way.
fn difference(recorded: &[Step], now: &[Step], ended: End) -> Option<String> {
    for (number, step) in recorded.iter().enumerate() {
        let words = |step: &Step| {
            let object = step.object.as_deref().unwrap_or_default();
            let toss = step.alternative.map_or(String::new(), |value| format!(" = {value}"));
            format!("`{} {}{}{toss}`", step.operation, object, if object.is_empty() { "" } else { " " })
                .replace(" `", "`")
        };
        let (number, who) = (number + 1, &step.task);
        match now.get(number - 1) {
            Some(real) if real.same_decision(step) => {}
            Some(real) => {
                return Some(format!(
                    "at step {number} {who} is at {}, where the scenario has {}",
                    words(real),
                    words(step)
                ));
            }
            None if ended == End::NotEnabled => {
                return Some(format!("at step {number} {who} cannot go on with {}", words(step)));
            }
            None => return Some(format!("the firmware came to an end before step {number}")),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadlock_names_those_that_wait_and_nobody_whose_name_is_part_of_a_word() {
        let message =
            "uploader (priority 1) waits for calibration held by sampler; logger 2 waits for room in q";
        for task in ["uploader", "logger 2"] {
            assert!(names(message, task), "{task}");
        }
        for task in ["a", "up", "logger", "sampler", "calibration", "q", ""] {
            assert!(!names(message, task), "{task}");
        }
    }
}
