//! Random tables and requests: the index finds what a plain scan finds, and a table built from its predecessor is the
//! table built from nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]

mod support;

use ghost_core::{Chance, Choice, Headers, Scratch, Table};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::OwnedRequest;

/// The only pattern of a value that is generated.
const EITHER: &str = "1|2";

fn fits(expected: &str, value: &[u8]) -> bool {
    if expected == EITHER { value == b"1" || value == b"2" } else { value == expected.as_bytes() }
}

/// A route as the oracle understands it: nothing shared with the code under test.
#[derive(Debug, Clone)]
struct Rule {
    kind: &'static str,
    path: String,
    method: Option<&'static str>,
    headers: Vec<(&'static str, &'static str)>,
    query: Option<(&'static str, &'static str)>,
    listener: Option<&'static str>,
}

impl Rule {
    fn json(&self, name: &str) -> Value {
        let mut route = json!({ "route_name": name, "regex": "full",
            "backend_groups": [{ "weight": 1, "backends": [{ "address": "10.0.0.1", "port": 80 }] }] });
        if self.kind != "None" {
            route["path_match"] = json!({ "type": self.kind, "value": self.path });
        }
        if let Some(method) = self.method {
            route["method"] = method.into();
        }
        let condition = |&(name, value): &(&str, &str)| match value {
            EITHER => json!({ "name": name, "value": value, "type": "RegularExpression" }),
            _ => json!({ "name": name, "value": value }),
        };
        route["headers"] = self.headers.iter().map(condition).collect();
        route["query_params"] = self.query.iter().map(condition).collect();
        if let Some(listener) = self.listener {
            route["listeners"] = json!([listener]);
        }
        route
    }

    fn takes(&self, request: &OwnedRequest) -> bool {
        let url = std::str::from_utf8(&request.url).unwrap();
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let path_fits = match self.kind {
            "Exact" => path == self.path,
            "PathPrefix" => {
                let prefix = self.path.trim_end_matches('/');
                path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            // The only patterns generated are a path with `.*` behind it.
            "RegularExpression" => path.starts_with(self.path.trim_end_matches(".*")),
            _ => true,
        };
        path_fits
            && self.method.is_none_or(|method| method.as_bytes() == request.method)
            && self.headers.iter().all(|(name, value)| request.headers.all(name.as_bytes()).any(|v| fits(value, v)))
            && self.query.is_none_or(|(name, value)| {
                query
                    .split('&')
                    .find_map(|p| p.split_once('=').filter(|(n, _)| *n == name))
                    .is_some_and(|p| fits(value, p.1.as_bytes()))
            })
            && self.listener.is_none_or(|listener| listener.as_bytes() == request.socket)
    }
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "c"]), 0..4)
        .prop_flat_map(|parts| (Just(format!("/{}", parts.join("/"))), any::<bool>()))
        .prop_map(|(path, slash)| if slash && path != "/" { path + "/" } else { path })
}

fn some<T: Clone + std::fmt::Debug + 'static>(values: Vec<T>) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.25, prop::sample::select(values))
}

fn rule() -> impl Strategy<Value = Rule> {
    let kind = prop::sample::select(vec!["Exact", "Exact", "PathPrefix", "PathPrefix", "RegularExpression", "None"]);
    let method = some(vec!["GET", "POST"]);
    let header = prop::sample::select(vec![("X-A", "1"), ("x-a", "2"), ("x-b", "1"), ("x-A", EITHER), ("x-b", EITHER)]);
    let headers = prop::collection::vec(header, 0..=2);
    let query = some(vec![("q", "1"), ("q", "2"), ("q", EITHER), ("p", EITHER)]);
    (kind, path(), method, headers, query, some(vec!["s1", "s2"])).prop_map(
        |(kind, path, method, headers, query, listener)| {
            let path = if kind == "RegularExpression" { path + ".*" } else { path };
            Rule { kind, path, method, headers, query, listener }
        },
    )
}

const HOSTS: [&str; 7] = ["*", "*.com", "*.x.com", "*.y.x.com", "x.com", "a.x.com", "b.y.x.com"];

