//! A version of a route, or of a host, is served as a whole or not at all: no request falls to a wider rule because a pattern of a narrower
//! one cannot be compiled, or is not compiled yet.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]

mod support;

use ghost_core::{Action, Built, Chance, Choice, Effect, Scratch, Table, limits};
use serde_json::{Value, json};
use support::OwnedRequest;

/// Its automaton does not fit.
const TOO_LARGE: &str = "/.{0,300}a.{0,300}";

/// Distinct patterns that are charged the most that there is and take little time all the same.
fn large(n: usize) -> String {
    format!("[^/]{{1,500}}/x{n}[^/]{{1,499}}")
}

fn pattern(value: &str) -> Value {
    json!({ "type": "RegularExpression", "value": value })
}

fn prefix(value: &str) -> Value {
    json!({ "type": "PathPrefix", "value": value })
}

fn route(name: &str, path: &Value, backend: &str) -> Value {
    json!({ "route_name": name, "regex": "full", "path_match": path,
        "backend_groups": [{ "weight": 1, "backends": [{ "address": backend, "port": 80 }] }] })
}

fn build(table: &Value, previous: Option<&Built>) -> Built {
    Table::build(table.to_string().as_bytes(), previous.map(|built| &built.table)).unwrap()
}

fn hosts(hosts: &[(&str, &[Value])]) -> Value {
    let hosts: serde_json::Map<_, _> =
        hosts.iter().map(|(name, routes)| ((*name).to_owned(), json!({ "routes": routes }))).collect();
    json!({ "version": 2, "vhosts": hosts })
}

/// Builds until nothing is put off, and says how often.
fn settle(table: &Value, previous: Option<&Built>) -> (Built, usize) {
    let mut built = build(table, previous);
    for n in 1..50 {
        if built.report.deferred == 0 {
            return (built, n);
        }
        built = build(table, Some(&built));
    }
    panic!("never settles");
}

/// The backend that a request goes to, or its status.
fn answer(built: &Built, host: &str, path: &str) -> String {
    let request = OwnedRequest {
        socket: b"s0".to_vec(),
        method: b"GET".to_vec(),
        url: path.into(),
        headers: vec![(b"host".to_vec(), host.into())],
        ..OwnedRequest::default()
    };
    match built.table.select(&request.view(), Chance::default(), &mut Scratch::default()) {
        Choice::Route(_, Action::Forward(forward)) => forward.endpoint.key().to_owned(),
        other => other.status().unwrap().to_string(),
    }
}

/// How many large patterns a budget pays for; the last may overdraw it.
fn in_one(budget: u64) -> usize {
    usize::try_from(budget.div_ceil(limits::REGEX_WORK_MOST)).unwrap()
}

/// Routes that use up what all namespaces have together, and some more.
fn neighbours(from: usize) -> Vec<Value> {
    let per_namespace = in_one(limits::REGEX_WORK_PER_NAMESPACE) - 1;
    (0..in_one(limits::REGEX_WORK_PER_BUILD) + 3)
        .map(|n| route(&format!("n{}/{n}", n / per_namespace), &pattern(&large(from + n)), "10.9.9.9"))
        .collect()
}

fn victim(version: &str, large_pattern: usize) -> [Value; 2] {
    let guarded = route("victim/r", &pattern(&large(large_pattern)), &format!("10.0.{version}.1"));
    [guarded, route("victim/r", &prefix("/"), &format!("10.0.{version}.2"))]
}

#[test]
fn a_pattern_that_does_not_fit_takes_its_route_with_it_and_no_other() {
    let table = hosts(&[
        (
            "a.com",
            &[
                route("ns/other", &prefix("/other"), "10.0.0.3"),
                route("ns/r", &pattern(TOO_LARGE), "10.0.0.1"),
                route("ns/r", &prefix("/"), "10.0.0.2"),
            ],
        ),
        ("b.com", &[route("ns/r", &prefix("/"), "10.0.0.4")]),
    ]);
    let built = build(&table, None);
    assert_eq!(answer(&built, "a.com", "/xax"), "404", "not the route's wider rule");
    assert_eq!(answer(&built, "a.com", "/"), "404", "no part of that version is served");
    assert_eq!(answer(&built, "a.com", "/other/x"), "10.0.0.3:80");
    assert_eq!(answer(&built, "b.com", "/"), "10.0.0.4:80");
    let [refusal] = &built.report.refusals[..] else { panic!("{:?}", built.report.refusals) };
    assert_eq!((refusal.effect, refusal.rule, &*refusal.route), (Effect::RouteOmitted, Some(1), "ns/r"));
    assert_eq!(built.report.routes, 2);
}

