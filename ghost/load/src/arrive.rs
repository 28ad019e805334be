//! How long a new route takes from its file to its first answer.

use crate::answer::Reader;
use clap::Args;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A route that takes longer has not arrived.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two requests.
const POLL: Duration = Duration::from_millis(1);
/// Between two routes, so that what one leaves to be done is not measured with the next.
const PAUSE: Duration = Duration::from_millis(25);

#[derive(Args)]
pub struct Options {
    /// Where to connect
    #[arg(long)]
    target: SocketAddr,
    /// Where files are written
    #[arg(long)]
    folder: PathBuf,
    /// A file with the text of a route; {n} is its number
    #[arg(long)]
    template: PathBuf,
    /// The Host header of a route; {n} is its number
    #[arg(long)]
    host: String,
    /// The number of the first
    #[arg(long)]
    first: u64,
    /// How many
    #[arg(long)]
    count: u64,
}

pub struct Report {
    micros: Vec<u64>,
    others: BTreeMap<String, u64>,
}

impl Report {
    pub fn failed(&self) -> bool {
        !self.others.is_empty()
    }

    pub fn to_json(&self) -> serde_json::Value {
        let mut sorted = self.micros.clone();
        sorted.sort_unstable();
        let at = |quantile: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let rank = (quantile * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(u64::MAX)
        };
        serde_json::json!({
            "routes": sorted.len(), "p50_us": at(0.5), "p99_us": at(0.99), "max_us": at(1.0), "others": self.others,
        })
    }
}

pub fn run(options: &Options) -> Result<Report, String> {
    let template =
        std::fs::read_to_string(&options.template).map_err(|e| format!("{}: {e}", options.template.display()))?;
    let mut report = Report { micros: Vec::new(), others: BTreeMap::new() };
    let mut client = Client { target: options.target, kept: None, reader: Reader::new() };
    for n in options.first..options.first + options.count {
        let number = n.to_string();
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", options.host.replace("{n}", &number));
        let text = template.replace("{n}", &number);
        let before = client.ask(request.as_bytes())?;
        if before != 404 {
            *report.others.entry(format!("{before} before")).or_default() += 1;
        }
        let file = options.folder.join(format!("r{n}.yaml"));
        let start = Instant::now();
        write(&file, &text, n % 2 == 0).map_err(|e| format!("{}: {e}", file.display()))?;
        loop {
            let asked = Instant::now();
            match client.ask(request.as_bytes())? {
                200 => break,
                404 => {}
                other => *report.others.entry(other.to_string()).or_default() += 1,
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("route {n} did not arrive within {} s", PATIENCE.as_secs()));
            }
            std::thread::sleep(POLL.saturating_sub(asked.elapsed()));
        }
        report.micros.push(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX));
        std::thread::sleep(PAUSE);
    }
    Ok(report)
}

/// Every other file is written under another name and renamed; the rest in place, where they are seen half written.
fn write(file: &Path, text: &str, whole: bool) -> std::io::Result<()> {
    if !whole {
        return std::fs::write(file, text);
    }
    let other = file.with_extension("new");
    std::fs::write(&other, text)?;
    std::fs::rename(&other, file)
}

struct Client {
    target: SocketAddr,
    kept: Option<TcpStream>,
    reader: Reader,
}

impl Client {
    fn ask(&mut self, request: &[u8]) -> Result<u16, String> {
        let connection = match &mut self.kept {
            Some(connection) => connection,
            none => {
                let connection = TcpStream::connect(self.target).map_err(|e| format!("connecting: {e}"))?;
                connection.set_nodelay(true).map_err(|e| e.to_string())?;
                connection.set_read_timeout(Some(PATIENCE)).map_err(|e| e.to_string())?;
                none.insert(connection)
            }
        };
        connection.write_all(request).map_err(|e| format!("sending: {e}"))?;
        let answer = self.reader.read(connection, None)?;
        if answer.close {
            self.kept = None;
        }
        Ok(answer.status)
    }
}
