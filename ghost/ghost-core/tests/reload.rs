//! What a table takes over from the one before it, and what readers see meanwhile.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ghost_core::{Action, Built, Chance, Choice, Effect, Live, Scratch, Table};
use serde_json::{Value, json};
use support::OwnedRequest;

fn build(table: &Value, previous: Option<&Table>) -> Built {
    Table::build(table.to_string().as_bytes(), previous).unwrap()
}

fn route(name: &str, path: &str, backends: &[&str]) -> Value {
    let backends: Vec<_> = backends.iter().map(|ip| json!({ "address": ip, "port": 80 })).collect();
    json!({ "route_name": name, "path_match": { "type": "PathPrefix", "value": path }, "backend_groups": [{ "weight": 1, "backends": backends }] })
}

fn keys(endpoints: &[Arc<ghost_core::Endpoint>]) -> Vec<&str> {
    endpoints.iter().map(|endpoint| endpoint.key()).collect()
}

#[test]
fn only_what_changed_is_compiled() {
    let hosts = |second: &str| {
        json!({ "version": 2, "vhosts": {
            "a.com": { "routes": [route("a", "/", &["10.0.0.1"])] },
            "b.com": { "routes": [route("b1", "/1", &["10.0.0.1"]), route("b2", second, &["10.0.0.2"])] },
        } })
    };
    let first = build(&hosts("/2"), None);
    let second = build(&hosts("/changed"), Some(&first.table));
    assert_eq!((second.report.hosts_reused, second.report.routes_reused), (1, 2));
    let pointer = |built: &Built, host: usize, rank: usize| Arc::as_ptr(&built.table.hosts()[host].routes()[rank]);
    assert_eq!(pointer(&first, 0, 0), pointer(&second, 0, 0));
    assert_eq!(pointer(&first, 1, 0), pointer(&second, 1, 0));
    assert_ne!(pointer(&first, 1, 1), pointer(&second, 1, 1));
}

#[test]
fn endpoints_keep_identity_and_health_across_tables() {
    let table = |ips: &[&str]| json!({ "version": 2, "vhosts": { "a.com": { "routes": [route("a", "/", ips)] } } });
    let first = build(&table(&["10.0.0.1", "10.0.0.2"]), None);
    assert_eq!(keys(&first.report.endpoints_added), ["10.0.0.1:80", "10.0.0.2:80"]);
    first.table.endpoints()[0].health.failed(1_000, first.table.ejection());
    let second = build(&table(&["10.0.0.1", "10.0.0.3"]), Some(&first.table));
    assert_eq!(keys(&second.report.endpoints_added), ["10.0.0.3:80"]);
    assert_eq!(keys(&second.report.endpoints_removed), ["10.0.0.2:80"]);
    assert!(Arc::ptr_eq(&first.table.endpoints()[0], &second.table.endpoints()[0]));
    assert!(second.table.endpoints()[0].health.is_out(1_500));
    let ids: Vec<_> = second.table.endpoints().iter().map(|endpoint| endpoint.id()).collect();
    assert_eq!(ids, [1, 3], "ids are never reused");
}

#[test]
fn a_pool_changes_without_touching_its_routes() {
    let table = |ips: &[&str]| {
        let backends: Vec<_> = ips.iter().map(|ip| json!({ "address": ip, "port": 80 })).collect();
        json!({ "version": 2, "pools": { "p": { "backends": backends } }, "vhosts": { "a.com": { "routes": [
            { "route_name": "a", "backend_groups": [{ "weight": 1, "pool": "p" }] }] } } })
    };
    let first = build(&table(&["10.0.0.1"]), None);
    let second = build(&table(&["10.0.0.2"]), Some(&first.table));
    assert_eq!(second.report.hosts_reused, 1);
    assert_eq!(keys(second.table.endpoints()), ["10.0.0.2:80"]);
    assert_eq!(keys(&second.report.endpoints_removed), ["10.0.0.1:80"]);
    let gone = build(
        &json!({ "version": 2, "vhosts": { "a.com": { "routes": [
        { "route_name": "a", "backend_groups": [{ "weight": 1, "pool": "p" }] }] } } }),
        Some(&second.table),
    );
    assert_eq!(gone.report.refusals[0].effect, Effect::Unavailable);
    assert_eq!(gone.report.hosts_reused, 1, "a pool that went away is no reason to compile either");
}

#[test]
fn refusals_are_told_again_with_every_table() {
    let mut bad = route("bad", "/", &["10.0.0.1"]);
    bad["method"] = "get".into();
    let mut uncached = route("uncached", "/u", &["10.0.0.1"]);
    uncached["cache_policy"] = json!({ "default_ttl_seconds": "x" });
    let table = |extra: &str| {
        json!({ "version": 2, "pools": { "p": { "backends": 1 } },
            "vhosts": { "a.com": { "routes": [bad, uncached, route("x", extra, &["10.0.0.1"])] } } })
    };
    let first = build(&table("/1"), None);
    let same = build(&table("/1"), Some(&first.table));
    let changed = build(&table("/2"), Some(&same.table));
    assert_eq!(first.report.refusals.len(), 3);
    assert_eq!(first.report.refusals, same.report.refusals);
    assert_eq!(first.report.refusals, changed.report.refusals);
    assert_eq!(changed.report.routes_reused, 1, "the route without its cache policy");
}

