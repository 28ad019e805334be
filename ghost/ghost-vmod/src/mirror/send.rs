//! One copy, sent. It has a few seconds from the connection to the end of its answer, however slowly bytes come and go.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use ghost_core::Address;

const CONNECT: Duration = Duration::from_secs(1);
/// One copy, from connection to the end of its answer.
const TOTAL: Duration = Duration::from_secs(10);

pub fn send(address: &Address, message: &[u8]) -> Result<()> {
    match address {
        Address::Ip(ip, port) => tcp(&SocketAddr::new(*ip, *port), message),
        Address::Dns(name, port) => {
            let found = (&**name, *port).to_socket_addrs()?.next();
            tcp(&found.ok_or_else(|| Error::other("no address"))?, message)
        }
        Address::Unix(path) => exchange(UnixStream::connect(&**path)?, message),
    }
}

/// Whether nothing came for too long.
pub fn is_timeout(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}

trait Timed: Read + Write {
    fn limit(&self, left: Duration) -> Result<()>;
}

impl Timed for TcpStream {
    fn limit(&self, left: Duration) -> Result<()> {
        self.set_read_timeout(Some(left))?;
        self.set_write_timeout(Some(left))
    }
}

impl Timed for UnixStream {
    fn limit(&self, left: Duration) -> Result<()> {
        self.set_read_timeout(Some(left))?;
        self.set_write_timeout(Some(left))
    }
}

fn tcp(address: &SocketAddr, message: &[u8]) -> Result<()> {
    let stream = TcpStream::connect_timeout(address, CONNECT)?;
    stream.set_nodelay(true)?;
    exchange(stream, message)
}

fn exchange(mut stream: impl Timed, mut message: &[u8]) -> Result<()> {
    let end = Instant::now() + TOTAL;
    let left = || Some(end.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero());
    while !message.is_empty() {
        stream.limit(left().ok_or(ErrorKind::TimedOut)?)?;
        let sent = stream.write(message)?;
        message = message.get(sent..).filter(|_| sent > 0).ok_or(ErrorKind::WriteZero)?;
    }
    let mut buffer = [0; 16 << 10];
    let mut heard = false;
    while let Some(left) = left() {
        stream.limit(left)?;
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => heard = true,
            // An answer that stops or takes too long was given all the same.
            Err(_) if heard => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    if heard { Ok(()) } else { Err(ErrorKind::TimedOut.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_to_its_end() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let backend = std::thread::spawn(move || {
            let mut request = [0; 5];
            theirs.read_exact(&mut request).unwrap();
            theirs.write_all(b"answer").unwrap();
            request
        });
        assert!(exchange(ours, b"hello").is_ok());
        assert_eq!(backend.join().unwrap(), *b"hello");
    }

    #[test]
    fn a_backend_that_goes_is_no_timeout() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        let error = exchange(ours, b"hello").unwrap_err();
        assert!(!is_timeout(&error));
    }
}
