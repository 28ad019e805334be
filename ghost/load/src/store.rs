//! What a cache holds, and what it takes: an origin of objects of any size, the clients who ask for them, and the memory of the cache's
//! processes meanwhile.
//!
//! `/COUNT-SIZE/N` is an object of so many bytes that may be stored for an hour; `/pass/SIZE/N` may not be stored.

use crate::answer::Reader;
use clap::Args;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_mins(1);
const CLIENTS: usize = 16;
const SAMPLE: Duration = Duration::from_millis(250);
/// A stream of draws that is the same in every run.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Args)]
pub struct Options {
    /// Where the cache is
    #[arg(long)]
    target: SocketAddr,
    /// Where to listen as its origin
    #[arg(long)]
    listen: SocketAddr,
    /// Processes whose memory (PSS) is watched
    #[arg(long)]
    pid: Vec<u32>,
    /// Steps: fill:COUNT:SIZE asks for each object once, last:COUNT:SIZE:N for the last N again, draw:COUNT:SIZE:N for N of
    /// them, most for a few, pass:N:SIZE downloads at once
    #[arg(long, required = true)]
    step: Vec<String>,
    /// What an answer of the origin has besides, as "X-Tags: a b"
    #[arg(long)]
    header: Vec<String>,
    /// The memory that the processes may have, in MiB
    #[arg(long, default_value_t = u64::MAX)]
    most: u64,
}

struct Origin {
    asked: AtomicU64,
    header: String,
}

/// Runs the steps; false if the processes took more memory than they may.
pub fn run(options: &Options) -> Result<bool, String> {
    let header = options.header.iter().flat_map(|line| [line.as_str(), "\r\n"]).collect();
    let origin = Arc::new(Origin { asked: AtomicU64::new(0), header });
    listen(options.listen, &origin)?;
    let memory = Arc::new(Memory { pids: options.pid.clone(), most: AtomicU64::new(0) });
    let watching = Arc::clone(&memory);
    std::thread::spawn(move || {
        loop {
            watching.sample();
            std::thread::sleep(SAMPLE);
        }
    });
    for step in &options.step {
        let (asked, start, worked) = (origin.asked.load(Relaxed), Instant::now(), memory.worked());
        let requests = Step::read(step)?.run(options.target)?;
        let missed = origin.asked.load(Relaxed) - asked;
        #[allow(clippy::cast_precision_loss)]
        let (ratio, each) =
            (1.0 - missed as f64 / requests as f64, (memory.worked() - worked) as f64 / requests as f64);
        println!(
            "{step}: {requests} requests in {:.1} s, {each:.1} us of CPU each, hit ratio {ratio:.3}; memory {} MiB, at most {}",
            start.elapsed().as_secs_f64(),
            memory.sample() >> 20,
            memory.most.load(Relaxed) >> 20,
        );
    }
    Ok(memory.most.load(Relaxed) >> 20 <= options.most)
}

struct Memory {
    pids: Vec<u32>,
    most: AtomicU64,
}

impl Memory {
    /// CPU time that the processes took, in microseconds; the kernel counts in hundredths of a second.
    fn worked(&self) -> u64 {
        let time = |pid: &u32| {
            let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
            fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10_000
        };
        self.pids.iter().map(time).sum()
    }

    /// PSS of all the processes, in bytes.
    fn sample(&self) -> u64 {
        let pss = |pid: &u32| {
            let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
        };
        let now = self.pids.iter().map(pss).sum();
        self.most.fetch_max(now, Relaxed);
        now
    }
}

enum Step {
    Fill { count: u64, size: u64, from: u64 },
    Draw { count: u64, size: u64, requests: u64 },
    Pass { count: u64, size: u64 },
}

impl Step {
    fn read(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let kind = parts.next().unwrap_or_default();
        let numbers: Vec<u64> =
            parts.map(|part| part.parse().map_err(|_| format!("{text}: {part}"))).collect::<Result<_, _>>()?;
        match (kind, numbers.as_slice()) {
            ("fill", &[count, size]) => Ok(Self::Fill { count, size, from: 0 }),
            ("last", &[count, size, last]) => Ok(Self::Fill { count, size, from: count.saturating_sub(last) }),
            ("draw", &[count, size, requests]) => Ok(Self::Draw { count, size, requests }),
            ("pass", &[count, size]) => Ok(Self::Pass { count, size }),
            _ => Err(format!("no step is called {text}")),
        }
    }

    fn run(&self, target: SocketAddr) -> Result<u64, String> {
        match *self {
            Self::Fill { count, size, from } => each(target, count - from, |n| format!("/{count}-{size}/{}", from + n)),
            Self::Draw { count, size, requests } => {
                each(target, requests, |n| format!("/{count}-{size}/{}", drawn(n, count)))
            }
            Self::Pass { count, size } => downloads(target, count, size),
        }
    }
}