#[test]
fn a_refused_table_changes_nothing() {
    let first =
        build(&json!({ "version": 2, "vhosts": { "a.com": { "routes": [route("a", "/", &["10.0.0.1"])] } } }), None);
    let error = Table::build(b"{\"version\": 2, \"sockets\": 1}", Some(&first.table)).unwrap_err();
    assert_eq!(error.field, "sockets");
    assert_eq!(first.table.routes(), 1);
}

#[test]
fn listeners_can_change_under_unchanged_hosts() {
    let table = |sockets: Value| {
        let mut route = route("a", "/", &["10.0.0.1"]);
        route["listeners"] = json!(["web"]);
        json!({ "version": 2, "sockets": sockets, "vhosts": { "a.com": { "routes": [route] } } })
    };
    let request = |socket: &str| OwnedRequest {
        socket: socket.into(),
        url: b"/".to_vec(),
        headers: vec![(b"host".to_vec(), b"a.com".to_vec())],
        ..OwnedRequest::default()
    };
    let status = |table: &Table, socket| {
        table.select(&request(socket).view(), Chance::default(), &mut Scratch::default()).status()
    };
    let first = build(&table(json!({ "s0": { "80": ["web"] }, "s1": {} })), None);
    let second = build(&table(json!({ "s0": {}, "s1": { "8080": ["web"] } })), Some(&first.table));
    assert_eq!(second.report.hosts_reused, 1);
    assert_eq!(first.table.listener_names().collect::<Vec<_>>(), ["http-80"]);
    assert_eq!(second.table.listener_names().collect::<Vec<_>>(), ["http-8080"]);
    assert_eq!((status(&first.table, "s0"), status(&first.table, "s1")), (None, Some(404)));
    assert_eq!((status(&second.table, "s0"), status(&second.table, "s1")), (Some(404), None));
}

#[test]
fn ever_new_names_do_not_pile_up() {
    let table = |turn: u32| {
        let pools: serde_json::Map<_, _> = (0..500)
            .map(|n| (format!("p{turn}-{n}"), json!({ "backends": [{ "address": "10.0.0.1", "port": 80 }] })))
            .collect();
        json!({ "version": 2, "pools": pools, "vhosts": { "a.com": { "routes": [route("a", "/", &["10.0.0.1"])] } } })
    };
    let mut live = build(&table(0), None);
    let mut rebuilt = 0;
    for turn in 1..60 {
        live = build(&table(turn), Some(&live.table));
        rebuilt += u32::from(live.report.hosts_reused == 0);
        assert_eq!(live.report.endpoints_added.len(), 0, "the endpoint outlives the numbering");
    }
    assert!((1..10).contains(&rebuilt), "{rebuilt}");
}

/// Each table names its generation in every route and endpoint: a request that saw two tables would notice.
#[test]
fn swaps_under_load_lose_nothing_and_mix_nothing() {
    let table = |generation: u32| {
        let ip = format!("10.{}.{}.1", generation >> 8, generation & 255);
        let routes: Vec<_> = (0..20).map(|n| route(&format!("g{generation}"), &format!("/{n}"), &[&ip])).collect();
        json!({ "version": 2, "hash": generation.to_string(), "vhosts": { "a.com": { "routes": routes } } })
    };
    let live = Live::default();
    live.publish(Arc::new(build(&table(0), None).table));
    let done = AtomicBool::new(false);
    let served = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for reader in 0..4_u64 {
            let (live, done, served) = (&live, &done, &served);
            scope.spawn(move || {
                let mut scratch = Scratch::default();
                let mut turn = reader;
                while !done.load(Ordering::Relaxed) {
                    turn += 1;
                    let table = live.load();
                    let request = OwnedRequest {
                        url: format!("/{}/x", turn % 20).into(),
                        headers: vec![(b"host".to_vec(), b"a.com".to_vec())],
                        ..OwnedRequest::default()
                    };
                    let choice = table.select(&request.view(), Chance { draw: turn, now_ms: 0 }, &mut scratch);
                    let Choice::Route(matched, Action::Forward(forward)) = choice else { panic!("lost: {choice:?}") };
                    let generation: u32 = table.hash().unwrap().parse().unwrap();
                    std::thread::yield_now();
                    assert_eq!(matched.route.name(), format!("g{generation}"));
                    let expected = format!("10.{}.{}.1:80", generation >> 8, generation & 255);
                    assert_eq!(forward.endpoint.key(), expected);
                    assert_eq!(table.route(matched.id).unwrap().1.name(), matched.route.name());
                    served.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for generation in 1..=300 {
            let previous = live.load();
            let built = build(&table(generation), Some(&previous));
            assert_eq!(built.report.endpoints_removed.len(), 1);
            let old = live.publish(Arc::new(built.table));
            assert!(Arc::ptr_eq(&old, &previous));
        }
        // However late the readers got their turn.
        while served.load(Ordering::Relaxed) <= 100 {
            std::thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(live.load().endpoints().len(), 1, "old endpoints are gone with their tables");
    assert!(live.load().endpoints()[0].slot() < 300, "slots are reused");
}
