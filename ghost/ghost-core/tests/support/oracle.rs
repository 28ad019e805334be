//! The rules of `docs/reference/ghost-json.md` once more, in the most obvious way: a scan over the JSON of the table. It
//! shares no code with the router, and patterns are simulated, not determinised.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests may fail")]

use std::cmp::Reverse;

use ghost_core::{Built, Effect};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use serde_json::Value;

use crate::normal::normal_path;
use crate::support::OwnedRequest;

pub struct Oracle {
    sockets: Option<Value>,
    listeners: Value,
    /// The name as bytes, and the rules in order.
    hosts: Vec<(Vec<u8>, Vec<Rule>)>,
}

struct Rule {
    name: String,
    path: Test,
    prefix: Option<Vec<u8>>,
    method: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Test)>,
    query: Vec<(Vec<u8>, Test)>,
    listeners: Vec<Vec<u8>>,
    cors: bool,
    redirect: Option<u64>,
    groups: Vec<Group>,
}

struct Group {
    weight: u64,
    invalid: bool,
    endpoints: bool,
    on_empty: u64,
}

enum Test {
    Any,
    Equal(Vec<u8>),
    Found(Box<PikeVM>),
    Covered(Box<PikeVM>),
}

impl Test {
    fn new(kind: &str, value: &str, full: bool) -> Self {
        if kind != "RegularExpression" {
            return Self::Equal(value.into());
        }
        let mut builder = PikeVM::builder();
        let builder = builder
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .thompson(regex_automata::nfa::thompson::Config::new().utf8(false));
        // Wrapping the text is sound for patterns without comments that were accepted alone; the router wraps the parsed form.
        if full {
            Self::Covered(Box::new(builder.build(&format!("(?:{value})\\z")).unwrap()))
        } else {
            Self::Found(Box::new(builder.build(value).unwrap()))
        }
    }

    fn fits(&self, value: &[u8]) -> bool {
        let run = |machine: &PikeVM, anchored| {
            machine.is_match(&mut machine.create_cache(), Input::new(value).anchored(anchored).earliest(true))
        };
        match self {
            Self::Any => true,
            Self::Equal(expected) => expected == value,
            Self::Found(machine) => run(machine, Anchored::No),
            Self::Covered(machine) => run(machine, Anchored::Yes),
        }
    }
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field).and_then(Value::as_str)
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Gives every route a name that says where it is, so that oracle and router can be compared by name.
pub fn name_routes(table: &mut Value) {
    let Some(hosts) = table.get_mut("vhosts").and_then(Value::as_object_mut) else { return };
    for (host, value) in hosts {
        let Some(routes) = value.get_mut("routes").and_then(Value::as_array_mut) else { continue };
        for (n, route) in routes.iter_mut().enumerate().filter(|(_, route)| route.is_object()) {
            route["route_name"] = format!("{host}#{n}").into();
        }
    }
}

impl Oracle {
    /// Leaves out what the report says was left out: whether that was right is for other tests.
    pub fn new(table: &Value, built: &Built) -> Self {
        let refused = |effect: Effect, host: &str, rule: Option<u32>| {
            built.report.refusals.iter().any(|r| r.effect == effect && &*r.vhost == host && r.rule == rule)
        };
        let mut hosts = Vec::new();
        for (name, host) in table["vhosts"].as_object().into_iter().flatten() {
            if refused(Effect::HostOmitted, name, None) && built.table.hosts().iter().all(|host| host.name() != name) {
                continue;
            }
            let mut routes: Vec<_> = (0..)
                .zip(list(host, "routes"))
                .filter(|(n, _)| !refused(Effect::RouteOmitted, name, Some(*n)))
                .map(|(_, route)| route)
                .collect();
            let number = |route: &Value, field: &str| route.get(field).and_then(Value::as_i64).unwrap_or_default();
            routes.sort_by_key(|route| (Reverse(number(route, "priority")), number(route, "rule_index")));
            let mut rules: Vec<_> = routes.into_iter().map(|route| Rule::new(route, table, built)).collect();
            if !list(host, "default_backends").is_empty() && !refused(Effect::RouteOmitted, name, None) {
                rules.push(Rule::default_for());
            }
            let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
            hosts.push((name.into_bytes(), rules));
        }
        Self {
            sockets: table.get("sockets").filter(|s| !s.is_null()).cloned(),
            listeners: table["listeners"].clone(),
            hosts,
        }
    }