type Plan = Vec<(&'static str, Vec<Rule>)>;

fn plan() -> impl Strategy<Value = Plan> {
    prop::sample::subsequence(HOSTS.to_vec(), 0..=HOSTS.len()).prop_flat_map(|hosts| {
        hosts.into_iter().map(|host| (Just(host), prop::collection::vec(rule(), 0..12))).collect::<Vec<_>>()
    })
}

fn table_json(plan: &Plan) -> String {
    let vhosts: serde_json::Map<_, _> = plan
        .iter()
        .map(|(host, rules)| {
            let routes: Vec<_> = rules.iter().enumerate().map(|(n, rule)| rule.json(&format!("{host}#{n}"))).collect();
            ((*host).to_owned(), json!({ "routes": routes }))
        })
        .collect();
    json!({ "version": 2, "vhosts": vhosts }).to_string()
}

fn request() -> impl Strategy<Value = OwnedRequest> {
    let url = (path(), prop::sample::select(vec!["", "?q=1", "?q=2&q=1", "?x&q=1", "?q", "?", "?q=3&p=2"]));
    let host =
        prop::sample::select(vec!["x.com", "a.x.com", "A.X.com:80", "b.y.x.com", "c.y.x.com", "z.com", "org", ""]);
    let headers = prop::collection::vec(
        (prop::sample::select(vec!["x-a", "X-A", "x-b"]), prop::sample::select(vec!["1", "2", "3"])),
        0..3,
    );
    let method = prop::sample::select(vec!["GET", "POST", "PUT"]);
    (prop::sample::select(vec!["s1", "s2", "s3"]), method, url, host, headers).prop_map(
        |(socket, method, (path, query), host, headers)| {
            let mut headers: Vec<(Vec<u8>, Vec<u8>)> =
                headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
            if !host.is_empty() {
                headers.push((b"Host".to_vec(), host.into()));
            }
            let url = format!("{path}{query}").into();
            OwnedRequest { socket: socket.into(), method: method.into(), url, headers, ..OwnedRequest::default() }
        },
    )
}

/// Hosts from the most specific to the least, rules in order, first that takes the request.
fn scan(plan: &Plan, request: &OwnedRequest) -> Option<String> {
    let host = request.host().unwrap_or_default();
    let host = String::from_utf8(host).unwrap().to_lowercase();
    let host = host.split(':').next().unwrap();
    let mut covering: Vec<_> = plan
        .iter()
        .filter(|(pattern, _)| match pattern.strip_prefix('*') {
            Some("") => true,
            Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
            None => *pattern == host,
        })
        .collect();
    covering.sort_by_key(|(pattern, _)| {
        std::cmp::Reverse((!pattern.starts_with('*'), pattern.split('.').count(), pattern.len()))
    });
    covering.iter().find_map(|(pattern, rules)| {
        rules.iter().position(|rule| rule.takes(request)).map(|n| format!("{pattern}#{n}"))
    })
}

fn found(table: &Table, request: &OwnedRequest, scratch: &mut Scratch) -> Option<String> {
    match table.select(&request.view(), Chance::default(), scratch) {
        Choice::Route(matched, _) => {
            let (host, route) = table.route(matched.id).unwrap();
            assert!(std::ptr::eq(route, matched.route) && std::ptr::eq(host, matched.host));
            Some(matched.route.name().to_owned())
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn index_finds_what_a_scan_finds(plan in plan(), requests in prop::collection::vec(request(), 1..40)) {
        let built = Table::build(table_json(&plan).as_bytes(), None).unwrap();
        prop_assert!(built.report.refusals.is_empty(), "{:?}", built.report.refusals);
        // One thread's memory for all of them: what it knows from one request must not tell on the next.
        let mut scratch = Scratch::default();
        for request in &requests {
            prop_assert_eq!(found(&built.table, request, &mut scratch), scan(&plan, request), "{:?}", request);
        }
    }

    #[test]
    fn a_successor_is_the_table_built_from_nothing(
        plans in prop::collection::vec(plan(), 2..5), requests in prop::collection::vec(request(), 1..20),
    ) {
        let mut previous: Option<Table> = None;
        let mut scratch = Scratch::default();
        for plan in &plans {
            let bytes = table_json(plan);
            let fresh = Table::build(bytes.as_bytes(), None).unwrap();
            let next = Table::build(bytes.as_bytes(), previous.as_ref()).unwrap();
            prop_assert_eq!(next.report.refusals, fresh.report.refusals);
            prop_assert_eq!((next.report.hosts, next.report.routes), (fresh.report.hosts, fresh.report.routes));
            for request in &requests {
                let alone = found(&fresh.table, request, &mut Scratch::default());
                prop_assert_eq!(found(&next.table, request, &mut scratch), alone);
            }
            let again = Table::build(bytes.as_bytes(), Some(&next.table)).unwrap();
            prop_assert_eq!(again.report.hosts_reused, again.report.hosts);
            previous = Some(next.table);
        }
    }

    #[test]
    fn any_bytes_are_a_table_or_a_reason(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Table::build(&bytes, None);
    }

    #[test]
    fn any_request_has_an_answer(
        host in prop::collection::vec(any::<u8>(), 0..300), url in prop::collection::vec(any::<u8>(), 0..300), plan in plan(),
    ) {
        let table = Table::build(table_json(&plan).as_bytes(), None).unwrap().table;
        let headers = vec![(b"host".to_vec(), host)];
        let request = OwnedRequest { url, headers, ..OwnedRequest::default() };
        let _ = table.select(&request.view(), Chance { draw: u64::MAX, now_ms: 0 }, &mut Scratch::default());
    }
}
