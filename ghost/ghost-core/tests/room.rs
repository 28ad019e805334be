//! The patterns of a table take so much memory and no more, and what a namespace has too many of is no other's loss.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]

use std::collections::BTreeMap;

use ghost_core::{Built, Effect, Table, limits};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Free of work, and an automaton of some 10 KiB.
fn pattern(n: usize) -> String {
    format!("/{n}[ab]*a[ab]{{8}}")
}

/// Charged the most that there is, and of some 25 KiB.
fn costly(n: usize) -> String {
    format!("[^/]{{1,500}}/x{n}[^/]{{1,499}}")
}

fn route(name: &str, pattern: &str) -> Value {
    json!({ "route_name": name, "regex": "full", "path_match": { "type": "RegularExpression", "value": pattern },
        "backend_groups": [{ "weight": 1, "backends": [{ "address": "10.0.0.1", "port": 80 }] }] })
}

/// Not more than a host may have (`scans.rs`).
const OF_A_HOST: usize = 20;

/// Routes of other names than their neighbours go to several hosts.
fn table(hosts: &BTreeMap<String, Vec<Value>>) -> String {
    let mut all = BTreeMap::new();
    for (name, routes) in hosts {
        let is_one = routes
            .last()
            .zip(routes.get(routes.len().wrapping_sub(2)))
            .is_some_and(|(a, b)| a["route_name"] == b["route_name"]);
        let size = if is_one { routes.len() } else { OF_A_HOST };
        for (n, part) in routes.chunks(size).enumerate() {
            all.insert(format!("{name}.{n:03}"), json!({ "routes": part }));
        }
    }
    json!({ "version": 2, "vhosts": all }).to_string()
}

fn build(hosts: &BTreeMap<String, Vec<Value>>, previous: Option<&Table>) -> Built {
    Table::build(table(hosts).as_bytes(), previous).unwrap()
}

fn names(built: &Built, host: &str) -> Vec<String> {
    let parts = built.table.hosts().iter().filter(|found| found.name().starts_with(&format!("{host}.")));
    parts.flat_map(|host| host.routes()).map(|route| route.name().to_owned()).collect()
}

fn routes(namespace: &str, numbers: impl Iterator<Item = usize>) -> Vec<Value> {
    numbers.map(|n| route(&format!("{namespace}/{n}"), &pattern(n))).collect()
}

/// As many as one route of 128 matches may have, each with a header and 15 more.
const MANY: usize = 4_096;

fn greedy_and_modest() -> BTreeMap<String, Vec<Value>> {
    BTreeMap::from([
        ("a.com".to_owned(), routes("greedy", 0..MANY)),
        ("b.com".to_owned(), routes("modest", MANY..MANY + 100)),
    ])
}

#[test]
fn a_namespace_with_too_many_loses_its_last() {
    let built = build(&greedy_and_modest(), None);
    let served = names(&built, "a.com");
    assert!(served.len() > 150 && served.len() < 1_000, "{}", served.len());
    assert_eq!(served, (0..served.len()).map(|n| format!("greedy/{n}")).collect::<Vec<_>>());
    assert_eq!(names(&built, "b.com").len(), 100, "no other namespace loses any");
    assert!(built.report.pattern_bytes <= limits::REGEX_BYTES_PER_NAMESPACE + (3 << 20));
    assert_eq!(built.report.refusals.len(), MANY - served.len());
    for refusal in &built.report.refusals {
        assert!(refusal.route.starts_with("greedy/"));
        assert_eq!((refusal.effect, &*refusal.field), (Effect::RouteOmitted, "path_match.value"));
        assert!(refusal.message.contains("4 MiB"), "{}", refusal.message);
    }
}

#[test]
fn the_same_bytes_come_to_the_same() {
    let hosts = greedy_and_modest();
    let first = build(&hosts, None);
    let second = build(&hosts, Some(&first.table));
    assert_eq!(first.report.refusals, second.report.refusals);
    assert_eq!((first.report.deferred, second.report.deferred), (0, 0));
    let whole = names(&first, "a.com").len() / OF_A_HOST + 100 / OF_A_HOST;
    assert_eq!(second.report.hosts_reused, whole, "those that are whole");
    assert_eq!(first.report.pattern_bytes, second.report.pattern_bytes);
}

