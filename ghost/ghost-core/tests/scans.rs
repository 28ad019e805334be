//! What the conditions of a host cost a request is bounded, and what a namespace has too many of is no other's loss.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests may fail")]

use ghost_core::{Built, Chance, Choice, Effect, Request, Scratch, Table, limits};
use serde_json::{Value, json};

/// More than one namespace may have on a host.
const MANY: usize = 3_000;

fn most(of: u32) -> usize {
    usize::try_from(of).unwrap()
}

fn route(name: &str, conditions: Value) -> Value {
    let mut route = conditions;
    route["route_name"] = name.into();
    route["regex"] = "full".into();
    route["backend_groups"] = json!([{ "backends": [{ "address": "10.0.0.1", "port": 80 }] }]);
    route
}

fn header(pattern: &str) -> Value {
    json!({ "headers": [{ "name": "x-l0", "value": pattern, "type": "RegularExpression" }] })
}

fn parameter(name: &str) -> Value {
    json!({ "query_params": [{ "name": name, "value": "1" }] })
}

fn path(pattern: &str) -> Value {
    json!({ "path_match": { "type": "RegularExpression", "value": pattern } })
}

/// One route each.
fn routes(namespace: &str, count: usize, conditions: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(|n| route(&format!("{namespace}/{n}"), conditions(n))).collect()
}

fn build(hosts: &[(&str, Vec<Value>)], previous: Option<&Table>) -> Built {
    let hosts: serde_json::Map<_, _> =
        hosts.iter().map(|(name, routes)| ((*name).to_owned(), json!({ "routes": routes }))).collect();
    Table::build(json!({ "version": 2, "vhosts": hosts }).to_string().as_bytes(), previous).unwrap()
}

fn served(built: &Built, host: &str, namespace: &str) -> usize {
    let host = built.table.hosts().iter().find(|found| found.name() == host).unwrap();
    host.routes().iter().filter(|route| route.name().starts_with(&format!("{namespace}/"))).count()
}

#[test]
fn a_namespace_with_too_many_conditions_on_a_host_loses_its_last() {
    let kinds: [fn(usize) -> Value; 3] =
        [|n| header(&format!("a*{n}")), |n| path(&format!("/a*{n}")), |n| parameter(&format!("p{n}"))];
    for conditions in kinds {
        let mut on_host = routes("greedy", MANY, conditions);
        on_host.push(route("greedy/plain", json!({})));
        on_host.extend(routes("modest", 20, |n| header(&format!("b*{n}"))));
        let built = build(&[("a.com", on_host), ("b.com", routes("greedy", 50, conditions))], None);
        let fits = most(limits::SCANS_PER_NAMESPACE);
        assert_eq!(served(&built, "a.com", "greedy"), fits + 1, "and the one without conditions");
        assert_eq!(served(&built, "a.com", "modest"), 20, "no other namespace loses any");
        assert_eq!(served(&built, "b.com", "greedy"), 50, "on another host");
        assert_eq!(built.report.refusals.len(), MANY - fits);
        let refusal = &built.report.refusals[0];
        assert_eq!((refusal.effect, &*refusal.route), (Effect::RouteOmitted, &*format!("greedy/{fits}")));
        assert!(refusal.message.contains("may come to 128"), "{}", refusal.message);
    }
}

#[test]
fn a_pattern_and_its_parameter_count_and_what_is_equal_counts_once() {
    let query =
        |n| json!({ "query_params": [{ "name": "p", "value": format!("a*{n}"), "type": "RegularExpression" }] });
    let built = build(&[("a.com", routes("ns", MANY, query))], None);
    assert_eq!(served(&built, "a.com", "ns"), most(limits::SCANS_PER_NAMESPACE) - 1);
    let built = build(&[("a.com", routes("ns", MANY, |n| query(n % 100)))], None);
    assert_eq!(served(&built, "a.com", "ns"), MANY);
}

#[test]
fn the_last_eighth_of_a_host_is_for_those_that_have_few() {
    let mut on_host = Vec::new();
    for namespace in ["a", "b", "c"] {
        on_host.extend(routes(namespace, MANY, |n| header(&format!("{namespace}*{n}"))));
    }
    for namespace in ["d", "e"] {
        on_host.extend(routes(namespace, 5, |n| header(&format!("{namespace}*{n}"))));
    }
    let built = build(&[("a.com", on_host)], None);
    let all = ["a", "b", "c", "d", "e"].map(|namespace| served(&built, "a.com", namespace));
    assert_eq!(all, [128, 96, 8, 5, 5]);
}

