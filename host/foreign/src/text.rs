//! Makes what would steer a terminal visible.
//!
//! Three things are kept apart. [`plain`] is for a name or a value inside a sentence: nothing in it may even begin a new
//! line. [`harmless`] is for whole sentences, which have lines. [`styled`] is for what is about to be written to a terminal,
//! with colours that fw-vs itself chose: the last line of defence, for texts that nobody thought of.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// Letters that are not seen, or that change how others are seen: control characters, direction marks and overrides, what has
/// no width, what separates lines and paragraphs, and tags.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A name or a value, on one line: hidden letters are shown as `\u{1b}`, a new line as `\n`.
pub fn plain(text: &str) -> Cow<'_, str> {
    shown_but(text, |_| false)
}

/// Sentences with their lines; all other hidden letters are shown.
pub fn harmless(text: &str) -> Cow<'_, str> {
    shown_but(text, is_layout)
}

/// A path on one line, as part of a sentence.
pub fn shown(path: &Path) -> impl fmt::Display {
    plain(&path.to_string_lossy()).into_owned()
}

/// Sentences with their lines, and with the colours and weights that fw-vs uses; nothing else that steers a terminal.
pub fn styled(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return harmless(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        safe.push_str(&harmless(&rest[..at]));
        rest = &rest[at..];
        let style = STYLES.iter().find(|style| rest.starts_with(**style)).copied().unwrap_or_default();
        if style.is_empty() {
            safe.push_str("\\u{1b}");
            rest = &rest['\u{1b}'.len_utf8()..];
        } else {
            safe.push_str(style);
            rest = &rest[style.len()..];
        }
    }
    safe.push_str(&harmless(rest));
    Cow::Owned(safe)
}

/// Reset, bold, underlined, and the colours of verdicts and of the command line's own errors.
const STYLES: [&str; 7] =
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[4m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m"];

fn is_layout(letter: char) -> bool {
    matches!(letter, '\n' | '\t')
}

fn shown_but(text: &str, kept: fn(char) -> bool) -> Cow<'_, str> {
    let escapes = |letter: char| is_hidden(letter) && !kept(letter);
    if !text.contains(escapes) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if escapes(letter) { safe.extend(letter.escape_default()) } else { safe.push(letter) }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_stays_as_it_is() {
        for text in ["fork 1 für ß", "任务 1", "a\\b \"c\"", "café 🚦"] {
            assert_eq!(plain(text), text);
            assert!(matches!(styled(text), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn a_name_cannot_move_the_cursor_nor_begin_a_line() {
        assert_eq!(plain("a\x1b[2Jb\nc\u{202e}\td"), r"a\u{1b}[2Jb\nc\u{202e}\td");
        assert_eq!(plain("\u{9b}31m\u{7f}\u{200b}\u{2028}"), r"\u{9b}31m\u{7f}\u{200b}\u{2028}");
    }

    #[test]
    fn sentences_keep_their_lines() {
        assert_eq!(harmless("a\n\tb\x1b[31m\r"), "a\n\tb\\u{1b}[31m\\r");
    }

    #[test]
    fn only_our_own_styles_pass() {
        let ours = "\x1b[1m\x1b[31mfound\x1b[0m: x\n";
        assert_eq!(styled(ours), ours);
        for foreign in ["\x1b[8m", "\x1b]0;title\x07", "\x1b[2J", "\x1b", "\x1b[", "\x1bP", "\u{9b}1m"] {
            let safe = styled(foreign).into_owned();
            assert!(!safe.contains(is_hidden), "{safe:?}");
        }
    }

    #[test]
    fn a_path_is_on_one_line() {
        assert_eq!(shown(Path::new("a\nhint: b")).to_string(), r"a\nhint: b");
    }
}
