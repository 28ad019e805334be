//! What must hold for any input. The fuzz targets and the replay of their corpus both run these.

#![allow(dead_code, reason = "each binary uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]

use std::fmt::Write as _;
use std::path::Path;

use ghost_core::{
    Action, Built, Chance, Choice, EditBuffer, Group, Headers, HostName, KeyParts, Matched, PathRule, Pick, PurgeKey,
    RequestTarget, Rewritten, Scratch, Slashes, Table, TableError, Target, accepts_websocket, is_plainly_normal,
    offers_websocket, write_normal_url, write_purge_key, write_without_upgrade,
};
use serde_json::Value;

use crate::normal::normal_path;
use crate::oracle::{Oracle, name_routes};
use crate::support::{OwnedRequest, parse_requests};

/// The tables of the shared cases that are no garbage, by name.
pub fn case_tables() -> Vec<(String, Value, Vec<OwnedRequest>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ghost-core/tests/cases");
    let mut cases: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let table = serde_json::from_slice(&std::fs::read(path.join("table.json")).ok()?).ok()?;
            let requests = parse_requests(&std::fs::read_to_string(path.join("requests.txt")).ok()?);
            Some((path.file_name()?.to_string_lossy().into_owned(), table, requests))
        })
        .collect();
    cases.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    cases
}

/// Decoding: input is a table, or two with a NUL byte between them. Nothing panics, and what a table is does not depend on
/// the table before it.
pub fn check_table(input: &[u8]) {
    let mut parts = input.splitn(2, |&b| b == 0);
    let first = parts.next().unwrap_or_default();
    let second = parts.next().unwrap_or(first);
    let fresh = settle(second, None);
    let Ok(before) = settle(first, None) else { return };
    let after = settle(second, Some(&before.table));
    match (&fresh, &after) {
        (Ok(fresh), Ok(after)) => assert_eq!(describe(fresh), describe(after)),
        (Err(fresh), Err(after)) => assert_eq!(fresh, after),
        _ => panic!("fresh {fresh:?}, after another {after:?}"),
    }
    if let Ok(after) = after {
        let again = Table::build(second, Some(&after.table)).unwrap();
        assert_eq!(again.report.routes_reused, after.report.routes);
        assert!(again.report.endpoints_added.is_empty() && again.report.endpoints_removed.is_empty());
        assert_eq!(describe(&again), describe(&after));
    }
}

/// Builds until nothing is put off.
fn settle(bytes: &[u8], previous: Option<&Table>) -> Result<Built, TableError> {
    let mut built = Table::build(bytes, previous)?;
    for _ in 0..100 {
        if built.report.deferred == 0 {
            return Ok(built);
        }
        built = Table::build(bytes, Some(&built.table))?;
    }
    panic!("never settles");
}

/// All that can be told about a table from outside, without numbers that depend on its past.
fn describe(built: &Built) -> String {
    let (table, mut out) = (&built.table, String::new());
    writeln!(out, "{:?} {:?} {:?}", table.hash(), table.ejection(), table.listener_names().collect::<Vec<_>>())
        .unwrap();
    let mut endpoints: Vec<_> = table.endpoints().iter().map(|endpoint| endpoint.key()).collect();
    endpoints.sort_unstable();
    writeln!(out, "{endpoints:?}").unwrap();
    for refusal in &built.report.refusals {
        writeln!(out, "{refusal}").unwrap();
    }
    let pool = |target: &Target| {
        let endpoints = table.pool(target).map(|pool| pool.endpoints().iter().map(|e| e.key().to_owned()));
        (table.pool(target).map(ghost_core::Pool::select), endpoints.map(Iterator::collect::<Vec<_>>))
    };
    for host in table.hosts() {
        writeln!(out, "{}", host.name()).unwrap();
        for route in host.routes() {
            let path = match route.path() {
                PathRule::Any => ("any", String::new()),
                PathRule::Exact(path) => ("exact", String::from_utf8_lossy(path).into_owned()),
                PathRule::Prefix(path) => ("prefix", String::from_utf8_lossy(path).into_owned()),
                PathRule::Pattern(pattern) => ("pattern", format!("{:?} {}", pattern.coverage(), pattern.source())),
            };
            let (name, rule, origin) = (route.name(), route.rule_name(), route.origin());
            writeln!(out, "  {name} {rule:?} {origin:?} {path:?} {:?}", route.buffer_bytes()).unwrap();
            writeln!(out, "    {:?} {:?} {:?}", route.timeouts(), route.retry(), route.cache().is_some()).unwrap();
            writeln!(out, "    {:?} {:?} {:?}", route.redirect(), route.cors().is_some(), route.rewrite()).unwrap();
            writeln!(out, "    {:?} {:?}", route.request_edits(), route.response_edits()).unwrap();
            for group in route.groups() {
                let (weight, service, target) = (group.weight(), group.service(), pool(group.target()));
                let edits = (group.request_edits(), group.response_edits(), group.rewrite());
                writeln!(out, "    {weight} {service:?} {target:?} {edits:?}").unwrap();
            }
            for mirror in route.mirrors() {
                writeln!(out, "    mirror {:?}", pool(mirror.target())).unwrap();
            }
        }
    }
    out
}

