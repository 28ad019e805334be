//! What varnishd logs about each request and fetch: decisions that no message shows.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Records of one request or fetch: tag and text.
pub type Records = Vec<(String, String)>;

#[derive(Default)]
struct Shared {
    records: Mutex<HashMap<u64, Records>>,
    arrived: Condvar,
}

pub struct Log {
    child: Child,
    shared: Arc<Shared>,
}

impl Log {
    /// Follows the varnishd of this name. Records from before are not to be had.
    pub fn follow(name: &Path) -> Result<Self, String> {
        let mut command = Command::new("varnishlog");
        command.arg("-n").arg(name).args(["-g", "raw"]);
        for tag in ["VCL_Log", "TTL", "BerespHeader", "End"] {
            command.args(["-i", tag]);
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("varnishlog: {e}"))?;
        let output = child.stdout.take().ok_or("varnishlog has no output")?;
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some((id, tag, text)) = parse(&line) {
                    let mut records = theirs.records.lock().unwrap_or_else(PoisonError::into_inner);
                    records.entry(id).or_default().push((tag.into(), text.into()));
                    theirs.arrived.notify_all();
                }
            }
        });
        Ok(Self { child, shared })
    }

    /// All records of a request or fetch, once it has ended; `None` if it does not in time.
    pub fn of(&self, id: u64, patience: Duration) -> Option<Records> {
        let until = Instant::now() + patience;
        let mut records = self.shared.records.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if records.get(&id).is_some_and(|all| all.iter().any(|(tag, _)| tag == "End")) {
                return records.remove(&id);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            records = self.shared.arrived.wait_timeout(records, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `     32770 VCL_Log        c text`
fn parse(line: &str) -> Option<(u64, &str, &str)> {
    let (id, rest) = line.trim_start().split_once(' ')?;
    let (tag, rest) = rest.trim_start().split_once(' ')?;
    let (_, text) = rest.trim_start().split_once(' ').unwrap_or_default();
    Some((id.parse().ok()?, tag, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_number_tag_and_text() {
        assert_eq!(parse("     32770 VCL_Log        c ghost: a  b"), Some((32770, "VCL_Log", "ghost: a  b")));
        assert_eq!(parse("     32770 End            c "), Some((32770, "End", "")));
        assert_eq!(parse("Log abandoned"), None);
    }
}
