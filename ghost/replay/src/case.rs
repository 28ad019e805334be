//! The files of a shared case. Their format is described beside them, in `ghost-core/tests/cases/README.md`.
//!
//! This reader is its own: a mistake in the one of the Rust tests must not hide in both. A line that it does not know is an error,
//! so that no part of an expectation is passed over in silence.

use std::fs;
use std::path::Path;

use crate::message::Header;

pub struct Case {
    pub name: String,
    pub table: Vec<u8>,
    pub requests: Vec<Request>,
    pub expected: Expected,
}

#[derive(Debug, Default)]
pub struct Request {
    pub method: String,
    pub url: String,
    pub socket: String,
    pub port: Option<u16>,
    pub server_name: Option<String>,
    /// Values as they stand in the file, spaces included.
    pub headers: Vec<Header>,
}

#[derive(Debug)]
pub enum Expected {
    /// The whole table, for the sake of this field; empty if it is no JSON.
    Refused(String),
    Live {
        refusals: Vec<String>,
        outcomes: Vec<Outcome>,
    },
}

#[derive(Debug)]
pub enum Outcome {
    /// Before any route is looked for.
    Refused(u16),
    Unmatched(u16, Why),
    Routed(Box<Routed>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    FreedSocket,
    NoListener,
    Misdirected,
    NoHost,
    NoRoute,
    BadHost,
}

#[derive(Debug)]
pub struct Routed {
    /// Empty: the route has none.
    pub route: String,
    pub rule: String,
    pub match_: String,
    pub listener: String,
    pub action: Action,
    pub url: Option<String>,
    pub host: Option<String>,
    pub request: Vec<Edit>,
    pub response: Vec<Edit>,
    pub mirrors: Vec<String>,
    pub cache: Option<Cache>,
    pub bypass: bool,
    pub purge: Vec<String>,
    /// Lines that tests of their own look at, by their first word.
    pub elsewhere: Vec<&'static str>,
}

#[derive(Debug)]
pub enum Action {
    Redirect(u16, String),
    Preflight,
    Invalid,
    Unavailable,
    Forward(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    Remove(String),
    Set(String, String),
    Add(String, String),
}

#[derive(Debug)]
pub struct Cache {
    pub ttl: Ttl,
    pub grace: u32,
    pub keep: u32,
    pub stale_if_error: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ttl {
    Origin,
    Default(u32),
    Forced(u32),
}

impl Case {
    pub fn read(directory: &Path) -> Result<Self, String> {
        let bytes = |file| fs::read(directory.join(file)).map_err(|e| format!("{}/{file}: {e}", directory.display()));
        let text = |file| bytes(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let requests = blocks(&text("requests.txt")?).iter().map(|block| request(block)).collect::<Result<Vec<_>, _>>();
        let requests = requests.map_err(|e| format!("{name}/requests.txt: {e}"))?;
        let expected = expected(&text("expected.txt")?, &requests).map_err(|e| format!("{name}/expected.txt: {e}"))?;
        Ok(Self { name, table: bytes("table.json")?, requests, expected })
    }
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.url)
    }
}

impl Edit {
    pub fn name(&self) -> &str {
        match self {
            Self::Remove(name) | Self::Set(name, _) | Self::Add(name, _) => name,
        }
    }

