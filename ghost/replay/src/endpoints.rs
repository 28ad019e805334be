//! Every endpoint that any table names, at the very address that it names: the replay runs where those addresses are local.
//! So tables are loaded as they are written, and a choice that depends on addresses (`hash`) is the one that is expected.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ghost_core::{Address, Endpoint};

use crate::message::{Head, Header};

/// What an endpoint got.
#[derive(Debug, Clone)]
pub struct Seen {
    pub endpoint: String,
    pub head: Head,
}

#[derive(Default)]
struct State {
    /// Headers of every answer, until told otherwise.
    headers: Vec<Header>,
    seen: Vec<Seen>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
pub struct Endpoints {
    shared: Arc<Shared>,
    open: Vec<String>,
    paths: Vec<PathBuf>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Endpoints {
    /// Opens an endpoint unless it is open. One that has to be spoken to by TLS is opened as well, to catch plain text.
    pub fn open(&mut self, endpoint: &Endpoint) -> Result<(), String> {
        let key = endpoint.key().split("+tls:").next().unwrap_or_default().to_owned();
        if self.open.contains(&key) {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let name = key.clone();
        let wrong = |e: io::Error| format!("endpoint {}: {e}", endpoint.key());
        match endpoint.address() {
            Address::Ip(ip, port) => {
                let listener = TcpListener::bind((*ip, *port)).map_err(wrong)?;
                thread::spawn(move || {
                    for stream in listener.incoming().flatten() {
                        let (shared, name) = (Arc::clone(&shared), name.clone());
                        thread::spawn(move || converse(&stream, &stream, &name, &shared));
                    }
                });
            }
            Address::Unix(path) => {
                let path = Path::new(&**path);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(wrong)?;
                }
                let listener = UnixListener::bind(path).map_err(wrong)?;
                fs::set_permissions(path, fs::Permissions::from_mode(0o666)).map_err(wrong)?;
                self.paths.push(path.to_owned());
                thread::spawn(move || {
                    for stream in listener.incoming().flatten() {
                        let (shared, name) = (Arc::clone(&shared), name.clone());
                        thread::spawn(move || converse(&stream, &stream, &name, &shared));
                    }
                });
            }
            // Nothing resolves names here, so nobody can come by.
            Address::Dns(..) => {}
        }
        self.open.push(key);
        Ok(())
    }

    /// Forgets what was seen, and answers with these headers from now on.
    pub fn prepare(&self, headers: Vec<Header>) {
        let mut state = self.shared.state();
        state.seen.clear();
        state.headers = headers;
    }

    /// What was seen since, after at most this long for `number` of them to come.
    pub fn seen(&self, number: usize, patience: Duration) -> Vec<Seen> {
        let until = Instant::now() + patience;
        let mut state = self.shared.state();
        while state.seen.len() < number {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.shared.arrived.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.seen.clone()
    }
}

impl Drop for Endpoints {
    fn drop(&mut self) {
        for path in &self.paths {
            let _ = fs::remove_file(path);
        }
    }
}

/// Answers until the other side has enough. A broken connection shows as an answer that the client lacks.
fn converse(from: impl Read, mut to: impl Write, name: &str, shared: &Shared) -> io::Result<()> {
    let mut from = BufReader::new(from);
    while let Some(head) = Head::read(&mut from)? {
        let last = head.get("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let mut text = format!("HTTP/1.1 200 OK\r\nX-Endpoint: {name}\r\n");
        {
            let mut state = shared.state();
            for (name, value) in &state.headers {
                let _ = write!(text, "{name}: {value}\r\n");
            }
            let _ = write!(text, "Content-Length: {}\r\n\r\n", name.len());
            if head.part(0) != "HEAD" {
                text.push_str(name);
            }
            state.seen.push(Seen { endpoint: name.into(), head });
            shared.arrived.notify_all();
        }
        to.write_all(text.as_bytes())?;
        if last {
            break;
        }
    }
    Ok(())
}