    /// What becomes of the request, in words.
    pub fn answer(&self, request: &OwnedRequest) -> String {
        let unsound = |byte: &u8| b"@/?#\\, \t".contains(byte) || byte.is_ascii_control();
        if request.host().is_some_and(|header| bare(&header).is_none() || header.trim_ascii().iter().any(unsound)) {
            return "bad host".into();
        }
        let host = request.host().and_then(|header| bare(&header));
        let listener = match self.listener(request, host.as_deref()) {
            Ok(names) => names,
            Err(answer) => return answer.into(),
        };
        let mut covering: Vec<_> = self.hosts.iter().filter(|(pattern, _)| covers(pattern, host.as_deref())).collect();
        covering.sort_by_key(|(pattern, _)| Reverse(specific(pattern)));
        match covering.iter().find_map(|(_, rules)| rules.iter().find(|rule| rule.takes(request, &listener))) {
            Some(rule) => format!("{} {}", rule.name, rule.action(request)),
            None if covering.is_empty() => "no host".into(),
            None => "no route".into(),
        }
    }

    /// Key and public name of the listener.
    fn listener(&self, request: &OwnedRequest, host: Option<&[u8]>) -> Result<Vec<Vec<u8>>, &'static str> {
        let Some(sockets) = &self.sockets else { return Ok(vec![request.socket.clone()]) };
        let socket = sockets.as_object().unwrap().iter().find(|(name, _)| name.as_bytes() == request.socket);
        let ports = socket.ok_or("no listener")?.1.as_object().unwrap();
        let wanted = request.port.map(|port| port.to_string());
        let (port, keys) = match ports.len() {
            0 => return Err("freed socket"),
            1 => ports.iter().next().unwrap(),
            _ => ports.iter().find(|(port, _)| Some(*port) == wanted.as_ref()).ok_or("no listener")?,
        };
        let best = |host: Option<&[u8]>| {
            let hostname = |key: &&Value| {
                let name = self.listeners.get(key.as_str().unwrap()).and_then(|listener| text(listener, "hostname"));
                let name = name.filter(|name| !name.is_empty()).unwrap_or("*");
                name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase().into_bytes()
            };
            let keys = keys.as_array().unwrap().iter().filter(|key| covers(&hostname(key), host));
            keys.max_by_key(|key| specific(&hostname(key)))
        };
        let owner = best(host).ok_or("no listener")?;
        if let Some(name) = request.server_name.as_deref().and_then(bare) {
            if best(Some(&name)).is_some_and(|other| other != owner) {
                return Err("misdirected");
            }
        }
        let key = owner.as_str().unwrap();
        let described = self.listeners.get(key).unwrap_or(&Value::Null);
        let scheme = if text(described, "protocol") == Some("HTTPS") { "https" } else { "http" };
        let public = text(described, "name").map_or_else(|| format!("{scheme}-{port}"), ToOwned::to_owned);
        Ok(vec![key.into(), public.into()])
    }
}

impl Rule {
    fn new(route: &Value, table: &Value, built: &Built) -> Self {
        let full = text(route, "regex") == Some("full");
        let path = route.get("path_match").filter(|path| !path.is_null());
        let kind = path.map_or("", |path| text(path, "type").unwrap());
        let value = path.map_or("", |path| text(path, "value").unwrap());
        // Requests come in normal form, and their paths are compared with the rule's.
        let normal = || String::from_utf8(normal_path(value.as_bytes(), true).unwrap()).unwrap();
        let value = if matches!(kind, "Exact" | "PathPrefix") { normal() } else { value.to_owned() };
        let named = |field| {
            list(route, field)
                .iter()
                .map(|rule| {
                    let test = Test::new(text(rule, "type").unwrap_or("Exact"), text(rule, "value").unwrap(), full);
                    (text(rule, "name").unwrap().into(), test)
                })
                .collect()
        };
        let filters = route.get("filters").unwrap_or(&Value::Null);
        let redirect = filters.get("request_redirect").filter(|redirect| !redirect.is_null());
        Self {
            name: text(route, "route_name").unwrap_or_default().into(),
            path: if matches!(kind, "" | "PathPrefix") { Test::Any } else { Test::new(kind, &value, full) },
            prefix: (kind == "PathPrefix").then(|| value.strip_suffix('/').unwrap_or(&value).into()),
            method: text(route, "method").map(Into::into),
            headers: named("headers"),
            query: named("query_params"),
            listeners: list(route, "listeners").iter().map(|name| name.as_str().unwrap().into()).collect(),
            cors: filters.get("cors").is_some_and(|cors| !cors.is_null()),
            redirect: redirect.map(|r| r.get("status_code").and_then(Value::as_u64).unwrap_or(302)),
            groups: list(route, "backend_groups").iter().map(|group| Group::new(group, table, built)).collect(),
        }
    }

    /// What `default_backends` stand for.
    fn default_for() -> Self {
        let group = Group { weight: 1, invalid: false, endpoints: true, on_empty: 500 };
        Self {
            name: String::new(),
            path: Test::Any,
            prefix: None,
            method: None,
            headers: Vec::new(),
            query: Vec::new(),
            listeners: Vec::new(),
            cors: false,
            redirect: None,
            groups: vec![group],
        }
    }

