//! Small promises of the table that no shared case can show, because they are not visible in what becomes of a request.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]

mod support;

use ghost_core::{Action, Chance, Choice, Effect, PathRule, Pool, Scratch, Select, Table, Target, limits, object_key};
use serde_json::{Value, json};
use support::OwnedRequest;

fn build(table: &Value) -> Table {
    let built = Table::build(table.to_string().as_bytes(), None).unwrap();
    assert!(built.report.refusals.is_empty(), "{:?}", built.report.refusals);
    built.table
}

fn refused_field(table: &Value) -> String {
    Table::build(table.to_string().as_bytes(), None).unwrap_err().field
}

fn request(url: &str, draw: u64) -> OwnedRequest {
    let headers = vec![(b"Host".to_vec(), b"a.com".to_vec())];
    OwnedRequest {
        socket: b"s".to_vec(),
        method: b"GET".to_vec(),
        url: url.into(),
        headers,
        draw,
        ..OwnedRequest::default()
    }
}

/// Group and endpoint for a draw.
fn forwarded(table: &Table, url: &str, draw: u64) -> (usize, String) {
    let request = request(url, draw);
    let mut scratch = Scratch::default();
    let choice = table.select(&request.view(), Chance { draw, now_ms: 0 }, &mut scratch);
    let Choice::Route(_, Action::Forward(forward)) = choice else { panic!("{choice:?}") };
    (forward.group_index, forward.endpoint.key().to_owned())
}

fn endpoints(ips: &[&str]) -> Value {
    ips.iter().map(|ip| json!({ "address": ip, "port": 80 })).collect::<Vec<_>>().into()
}

#[test]
fn a_route_tells_where_it_came_from() {
    let table = build(
        &json!({ "version": 2, "hash": "h1", "passive_health": { "eject_ms": 5, "eject_max_ms": 7 }, "vhosts": { "A.com": {
        "routes": [
            { "route_name": "ns/r", "rule_name": "second", "origin": { "rule": 2, "match": 3 },
              "path_match": { "type": "RegularExpression", "value": "^/x" },
              "backend_groups": [{ "weight": 7, "service": "ns/svc:80", "backends": endpoints(&["10.0.0.1"]) }] },
            { "path_match": { "type": "Exact", "value": "/e" } }, { "path_match": { "type": "PathPrefix", "value": "/p/" } },
            { "path_match": { "type": "PathPrefix", "value": "/" } } ] } } }),
    );
    assert_eq!((table.hash(), table.routes(), table.hosts().len()), (Some("h1"), 4, 1));
    assert_eq!((table.ejection().first_ms, table.ejection().longest_ms), (5, 7));
    let host = &table.hosts()[0];
    assert_eq!(host.name(), "A.com", "as written");
    let route = &host.routes()[0];
    assert_eq!((route.name(), route.rule_name(), route.origin()), ("ns/r", Some("second"), (2, 3)));
    assert!(matches!(route.path(), PathRule::Pattern(pattern) if pattern.source() == "^/x"));
    assert_eq!((route.groups()[0].weight(), route.groups()[0].service()), (7, Some("ns/svc:80")));
    assert!(matches!(route.groups()[0].target(), Target::Inline(pool) if pool.endpoints().len() == 1));
    assert_eq!((host.routes()[1].rule_name(), host.routes()[1].name()), (None, ""));
    assert!(matches!(host.routes()[1].path(), PathRule::Exact(path) if **path == *b"/e"));
    assert!(matches!(host.routes()[2].path(), PathRule::Prefix(path) if **path == *b"/p"));
    assert!(matches!(host.routes()[3].path(), PathRule::Any));
}