#[test]
fn what_is_wrong_with_a_rule_does_not_matter() {
    for (field, value) in
        [("method", json!("get")), ("headers", json!([{ "name": "", "value": "" }])), ("filters", json!(1))]
    {
        let mut wrong = route("ns/r", &prefix("/admin"), "10.0.0.1");
        wrong[field] = value;
        let built = build(&hosts(&[("a.com", &[wrong, route("ns/r", &prefix("/"), "10.0.0.2")])]), None);
        assert_eq!(answer(&built, "a.com", "/admin"), "404", "{field}");
    }
}

#[test]
fn rules_without_a_name_stand_alone() {
    let built = build(
        &hosts(&[("a.com", &[route("", &pattern(TOO_LARGE), "10.0.0.1"), route("", &prefix("/"), "10.0.0.2")])]),
        None,
    );
    assert_eq!(answer(&built, "a.com", "/"), "10.0.0.2:80");
}

#[test]
fn a_route_comes_back_with_what_was_compiled_of_it() {
    let routes = |first: &str| {
        hosts(&[("a.com", &[route("ns/r", &pattern(first), "10.0.0.1"), route("ns/r", &prefix("/"), "10.0.0.2")])])
    };
    let whole = build(&routes("/v[0-9]+"), None);
    let bad = build(&routes(TOO_LARGE), Some(&whole));
    assert_eq!((answer(&bad, "a.com", "/v1"), bad.report.routes, bad.report.routes_reused), ("404".into(), 0, 0));
    let back = build(&routes("/v[0-9]+"), Some(&bad));
    assert_eq!(
        (&*answer(&back, "a.com", "/v1"), back.report.routes_reused),
        ("10.0.0.1:80", 1),
        "the other was kept ready"
    );
    assert_eq!(back.report.refusals, []);
}

#[test]
fn a_host_stays_as_it_was_until_all_of_it_is_compiled() {
    let before = build(&hosts(&[("v.com", &victim("1", 9_000))]), None);
    let changed = hosts(&[("a.com", &neighbours(0)), ("v.com", &victim("2", 9_001))]);
    let first = build(&changed, Some(&before));
    assert!(first.report.deferred > 0);
    assert_eq!(answer(&first, "v.com", "/y/x9001z"), "10.0.1.2:80", "of the version before");
    assert_eq!(answer(&first, "v.com", "/"), "10.0.1.2:80", "nothing of the new one");
    let effects: Vec<_> = first.report.refusals.iter().filter(|r| &*r.vhost == "v.com").map(|r| r.effect).collect();
    assert_eq!(effects, [Effect::Deferred]);
    let second = build(&changed, Some(&first));
    assert_eq!((second.report.deferred, second.report.refusals.len()), (0, 0));
    assert_eq!(answer(&second, "v.com", "y/x9001z"), "10.0.2.1:80");
    assert_eq!(answer(&second, "v.com", "/"), "10.0.2.2:80");
}

#[test]
fn a_pool_lives_as_long_as_a_host_that_waits_needs_it() {
    let table = |pool: &str, first: &[Value], number: usize| {
        let mut routes = victim("1", number);
        routes[1]["backend_groups"] = json!([{ "weight": 1, "pool": pool }]);
        let mut table = hosts(&[("a.com", first), ("v.com", &routes)]);
        table["pools"] = json!({ pool: { "backends": [{ "address": "10.3.3.3", "port": pool.len() }] } });
        table
    };
    let before = build(&table("p", &[], 9_000), None);
    let changed = table("other", &neighbours(0), 9_001);
    let first = build(&changed, Some(&before));
    assert_eq!(answer(&first, "v.com", "/"), "10.3.3.3:1");
    assert!(first.report.endpoints_removed.is_empty());
    assert!(first.report.refusals.iter().all(|refusal| refusal.effect == Effect::Deferred));
    let second = build(&changed, Some(&first));
    assert_eq!(answer(&second, "v.com", "/"), "10.3.3.3:5");
    assert_eq!(second.report.endpoints_removed[0].key(), "10.3.3.3:1");
}