/// A table, the same for the oracle, and requests that are known to reach something in it.
pub struct Subject {
    pub name: String,
    pub table: Table,
    pub oracle: Oracle,
    pub requests: Vec<OwnedRequest>,
}

pub fn subjects() -> Vec<Subject> {
    let make = |(name, mut json, requests): (String, Value, Vec<OwnedRequest>)| {
        name_routes(&mut json);
        let built = Table::build(json.to_string().as_bytes(), None).ok()?;
        let oracle = Oracle::new(&json, &built);
        Some(Subject { name, table: built.table, oracle, requests })
    };
    case_tables().into_iter().filter_map(make).collect()
}

/// Matching: the first byte chooses the table, the rest is a request, one part a line: socket, port, server name, group
/// draw, endpoint draw, method, URL, then `name:value` headers. The router says what the oracle says, and nothing panics.
pub fn check_request(subjects: &[Subject], input: &[u8]) {
    let Some((&choice, rest)) = input.split_first() else { return };
    let Some(subject) = subjects.get(usize::from(choice) % subjects.len()) else { return };
    let Ok(request) = decode_request(rest).normalised() else { return };
    let mut scratch = Scratch::default();
    let chance = Chance { draw: request.draw, now_ms: 0 };
    let view = request.view();
    let choice = subject.table.select(&view, chance, &mut scratch);
    let answer = match &choice {
        Choice::FreedSocket => "freed socket".into(),
        Choice::NoListener => "no listener".into(),
        Choice::BadHost => "bad host".into(),
        Choice::Misdirected => "misdirected".into(),
        Choice::NoHost(_) => "no host".into(),
        Choice::NoRoute(_) => "no route".into(),
        Choice::Route(matched, action) => {
            let action = match action {
                Action::Forward(forward) => format!("group {}", forward.group_index),
                _ => choice.status().unwrap().to_string(),
            };
            format!("{} {action}", matched.route.name())
        }
    };
    assert_eq!(answer, subject.oracle.answer(&request), "{}: {request:?}", subject.name);
    if let Choice::Route(matched, action) = choice {
        assert!(std::ptr::eq(subject.table.route(matched.id).unwrap().1, matched.route));
        exercise(&subject.table, &request, &matched, &action);
    }
}

/// Everything that is asked of a route after it was chosen.
fn exercise(table: &Table, request: &OwnedRequest, matched: &Matched<'_>, action: &Action<'_>) {
    let (mut out, mut edits) = (Vec::new(), EditBuffer::default());
    let (route, host) = (matched.route, request.headers.first(b"host"));
    let name = host.and_then(HostName::parse);
    let group: Option<&Group> = match action {
        Action::Redirect(redirect) => {
            redirect.write_location(&matched.origin(host, &request.url), &mut out);
            assert!(out.starts_with(b"http"));
            None
        }
        Action::Preflight(cors) => {
            cors.write_preflight(&request.headers, &mut edits);
            None
        }
        Action::Forward(forward) => {
            assert!(forward.pool.endpoints().iter().any(|e| e.id() == forward.endpoint.id()));
            assert!(forward.group.weight() > 0);
            Some(forward.group)
        }
        Action::Invalid | Action::Unavailable => None,
    };
    let rewritten = Rewritten::of(route, group);
    rewritten.write_url(&request.url, &mut out);
    if let Some(cors) = route.cors() {
        cors.write_response(&request.headers, &mut edits);
    }
    if let Some(cache) = route.cache() {
        let parts = KeyParts { host: name.as_ref(), rewritten_host: b"", url: &request.url };
        cache.write_key(&parts, &request.headers, &mut out);
        let _ = cache.bypasses(&request.headers);
    }
    for kind in [PurgeKey::Path, PurgeKey::Url] {
        write_purge_key(kind, name.as_ref(), &request.url, &mut out);
    }
    for mirror in route.mirrors_for(request.draw) {
        let pick = Pick { draw: 1, key: request.draw, now_ms: 0, tried: &[] };
        let _ = table.pool(mirror.target()).and_then(|pool| pool.pick(&pick));
    }
}

