//! What a run amounts to, in plain words. A run that is not finished never looks like one that is safe.

use anstyle::{AnsiColor, Style};
use fwvs_scenario::{FindingKind, Summary, Verdict};

use crate::words::{counted, duration, plain, rate, wrap};

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
    let cut = if summary.verdict == Verdict::Found { "not everything was explored" } else { "cut" };
    summary.bounds_hit.iter().for_each(|bound| line(format!("{cut}: {}", plain(bound))));
    if summary.depth_cuts > 0 && summary.bounds_hit.is_empty() {
        line(format!("{cut}: {} by the depth bound", counted(summary.depth_cuts, "path")));
    }
    summary.assumptions.iter().for_each(|assumption| line(format!("assuming: {}", plain(assumption))));
    summary.vacuous.iter().for_each(|nothing| line(format!("never happened: {}", plain(nothing))));
    summary.notes.iter().for_each(|note| line(format!("note: {}", plain(note))));
    line(counts(summary));
    let speed = rate(summary.paths, summary.seconds);
    let speed = speed.map_or(String::new(), |speed| format!(", {speed} paths/s"));
    line(format!("{}{speed}, on {}", duration(summary.seconds), plain(&summary.board)));
    text
}

/// The sentence that matters most.
fn verdict(summary: &Summary) -> (Style, &'static str, String) {
    let whole = summary.bounds_hit.is_empty() && summary.depth_cuts == 0;
    match summary.verdict {
        Verdict::Found => (FOUND, "found", findings(summary)),
        Verdict::Complete if whole && summary.assumptions.is_empty() => {
            (COMPLETE, "complete", "every path was explored, nothing was found".into())
        }
        Verdict::Complete if whole => (
            COMPLETE,
            "complete",
            "every path was explored, nothing was found, under these assumptions".into(),
        ),
        Verdict::Bounded | Verdict::Complete => {
            (BOUNDED, "bounded", "nothing was found, but not everything was explored".into())
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