#[test]
fn of_the_first_table_no_request_falls_to_a_wider_host() {
    let wide = [route("wide/r", &prefix("/"), "10.4.4.4")];
    let table = hosts(&[("a.com", &neighbours(0)), ("v.com", &victim("1", 9_000)), ("*", &wide)]);
    let first = build(&table, Some(&build(&json!({ "version": 2 }), None)));
    assert_eq!(answer(&first, "v.com", "/"), "404");
    assert_eq!(answer(&first, "w.com", "/"), "10.4.4.4:80", "what is compiled is served");
    let second = build(&table, Some(&first));
    assert_eq!(answer(&second, "v.com", "/"), "10.0.1.2:80");
}

#[test]
fn a_new_host_is_not_there_until_all_of_it_is_compiled() {
    let wide = [route("wide/r", &prefix("/"), "10.4.4.4")];
    let before = build(&hosts(&[("*", &wide)]), None);
    let table = hosts(&[("a.com", &neighbours(0)), ("v.com", &victim("1", 9_000)), ("*", &wide)]);
    let first = build(&table, Some(&before));
    assert_eq!(answer(&first, "v.com", "/"), "10.4.4.4:80", "as before there was such a host");
    let second = build(&table, Some(&first));
    assert_eq!(answer(&second, "v.com", "/"), "10.0.1.2:80");
}

/// Who brings ever new patterns holds up others' changes of the same host for some builds, and from then on has no route there.
#[test]
fn a_shared_host_does_not_wait_for_ever() {
    let greedy = |turn: usize| {
        let count = in_one(limits::REGEX_WORK_PER_NAMESPACE) + 1;
        (0..count).map(move |n| route("greedy/r", &pattern(&large(turn * 1_000 + n)), "10.9.9.9"))
    };
    let table = |turn: usize, backend: &str| {
        let mut routes: Vec<_> = greedy(turn).collect();
        routes.push(route("greedy/r", &prefix("/g"), "10.9.9.9"));
        routes.push(route("modest/r", &prefix("/"), backend));
        hosts(&[("shared.com", &routes)])
    };
    let mut built = build(&hosts(&[("shared.com", &[route("modest/r", &prefix("/"), "10.0.0.1")])]), None);
    for turn in 1..20 {
        built = build(&table(turn, "10.0.0.2"), Some(&built));
        assert!(built.report.deferred > 0);
        let modest = answer(&built, "shared.com", "/");
        if modest == "10.0.0.2:80" {
            assert!(turn > 2);
            assert_eq!(answer(&built, "shared.com", "/g"), "10.0.0.2:80", "no part of the greedy route");
            return;
        }
        assert_eq!(modest, "10.0.0.1:80");
    }
    panic!("held up for ever");
}

/// A route that takes more than there is for a build in one: what was compiled of it is not begun anew.
#[test]
fn a_route_of_more_patterns_than_a_budget_pays_for_is_compiled_in_some_builds() {
    let named = |from: usize| -> Vec<_> {
        (0..16)
            .map(|n| json!({ "name": format!("n{n}"), "value": large(from + n), "type": "RegularExpression" }))
            .collect()
    };
    let mut all = route("ns/r", &prefix("/"), "10.0.0.1");
    all["headers"] = named(0).into();
    all["query_params"] = named(100).into();
    assert!(32 > in_one(limits::REGEX_WORK_PER_NAMESPACE));
    let (built, builds) = settle(&hosts(&[("a.com", &[all])]), None);
    assert_eq!((built.report.routes, builds), (1, 2), "{:?}", built.report.refusals);
}

/// Finding out that a pattern does not fit is paid for once, too.
#[test]
fn more_patterns_that_do_not_fit_than_a_budget_pays_for_are_refused_in_some_builds() {
    let count = in_one(limits::REGEX_WORK_PER_NAMESPACE) * 2;
    let routes: Vec<_> =
        (0..count).map(|n| route("ns/r", &pattern(&format!(".{{0,300}}a{n}.{{0,300}}")), "10.0.0.1")).collect();
    let (built, builds) = settle(&hosts(&[("a.com", &routes)]), None);
    assert_eq!((built.report.routes, built.report.refusals.len(), builds), (0, count, 2));
}
