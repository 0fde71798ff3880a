//! Numbers, times and foreign text, fit for a terminal.

pub use fwvs_foreign::{plain, shell};
pub use fwvs_scenario::number::{count, counted};

/// Seconds as `0.42 s`, `12.3 s`, `3 min 05 s`, `2 h 03 min`.
pub fn duration(seconds: f64) -> String {
    let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    // Each limit is where rounding would show the next unit.
    if seconds < 9.995 {
        return format!("{seconds:.2} s");
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        ..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// How many a second, whole from ten on.
pub fn rate(number: u64, seconds: f64) -> Option<String> {
    let rate = number as f64 / seconds;
    (rate.is_finite() && seconds > 0.0).then(|| speed(rate))
}

/// A rate, whole from ten on.
pub fn speed(rate: f64) -> String {
    if rate < 9.95 { format!("{rate:.1}") } else { count(rate.round() as u64) }
}

/// Breaks lines between words; every line but the first is indented. A longer word has a line of its own.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut lines = String::new();
    let (mut column, mut words_on_line) = (0, 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if words_on_line > 0 {
            if column + 1 + length > width {
                lines.push('\n');
                lines.extend(std::iter::repeat_n(' ', indent));
                (column, words_on_line) = (indent, 0);
            } else {
                lines.push(' ');
                column += 1;
            }
        }
        lines.push_str(word);
        (column, words_on_line) = (column + length, words_on_line + 1);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_a_person_would_use() {
        let shown =
            [0.0, 0.424, 9.994, 9.996, 59.94, 59.96, 185.2, 3599.6, 7400.0, f64::NAN, -1.0].map(duration);
        let expected = [
            "0.00 s",
            "0.42 s",
            "9.99 s",
            "10.0 s",
            "59.9 s",
            "1 min 00 s",
            "3 min 05 s",
            "1 h 00 min",
            "2 h 03 min",
            "0.00 s",
            "0.00 s",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_rate_needs_time() {
        assert_eq!(rate(10, 0.0), None);
        assert_eq!(rate(0, 0.0), None);
        assert_eq!(rate(5, 2.0).as_deref(), Some("2.5"));
        assert_eq!(rate(1_000_000, 2.0).as_deref(), Some("500,000"));
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 8, 2), "one two\n  three");
        assert_eq!(wrap("one", 80, 4), "one");
        assert_eq!(wrap("incomprehensibilities a", 8, 2), "incomprehensibilities\n  a");
        assert_eq!(wrap("a incomprehensibilities", 8, 2), "a\n  incomprehensibilities");
    }
}