/// What no route of a host takes is asked of them, too.
#[test]
fn those_of_wider_hosts_count() {
    let of = |kind: &'static str| move |n| header(&format!("{kind}*{n}"));
    let hosts = [
        ("a.b.example.com", routes("ns", 100, of("a"))),
        ("*.b.Example.com.", routes("ns", 100, of("b"))),
        ("*.example.com", routes("ns", 30, of("c"))),
        ("*", routes("ns", 30, of("d"))),
        ("a.example.org", routes("ns", 100, of("e"))),
        ("b.example.org", routes("other", 100, of("e"))),
    ];
    let built = build(&hosts, None);
    let all =
        hosts.each_ref().map(|(name, _)| served(&built, name, if name.starts_with("b.") { "other" } else { "ns" }));
    assert_eq!(all, [0, 68, 30, 30, 98, 100]);
}

/// A large automaton is slower, and one that tells many bytes apart is slower still.
#[test]
fn slow_patterns_count_more() {
    let words: Vec<_> = (0..60).map(|n| format!("w{n}q{}z", n * 7)).collect();
    let words = format!("[a-y]*(?:{})", words.join("|"));
    let built = build(&[("a.com", routes("ns", MANY, |n| header(&format!("{words}{n}"))))], None);
    let fits = served(&built, "a.com", "ns");
    assert!(fits > 10 && fits < 40, "{fits}");
    let every_other =
        |first: u8| (first..128).step_by(2).map(|byte| format!("\\x{byte:02x}")).collect::<Vec<_>>().concat();
    let (odd, even) = (every_other(1), every_other(0));
    let slow = |n| header(&format!("(?:abcdefghijklmnopqrstuvwxyz0123456789){{4}}(?:[{odd}]*[{even}])*!{n}"));
    let built = build(&[("a.com", routes("ns", 100, slow))], None);
    let fits = served(&built, "a.com", "ns");
    assert!(fits > 0 && fits < 5, "{fits}");
}

#[test]
fn the_same_bytes_come_to_the_same() {
    let hosts = |count: usize, wide: usize| {
        [
            ("a.com", routes("ns", count, |n| header(&format!("a*{n}")))),
            ("*", routes("ns", wide, |n| header(&format!("b*{n}")))),
        ]
    };
    let mut built = build(&hosts(MANY, 10), None);
    for (count, wide) in [(MANY, 10), (100, 10), (100, 40), (100, 40), (100, 10), (200, 20)] {
        built = build(&hosts(count, wide), Some(&built.table));
        let fresh = build(&hosts(count, wide), None);
        assert_eq!(fresh.report.refusals, built.report.refusals, "{count} {wide}");
        assert_eq!(fresh.table.routes(), built.table.routes());
    }
    built = build(&hosts(100, 10), Some(&built.table));
    assert_eq!((built.report.refusals.len(), built.table.routes()), (0, 110), "there is room again");
}

/// Time of the processor that this thread has had.
fn busy_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().unwrap().parse().unwrap()
}

/// Prints it: `cargo test --release --test scans -- --ignored --nocapture`.
#[test]
#[ignore = "a figure, not a verdict"]
fn the_worst_request() {
    let words: Vec<_> = (0..60).map(|n| format!("w{n}q{}z", n * 7)).collect();
    let words = format!("[a-y]*(?:{})", words.join("|"));
    let print = |what: &str, routes: Vec<Value>| {
        let built = build(&[("a.com", routes)], None);
        let value = vec![b'a'; 8_000];
        let url = [b"/?", &*value].concat();
        let headers: [(&[u8], &[u8]); 1] = [(b"x-l0", &value)];
        let request = Request {
            socket: b"s",
            port: None,
            server_name: None,
            method: b"GET",
            url: &url,
            host: Some(b"a.com"),
            headers: &headers[..],
        };
        let mut scratch = Scratch::default();
        let (start, mut count) = (busy_ns(), 0);
        // The kernel does not count more finely than some milliseconds.
        while busy_ns() - start < 300_000_000 {
            assert!(matches!(built.table.select(&request, Chance::default(), &mut scratch), Choice::NoRoute(_)));
            count += 1;
        }
        println!("{what}: {} routes, {} µs a request", built.table.routes(), (busy_ns() - start) / 1_000 / count);
    };
    print("equal patterns", routes("ns", MANY, |_| header(&words)));
    print("large patterns that differ", routes("ns", MANY, |n| header(&format!("{words}{n}"))));
    print("small patterns that differ", routes("ns", MANY, |n| header(&format!("a*{n}"))));
    print("parameters that differ", routes("ns", MANY, |n| parameter(&format!("p{n}"))));
    let all = ["a", "b", "c", "d"].map(|ns| routes(ns, MANY, |n| header(&format!("a*{ns}{n}"))));
    print("small patterns of four namespaces", all.concat());
}
