//! How far a run has come, on one line.

use fwvs_scenario::Progress;

use crate::words::{count, counted, duration, speed};

/// One line for a terminal; what matters most comes first, in case the line is cut.
pub fn line(progress: &Progress) -> String {
    let mut parts = Vec::new();
    if let Some((least, most)) = progress.done {
        let percent = |part: f64| format!("{:.0}", (part.clamp(0.0, 1.0) * 100.0).floor());
        parts.push(format!("{} % done", between(percent(least), percent(most))));
    }
    if let Some((least, most)) = progress.seconds_left {
        parts.push(format!("{} left", between(duration(least), duration(most))));
    }
    parts.extend([
        counted(progress.paths, "path"),
        format!("{} found", count(progress.findings)),
        duration(progress.seconds),
        format!("{}/s", speed(progress.paths_per_second)),
        format!("depth {}", count(progress.depth)),
        counted(progress.transitions, "transition"),
    ]);
    parts.join(", ")
}

fn between(least: String, most: String) -> String {
    if least == most { least } else { format!("{least} to {most}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_says_paths_rate_depth_findings_and_time() {
        let progress = Progress {
            paths: 12_345,
            transitions: 98_765,
            replayed_transitions: 1,
            depth: 64,
            findings: 1,
            seconds: 12.34,
            paths_per_second: 5818.4,
            done: None,
            seconds_left: None,
        };
        let expected = "12,345 paths, 1 found, 12.3 s, 5,818/s, depth 64, 98,765 transitions";
        assert_eq!(line(&progress), expected);
        assert!(expected.len() < 80);
    }

    #[test]
    fn what_is_left_comes_first_and_is_a_range() {
        let progress =
            Progress { done: Some((0.0, 0.5)), seconds_left: Some((60.0, 60.0)), ..Progress::default() };
        let line = line(&progress);
        assert!(line.starts_with("0 to 50 % done, 1 min 00 s left, 0 paths, 0 found"), "{line}");
    }

    #[test]
    fn nearly_everything_is_not_everything() {
        let progress = Progress { done: Some((0.999, 0.999)), ..Progress::default() };
        assert!(line(&progress).starts_with("99 % done, "));
    }
}
