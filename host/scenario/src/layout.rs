//! JSON with one entry a line: pretty like everybody's, but what stands in a list stays on one line.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::json::write_seen;

/// `value` as text that ends with a new line.
pub(crate) fn one_entry_a_line<T: Serialize>(value: &T) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, OneEntryALine::default());
    value.serialize(&mut serializer).expect("only plain data with text keys is laid out, into memory");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is text")
}

/// Counts how deep it is, and whether a list is around it.
#[derive(Default)]
struct OneEntryALine {
    depth: usize,
    lists: usize,
    filled: bool,
}

impl OneEntryALine {
    /// Between the entries of a list or an object.
    fn line<W: ?Sized + io::Write>(&self, writer: &mut W, first: bool, wide: bool) -> io::Result<()> {
        match (first, wide) {
            (true, false) => Ok(()),
            (false, false) => writer.write_all(b", "),
            (first, true) => {
                writer.write_all(if first { b"\n" } else { b",\n" })?;
                (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
            }
        }
    }

    fn close<W: ?Sized + io::Write>(&mut self, writer: &mut W, wide: bool, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if wide && self.filled {
            self.line(writer, true, true)?;
        }
        self.filled = true;
        writer.write_all(bracket)
    }
}

impl Formatter for OneEntryALine {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, part: &str) -> io::Result<()> {
        write_seen(writer, part)
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        (self.depth, self.lists, self.filled) = (self.depth + 1, self.lists + 1, false);
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.lists -= 1;
        self.close(writer, self.lists == 0, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.line(writer, first, self.lists == 1)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        (self.depth, self.filled) = (self.depth + 1, false);
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, self.lists == 0, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.line(writer, first, self.lists == 0)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::one_entry_a_line;

    #[test]
    fn an_entry_of_a_list_stays_on_one_line() {
        let value = serde_json::json!({"a": [{"b": 1, "c": [2, 3]}, {}], "d": {"e": "f"}, "g": [], "h": {}});
        let expected = r#"{
  "a": [
    {"b": 1, "c": [2, 3]},
    {}
  ],
  "d": {
    "e": "f"
  },
  "g": [],
  "h": {}
}
"#;
        assert_eq!(one_entry_a_line(&value), expected);
    }
}