#[test]
fn the_halves_of_a_draw_choose_group_and_endpoint_by_themselves() {
    let table = build(&json!({ "version": 2, "vhosts": { "a.com": { "routes": [{ "backend_groups": [
        { "weight": 1, "backends": endpoints(&["10.0.0.1", "10.0.0.2"]) },
        { "weight": 3, "backends": endpoints(&["10.0.1.1", "10.0.1.2"]) } ] }] } } }));
    let (low, high) = (0_u64, u64::from(u32::MAX));
    for (group, endpoint, expected) in [
        (low, low, (0, "10.0.0.1:80")),
        (low, high, (0, "10.0.0.2:80")),
        (high, low, (1, "10.0.1.1:80")),
        (high, high, (1, "10.0.1.2:80")),
        (1 << 30, low, (1, "10.0.1.1:80")),
        ((1 << 30) - 1, low, (0, "10.0.0.1:80")),
    ] {
        assert_eq!(forwarded(&table, "/", group << 32 | endpoint), (expected.0, expected.1.into()));
    }
}

#[test]
fn hash_pools_choose_by_host_and_url_and_not_by_chance() {
    let ips: Vec<_> = (1..20).map(|n| format!("10.0.0.{n}")).collect();
    let ips: Vec<_> = ips.iter().map(String::as_str).collect();
    let table = build(&json!({ "version": 2, "pools": { "p": { "select": "hash", "backends": endpoints(&ips) } },
        "vhosts": { "a.com": { "routes": [{ "backend_groups": [{ "pool": "p" }] }] } } }));
    let chosen: Vec<_> = (0..40).map(|n| forwarded(&table, &format!("/{n}"), 0)).collect();
    let again: Vec<_> = (0..40).map(|n| forwarded(&table, &format!("/{n}"), u64::MAX)).collect();
    assert_eq!(chosen, again);
    let different: std::collections::HashSet<_> = chosen.iter().collect();
    assert!(different.len() > 10, "{}", different.len());
    assert_ne!(object_key(None, b"/a"), object_key(None, b"/b"));
    let named = table.pool(table.hosts()[0].routes()[0].groups()[0].target()).unwrap();
    assert_eq!((named.endpoints().len(), Pool::select(named)), (19, Select::Hash));
}

#[test]
fn sockets_that_contradict_themselves_refuse_the_table() {
    let with = |sockets: Value| json!({ "version": 2, "sockets": sockets });
    assert_eq!(refused_field(&with(json!({ "a": { "80": ["web"] }, "b": { "81": ["web"] } }))), "sockets.b.81");
    assert_eq!(refused_field(&with(json!({ "a": { "80": ["web"], "080": ["other"] } }))), "sockets.a");
    assert_eq!(refused_field(&with(json!({ "a": { "0": [] } }))), "sockets.a.0");
    assert_eq!(refused_field(&with(json!({ "a": { "80": ["x", "y"] } }))), "sockets.a.80", "both take every host");
    let twice = r#"{ "version": 2, "sockets": { "a": {}, "a": {} } }"#;
    assert_eq!(Table::build(twice.as_bytes(), None).unwrap_err().field, "sockets");
    // One listener on two sockets, same port: two ways in, one listener.
    build(&with(json!({ "a": { "80": ["web"] }, "b": { "80": ["web"] } })));
}

#[test]
fn as_many_sockets_as_the_limit_and_not_one_more() {
    let with = |count: usize| {
        let sockets: serde_json::Map<_, _> = (0..count).map(|n| (format!("s{n}"), json!({}))).collect();
        json!({ "version": 2, "sockets": sockets })
    };
    build(&with(limits::SOCKETS));
    assert_eq!(refused_field(&with(limits::SOCKETS + 1)), "sockets");
}

#[test]
fn an_empty_hostname_of_a_listener_is_none() {
    let table = build(
        &json!({ "version": 2, "sockets": { "s": { "80": ["web"] } }, "listeners": { "web": { "hostname": "" } } }),
    );
    let choice = |table: &Table| {
        let request = request("/", 0);
        matches!(table.select(&request.view(), Chance::default(), &mut Scratch::default()), Choice::NoHost(_))
    };
    assert!(choice(&table), "the listener takes any host, the table has none");
}

