//! Sending requests and checking every answer.

use crate::answer::Reader;
use clap::Args;
use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An answer that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Args)]
pub struct Options {
    /// Where to connect
    #[arg(long)]
    target: SocketAddr,
    /// Connections kept open, one request at a time on each
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// How many requests in all
    #[arg(long, default_value_t = u64::MAX)]
    requests: u64,
    /// How long at most
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// The Host header
    #[arg(long, default_value = "localhost")]
    host: String,
    /// Paths, taken in turn
    #[arg(long, default_value = "/")]
    path: Vec<String>,
    /// A further request header, as "X-Canary: yes"
    #[arg(long)]
    header: Vec<String>,
    /// The status that every answer must have
    #[arg(long, default_value_t = 200)]
    expect_status: u16,
    /// A header that every answer must have with one of the values, as "X-Backend: a|b"
    #[arg(long)]
    expect_header: Option<String>,
    /// The size that every body must have
    #[arg(long)]
    expect_body: Option<usize>,
}

/// What a run found.
#[derive(Default)]
pub struct Report {
    pub requests: u64,
    pub failed: u64,
    seconds: f64,
    micros: [u64; 3],
    failures: BTreeMap<String, u64>,
}

impl Report {
    pub fn to_json(&self) -> serde_json::Value {
        let [p50, p99, max] = self.micros;
        serde_json::json!({
            "requests": self.requests, "failed": self.failed, "seconds": self.seconds,
            "p50_us": p50, "p99_us": p99, "max_us": max, "failures": self.failures,
        })
    }
}

/// What one connection's thread found.
struct Share {
    requests: u64,
    latencies: Histogram<u64>,
    failures: BTreeMap<String, u64>,
}

pub fn run(options: &Options) -> Result<Report, String> {
    let expect = options.expect_header.as_deref().map(parse_expectation).transpose()?;
    let requests: Vec<Vec<u8>> = options.path.iter().map(|path| encode(path, options)).collect();
    let left = AtomicU64::new(options.requests);
    let start = Instant::now();
    let end = start + Duration::from_secs_f64(options.seconds);
    let client = Client { options, expect, requests, left: &left, end };
    let shares: Vec<Share> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.connections)
            .map(|i| {
                let client = &client;
                std::thread::Builder::new().stack_size(256 * 1024).spawn_scoped(scope, move || client.drive(i))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .map_err(|e| format!("cannot start a thread: {e}"))?
                    .join()
                    .map_err(|_| "a thread broke".to_string())?
            })
            .collect::<Result<_, String>>()
    })?;
    sum(&shares, start.elapsed())
}

fn sum(shares: &[Share], took: Duration) -> Result<Report, String> {
    let mut all = Histogram::<u64>::new(3).map_err(|e| e.to_string())?;
    let mut report = Report { seconds: took.as_secs_f64(), ..Report::default() };
    for share in shares {
        all.add(&share.latencies).map_err(|e| e.to_string())?;
        report.requests += share.requests;
        for (reason, count) in &share.failures {
            *report.failures.entry(reason.clone()).or_default() += count;
            report.failed += count;
        }
    }
    report.micros = [all.value_at_quantile(0.5), all.value_at_quantile(0.99), all.max()];
    Ok(report)
}

fn parse_expectation(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, values) =
        text.split_once(':').ok_or_else(|| format!("--expect-header {text}: give NAME: VALUE|VALUE"))?;
    Ok((name.trim().to_string(), values.split('|').map(|value| value.trim().to_string()).collect()))
}

fn encode(path: &str, options: &Options) -> Vec<u8> {
    let mut text = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", options.host);
    for header in &options.header {
        text.push_str(header);
        text.push_str("\r\n");
    }
    text.push_str("\r\n");
    text.into_bytes()
}

struct Client<'a> {
    options: &'a Options,
    expect: Option<(String, Vec<String>)>,
    requests: Vec<Vec<u8>>,
    left: &'a AtomicU64,
    end: Instant,
}

impl Client<'_> {
    /// Sends requests on one connection until there is nothing left to do, opening a new one after a failure.
    fn drive(&self, offset: usize) -> Result<Share, String> {
        let latencies = Histogram::new(3).map_err(|e| e.to_string())?;
        let mut share = Share { requests: 0, latencies, failures: BTreeMap::new() };
        let mut reader = Reader::new();
        let mut connection = None;
        for request in self.requests.iter().cycle().skip(offset % self.requests.len().max(1)) {
            if Instant::now() >= self.end || !self.take() {
                break;
            }
            share.requests += 1;
            let start = Instant::now();
            match self.exchange(&mut connection, &mut reader, request) {
                Ok(()) => {
                    share.latencies.saturating_record(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX));
                }
                Err(reason) => {
                    *share.failures.entry(reason).or_default() += 1;
                    connection = None;
                    reader.clear();
                }
            }
        }
        Ok(share)
    }

    fn take(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn exchange(&self, kept: &mut Option<TcpStream>, reader: &mut Reader, request: &[u8]) -> Result<(), String> {
        let connection = match kept {
            Some(connection) => connection,
            None => kept.insert(self.connect()?),
        };
        connection.write_all(request).map_err(|e| format!("sending: {e}"))?;
        let answer = reader.read(connection, self.expect.as_ref())?;
        if answer.close {
            *kept = None;
        }
        if answer.status != self.options.expect_status {
            return Err(format!("status {}", answer.status));
        }
        if !answer.expected {
            return Err("the expected header is missing or wrong".into());
        }
        match self.options.expect_body {
            Some(size) if size != answer.body => Err(format!("body of {} bytes", answer.body)),
            _ => Ok(()),
        }
    }

    fn connect(&self) -> Result<TcpStream, String> {
        let connection =
            TcpStream::connect_timeout(&self.options.target, PATIENCE).map_err(|e| format!("connecting: {e}"))?;
        connection.set_nodelay(true).map_err(|e| e.to_string())?;
        connection.set_read_timeout(Some(PATIENCE)).map_err(|e| e.to_string())?;
        Ok(connection)
    }
}