/// Of so many, with the chances of Zipf's law, nearly: the logarithm of the rank is uniform.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn drawn(n: u64, count: u64) -> u64 {
    let mut x = (n + 1).wrapping_mul(SEED);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let uniform = ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
    ((count as f64).powf(uniform) as u64).min(count) - 1
}

/// Asks for every number below a count, several at a time.
fn each(target: SocketAddr, count: u64, path: impl Fn(u64) -> String + Sync) -> Result<u64, String> {
    let next = AtomicU64::new(0);
    let drive = || -> Result<(), String> {
        let mut connection = connect(target)?;
        let mut reader = Reader::new();
        loop {
            let n = next.fetch_add(1, Relaxed);
            if n >= count {
                return Ok(());
            }
            let path = path(n);
            let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            connection.write_all(request.as_bytes()).map_err(|e| e.to_string())?;
            let answer = reader.read(&mut connection, None).map_err(|e| format!("{path}: {e}"))?;
            if answer.status != 200 {
                return Err(format!("{path}: status {}", answer.status));
            }
        }
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(drive)).collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| "a thread broke".to_string())?)
    })?;
    Ok(count)
}

/// Everybody waits in the middle for all others.
fn downloads(target: SocketAddr, count: u64, size: u64) -> Result<u64, String> {
    let halfway = Barrier::new(usize::try_from(count).unwrap_or(1));
    let load = |n: u64| -> Result<(), String> {
        let mut left = size;
        let mut connection = connect(target)?;
        let request = format!("GET /pass/{size}/{n} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let sent = connection.write_all(request.as_bytes());
        let mut buffer = vec![0; 64 * 1024];
        let mut waited = false;
        loop {
            if !waited && left <= size / 2 {
                halfway.wait();
                waited = true;
            }
            match connection.read(&mut buffer) {
                Ok(0) if waited && sent.is_ok() => return Ok(()),
                Ok(n) if n > 0 => left = left.saturating_sub(n as u64),
                other => {
                    if !waited {
                        halfway.wait();
                    }
                    return Err(format!("download {n}: {other:?}, {left} bytes were left"));
                }
            }
        }
    };
    let load = &load;
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..count).map(|n| scope.spawn(move || load(n))).collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| "a thread broke".to_string())?)
    })?;
    Ok(count)
}

fn connect(target: SocketAddr) -> Result<TcpStream, String> {
    let connection = TcpStream::connect(target).map_err(|e| format!("connecting: {e}"))?;
    connection.set_nodelay(true).map_err(|e| e.to_string())?;
    connection.set_read_timeout(Some(PATIENCE)).map_err(|e| e.to_string())?;
    Ok(connection)
}

fn listen(address: SocketAddr, origin: &Arc<Origin>) -> Result<(), String> {
    let listener = TcpListener::bind(address).map_err(|e| format!("cannot listen on {address}: {e}"))?;
    let origin = Arc::clone(origin);
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let origin = Arc::clone(&origin);
            let _ = std::thread::Builder::new().stack_size(128 * 1024).spawn(move || converse(connection, &origin));
        }
    });
    Ok(())
}

fn converse(mut connection: TcpStream, origin: &Origin) {
    let _ = connection.set_nodelay(true);
    let mut buffer = [0; 8 * 1024];
    let mut filled = 0;
    while let Some(free) = buffer.get_mut(filled..) {
        match connection.read(free) {
            Ok(0) | Err(_) => return,
            Ok(n) => filled += n,
        }
        let head = buffer.get(..filled).unwrap_or_default();
        if head.ends_with(b"\r\n\r\n") {
            let answered = answer(&mut connection, origin, head);
            filled = 0;
            if answered.is_err() {
                return;
            }
        }
    }
}

fn answer(connection: &mut TcpStream, origin: &Origin, head: &[u8]) -> std::io::Result<()> {
    origin.asked.fetch_add(1, Relaxed);
    let head = String::from_utf8_lossy(head);
    let mut path = head.split(' ').nth(1).unwrap_or_default().split('/').skip(1);
    let (kind, second) = (path.next().unwrap_or_default(), path.next().unwrap_or_default());
    let (policy, size) = match kind {
        "pass" => ("no-store", second),
        stored => ("max-age=3600", stored.split('-').nth(1).unwrap_or_default()),
    };
    let mut left: usize = size.parse().unwrap_or(0);
    let lines = format!("Cache-Control: {policy}\r\nContent-Length: {left}\r\n{}", origin.header);
    let mut text = format!("HTTP/1.1 200 OK\r\n{lines}\r\n").into_bytes();
    let piece = vec![b'x'; left.min(256 * 1024)];
    while left > 0 {
        let part = piece.get(..left.min(piece.len())).unwrap_or_default();
        text.extend_from_slice(part);
        left -= part.len();
        connection.write_all(&text)?;
        text.clear();
    }
    connection.write_all(&text)
}