    fn takes(&self, request: &OwnedRequest, listener: &[Vec<u8>]) -> bool {
        let url = request.url.split(|&b| b == b'#').next().unwrap();
        let cut = url.iter().position(|&b| b == b'?');
        let path = &url[..cut.unwrap_or(url.len())];
        let query = cut.map_or(&b""[..], |cut| &url[cut + 1..]);
        let parameter = |name: &[u8]| {
            let parts = query.split(|&b| b == b'&').filter_map(|part| {
                let equals = part.iter().position(|&b| b == b'=')?;
                Some((&part[..equals], &part[equals + 1..]))
            });
            parts.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
        };
        let in_prefix = self.prefix.as_deref().is_none_or(|prefix| {
            prefix.is_empty()
                || path == prefix
                || (path.len() > prefix.len() && path.starts_with(prefix) && path[prefix.len()] == b'/')
        });
        in_prefix
            && self.path.fits(path)
            && self.method.as_ref().is_none_or(|method| {
                *method == request.method || (self.cors && preflight(request).as_ref() == Some(method))
            })
            && self.headers.iter().all(|(name, test)| values(request, name).iter().any(|value| test.fits(value)))
            && self.query.iter().all(|(name, test)| parameter(name).is_some_and(|value| test.fits(value)))
            && (self.listeners.is_empty() || self.listeners.iter().any(|name| listener.contains(name)))
    }

    fn action(&self, request: &OwnedRequest) -> String {
        if self.cors && preflight(request).is_some() {
            return "200".into();
        }
        if let Some(status) = self.redirect {
            return status.to_string();
        }
        let total: u64 = self.groups.iter().map(|group| group.weight).sum();
        let mut point = ((request.draw >> 32) * total) >> 32;
        for (n, group) in self.groups.iter().enumerate() {
            if point < group.weight {
                return match group {
                    Group { invalid: true, .. } => "500".into(),
                    Group { endpoints: false, on_empty, .. } => on_empty.to_string(),
                    _ => format!("group {n}"),
                };
            }
            point -= group.weight;
        }
        "500".into()
    }
}

impl Group {
    fn new(group: &Value, table: &Value, built: &Built) -> Self {
        let pool = text(group, "pool");
        let endpoints = match pool {
            Some(pool) => {
                let bad = format!("pools.{pool}");
                let refused = built.report.refusals.iter().any(|r| r.field.starts_with(&bad));
                !refused && table["pools"].get(pool).is_some_and(|pool| !list(pool, "backends").is_empty())
            }
            None => !list(group, "backends").is_empty() || group.get("external_proxy").is_some_and(Value::is_object),
        };
        Self {
            weight: group.get("weight").and_then(Value::as_u64).unwrap_or(100),
            invalid: group.get("invalid") == Some(&Value::Bool(true)),
            endpoints,
            on_empty: group.get("on_empty").and_then(Value::as_u64).unwrap_or(if pool.is_some() { 503 } else { 500 }),
        }
    }
}

fn values<'r>(request: &'r OwnedRequest, name: &[u8]) -> Vec<&'r [u8]> {
    let same = request.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
    same.map(|(_, value)| value.trim_ascii()).collect()
}

fn preflight(request: &OwnedRequest) -> Option<Vec<u8>> {
    let asked = values(request, b"access-control-request-method").first().map(|value| value.to_vec());
    asked.filter(|_| request.method == b"OPTIONS" && !values(request, b"origin").is_empty())
}

/// The host of a `Host` header, in lower case.
fn bare(header: &[u8]) -> Option<Vec<u8>> {
    let header = header.trim_ascii();
    let end = if header.starts_with(b"[") {
        header.iter().position(|&b| b == b']')? + 1
    } else {
        header.iter().position(|&b| b == b':').unwrap_or(header.len())
    };
    let (host, port) = header.split_at(end);
    let numeric = port.is_empty() || (port[0] == b':' && port[1..].iter().all(u8::is_ascii_digit));
    let host = host.strip_suffix(b".").unwrap_or(host);
    (numeric && !host.is_empty() && host.len() <= 255).then(|| host.to_ascii_lowercase())
}

/// The pattern is in lower case, without trailing dot.
fn covers(pattern: &[u8], host: Option<&[u8]>) -> bool {
    match (pattern, host) {
        (b"*", _) => true,
        (_, None) => false,
        ([b'*', suffix @ ..], Some(host)) => {
            host.strip_suffix(suffix).is_some_and(|labels| !labels.is_empty() && !labels.ends_with(b"."))
        }
        (name, Some(host)) => name == host,
    }
}

/// Exact before wildcards, wildcards by labels, `*` last. One host has one covering wildcard of each number of labels.
fn specific(pattern: &[u8]) -> (bool, usize) {
    let labels = if pattern == b"*" { 0 } else { pattern.split(|&b| b == b'.').count() };
    (!pattern.starts_with(b"*"), labels)
}