#[test]
fn a_listener_that_no_socket_has_is_reported_once_for_each_route() {
    let routes = json!([{ "listeners": ["web"] }, { "listeners": ["web", "gone"] }, { "listeners": ["http-80"] }]);
    let table =
        json!({ "version": 2, "sockets": { "s": { "80": ["web"] } }, "vhosts": { "a.com": { "routes": routes } } });
    let built = Table::build(table.to_string().as_bytes(), None).unwrap();
    let refusals: Vec<_> = built.report.refusals.iter().map(|r| (r.effect, &*r.field)).collect();
    assert_eq!(refusals, [(Effect::Partial, "listeners")]);
    assert_eq!(built.report.routes, 3);
}

#[test]
fn the_path_of_a_request_ends_at_its_query() {
    assert_eq!(request("/a/b?c=/d", 0).view().path(), b"/a/b");
}

#[test]
fn statuses_are_those_that_the_format_promises() {
    let table = build(
        &json!({ "version": 2, "sockets": { "s": { "80": ["web"] }, "freed": {} }, "vhosts": { "a.com": { "routes": [
        { "path_match": { "type": "Exact", "value": "/moved" }, "filters": { "request_redirect": { "status_code": 308 } } },
        { "path_match": { "type": "Exact", "value": "/invalid" } },
        { "path_match": { "type": "Exact", "value": "/empty" }, "backend_groups": [{ "on_empty": 503 }] },
        { "path_match": { "type": "Exact", "value": "/served" }, "backend_groups": [{ "backends": endpoints(&["10.0.0.1"]) }] } ] } } }),
    );
    let status = |url: &str, socket: &str| {
        let request = OwnedRequest { socket: socket.into(), ..request(url, 0) };
        table.select(&request.view(), Chance::default(), &mut Scratch::default()).status()
    };
    for (url, expected) in
        [("/moved", Some(308)), ("/invalid", Some(500)), ("/empty", Some(503)), ("/served", None), ("/none", Some(404))]
    {
        assert_eq!(status(url, "s"), expected, "{url}");
    }
    assert_eq!((status("/served", "freed"), status("/served", "unknown")), (Some(404), Some(404)));
}

/// A bad route among good ones keeps its own position in the report, also when it is taken over in another place.
#[test]
fn refusals_name_the_route_and_its_position_now() {
    let bad = json!({ "route_name": "ns/bad", "method": "get" });
    let uncached = json!({ "route_name": "ns/uncached", "cache_policy": { "default_ttl_seconds": "x" } });
    let table = |routes: Value| json!({ "version": 2, "vhosts": { "a.com": { "routes": routes } } }).to_string();
    let places = |built: &ghost_core::Built| {
        built.report.refusals.iter().map(|r| (r.route.to_string(), r.rule)).collect::<Vec<_>>()
    };
    let first = Table::build(table(json!([bad, uncached])).as_bytes(), None).unwrap();
    assert_eq!(places(&first), [("ns/bad".into(), Some(0)), ("ns/uncached".into(), Some(1))]);
    let moved = table(json!([{ "route_name": "ns/new" }, uncached, { "route_name": "ns/other" }, bad]));
    let second = Table::build(moved.as_bytes(), Some(&first.table)).unwrap();
    assert_eq!(places(&second), [("ns/uncached".into(), Some(1)), ("ns/bad".into(), Some(3))]);
    let kept =
        Table::build(table(json!([uncached, { "route_name": "ns/new" }])).as_bytes(), Some(&second.table)).unwrap();
    assert_eq!(places(&kept), [("ns/uncached".into(), Some(0))], "taken over twice");
    let third = Table::build(table(json!([bad, bad])).as_bytes(), Some(&second.table)).unwrap();
    assert_eq!(places(&third), [("ns/bad".into(), Some(0)), ("ns/bad".into(), Some(1))]);
}
