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

fn route(name: &str, pattern: &str) -> Value {
    json!({ "route_name": name, "regex": "full", "path_match": { "type": "RegularExpression", "value": pattern },
        "backend_groups": [{ "weight": 1, "backends": [{ "address": "10.0.0.1", "port": 80 }] }] })
}

fn table(hosts: &BTreeMap<String, Vec<Value>>) -> String {
    let hosts: BTreeMap<_, _> = hosts.iter().map(|(name, routes)| (name, json!({ "routes": routes }))).collect();
    json!({ "version": 2, "vhosts": hosts }).to_string()
}

fn build(hosts: &BTreeMap<String, Vec<Value>>, previous: Option<&Table>) -> Built {
    Table::build(table(hosts).as_bytes(), previous).unwrap()
}

fn names(built: &Built, host: &str) -> Vec<String> {
    let host = built.table.hosts().iter().find(|found| found.name() == host).unwrap();
    host.routes().iter().map(|route| route.name().to_owned()).collect()
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
    assert_eq!(second.report.hosts_reused, 1, "those that are whole");
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
