//! JSON in which every letter is seen: what would steer a terminal is escaped, so that a file can be looked at with `cat`.

use std::io;

use fwvs_foreign::text::is_hidden;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// `value` on one line, without the line's end.
///
/// # Panics
/// If it has keys that are no text, or parts that fail to be written: nothing here has.
pub fn line(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, OneLine);
    value.serialize(&mut serializer).expect("only plain data with text keys is written, into memory");
    String::from_utf8(bytes).expect("JSON is text")
}

/// As compact as can be.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, part: &str) -> io::Result<()> {
        write_seen(writer, part)
    }
}

/// Part of a string, with escapes for what is not seen. Quotes and backslashes are no part of it.
pub(crate) fn write_seen<W: ?Sized + io::Write>(writer: &mut W, part: &str) -> io::Result<()> {
    let mut rest = part;
    while let Some((at, letter)) = rest.char_indices().find(|(_, letter)| is_hidden(*letter)) {
        CompactFormatter.write_string_fragment(writer, &rest[..at])?;
        for half in letter.encode_utf16(&mut [0; 2]) {
            write!(writer, "\\u{half:04x}")?;
        }
        rest = &rest[at + letter.len_utf8()..];
    }
    CompactFormatter.write_string_fragment(writer, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_seen_and_none_is_lost() {
        let text = "a\u{1b}[2J\n\u{9b}31m\u{7f}\u{202e}\u{200b}\u{2028}\u{e0041}\"\\ß🚦";
        let written = line(&[text]);
        assert_eq!(
            written,
            "[\"a\\u001b[2J\\n\\u009b31m\\u007f\\u202e\\u200b\\u2028\\udb40\\udc41\\\"\\\\ß🚦\"]"
        );
        let read: [String; 1] = serde_json::from_str(&written).unwrap();
        assert_eq!(read, [text]);
    }
}