    /// What becomes of headers under edits, one after the other.
    pub fn apply_all(edits: &[Self], headers: &mut Vec<Header>) {
        for edit in edits {
            if let Self::Remove(name) | Self::Set(name, _) = edit {
                headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
            }
            if let Self::Set(name, value) | Self::Add(name, value) = edit {
                headers.push((name.clone(), value.clone()));
            }
        }
    }
}

fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut all = vec![Vec::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match all.last_mut() {
            Some(block) if !line.trim().is_empty() => block.push(line),
            _ => all.push(Vec::new()),
        }
    }
    all.retain(|block| !block.is_empty());
    all
}

fn request(block: &[&str]) -> Result<Request, String> {
    let mut lines = block.iter();
    let (method, url) = lines.next().and_then(|line| line.split_once(' ')).ok_or("no METHOD URL")?;
    let (method, url, socket) = (method.into(), url.into(), "http-80".into());
    let mut request = Request { method, url, socket, ..Request::default() };
    for line in lines {
        if let Some(setting) = line.strip_prefix('@') {
            match setting.split_once(' ').unwrap_or((setting, "")) {
                ("socket", value) => request.socket = value.into(),
                ("port", value) => request.port = Some(value.parse().map_err(|_| format!("port {value}"))?),
                ("sni", value) => request.server_name = Some(value.into()),
                // varnishd draws by itself; the replay asks again until the draw is this one's.
                ("random", _) => {}
                (other, _) => return Err(format!("no setting `{other}`")),
            }
        } else {
            let (name, value) = line.split_once(':').ok_or_else(|| format!("no header: {line}"))?;
            request.headers.push((name.into(), value.into()));
        }
    }
    Ok(request)
}

fn expected(text: &str, requests: &[Request]) -> Result<Expected, String> {
    if let Some(field) = text.strip_prefix("table refused ") {
        return Ok(Expected::Refused(Some(field.trim_end()).filter(|field| *field != "-").unwrap_or_default().into()));
    }
    let mut blocks = blocks(text);
    let mut refusals = Vec::new();
    if let Some(first) = blocks.first().filter(|block| block.iter().all(|line| line.starts_with("refused "))) {
        refusals = first.iter().map(|line| (*line).to_owned()).collect();
        blocks.remove(0);
    }
    if blocks.len() != requests.len() {
        return Err(format!("{} outcomes for {} requests", blocks.len(), requests.len()));
    }
    let mut outcomes = Vec::new();
    for (block, request) in blocks.iter().zip(requests) {
        let (first, rest) = block.split_first().ok_or("an empty block")?;
        if *first != request.line() {
            return Err(format!("`{first}` stands where `{}` is asked", request.line()));
        }
        outcomes.push(outcome(rest).map_err(|e| format!("{first}: {e}"))?);
    }
    Ok(Expected::Live { refusals, outcomes })
}

fn outcome(lines: &[&str]) -> Result<Outcome, String> {
    let unmatched = |status, why| Ok(Outcome::Unmatched(status, why));
    let words: Vec<_> = lines.first().ok_or("no outcome")?.split_whitespace().collect();
    match words.as_slice() {
        [status @ ("400" | "405"), "refused"] => Ok(Outcome::Refused(status.parse().map_err(|_| "a status")?)),
        ["400", "bad-host"] => unmatched(400, Why::BadHost),
        ["404", "freed-socket"] => unmatched(404, Why::FreedSocket),
        ["404", "no-listener"] => unmatched(404, Why::NoListener),
        ["421", "misdirected"] => unmatched(421, Why::Misdirected),
        ["404", "no-host"] => unmatched(404, Why::NoHost),
        ["404", "no-route"] => unmatched(404, Why::NoRoute),
        ["route", route, "rule", rule, "match", match_, "host", _, "listener", listener] => {
            let action = action(lines.get(1).ok_or("no action")?)?;
            let mut routed = Routed {
                route: if *route == "-" { String::new() } else { (*route).into() },
                rule: (*rule).into(),
                match_: (*match_).into(),
                listener: (*listener).into(),
                action,
                url: None,
                host: None,
                request: Vec::new(),
                response: Vec::new(),
                mirrors: Vec::new(),
                cache: None,
                bypass: false,
                purge: Vec::new(),
                elsewhere: Vec::new(),
            };
            for line in lines.iter().skip(2) {
                routed.take(line.trim_start())?;
            }
            Ok(Outcome::Routed(Box::new(routed)))
        }
        _ => Err(format!("unknown line: {words:?}")),
    }
}

fn action(line: &str) -> Result<Action, String> {
    let words: Vec<_> = line.split_whitespace().collect();
    match words.as_slice() {
        [status, "redirect", location] => {
            Ok(Action::Redirect(status.parse().map_err(|_| format!("status {status}"))?, (*location).into()))
        }
        ["200", "preflight"] => Ok(Action::Preflight),
        ["500", "invalid"] => Ok(Action::Invalid),
        ["503", "unavailable"] => Ok(Action::Unavailable),
        ["forward", "group", _, "endpoint", endpoint] => Ok(Action::Forward((*endpoint).into())),
        _ => Err(format!("unknown action: {line}")),
    }
}

impl Routed {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "url" => self.url = Some(rest.into()),
            "host" => self.host = Some(rest.into()),
            "request" => self.request.push(edit(rest)?),
            "response" => self.response.push(edit(rest)?),
            "mirror" => self.mirrors.push(rest.into()),
            "timeout" => self.elsewhere.push("timeout"),
            "retry" => self.elsewhere.push("retry"),
            "buffer" => self.elsewhere.push("buffer"),
            "cache" => self.cache = Some(cache(rest)?),
            "bypass" => self.bypass = true,
            "purge" => self.purge.push(rest.into()),
            _ => return Err(format!("unknown line: {line}")),
        }
        Ok(())
    }
}

