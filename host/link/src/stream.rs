//! The byte streams a conversation can run over: sockets, and whatever a test brings.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A byte stream whose reads give up after a while.
pub trait Stream: Read + Write + Send {
    /// From now on a read that sees no byte for this long fails with `WouldBlock` or `TimedOut`.
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()>;
}

impl Stream for UnixStream {
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))
    }
}

impl Stream for TcpStream {
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))
    }
}
