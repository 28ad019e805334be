//! One build spends so much on large patterns and no more: what is beyond is put off, visibly, and never small. Routes wait for what is put
//! off (`whole.rs`).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]

use ghost_core::{Built, Effect, PathRule, Table, limits};
use serde_json::{Value, json};

/// Distinct patterns that are charged the most that there is and take little time all the same.
fn large(n: usize) -> String {
    format!("[^/]{{1,500}}/x{n}[^/]{{1,499}}")
}

fn route(name: &str, pattern: &str) -> Value {
    json!({ "route_name": name, "regex": "full", "path_match": { "type": "RegularExpression", "value": pattern },
        "backend_groups": [{ "weight": 1, "backends": [{ "address": "10.0.0.1", "port": 80 }] }] })
}

fn table(routes: &[Value]) -> String {
    json!({ "version": 2, "vhosts": { "a.com": { "routes": routes } } }).to_string()
}

fn build(table: &str, previous: Option<&Table>) -> Built {
    Table::build(table.as_bytes(), previous).unwrap()
}

fn names(built: &Built) -> Vec<&str> {
    built.table.hosts()[0].routes().iter().map(|route| route.name()).collect()
}

/// How many large patterns a budget pays for; the last may overdraw it.
fn in_one(budget: u64) -> usize {
    usize::try_from(budget.div_ceil(limits::REGEX_WORK_MOST)).unwrap()
}

/// More of them than one namespace is allowed, by a few.
fn greedy() -> Vec<Value> {
    (0..in_one(limits::REGEX_WORK_PER_NAMESPACE) + 10).map(|n| route(&format!("greedy/{n}"), &large(n))).collect()
}

#[test]
fn one_namespace_cannot_spend_what_is_anothers() {
    let modest = [route("modest/large", &large(1_000)), route("greedy/small", "/v[0-9]+/.*")];
    let bytes = json!({ "version": 2, "vhosts": { "a.com": { "routes": greedy() }, "b.com": { "routes": modest } } });
    let built = build(&bytes.to_string(), None);
    assert_eq!(names(&built).len(), in_one(limits::REGEX_WORK_PER_NAMESPACE), "the others wait");
    let other: Vec<_> = built.table.hosts()[1].routes().iter().map(|route| route.name()).collect();
    assert_eq!(other, ["modest/large", "greedy/small"], "has a budget of its own, and small patterns are free");
    let refused = &built.report.refusals;
    assert_eq!((built.report.deferred, refused.len()), (10, 10));
    for refusal in refused {
        assert!(refusal.route.starts_with("greedy/"));
        assert_eq!((refusal.effect, &*refusal.field), (Effect::Deferred, "path_match.value"));
        assert!(refusal.message.contains("large"), "{}", refusal.message);
    }
}

#[test]
fn the_next_build_goes_on_where_this_one_stopped() {
    let bytes = table(&greedy());
    let first = build(&bytes, None);
    let second = build(&bytes, Some(&first.table));
    assert_eq!((first.report.deferred, first.report.routes), (10, in_one(limits::REGEX_WORK_PER_NAMESPACE)));
    assert_eq!(second.report.hosts_reused, 0, "a host with routes put off is not finished");
    assert_eq!((second.report.deferred, second.report.refusals.len()), (0, 0), "what is compiled costs nothing");
    assert_eq!(second.report.routes, greedy().len());
    assert_eq!(names(&second), greedy().iter().map(|route| route["route_name"].as_str().unwrap()).collect::<Vec<_>>());
    let third = build(&bytes, Some(&second.table));
    assert_eq!(third.report.hosts_reused, 1);
}

#[test]
fn a_cache_policy_put_off_is_applied_by_the_next_build() {
    let before = build(&table(&[route("greedy/cached", "/old")]), None);
    let mut routes = greedy();
    let mut cached = route("greedy/cached", "/");
    cached["cache_policy"] = json!({ "default_ttl_seconds": 1, "bypass_headers": [{ "name": "x", "value_regex": format!("^{}$", large(5_000)) }] });
    routes.push(cached);
    let bytes = table(&routes);
    let first = build(&bytes, Some(&before.table));
    let cached = |built: &Built| {
        let mut routes = built.table.hosts()[0].routes().iter().filter(|route| route.name() == "greedy/cached");
        let route = routes.next().unwrap();
        assert!(routes.next().is_none(), "one version");
        let is_old = matches!(route.path(), PathRule::Pattern(pattern) if pattern.is_match(b"/old"));
        (is_old, route.cache().is_some())
    };
    assert_eq!(cached(&first), (true, false), "as it was");
    assert_eq!(first.report.refusals.last().unwrap().effect, Effect::Deferred);
    let second = build(&bytes, Some(&first.table));
    assert_eq!(cached(&second), (false, true), "{:?}", second.report.refusals);
}

#[test]
fn the_outcome_is_the_same_every_time() {
    let bytes = table(&greedy());
    let (one, other) = (build(&bytes, None), build(&bytes, None));
    assert_eq!(one.report.refusals, other.report.refusals);
}

#[test]
fn all_namespaces_together_have_a_limit() {
    let per_namespace = in_one(limits::REGEX_WORK_PER_NAMESPACE) - 1;
    let most = in_one(limits::REGEX_WORK_PER_BUILD);
    let routes: Vec<_> = (0..most + 5).map(|n| route(&format!("n{}/{n}", n / per_namespace), &large(n))).collect();
    let built = build(&table(&routes), None);
    assert_eq!(built.report.deferred, 5);
    assert!(built.report.refusals.iter().all(|refusal| refusal.message.contains("all namespaces")));
    let again = build(&table(&routes), Some(&built.table));
    assert_eq!(again.report.deferred, 0);
}
