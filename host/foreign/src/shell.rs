//! A path as a part of a command that a person copies into a shell.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::text::is_hidden;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