/// Targets: any bytes are a path in normal form, as the oracle has it, or refused.
pub fn check_path(input: &[u8]) {
    for (slashes, merges) in [(Slashes::Merge, true), (Slashes::Keep, false)] {
        let cut = input.iter().position(|&byte| byte == b'?').unwrap_or(input.len());
        let (path, query) = input.split_at(cut);
        let expected = normal_path(path, merges).map(|path| [&path[..], query].concat());
        let mut out = Vec::new();
        let normal = write_normal_url(input, slashes, &mut out).ok().map(|()| out);
        assert_eq!(normal, expected, "{:?}", String::from_utf8_lossy(input));
        if is_plainly_normal(input, slashes) {
            assert_eq!(normal.as_deref(), Some(input));
        }
        let Some(normal) = normal else { continue };
        let mut again = Vec::new();
        assert_eq!(write_normal_url(&normal, slashes, &mut again), Ok(()));
        assert_eq!(again, normal, "not idempotent: {:?}", String::from_utf8_lossy(input));
        let path = &normal[..normal.len() - query.len()];
        assert!(path.is_ascii() && path.starts_with(b"/"));
        assert!(path.split(|&byte| byte == b'/').all(|segment| segment != b"." && segment != b".."));
        assert!(!merges || !path.windows(2).any(|pair| pair == b"//"));
        for escape in path.windows(3).filter(|escape| escape[0] == b'%') {
            let value = u8::from_str_radix(std::str::from_utf8(&escape[1..]).unwrap(), 16).unwrap();
            assert!(value != 0 && !value.is_ascii_alphanumeric() && !b"-._~".contains(&value));
            assert!(!escape.iter().any(u8::is_ascii_lowercase));
        }
    }
    let mut out = Vec::new();
    let _ = RequestTarget::read(b"GET", input, Slashes::Merge, &mut out);
    let _ = RequestTarget::read(b"OPTIONS", input, Slashes::Keep, &mut out);
}

/// Heads: any lines are an offer or an acceptance of WebSocket exactly where a plain reading of RFC 9110, 7.8 finds one, and
/// what is left of `Connection` offers nothing.
pub fn check_upgrade(input: &[u8]) {
    let mut head = header_lines(input.split(|&b| b == b'\n'));
    let names_upgrade = plain_tokens(&head, "connection").iter().any(|token| token == "upgrade");
    let protocols = plain_tokens(&head, "upgrade");
    let offers = names_upgrade && protocols.iter().any(|token| token == "websocket");
    assert_eq!(offers_websocket(&head), offers, "{head:?}");
    assert_eq!(accepts_websocket(&head), protocols == ["websocket"], "{head:?}");
    let mut kept = plain_tokens(&head, "connection");
    kept.retain(|token| token != "upgrade");
    for (_, value) in head.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case(b"connection")) {
        let mut rest = b"before".to_vec();
        write_without_upgrade(value, &mut rest);
        *value = rest.strip_prefix(b"before").unwrap().to_vec();
        assert!(!value.starts_with(b",") && !value.ends_with(b", "), "{value:?}");
    }
    assert!(!offers_websocket(&head), "{head:?}");
    assert_eq!(plain_tokens(&head, "connection"), kept, "{head:?}");
}

/// The elements of a list header, in lower case, one character for each byte.
fn plain_tokens(head: &[(Vec<u8>, Vec<u8>)], name: &str) -> Vec<String> {
    let text = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte).to_ascii_lowercase()).collect::<String>();
    let blank = |c: char| " \t\n\r\x0c".contains(c);
    let values: Vec<_> = head.iter().filter(|(found, _)| text(found) == name).map(|(_, value)| text(value)).collect();
    let elements = values.iter().flat_map(|value| value.split(','));
    elements.map(|element| element.trim_matches(blank).to_owned()).filter(|element| !element.is_empty()).collect()
}

fn header_lines<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let header = |line: &[u8]| {
        let colon = line.iter().position(|&b| b == b':')?;
        Some((line[..colon].to_vec(), line[colon + 1..].to_vec()))
    };
    lines.filter_map(header).collect()
}

fn decode_request(input: &[u8]) -> OwnedRequest {
    let mut lines = input.split(|&b| b == b'\n');
    let mut next = || lines.next().unwrap_or_default().to_vec();
    let number = |text: Vec<u8>| String::from_utf8_lossy(&text).parse::<u64>().ok();
    let socket = next();
    let port = number(next()).and_then(|port| u16::try_from(port).ok());
    let server_name = Some(next()).filter(|name| !name.is_empty());
    let draw = |draw: Option<u64>| draw.unwrap_or_default() & u64::from(u32::MAX);
    let draw = draw(number(next())) << 32 | draw(number(next()));
    let (method, url) = (next(), next());
    OwnedRequest { socket, port, server_name, method, url, headers: header_lines(lines), draw }
}

/// The inverse, for seeds.
pub fn encode_request(table: u8, request: &OwnedRequest) -> Vec<u8> {
    let mut out = vec![table];
    let port = request.port.map_or(String::new(), |port| port.to_string());
    let (group, endpoint) = ((request.draw >> 32).to_string(), (request.draw & u64::from(u32::MAX)).to_string());
    let server_name = request.server_name.as_deref().unwrap_or_default();
    let lines = [&request.socket, port.as_bytes(), server_name, group.as_bytes(), endpoint.as_bytes(), &request.method];
    for line in lines {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.extend_from_slice(&request.url);
    for (name, value) in &request.headers {
        out.push(b'\n');
        out.extend_from_slice(name);
        out.push(b':');
        out.extend_from_slice(value);
    }
    out
}
