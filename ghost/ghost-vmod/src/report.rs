//! The answer to a reload, as JSON.

use std::collections::HashMap;
use std::time::Duration;

use ghost_core::{Refusal, Report, Table, TableError};
use serde::Serialize;

/// Refusals listed in one answer; the number of all is always told.
const LISTED: usize = 1_000;

#[derive(Serialize)]
struct Live<'r> {
    status: &'static str,
    hash: Option<&'r str>,
    hosts: usize,
    hosts_reused: usize,
    routes: usize,
    routes_reused: usize,
    endpoints: usize,
    endpoints_added: usize,
    endpoints_removed: usize,
    refused: usize,
    /// Of these, patterns that the next build, which follows by itself, goes on with.
    deferred: u64,
    refusals: Vec<Refused<'r>>,
    duration_ms: f64,
}

#[derive(Serialize)]
struct Refused<'r> {
    vhost: &'r str,
    route: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<u32>,
    field: &'r str,
    effect: &'static str,
    message: &'r str,
}

#[derive(Serialize)]
struct Kept<'r> {
    status: &'static str,
    field: &'r str,
    error: &'r str,
    /// Of the table that stays live.
    hash: Option<&'r str>,
    routes: usize,
    duration_ms: f64,
}

pub fn live(table: &Table, report: &Report, took: Duration) -> String {
    let refusals = listed(&report.refusals, LISTED).into_iter().map(refused).collect();
    text(&Live {
        status: "live",
        hash: table.hash(),
        hosts: report.hosts,
        hosts_reused: report.hosts_reused,
        routes: report.routes,
        routes_reused: report.routes_reused,
        endpoints: table.endpoints().len(),
        endpoints_added: report.endpoints_added.len(),
        endpoints_removed: report.endpoints_removed.len(),
        refused: report.refusals.len(),
        deferred: report.deferred,
        refusals,
        duration_ms: milliseconds(took),
    })
}

/// In their order, as many of each namespace as of any other: a namespace with thousands hides no other's.
fn listed(refusals: &[Refusal], most: usize) -> Vec<&Refusal> {
    if refusals.len() <= most {
        return refusals.iter().collect();
    }
    let mut counts = HashMap::<&str, usize>::new();
    let ranked = (0..).zip(refusals).map(|(at, refusal)| {
        let namespace = refusal.route.split('/').next().unwrap_or_default();
        let count = counts.entry(namespace).or_default();
        *count += 1;
        (*count, at, refusal)
    });
    let mut ranked: Vec<(usize, usize, &Refusal)> = ranked.collect();
    ranked.sort_unstable_by_key(|(rank, at, _)| (*rank, *at));
    ranked.truncate(most);
    ranked.sort_unstable_by_key(|(_, at, _)| *at);
    ranked.into_iter().map(|(_, _, refusal)| refusal).collect()
}

pub fn kept(table: &Table, error: &TableError, took: Duration) -> String {
    text(&Kept {
        status: "refused",
        field: &error.field,
        error: &error.message,
        hash: table.hash(),
        routes: table.routes(),
        duration_ms: milliseconds(took),
    })
}

fn refused(refusal: &Refusal) -> Refused<'_> {
    Refused {
        vhost: &refusal.vhost,
        route: &refusal.route,
        rule: refusal.rule,
        field: &refusal.field,
        effect: refusal.effect.as_str(),
        message: &refusal.message,
    }
}

fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e6).round() / 1e3
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"status\":\"unknown\",\"error\":\"{error}\"}}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ghost_core::Effect;

    fn refusal(route: &str) -> Refusal {
        let (field, message) = ("path_match.value".into(), "too large".into());
        Refusal { vhost: "h".into(), route: route.into(), rule: Some(0), field, effect: Effect::RouteOmitted, message }
    }

    #[test]
    fn a_namespace_with_many_refusals_hides_no_other() {
        let mut all = vec![refusal("greedy/r"); 10];
        all.extend([refusal("shop/a"), refusal("shop/b"), refusal("small/c"), refusal("")]);
        let names = |most| listed(&all, most).iter().map(|refusal| &*refusal.route).collect::<Vec<_>>();
        assert_eq!(names(4), ["greedy/r", "shop/a", "small/c", ""]);
        assert_eq!(names(7), ["greedy/r", "greedy/r", "greedy/r", "shop/a", "shop/b", "small/c", ""]);
        assert_eq!(names(14).len(), 14);
    }
}
