//! Opens regular files only, never waits, never reads without a limit.
//!
//! Opening a pipe waits for somebody at its other end, a device may have no end, and a symbolic link in a folder of results
//! may lead to a file that must not be changed. What such a path is, is the error; which file it was, callers add.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Why a path cannot be used as a file. It comes inside an [`io::Error`], like every other reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// A folder.
    #[error("it is a directory")]
    Directory,
    /// A pipe, a socket, a device.
    #[error("it is not a regular file but a {0}")]
    Irregular(&'static str),
    /// More bytes than anybody would write by intention.
    #[error("it is longer than {0} bytes, far too long for what it is to be")]
    TooLong(u64),
    /// Bytes that are no text.
    #[error("it is not text: byte {0} is not UTF-8")]
    NotText(usize),
    /// A file to be written that is a link to some other file.
    #[error("it is a symbolic link, and what it leads to is left alone")]
    Link,
}

impl From<Unfit> for io::Error {
    fn from(unfit: Unfit) -> Self {
        let kind = match unfit {
            Unfit::Directory => io::ErrorKind::IsADirectory,
            Unfit::NotText(_) => io::ErrorKind::InvalidData,
            Unfit::Irregular(_) | Unfit::TooLong(_) | Unfit::Link => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, unfit)
    }
}

/// Opens a file to read. Symbolic links are followed: the user named the path.
pub fn open(path: &Path) -> io::Result<File> {
    // Asked before opening as well: opening a device may already do something, and a socket cannot be opened at all.
    regular(&fs::metadata(path)?)?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    // What was asked about may have been replaced meanwhile.
    regular(&file.metadata()?)?;
    Ok(file)
}

/// All bytes of a file that has at most `longest`.
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = open_short(path, longest)?;
    let mut bytes = Vec::new();
    // It may grow while it is read, or not know how long it is.
    file.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(Unfit::TooLong(longest).into());
    }
    Ok(bytes)
}

/// The first `count` bytes of a file that has at most `longest`; all of them if it has fewer.
pub fn beginning(path: &Path, count: u64, longest: u64) -> io::Result<Vec<u8>> {
    let file = open_short(path, longest)?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn open_short(path: &Path, longest: u64) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.len() > longest {
        return Err(Unfit::TooLong(longest).into());
    }
    Ok(file)
}

/// A file of text, which has at most `longest` bytes.
pub fn read_text(path: &Path, longest: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, longest)?);
    text.map_err(|error| Unfit::NotText(error.utf8_error().valid_up_to()).into())
}

/// Opens a file of results to append to, and makes it if it is not there. A symbolic link is not followed.
pub fn append(path: &Path) -> io::Result<File> {
    write(path, OpenOptions::new().create(true).append(true))
}

/// Opens a file of results that is already there to append to. A symbolic link is not followed.
pub fn append_existing(path: &Path) -> io::Result<File> {
    write(path, OpenOptions::new().append(true))
}

/// Makes a file that is not there yet. Whatever has that name is taken away first, and not followed if it is a link.
pub fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::create_new(path)
}

fn write(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let opened = options.custom_flags(flags).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) => {
            // Of these the system says things like "no such device or address".
            if let Ok(metadata) = fs::symlink_metadata(path) {
                regular(&metadata)?;
            }
            return Err(error);
        }
    };
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Whether it is a regular file; else what it is.
fn regular(metadata: &Metadata) -> Result<(), Unfit> {
    let kind = metadata.file_type();
    match kind {
        _ if kind.is_file() => Ok(()),
        _ if kind.is_dir() => Err(Unfit::Directory),
        _ if kind.is_symlink() => Err(Unfit::Link),
        _ if kind.is_fifo() => Err(Unfit::Irregular("pipe")),
        _ if kind.is_socket() => Err(Unfit::Irregular("socket")),
        _ => Err(Unfit::Irregular("device")),
    }
}
