//! The answer to a reload, as JSON.

use std::borrow::Cow;
use std::time::Duration;

use ghost_core::{Listed, Report, Table, TableError};
use serde::Serialize;

/// Refusals listed in one answer, one for each route, host and reason; the number of all is always told.
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
    message: Cow<'r, str>,
    /// How many elements of the route this stands for, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
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
    let refusals = report.listed(LISTED).into_iter().map(refused).collect();
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

fn refused(Listed { first, count }: Listed<'_>) -> Refused<'_> {
    let several = Some(count).filter(|&count| count > 1);
    Refused {
        vhost: &first.vhost,
        route: &first.route,
        rule: first.rule,
        field: &first.field,
        effect: first.effect.as_str(),
        message: match several {
            Some(count) => format!("{} (and {} more of this route on this host)", first.message, count - 1).into(),
            None => Cow::Borrowed(&*first.message),
        },
        count: several,
    }
}

fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e6).round() / 1e3
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"status\":\"unknown\",\"error\":\"{error}\"}}"))
}
