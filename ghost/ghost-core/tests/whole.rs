//! A version of a route is served on a host as a whole or not at all: no request falls to a wider rule because a pattern of a narrower one
//! cannot be compiled, or is not compiled yet. Other routes of the host wait for nobody.

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
fn a_route_stays_as_it_was_until_all_of_it_is_compiled() {
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

/// A withdrawn grant or a removed rule brings no pattern, so that the new version is live at once whatever others bring.
#[test]
fn what_only_revokes_waits_for_nobodys_patterns() {
    let before = build(&hosts(&[("v.com", &victim("1", 9_000))]), None);
    let mut refused = victim("1", 9_000);
    refused[0]["backend_groups"] = json!([{ "weight": 1, "invalid": true }]);
    let first = build(&hosts(&[("a.com", &neighbours(0)), ("v.com", &refused)]), Some(&before));
    assert!(first.report.deferred > 0);
    assert_eq!(answer(&first, "v.com", "y/x9000z"), "500");
    let second = build(&hosts(&[("a.com", &neighbours(5_000)), ("v.com", &refused[..1])]), Some(&first));
    assert!(second.report.deferred > 0);
    assert_eq!(answer(&second, "v.com", "/"), "404");
}

#[test]
fn a_pool_lives_as_long_as_a_route_that_waits_needs_it() {
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
    let [guarded, rest] = victim("1", 9_000);
    let routes = [guarded, route("modest/r", &prefix("/modest"), "10.0.0.3"), rest];
    let table = hosts(&[("a.com", &neighbours(0)), ("v.com", &routes), ("*", &wide)]);
    let first = build(&table, Some(&build(&json!({ "version": 2 }), None)));
    assert_eq!(answer(&first, "v.com", "/"), "404");
    assert_eq!(answer(&first, "v.com", "/modest"), "10.0.0.3:80", "waits for nobody");
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

/// Ever new patterns, more than their namespace may bring with one table.
fn greedy(turn: usize) -> Vec<Value> {
    let count = in_one(limits::REGEX_WORK_PER_NAMESPACE) + 1;
    (0..count).map(|n| route("greedy/r", &pattern(&large(turn * 1_000 + n)), "10.9.9.9")).collect()
}

#[test]
fn on_a_shared_host_nobody_waits_for_the_patterns_of_others() {
    let table = |greedy: Vec<Value>, modest: Option<&str>| {
        let mut routes = greedy;
        routes.extend(modest.map(|backend| route("modest/r", &prefix("/"), backend)));
        hosts(&[("shared.com", &routes)])
    };
    let mut built = build(&table(vec![route("greedy/r", &prefix("/g"), "10.8.8.8")], Some("10.0.0.1")), None);
    for turn in 1..=limits::WAITING_BUILDS as usize {
        let backend = format!("10.0.1.{turn}");
        built = build(&table(greedy(turn), Some(&backend)), Some(&built));
        assert!(built.report.deferred > 0);
        assert_eq!(answer(&built, "shared.com", "/"), format!("{backend}:80"), "what changed");
        assert_eq!(answer(&built, "shared.com", "/g"), "10.8.8.8:80", "as it was");
        assert_eq!(answer(&built, "shared.com", "/x1y"), format!("{backend}:80"), "no part of the new version");
    }
    built = build(&table(greedy(20), None), Some(&built));
    assert!(built.report.deferred > 0);
    assert_eq!(answer(&built, "shared.com", "/"), "404", "what is deleted");
    assert_eq!(answer(&built, "shared.com", "/g"), "404", "what its owner keeps from being replaced");
    built = build(&table(vec![], Some("10.0.0.1")), Some(&built));
    assert_eq!(answer(&built, "shared.com", "/g"), "10.0.0.1:80", "also a route that waited");
}

/// The builds that a greedy namespace takes for one table are no reason for anybody else to wait, either.
#[test]
fn what_is_deleted_is_gone_with_the_first_of_some_builds() {
    let count = in_one(limits::REGEX_WORK_PER_NAMESPACE) * 2;
    let mut routes: Vec<_> =
        (0..count).map(|n| route("greedy/r", &pattern(&format!(".{{0,300}}a{n}.{{0,300}}")), "10.9.9.9")).collect();
    let before = build(&hosts(&[("shared.com", &[route("modest/r", &prefix("/"), "10.0.0.1")])]), None);
    routes.push(route("modest/other", &prefix("/other"), "10.0.0.2"));
    let built = build(&hosts(&[("shared.com", &routes)]), Some(&before));
    assert!(built.report.deferred > 0);
    assert_eq!(answer(&built, "shared.com", "/"), "404");
    assert_eq!(answer(&built, "shared.com", "/other"), "10.0.0.2:80");
}

#[test]
fn a_route_that_is_new_is_not_there_until_all_of_it_is_compiled() {
    let modest = route("modest/r", &prefix("/"), "10.0.0.1");
    let before = build(&hosts(&[("shared.com", std::slice::from_ref(&modest))]), None);
    let mut routes = greedy(1);
    routes.extend([route("greedy/r", &prefix("/g"), "10.9.9.9"), modest]);
    let table = hosts(&[("shared.com", &routes)]);
    let first = build(&table, Some(&before));
    assert_eq!((answer(&first, "shared.com", "/g"), first.report.routes), ("10.0.0.1:80".into(), 1));
    let (last, _) = settle(&table, Some(&first));
    assert_eq!(answer(&last, "shared.com", "/g"), "10.9.9.9:80");
    assert_eq!(build(&table, Some(&last)).report.hosts_reused, 1);
}

#[test]
fn a_route_that_lacks_a_rule_for_good_waits_for_nothing() {
    let before = build(&hosts(&[("shared.com", &[route("greedy/r", &prefix("/g"), "10.8.8.8")])]), None);
    let mut routes = greedy(1);
    routes.insert(0, route("greedy/r", &pattern(TOO_LARGE), "10.9.9.9"));
    let built = build(&hosts(&[("shared.com", &routes)]), Some(&before));
    assert!(built.report.deferred > 0);
    assert_eq!(answer(&built, "shared.com", "/g"), "404");
}

/// The elements of a route that waits stand where they stood, whatever others do meanwhile.
#[test]
fn a_route_that_waits_keeps_its_place() {
    let waits = |backend: &str| {
        [("/a", "1"), ("/a/b/c", "2")].map(|(path, n)| route("greedy/r", &prefix(path), &format!("{backend}.{n}")))
    };
    let [first, second] = waits("10.8.8");
    let other = |path: &str, backend: &str| route("modest/r", &prefix(path), backend);
    // Not by length: the order of the list is what counts.
    let unchanged = [other("/a/b", "10.0.0.1"), other("/a/b/c/d", "10.0.0.2")];
    let [narrow, wide] = unchanged.clone();
    let before = build(&hosts(&[("shared.com", &[narrow, second, first, wide])]), None);
    let among = |turn: usize, others: &[Value], built: &Built| {
        let mut routes = greedy(turn);
        routes.extend_from_slice(others);
        let built = build(&hosts(&[("shared.com", &routes)]), Some(built));
        assert!(built.report.deferred > 0);
        built
    };
    let paths = ["/a/b/c/d", "/a/b", "/a", "/a/x"];
    let answers = |built: &Built| paths.map(|path| answer(built, "shared.com", path));
    let as_before = ["10.0.0.1:80", "10.0.0.1:80", "10.8.8.1:80", "10.8.8.1:80"];
    assert_eq!(answers(&before), as_before);
    let built = among(1, &unchanged, &before);
    assert_eq!(answers(&built), as_before);
    let built = among(2, &[other("/a/b", "10.0.1.1"), other("/a/b/c/d", "10.0.1.2")], &built);
    assert_eq!(answers(&built), as_before.map(|answer| answer.replace("10.0.0", "10.0.1")), "changed, not moved");
    let built = among(3, &[other("/a/x", "10.0.2.1"), other("/", "10.0.2.2")], &built);
    assert_eq!(
        answers(&built),
        ["10.8.8.2:80", "10.8.8.1:80", "10.8.8.1:80", "10.0.2.1:80"],
        "what is new goes by what it takes"
    );
}

/// Ever new names of pools end the line of tables again and again; what cost much to refuse is not found out anew.
#[test]
fn a_renewal_of_names_changes_no_host() {
    let count = in_one(limits::REGEX_WORK_PER_NAMESPACE) * 2;
    let too_large = |n: usize| format!(".{{0,300}}a{n}.{{0,300}}");
    let refused = |n: usize| route("greedy/r", &pattern(&too_large(n)), "10.9.9.9");
    let uncached = |n: usize| {
        let mut uncached = route("greedy/r", &prefix("/g"), "10.9.9.9");
        let bypass = json!([{ "name": "x", "value_regex": too_large(n) }]);
        uncached["cache_policy"] = json!({ "default_ttl_seconds": 1, "bypass_headers": bypass });
        uncached
    };
    for routes in [(0..count).map(refused).collect::<Vec<_>>(), (0..count).map(uncached).collect()] {
        let table = |turn: usize| {
            let mut routes = routes.clone();
            routes.push(route("modest/r", &prefix("/"), "10.0.0.1"));
            let mut table = hosts(&[("shared.com", &routes), ("*", &[route("wide/r", &prefix("/"), "10.0.0.7")])]);
            let pool = json!({ "backends": [{ "address": "10.3.3.3", "port": 1 }] });
            let pools: serde_json::Map<_, _> = (0..1_000).map(|n| (format!("p{turn}-{n}"), pool.clone())).collect();
            table["pools"] = pools.into();
            table
        };
        let (mut built, _) = settle(&table(0), None);
        for turn in 1..8 {
            built = build(&table(turn), Some(&built));
            assert_eq!(answer(&built, "shared.com", "/"), "10.0.0.1:80", "{turn}");
            assert_eq!((built.report.deferred, built.report.refusals.len()), (0, count), "{turn}");
        }
    }
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
