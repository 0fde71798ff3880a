//! Whatever a path leads to: bytes or a reason, at once.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use fwvs_foreign::file;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::{TempDir, tempdir};

fn pipe(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).expect("a pipe can be made");
    path
}

/// The reason, which must come soon: reading a pipe or `/dev/zero` would take for ever.
fn reason<T: Send + 'static>(
    path: &Path,
    attempt: impl FnOnce(&Path) -> std::io::Result<T> + Send + 'static,
) -> String {
    let (tell, heard) = mpsc::channel();
    let path = path.to_owned();
    std::thread::spawn(move || tell.send(attempt(&path).map(drop).map_err(|error| error.to_string())));
    let outcome = heard.recv_timeout(Duration::from_secs(30)).expect("it hangs");
    outcome.expect_err("it is no file")
}

#[test]
fn what_is_no_regular_file_is_told_as_what_it_is() {
    let folder = tempdir().expect("a folder");
    let socket = folder.path().join("socket");
    let _listener = UnixListener::bind(&socket).expect("a socket");
    for (path, part) in [
        (pipe(&folder), "but a pipe"),
        (socket, "but a socket"),
        ("/dev/zero".into(), "but a device"),
        ("/dev/null".into(), "but a device"),
        (folder.path().to_owned(), "it is a directory"),
    ] {
        for text in [reason(&path, |path| file::read(path, 100)), reason(&path, file::append)] {
            assert!(text.contains(part), "{}: {text}", path.display());
        }
    }
}

#[test]
fn a_file_is_read_up_to_its_limit() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("file");
    fs::write(&path, "12345").expect("it is written");
    assert_eq!(file::read(&path, 5).expect("it fits"), b"12345");
    assert!(reason(&path, |path| file::read(path, 4)).contains("longer than 4 bytes"));
    assert_eq!(file::beginning(&path, 2, 5).expect("it fits"), b"12");
    assert_eq!(file::beginning(&path, 9, 5).expect("it fits"), b"12345");
    assert!(reason(&path, |path| file::beginning(path, 2, 4)).contains("longer than 4 bytes"));
    // Of this kind of file nobody knows how long it is before it was read.
    let endless = Path::new("/proc/self/maps");
    assert_eq!(fs::metadata(endless).expect("Linux has it").len(), 0);
    assert!(reason(endless, |path| file::read(path, 10)).contains("longer than 10 bytes"));
    let sparse = folder.path().join("sparse");
    File::create(&sparse).and_then(|file| file.set_len(1 << 40)).expect("it takes no room");
    assert!(reason(&sparse, |path| file::read(path, 1 << 20)).contains("longer than"));
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("file");
    fs::write(&path, b"abc\xff").expect("it is written");
    assert!(reason(&path, |path| file::read_text(path, 100)).contains("byte 3 is not UTF-8"));
}

#[test]
fn links_are_followed_to_read_and_not_to_write() {
    let folder = tempdir().expect("a folder");
    let (kept, link) = (folder.path().join("kept"), folder.path().join("link"));
    fs::write(&kept, "three years of work").expect("it is written");
    symlink(&kept, &link).expect("a link");
    assert_eq!(file::read_text(&link, 100).expect("it leads to a file"), "three years of work");
    assert!(reason(&link, file::append).contains("it is a symbolic link"));
    assert!(reason(&link, file::append_existing).contains("it is a symbolic link"));
    file::create(&link).and_then(|mut file| file.write_all(b"new")).expect("the link is replaced");
    assert_eq!(fs::read_to_string(&kept).expect("it is there"), "three years of work");
    assert_eq!(fs::read_to_string(&link).expect("it is a file now"), "new");
    let circle = folder.path().join("circle");
    symlink(&circle, &circle).expect("a link");
    reason(&circle, |path| file::read(path, 100));
    assert!(reason(&circle, file::append).contains("it is a symbolic link"));
}
