//! Tables that are meant to hurt: they are refused, or served, within the stack that the builder is promised.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::time::{Duration, Instant};

use ghost_core::{Built, Table, TableError};

/// Half of what callers are told to provide.
const STACK: usize = 1 << 20;

fn build(bytes: Vec<u8>) -> Result<Built, TableError> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || Table::build(&bytes, None));
    thread.unwrap().join().unwrap()
}

fn with_route(route: &str) -> Vec<u8> {
    format!(r#"{{"version":2,"vhosts":{{"*":{{"routes":[{route}]}}}}}}"#).into_bytes()
}

fn with_regex(source: &str, mode: &str) -> Vec<u8> {
    let source = serde_json::Value::from(source);
    with_route(&format!(r#"{{"regex":"{mode}","path_match":{{"type":"RegularExpression","value":{source}}}}}"#))
}

#[test]
fn nesting_of_any_depth_is_no_danger() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let deep = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
        assert!(build(deep.clone().into_bytes()).is_err());
        assert!(build(format!(r#"{{"version":2,"unknown":{deep}}}"#).into_bytes()).unwrap().report.refusals.is_empty());
        // A list is no host and no filters; an object with a field that nobody knows is both.
        let served = usize::from(open != "[");
        let host = build(format!(r#"{{"version":2,"vhosts":{{"a":{deep}}}}}"#).into_bytes()).unwrap();
        assert_eq!(host.report.refusals.len(), 1 - served);
        let filters = build(with_route(&format!(r#"{{"filters":{deep}}}"#))).unwrap();
        assert_eq!(filters.report.routes, served);
    }
}

#[test]
fn worst_patterns_of_a_thousand_characters_end_soon() {
    let nested = |open: &str, close: &str, depth: usize| format!("{}a{}", open.repeat(depth), close.repeat(depth));
    let patterns = [
        nested("(", ")", 500),
        nested("(?:", ")*", 200),
        nested("(", "){9}", 60),
        nested("(", "|b)+", 200),
        "(a|b|c|d|e)*".repeat(80),
        "[ab]*a[ab]{5}".repeat(70),
        ".*[ab].{20}".into(),
        "(.*)".repeat(250),
        "a{0,999}".repeat(120),
        "(?i)abcdefghij".repeat(60),
        format!("({})", vec!["ab[cd]e"; 120].join("|")),
        "\\b\\B".repeat(250),
        "(^|$)".repeat(200),
        format!("{}{}", "a?".repeat(300), "a".repeat(300)),
        "[^/]{1,500}/[^/]{1,500}".into(),
    ];
    for pattern in patterns {
        assert!(pattern.len() <= 1_100);
        for mode in ["full", "search"] {
            let start = Instant::now();
            let report = build(with_regex(&pattern, mode)).unwrap().report;
            assert_eq!(report.routes + report.refusals.len(), 1);
            let took = start.elapsed();
            assert!(took < Duration::from_secs(20), "{pattern} {mode}: {took:?}");
            println!("{took:>12?} {} {mode} {}", report.routes, pattern.chars().take(40).collect::<String>());
        }
    }
}

#[test]
fn many_bad_routes_are_bad_once() {
    let bad = r#"{"regex":"full","path_match":{"type":"RegularExpression","value":".*[ab].{20}"}}"#;
    let table = |extra: &str| {
        let routes = vec![bad; 500].join(",");
        format!(r#"{{"version":2,"vhosts":{{"*":{{"routes":[{routes},{{"route_name":"{extra}"}}]}}}}}}"#).into_bytes()
    };
    let first = build(table("a")).unwrap();
    let start = Instant::now();
    let second = Table::build(&table("b"), Some(&first.table)).unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!((first.report.refusals.len(), second.report.refusals.len()), (500, 500));
    assert_eq!(second.report.refusals.last().unwrap().rule, Some(499));
}
