//! Numbers, times and foreign text, fit for a terminal.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub use fwvs_foreign::plain;
use fwvs_foreign::text::is_hidden;

/// 1234567 as `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 path`, `2 paths`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

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

/// A path that a shell reads back as it is. One with hidden letters, or that is not text, has them as escapes that most
/// shells read.
pub fn shell(path: &Path) -> String {
    let text = match path.to_str() {
        Some(text) if !text.contains(is_hidden) => text,
        _ => return escaped(path),
    };
    let tame = |letter: char| letter.is_alphanumeric() || "/._-+,:@%=".contains(letter);
    if !text.is_empty() && text.chars().all(tame) && !text.starts_with('-') {
        return text.to_owned();
    }
    // A path that looks like an option must not be one.
    let prefix = if text.starts_with('-') { "./" } else { "" };
    format!("'{prefix}{}'", text.replace('\'', r"'\''"))
}

/// Byte by byte, in the quotes of which shells undo escapes.
fn escaped(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let mut text = String::from(if bytes.starts_with(b"-") { "$'./" } else { "$'" });
    for byte in bytes {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            // Three digits: two could take the next letter along.
            _ => write!(text, "\\{byte:03o}").expect("a string takes everything"),
        }
    }
    text.push('\'');
    text
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
    fn thousands_are_separated() {
        let shown = [0, 7, 999, 1000, 104_704, 1_234_567, u64::MAX].map(count);
        assert_eq!(shown, ["0", "7", "999", "1,000", "104,704", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn one_of_a_kind_is_singular() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "path")), ["0 paths", "1 path", "2 paths"]);
    }

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
    fn a_shell_reads_back_what_is_shown() {
        let shown = ["runs/a-1.json", "my runs/a.json", "it's", "-x", ""].map(|path| shell(Path::new(path)));
        assert_eq!(shown, ["runs/a-1.json", "'my runs/a.json'", r"'it'\''s'", "'./-x'", "''"]);
    }

    #[test]
    fn a_shell_reads_back_what_cannot_be_shown() {
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a\x1b'\xff\n1"));
        let shown = shell(path);
        assert_eq!(shown, r"$'a\033\'\377\0121'");
        let mut echo = std::process::Command::new("bash");
        let said = echo.args(["-c", &format!("printf %s {shown}")]).output().expect("bash is there");
        assert_eq!(said.stdout, path.as_os_str().as_bytes());
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 8, 2), "one two\n  three");
        assert_eq!(wrap("one", 80, 4), "one");
        assert_eq!(wrap("incomprehensibilities a", 8, 2), "incomprehensibilities\n  a");
        assert_eq!(wrap("a incomprehensibilities", 8, 2), "a\n  incomprehensibilities");
    }
}
