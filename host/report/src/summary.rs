//! What a run amounts to, in plain words. A run that is not finished never looks like one that is safe.

use anstyle::{AnsiColor, Style};
use fwvs_scenario::{FindingKind, Summary, Verdict, Waiting};

use crate::words::{count, counted, duration, plain, rate, shell, wrap};

const COMPLETE: Style = AnsiColor::Green.on_default().bold();
const FOUND: Style = AnsiColor::Red.on_default().bold();
const BOUNDED: Style = AnsiColor::Yellow.on_default().bold();

/// The summary for a terminal of that width, with escape sequences for colour.
pub fn text(summary: &Summary, width: usize) -> String {
    let (style, word, sentence) = verdict(summary);
    let headline = wrap(&format!("{word}: {sentence}"), width, 2);
    let mut text = format!("{style}{word}{style:#}{}\n", &headline[word.len()..]);
    let mut line = |line: String| {
        text.push_str("  ");
        text.push_str(&wrap(&line, width.saturating_sub(2), 4));
        text.push('\n');
    };
    for one in &summary.waiting {
        line(waiting(one, summary.paths));
        if let Some(scenario) = &one.scenario {
            line(format!("  fw-vs replay {}", shell(scenario)));
        }
    }
    let cut = if summary.verdict == Verdict::Found { "not everything was explored" } else { "cut" };
    summary.bounds_hit.iter().for_each(|bound| line(format!("{cut}: {}", plain(bound))));
    if summary.depth_cuts > 0 && summary.bounds_hit.is_empty() {
        line(format!("{cut}: {} by the depth bound", counted(summary.depth_cuts, "path")));
    }
    let within = summary.within.iter().map(|bound| bound.effect(summary.paths));
    within.for_each(|effect| line(format!("within: {}", plain(&effect))));
    summary.assumptions.iter().for_each(|assumption| line(format!("assuming: {}", plain(assumption))));
    summary.vacuous.iter().for_each(|nothing| line(format!("never happened: {}", plain(nothing))));
    summary.notes.iter().for_each(|note| line(format!("note: {}", plain(note))));
    line(counts(summary));
    let speed = rate(summary.paths, summary.seconds);
    let speed = speed.map_or(String::new(), |speed| format!(", {speed} paths/s"));
    line(format!("{}{speed}, on {}", duration(summary.seconds), plain(&summary.board)));
    if let Some(run) = summary.resume.as_ref().filter(|_| summary.verdict == Verdict::Bounded) {
        // In one piece, for whoever copies it.
        text.push_str(&format!("  to go on: fw-vs explore --resume {}\n", shell(run)));
    }
    text
}

/// Tasks that only waited for each other, as far as was seen.
pub fn waiting(one: &Waiting, paths: u64) -> String {
    let Waiting { message, still, unseen, never_seen, paths: ended, .. } = one;
    let (was, it) = if let [_] = still.as_slice() { ("was", "it") } else { ("were", "they") };
    let still = match still.as_slice() {
        [] => "nobody else could go on".to_owned(),
        still if !never_seen.is_empty() => format!(
            "only {} could still go on, and {} never did on any path: nobody knows whether that would help",
            still.join(", "),
            if still == never_seen { it.to_owned() } else { never_seen.join(", ") }
        ),
        still if !unseen.is_empty() => format!(
            "nobody was ever seen to {}, and whether {} ever would was not looked into",
            unseen.join(" or to "),
            still.join(", ")
        ),
        still => format!(
            "only {} could still go on, and {was} never seen to help; whether {it} ever would was not looked into",
            still.join(", ")
        ),
    };
    let paths = counted(paths, "path");
    plain(&format!("waiting: at the end of {} of {paths}, {message}; {still}", count(*ended))).into_owned()
}

/// The sentence that matters most.
fn verdict(summary: &Summary) -> (Style, &'static str, String) {
    let whole = summary.bounds_hit.is_empty() && summary.depth_cuts == 0;
    let under = if summary.assumptions.is_empty() { "" } else { ", under these assumptions" };
    // That other tasks were not seen to help, or nothing of a line, is worth a line here, and may be as it should be.
    let sure = |one: &&Waiting| one.unseen.is_empty() && one.never_seen.is_empty();
    let stuck = summary.waiting.iter().filter(sure).map(|one| one.paths).sum();
    let (nothing, complete) = match stuck {
        0 => ("nothing was found".to_owned(), COMPLETE),
        1 => (
            "nothing was found, but 1 path ended with tasks that nobody was seen to help".to_owned(),
            BOUNDED,
        ),
        paths => {
            let paths = count(paths);
            (
                format!("nothing was found, but {paths} paths ended with tasks that nobody was seen to help"),
                BOUNDED,
            )
        }
    };
    match summary.verdict {
        Verdict::Found => (FOUND, "found", findings(summary)),
        Verdict::Complete if whole => {
            (complete, "complete", format!("every path was explored, {nothing}{under}"))
        }
        Verdict::CompleteWithinBounds if whole => {
            let lets = summary.within.iter().filter(|bound| bound.reached).map(|bound| bound.lets.as_str());
            let lets = plain(&lets.collect::<Vec<_>>().join(", ")).into_owned();
            let sentence = format!("every behaviour {lets} was explored, {nothing}{under}");
            (complete, "complete within bounds", sentence)
        }
        Verdict::Bounded | Verdict::Complete | Verdict::CompleteWithinBounds => {
            let all = if stuck == 0 { ", but" } else { ", and" };
            (BOUNDED, "bounded", format!("{nothing}{all} not everything was explored"))
        }
    }
}

/// `2 findings (1 deadlock, 1 assertion)`.
fn findings(summary: &Summary) -> String {
    let of = |kind: FindingKind| summary.findings.iter().filter(|finding| finding.kind == kind).count();
    let kinds: Vec<String> = FindingKind::ALL
        .into_iter()
        .map(|kind| (of(kind), kind))
        .filter(|(number, _)| *number > 0)
        .map(|(number, kind)| format!("{number} {kind}"))
        .collect();
    format!("{} ({})", counted(summary.findings.len() as u64, "finding"), kinds.join(", "))
}

fn counts(summary: &Summary) -> String {
    let mut parts = vec![counted(summary.paths, "path"), counted(summary.transitions, "transition")];
    if summary.replayed_transitions > 0 {
        parts.push(format!("{} replayed", counted(summary.replayed_transitions, "transition")));
    }
    if summary.sleep_blocked > 0 {
        parts.push(format!("{} given up as covered by others", counted(summary.sleep_blocked, "path")));
    }
    if summary.toss_sequences > 1 {
        parts.push(counted(summary.toss_sequences, "toss sequence"));
    }
    parts.join(", ")
}