#[test]
fn what_is_lost_comes_back_when_there_is_room() {
    let mut hosts = greedy_and_modest();
    let first = build(&hosts, None);
    let served = names(&first, "a.com").len();
    hosts.get_mut("a.com").unwrap().drain(..MANY - 10);
    let second = build(&hosts, Some(&first.table));
    assert_eq!((names(&second, "a.com").len(), second.report.refusals.len()), (10, 0));
    assert!(served < MANY - 10, "these were not there before");
}

#[test]
fn what_is_taken_over_counts() {
    let mut hosts = BTreeMap::from([("a.com".to_owned(), routes("greedy", 0..200))]);
    let mut built = build(&hosts, None);
    assert!(built.report.refusals.is_empty());
    for round in 1..5 {
        let before = routes("greedy", round * 200..(round + 1) * 200);
        hosts.get_mut("a.com").unwrap().splice(0..0, before);
        built = build(&hosts, Some(&built.table));
        while built.report.deferred > 0 {
            built = build(&hosts, Some(&built.table));
        }
        assert!(built.report.pattern_bytes <= limits::REGEX_BYTES_PER_NAMESPACE, "{}", built.report.pattern_bytes);
        let fresh = build(&hosts, None);
        assert_eq!(built.report.refusals, fresh.report.refusals, "round {round}");
    }
}

/// Without room for one of its rules no request falls to a wider one.
#[test]
fn a_route_without_room_for_all_of_it_is_not_there() {
    let of_one = |count: usize| {
        let mut all = vec![route("greedy/first", &pattern(MANY))];
        all.extend((0..count).map(|n| route("greedy/r", &pattern(n))));
        all.push(route("greedy/r", "/.*"));
        BTreeMap::from([("a.com".to_owned(), all), ("b.com".to_owned(), vec![route("greedy/r", &pattern(0))])])
    };
    let whole = build(&of_one(10), None);
    assert_eq!(names(&whole, "a.com").len(), 12);
    let first = build(&of_one(MANY), Some(&whole.table));
    assert_eq!(names(&first, "a.com"), ["greedy/first"], "and none of those that there was room for");
    assert_eq!(names(&first, "b.com"), ["greedy/r"], "which needs no room of its own");
    assert!(first.report.refusals.iter().all(|refusal| refusal.effect == Effect::RouteOmitted));
    assert_eq!((first.report.deferred, first.report.hosts_reused), (0, 1));
    let again = build(&of_one(MANY), Some(&first.table));
    assert_eq!(again.report.refusals, first.report.refusals);
    assert_eq!(again.report.hosts_reused, 1, "the host is compiled again");
    let back = build(&of_one(20), Some(&again.table));
    assert_eq!((names(&back, "a.com").len(), back.report.refusals.len()), (22, 0));
}

/// Takes some 44 KiB, and work.
fn large(n: usize) -> String {
    format!("/{n}[ab]*a[ab]{{10}}")
}

/// That there was no room is not remembered.
#[test]
fn a_large_pattern_comes_back_when_there_is_room() {
    let table = |count: usize| {
        BTreeMap::from([("a.com".to_owned(), (0..count).rev().map(|n| route(&format!("ns/{n}"), &large(n))).collect())])
    };
    let mut built = build(&table(150), None);
    for _ in 0..3 {
        while built.report.deferred > 0 {
            built = build(&table(150), Some(&built.table));
        }
        let served = names(&built, "a.com").len();
        assert!(served > 50 && served < 140, "{served}");
        assert_eq!(built.report.refusals.len(), 150 - served);
        built = build(&table(150), Some(&built.table));
    }
    let back = build(&table(10), Some(&built.table));
    assert_eq!((names(&back, "a.com").len(), back.report.refusals.len()), (10, 0));
}

