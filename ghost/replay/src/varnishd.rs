//! The varnishd under test, and how to reach it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::case::Request;
use crate::message::{Answer, Header};
use crate::proxy;

const START: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(10);
const RELOAD_SOCKET: &str = "ghost-reload";

/// What to start, and where.
pub struct Setup {
    pub vmod: PathBuf,
    /// The folder of the preamble and the postamble.
    pub vcl: PathBuf,
    /// An empty folder.
    pub work: PathBuf,
    /// varnishd and arguments of its own.
    pub command: Vec<String>,
}

enum Socket {
    Plain(SocketAddr),
    /// The edge's: it alone says which port the client connected to.
    Edge(PathBuf),
}

pub struct Varnishd {
    child: Child,
    sockets: BTreeMap<String, Socket>,
    work: PathBuf,
}

impl Varnishd {
    /// `names` are all sockets that requests come in on, `edges` those of them that a PROXY header is sent to.
    pub fn start(setup: &Setup, table: &[u8], names: &BTreeSet<&str>, edges: &BTreeSet<&str>) -> Result<Self, String> {
        let work = setup.work.clone();
        let fault = |e: io::Error| format!("varnishd: {e}");
        fs::write(work.join("ghost.json"), table).map_err(fault)?;
        fs::write(work.join("main.vcl"), main_vcl(setup)).map_err(fault)?;
        let log = File::create(work.join("varnishd.log")).map_err(fault)?;
        let (program, own) = setup.command.split_first().ok_or("no varnishd to start")?;
        let mut command = Command::new(program);
        command.args(own).arg("-F").arg("-n").arg(work.join("varnish")).arg("-f").arg(work.join("main.vcl"));
        let mut sockets = BTreeMap::new();
        // Held until varnishd starts, so that no two sockets get the same port.
        let mut held = Vec::new();
        for name in names {
            let socket = if edges.contains(name) {
                Socket::Edge(work.join(format!("{name}.sock")))
            } else {
                let listener = TcpListener::bind("127.0.0.1:0").map_err(fault)?;
                let address = listener.local_addr().map_err(fault)?;
                held.push(listener);
                Socket::Plain(address)
            };
            command.arg("-a").arg(match &socket {
                Socket::Plain(address) => format!("{name}={address}"),
                Socket::Edge(path) => format!("{name}={},PROXY", path.display()),
            });
            sockets.insert((*name).to_owned(), socket);
        }
        command.arg("-a").arg(format!("{RELOAD_SOCKET}={}", control(&work).display()));
        let output = log.try_clone().map_err(fault)?;
        drop(held);
        let child = command.stdin(Stdio::null()).stdout(output).stderr(log).spawn().map_err(fault)?;
        let mut varnishd = Self { child, sockets, work };
        varnishd.wait_until_up()?;
        Ok(varnishd)
    }

    fn wait_until_up(&mut self) -> Result<(), String> {
        let until = Instant::now() + START;
        while self.control("GET", "/", "control").is_err() {
            let ended = self.child.try_wait().map_err(|e| e.to_string())?;
            if ended.is_some() || Instant::now() > until {
                let log = fs::read_to_string(self.work.join("varnishd.log")).unwrap_or_default();
                return Err(format!("varnishd did not start:\n{log}"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Its folder, as `-n` wants it.
    pub fn name(&self) -> PathBuf {
        self.work.join("varnish")
    }

    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// What varnishd said: a panic of the worker process stands here.
    pub fn said(&self) -> String {
        fs::read_to_string(self.work.join("varnishd.log")).unwrap_or_default()
    }

    /// Sends a request of a case; `more` goes after its own headers.
    pub fn send(&self, request: &Request, more: &[Header]) -> Result<Answer, String> {
        let socket = self.sockets.get(&request.socket).ok_or_else(|| format!("no socket {}", request.socket))?;
        // Only HTTP/1.0 allows a request without Host.
        let version = if request.header("host").is_some() { "1.1" } else { "1.0" };
        let mut text = format!("{} {} HTTP/{version}\r\n", request.method, request.url);
        for (name, value) in request.headers.iter().chain(more) {
            let _ = write!(text, "{name}:{value}\r\n");
        }
        text.push_str("\r\n");
        let answer = match socket {
            Socket::Plain(address) => TcpStream::connect(address).and_then(|stream| {
                stream.set_read_timeout(Some(ANSWER))?;
                exchange(&stream, &stream, text.as_bytes(), &request.method)
            }),
            Socket::Edge(path) => {
                let mut bytes = proxy::header(request.port, request.server_name.as_deref())?;
                bytes.extend(text.as_bytes());
                unix(path, &bytes, &request.method)
            }
        };
        answer.map_err(|e| format!("{} on {}: {e}", request.line(), request.socket))
    }

    /// Asks on the control socket.
    pub fn control(&self, method: &str, url: &str, host: &str) -> Result<Answer, String> {
        let text = format!("{method} {url} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        unix(&control(&self.work), text.as_bytes(), method).map_err(|e| format!("{method} {url}: {e}"))
    }

    /// Puts a table in the place of the last, as its writer does, and has it loaded.
    pub fn reload(&self, table: &[u8]) -> Result<Answer, String> {
        let new = self.work.join("ghost.json.new");
        fs::write(&new, table).map_err(|e| e.to_string())?;
        fs::rename(&new, self.work.join("ghost.json")).map_err(|e| e.to_string())?;
        self.control("GET", "/.varnish-ghost/reload", "control")
    }
}

impl Drop for Varnishd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main_vcl(setup: &Setup) -> String {
    let (vmod, vcl, work) = (setup.vmod.display(), setup.vcl.display(), setup.work.display());
    format!(
        "vcl 4.1;\n\
         import ghost from \"{vmod}\";\n\
         backend dummy none;\n\
         sub vcl_init {{ ghost.init(\"{work}/ghost.json\"); new router = ghost.ghost_backend(); }}\n\
         include \"{vcl}/preamble.vcl\";\n\
         include \"{vcl}/postamble.vcl\";\n"
    )
}

fn control(work: &Path) -> PathBuf {
    work.join("reload.sock")
}

fn unix(path: &Path, bytes: &[u8], method: &str) -> io::Result<Answer> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(ANSWER))?;
    exchange(&stream, &stream, bytes, method)
}

fn exchange(from: impl Read, mut to: impl Write, bytes: &[u8], method: &str) -> io::Result<Answer> {
    to.write_all(bytes)?;
    Answer::read(&mut BufReader::new(from), method)
}
