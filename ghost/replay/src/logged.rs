//! Expectations of varnishd's log. They are collected during a case and looked up at its end: the log lags behind by some
//! milliseconds, which would add up.

use std::time::Duration;

use crate::case::{Action, Cache, Routed, Why};
use crate::exchange::{Exchange, FORGED};
use crate::log::{Log, Records};
use crate::tally::Tally;

const PATIENCE: Duration = Duration::from_secs(5);

pub struct Logged {
    place: String,
    /// varnishd's number of the request or fetch.
    id: u64,
    expected: Expectation,
}

enum Expectation {
    /// ghost's line about a request, without its beginning; the listener is not always told.
    Decision {
        route: Option<String>,
        kind: u8,
    },
    Stored(Stored),
}

/// How an object is stored.
pub struct Stored {
    ttl: u32,
    grace: u32,
    keep: u32,
    keys: String,
}

impl Stored {
    pub fn new(cache: &Cache, ttl: u32, purge: &[String]) -> Self {
        // An object that may be served stale on errors is kept as long; who may have it is decided when it is asked for.
        let grace = cache.grace.max(cache.stale_if_error);
        Self { ttl, grace, keep: cache.keep, keys: purge.join(" ") }
    }
}

impl Logged {
    pub fn unmatched(place: &str, id: u64, why: Why) -> Self {
        let kind = match why {
            Why::FreedSocket => 0,
            Why::NoListener => 1,
            Why::Misdirected => 2,
            Why::NoHost => 3,
            Why::NoRoute => 4,
            Why::BadHost => 11,
        };
        Self { place: place.into(), id, expected: Expectation::Decision { route: None, kind } }
    }

    pub fn routed(place: &str, id: u64, routed: &Routed) -> Self {
        let kind = match routed.action {
            Action::Redirect(..) => 5,
            Action::Preflight => 6,
            Action::Invalid => 7,
            Action::Unavailable => 8,
            Action::Forward(_) => 9,
        };
        let Routed { route, rule, match_, listener, .. } = routed;
        let route = Some(format!("{route} rule {rule} match {match_} listener {listener}"));
        Self { place: place.into(), id, expected: Expectation::Decision { route, kind } }
    }

    pub fn stored(place: &str, exchange: &Exchange, stored: Stored) -> Self {
        // The endpoint was told the number of the fetch.
        let id = exchange.seen.first().and_then(|seen| seen.head.get("x-varnish")).and_then(|id| id.parse().ok());
        Self { place: place.into(), id: id.unwrap_or_default(), expected: Expectation::Stored(stored) }
    }

    pub fn check(&self, tally: &mut Tally, log: &Log) {
        tally.place.clone_from(&self.place);
        let Some(records) = log.of(self.id, PATIENCE) else {
            tally.fail(&format!("varnishd logged nothing about {}", self.id));
            return;
        };
        match &self.expected {
            Expectation::Decision { route, kind } => {
                let line = all(&records, "VCL_Log").find_map(|text| text.strip_prefix("ghost: route "));
                let (got, number) = line.and_then(|line| line.rsplit_once(" kind ")).unwrap_or_default();
                if let Some(route) = route {
                    tally.equal("route, rule, match and listener", &route.as_str(), &got);
                }
                tally.equal("kind of decision", &kind.to_string().as_str(), &number);
            }
            Expectation::Stored(stored) => stored.check(tally, &records),
        }
    }
}

impl Stored {
    fn check(&self, tally: &mut Tally, records: &Records) {
        let last = all(records, "TTL").last().unwrap_or_default();
        let mut numbers = last.split(' ').skip(1).map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten();
        let got = (next(), next(), next());
        tally.equal("ttl, grace and keep", &(Some(self.ttl), Some(self.grace), Some(self.keep)), &got);
        let keys = all(records, "BerespHeader").filter_map(|header| header.strip_prefix("xkey: "));
        let keys = keys.filter(|key| *key != FORGED).last().unwrap_or_default();
        // Bans go by the first key: an object with none to be purged by still has its host.
        let keys = if self.keys.is_empty() && keys.starts_with("host:") { "" } else { keys };
        tally.equal("purge keys", &self.keys.as_str(), &keys);
    }
}

fn all<'r>(records: &'r Records, tag: &'static str) -> impl Iterator<Item = &'r str> {
    records.iter().filter(move |(other, _)| other == tag).map(|(_, text)| text.as_str())
}