/// Others' patterns, each too large for what room is left, take no more than a build's work in all: how large they are is remembered.
#[test]
fn what_finds_no_room_does_not_take_work_for_ever() {
    let full = (0..9).map(|n| (format!("{n}.com"), routes(&format!("full{n}"), n * 1_000..n * 1_000 + 400)));
    let mut hosts: BTreeMap<_, _> = full.collect();
    let count = usize::try_from(limits::REGEX_WORK_PER_BUILD.div_ceil(limits::REGEX_WORK_MOST)).unwrap() + 5;
    hosts.insert("x.com".to_owned(), (0..count).map(|n| route(&format!("n{n}/r"), &costly(n))).collect());
    let first = build(&hosts, None);
    assert!(first.report.deferred > 0);
    let second = build(&hosts, Some(&first.table));
    assert_eq!(second.report.deferred, 0);
    let refused = second.report.refusals.iter().filter(|refusal| refusal.vhost.starts_with("x.com")).count();
    assert_eq!(refused, count - names(&second, "x.com").len());
    assert!(refused + 5 > count, "{refused}");
    let third = build(&hosts, Some(&second.table));
    assert_eq!((third.report.deferred, third.report.refusals), (0, second.report.refusals));
}

/// What waits takes nothing of the room of those that do not.
#[test]
fn a_route_that_waits_leaves_others_their_room() {
    let of_one = |namespace: &str, from: usize| -> Vec<_> {
        (from..from + 10).map(|n| route(&format!("{namespace}/r"), &pattern(n))).collect()
    };
    let host = |namespace: &str, part: usize| format!("{namespace}{part:02}.com");
    let mut hosts = BTreeMap::from([("m.com".to_owned(), routes("modest", 0..40))]);
    for (namespace, part) in parts() {
        hosts.insert(host(namespace, part), of_one(namespace, part * 100));
    }
    let before = build(&hosts, None);
    assert!(before.report.refusals.is_empty());
    for (number, (namespace, part)) in (10..).zip(parts()) {
        let mut newest = of_one(namespace, number * 100);
        newest.extend((0..5).map(|n| route(&format!("{namespace}/r"), &costly(number * 100 + n))));
        newest.insert(0, route(&format!("{namespace}/other"), "/other"));
        hosts.insert(host(namespace, part), newest);
    }
    hosts.insert("m.com".to_owned(), routes("modest", 0..45));
    let first = build(&hosts, Some(&before.table));
    assert!(first.report.deferred > 0);
    for (namespace, part) in parts().filter(|(_, part)| *part > 5) {
        let host = host(namespace, part);
        let mut expected = names(&before, &host);
        expected.push(format!("{namespace}/other"));
        assert_eq!(names(&first, &host), expected);
    }
    assert_eq!(names(&first, "m.com").len(), 45);
    let mut last = first;
    for _ in 0..9 {
        last = build(&hosts, Some(&last.table));
    }
    assert_eq!(last.report.deferred, 0);
    assert_eq!(names(&last, "m.com").len(), 45);
    for namespace in ["a", "b", "c"] {
        let served = names(&last, &host(namespace, PARTS - 1));
        assert_eq!(served, [format!("{namespace}/other")], "the rest did not fit, as a whole");
    }
}

const PARTS: usize = 20;

fn parts() -> impl Iterator<Item = (&'static str, usize)> {
    ["a", "b", "c"].into_iter().flat_map(|namespace| (0..PARTS).map(move |part| (namespace, part)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Whatever comes and goes: a namespace that has little loses nothing, and the sum stays within the limit.
    #[test]
    fn the_sum_is_bounded(steps in prop::collection::vec((0_usize..6, 0_usize..3, 1_usize..500), 1..6)) {
        let mut hosts = BTreeMap::from([("m.com".to_owned(), routes("modest", 0..40))]);
        let mut built = build(&hosts, None);
        for (namespace, host, count) in steps {
            let added = routes(&format!("n{namespace}"), namespace * 1_000..namespace * 1_000 + count);
            hosts.insert(format!("{host}{namespace}.com"), added);
            built = build(&hosts, Some(&built.table));
            while built.report.deferred > 0 {
                built = build(&hosts, Some(&built.table));
            }
            prop_assert!(built.report.pattern_bytes <= limits::REGEX_BYTES_PER_TABLE);
            prop_assert_eq!(names(&built, "m.com").len(), 40);
            let fresh = build(&hosts, None);
            prop_assert_eq!(fresh.report.refusals, built.report.refusals.clone());
        }
    }
}