fn edit(text: &str) -> Result<Edit, String> {
    let (op, rest) = text.split_once(' ').ok_or_else(|| format!("no edit: {text}"))?;
    let (name, value) = rest.split_once(": ").unwrap_or((rest, ""));
    match op {
        "remove" => Ok(Edit::Remove(rest.into())),
        "set" => Ok(Edit::Set(name.into(), value.into())),
        "add" => Ok(Edit::Add(name.into(), value.into())),
        _ => Err(format!("no edit: {text}")),
    }
}

fn cache(text: &str) -> Result<Cache, String> {
    let wrong = || format!("no cache policy: {text}");
    let number = |text: &str, name: &str| {
        text.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).and_then(|rest| rest.parse().ok())
    };
    let words: Vec<_> = text.split(' ').collect();
    let [ttl, grace, keep, stale] = words.as_slice() else { return Err(wrong()) };
    let ttl = match (*ttl, number(ttl, "default"), number(ttl, "forced")) {
        ("origin", _, _) => Ttl::Origin,
        (_, Some(seconds), _) => Ttl::Default(seconds),
        (_, _, Some(seconds)) => Ttl::Forced(seconds),
        _ => return Err(wrong()),
    };
    Ok(Cache {
        ttl,
        grace: number(grace, "grace").ok_or_else(wrong)?,
        keep: number(keep, "keep").ok_or_else(wrong)?,
        stale_if_error: number(stale, "stale_if_error").ok_or_else(wrong)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_known_is_an_error() {
        let route = "  route a rule 0 match 0 host h listener l";
        assert!(
            outcome(&[route, "  forward group 0 endpoint e", "  cache default=1 grace=0 keep=0 stale_if_error=0"])
                .is_ok()
        );
        for wrong in [
            &["  404 no-idea"][..],
            &[route],
            &[route, "  200 fine"],
            &[route, "  forward group 0 endpoint e", "  colour blue"],
            &[route, "  forward group 0 endpoint e", "  cache default=x grace=0 keep=0 stale_if_error=0"],
            &[route, "  forward group 0 endpoint e", "  request move X"],
        ] {
            assert!(outcome(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn outcomes_stand_in_the_order_of_the_requests() {
        let requests = [request(&["GET /", "@socket s", "@port 443", "Host: a"]).unwrap()];
        assert_eq!(requests[0].port, Some(443));
        assert_eq!(requests[0].header("host"), Some("a"));
        assert!(expected("GET /\n  404 no-host\n", &requests).is_ok());
        assert!(expected("GET /x\n  404 no-host\n", &requests).is_err());
        assert!(expected("", &requests).is_err());
        let Expected::Live { refusals, .. } =
            expected("refused a\nrefused b\n\nGET /\n  404 no-host\n", &requests).unwrap()
        else {
            panic!("not live")
        };
        assert_eq!(refusals, ["refused a", "refused b"]);
    }

    #[test]
    fn edits_follow_each_other() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut headers = vec![pair("a", "1"), pair("B", "1"), pair("c", "1")];
        let edits = ["remove a", "set b: 2", "add c: 2", "add a: 3"].map(|text| edit(text).unwrap());
        Edit::apply_all(&edits, &mut headers);
        assert_eq!(headers, [pair("c", "1"), pair("b", "2"), pair("c", "2"), pair("a", "3")]);
    }
}
