//! One case: its table is loaded into the running varnishd, its requests are sent, and everything that shows is compared.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use ghost_core::Table;
use serde_json::Value;

use crate::case::{Action, Cache, Case, Edit, Expected, Outcome, Request, Routed, Ttl, Why};
use crate::draws::{possible, reached};
use crate::endpoints::Endpoints;
use crate::exchange::{Exchange, FORGED, forged};
use crate::log::Log;
use crate::logged::{Logged, Stored};
use crate::message::{Answer, Header};
use crate::tally::Tally;
use crate::varnishd::Varnishd;

/// Live before a table that is to be refused. Without endpoints, and not to be taken for any case's.
pub const BASE: &[u8] = br#"{"version": 2, "hash": "base", "vhosts": {"*": {"routes": [{"route_name": "replay/base",
  "filters": {"request_redirect": {"hostname": "base.example", "status_code": 307}}}]}}}"#;
/// Draws until the one that a case names: the rarest of them has a chance of 1 in 20.
const DRAWS: usize = 600;
const PATIENCE: Duration = Duration::from_secs(5);
/// For what must not come.
const SETTLE: Duration = Duration::from_millis(50);
/// ghost stores nothing that was asked for at the very tick of its clock at which something was banned.
const TICK: Duration = Duration::from_millis(3);
/// What endpoints say about freshness, where they do.
const ORIGIN_TTL: u32 = 7;

pub struct Bench<'b> {
    pub varnishd: &'b Varnishd,
    pub endpoints: &'b Endpoints,
    pub log: &'b Log,
}

/// A request of the case, with everything that holds for all of its exchanges.
struct Asked<'a> {
    request: &'a Request,
    routed: &'a Routed,
    possible: BTreeSet<String>,
    /// Looked up, and stored if not found.
    caches: bool,
}

struct Run<'b> {
    bench: &'b Bench<'b>,
    tally: Tally,
    logged: Vec<Logged>,
    /// A header of every name that anything in the case edits, as a client and as an endpoint sends it: edits have something to
    /// act on, and one that is made where it is not expected shows.
    from_client: Vec<Header>,
    from_endpoint: Vec<Header>,
}

impl Bench<'_> {
    pub fn replay(&self, case: &Case) -> Result<Tally, String> {
        let from_client = colliding(case, |routed| &routed.request, "from-client");
        let from_endpoint = colliding(case, |routed| &routed.response, "from-endpoint");
        let (tally, logged) = (Tally::default(), Vec::new());
        let mut run = Run { bench: self, tally, logged, from_client, from_endpoint };
        match &case.expected {
            Expected::Refused(field) => run.refused(case, field)?,
            Expected::Live { refusals, outcomes } => {
                run.load(case, refusals)?;
                let table = Table::build(&case.table, None).map_err(|e| format!("ghost-core: {}", e.message))?.table;
                for (number, (request, outcome)) in case.requests.iter().zip(outcomes).enumerate() {
                    let host = request.header("host").unwrap_or("-");
                    run.tally.place = format!("request {} ({}, host {host})", number + 1, request.line());
                    run.ask(&table, request, outcome)?;
                }
            }
        }
        for logged in &run.logged {
            logged.check(&mut run.tally, self.log);
        }
        Ok(run.tally)
    }
}

impl Run<'_> {
    fn refused(&mut self, case: &Case, field: &str) -> Result<(), String> {
        self.tally.place = "table".into();
        self.tally.equal("status of the base's reload", &200, &self.bench.varnishd.reload(BASE)?.status);
        let answer = self.bench.varnishd.reload(&case.table)?;
        let json = json(&answer)?;
        self.tally.equal("status of the reload", &500, &answer.status);
        self.tally.equal("verdict", &"refused", &text(&json, "status"));
        self.tally.equal("field", &field, &text(&json, "field"));
        self.tally.equal("table that stays", &"base", &text(&json, "hash"));
        for request in &case.requests {
            let exchange = self.exchange(request, &[], &[], 0)?;
            exchange.check_own(&mut self.tally, 307);
            let location = exchange.answer.head.get("location").unwrap_or_default();
            self.tally.holds("the old table answers", location.starts_with("http://base.example/"));
        }
        Ok(())
    }

    fn load(&mut self, case: &Case, refusals: &[String]) -> Result<(), String> {
        self.tally.place = "table".into();
        let answer = self.bench.varnishd.reload(&case.table)?;
        let json = json(&answer)?;
        self.tally.equal("status of the reload", &200, &answer.status);
        self.tally.equal("verdict", &"live", &text(&json, "status"));
        let all = json.get("refusals").and_then(Value::as_array).cloned().unwrap_or_default();
        let got: Vec<_> = all.iter().map(refusal).collect();
        self.tally.equal("number of refusals", &refusals.len(), &got.len());
        for (expected, got) in refusals.iter().zip(&got) {
            self.tally.equal("refusal", expected, got);
        }
        Ok(())
    }

    fn ask(&mut self, table: &Table, request: &Request, outcome: &Outcome) -> Result<(), String> {
        match outcome {
            Outcome::Refused(status) => {
                let exchange = self.exchange(request, &[], &[], 0)?;
                exchange.check_own(&mut self.tally, *status);
                let allowed = exchange.answer.head.get("allow").is_some();
                self.tally.equal("Allow", &(*status == 405), &allowed);
            }
            Outcome::Unmatched(status, why) => {
                let exchange = self.exchange(request, &[], &[], 0)?;
                exchange.check_own(&mut self.tally, *status);
                let closes = exchange.answer.head.get("connection") == Some("close");
                // Varnish closes after HTTP/1.0 by itself.
                let says = *why == Why::FreedSocket || request.header("host").is_none();
                self.tally.equal("Connection: close", &says, &closes);
                self.logged.push(Logged::unmatched(&self.tally.place, exchange.id(), *why));
            }
            Outcome::Routed(routed) => {
                self.tally.not_seen("host of a `route` line: nothing outside of ghost shows it");
                for word in &routed.elsewhere {
                    self.tally.not_seen(match *word {
                        "timeout" => "`timeout` line: VTCs of their own",
                        "retry" => "`retry` line: VTCs of their own",
                        _ => "`buffer` line: VTCs of their own",
                    });
                }
                let personal = request.header("cookie").is_some() || request.header("authorization").is_some();
                let read = request.method == "GET" || request.method == "HEAD";
                let caches = routed.cache.is_some() && !routed.bypass && read && !personal;
                if routed.cache.is_some() && !caches {
                    self.tally.not_seen("`cache` line of a request that passes: only that it does");
                    let purge = routed.purge.iter();
                    purge.for_each(|_| self.tally.not_seen("`purge` line of a request that passes: nothing is stored"));
                }
                let asked = Asked { request, routed, possible: possible(table, request), caches };
                self.follow(&asked)?;
            }
        }
        Ok(())
    }

    fn follow(&mut self, asked: &Asked<'_>) -> Result<(), String> {
        let (request, routed) = (asked.request, asked.routed);
        match &routed.action {
            Action::Redirect(status, location) => {
                let exchange = self.exchange(request, &[], &[], 0)?;
                exchange.check_own(&mut self.tally, *status);
                let got = exchange.answer.head.joined("location");
                self.tally.equal("location", &Some(location.clone()), &got);
                self.logged.push(Logged::routed(&self.tally.place, exchange.id(), routed));
            }
            Action::Preflight => {
                let exchange = self.exchange(request, &[], &[], 0)?;
                exchange.check_own(&mut self.tally, 200);
                exchange.check_preflight(&mut self.tally, routed);
                self.logged.push(Logged::routed(&self.tally.place, exchange.id(), routed));
            }
            Action::Invalid => self.unserved(asked, 500)?,
            Action::Unavailable => self.unserved(asked, 503)?,
            Action::Forward(key) if reached(key) == "503" => self.unserved(asked, 503)?,
            Action::Forward(key) => self.forward(asked, key)?,
        }
        Ok(())
    }

    fn unserved(&mut self, asked: &Asked<'_>, status: u16) -> Result<(), String> {
        if let Some(exchange) = self.draw(asked, &status.to_string(), &[], &[])? {
            exchange.check_own(&mut self.tally, status);
            self.logged.push(Logged::routed(&self.tally.place, exchange.id(), asked.routed));
        }
        Ok(())
    }

    fn forward(&mut self, asked: &Asked<'_>, key: &str) -> Result<(), String> {
        let (request, routed) = (asked.request, asked.routed);
        self.tally.not_seen("group of a `forward` line: shows in its endpoint and edits only");
        let mut sent = vec![Vec::new()];
        if !self.from_client.is_empty() {
            sent.push(self.from_client.clone());
        }
        for more in sent {
            let Some(exchange) = self.draw(asked, key, &more, &self.script(routed))? else { return Ok(()) };
            exchange.check_request(&mut self.tally, request, routed, key);
            exchange.check_response(&mut self.tally, routed);
            self.logged.push(Logged::routed(&self.tally.place, exchange.id(), routed));
        }
        match &routed.cache {
            Some(cache) if asked.caches => self.cached(asked, cache, key)?,
            _ if asked.possible.len() == 1 => {
                // The endpoint allows it, so only ghost keeps this from the cache.
                let again = self.exchange(request, &[], &self.script(routed), routed.mirrors.len() + 1)?;
                again.check_request(&mut self.tally, request, routed, key);
            }
            _ => {}
        }
        Ok(())
    }

    /// Stored with these times and keys; served from there, with the response's edits; gone after a purge.
    fn cached(&mut self, asked: &Asked<'_>, cache: &Cache, key: &str) -> Result<(), String> {
        let (request, routed) = (asked.request, asked.routed);
        let ttl = match cache.ttl {
            Ttl::Origin => ORIGIN_TTL,
            Ttl::Default(seconds) | Ttl::Forced(seconds) => seconds,
        };
        let (first, second) = loop {
            let began = Instant::now();
            let Some(first) = self.draw(asked, key, &[], &self.script(routed))? else { return Ok(()) };
            let second = self.exchange(request, &[], &self.script(routed), 0)?;
            // A slow machine must not make an object of one second a miss.
            if began.elapsed() < Duration::from_secs(ttl.into()) {
                break (first, second);
            }
        };
        let stored = Stored::new(cache, ttl, &routed.purge);
        self.logged.push(Logged::stored(&self.tally.place, &first, stored));
        self.tally.holds("the second request is a hit", second.is_hit());
        second.check_response(&mut self.tally, routed);
        self.logged.push(Logged::routed(&self.tally.place, second.id(), routed));

        let path = request.url.split('?').next().unwrap_or_default();
        let host = request.header("host").unwrap_or_default();
        let purged = self.bench.varnishd.control("PURGE", &format!("{path}?any=query"), host)?;
        let by_path = routed.purge.iter().any(|key| key.starts_with("path:"));
        let said = format!("HTTP/1.1 200 Purged {}", u8::from(by_path));
        self.tally.equal("answer to the purge", &said.as_str(), &purged.head.first.as_str());
        let third = self.exchange(request, &[], &self.script(routed), 0)?;
        self.tally.equal("a hit after a purge of its path", &!by_path, &third.is_hit());

        if matches!(cache.ttl, Ttl::Default(_)) {
            let mut script = self.script(routed);
            script.push(("Cache-Control".into(), format!("max-age={ORIGIN_TTL}")));
            let Some(spoken) = self.draw(asked, key, &[], &script)? else { return Ok(()) };
            let stored = Stored::new(cache, ORIGIN_TTL, &routed.purge);
            self.logged.push(Logged::stored(&self.tally.place, &spoken, stored));
        }
        Ok(())
    }

    /// Headers of an endpoint's answer: something to edit, and freshness unless the policy is about its absence.
    fn script(&self, routed: &Routed) -> Vec<Header> {
        let mut headers = self.from_endpoint.clone();
        if !matches!(routed.cache, Some(Cache { ttl: Ttl::Default(_), .. })) {
            headers.push(("Cache-Control".into(), format!("max-age={ORIGIN_TTL}")));
        }
        headers
    }

    /// Asks until the expected one of several outcomes comes; none may come that no draw leads to.
    fn draw(
        &mut self,
        asked: &Asked<'_>,
        wanted: &str,
        more: &[Header],
        script: &[Header],
    ) -> Result<Option<Exchange>, String> {
        self.tally.holds(&format!("{wanted} is not possible by ghost-core"), asked.possible.contains(wanted));
        for _ in 0..DRAWS {
            if asked.caches {
                let ban = self.bench.varnishd.control("BAN", "/", &plain(asked.request.header("host")))?;
                if ban.status != 200 {
                    return Err(format!("ban: {}", ban.head.first));
                }
                thread::sleep(TICK);
            }
            let exchange = self.exchange(asked.request, more, script, asked.routed.mirrors.len() + 1)?;
            let mark = exchange.mark();
            if mark == wanted {
                self.tally.checks += 1;
                return Ok(Some(exchange));
            }
            if !asked.possible.contains(&mark) {
                self.tally.fail(&format!("outcome: expected {wanted}, got {mark}, which no draw leads to"));
                return Ok(None);
            }
        }
        self.tally.fail(&format!("outcome: {wanted} never came in {DRAWS} draws"));
        Ok(None)
    }

    /// `copies`: how many endpoints are going to see it, mirrors included, if one does.
    fn exchange(
        &mut self,
        request: &Request,
        more: &[Header],
        script: &[Header],
        copies: usize,
    ) -> Result<Exchange, String> {
        let mut sent = forged();
        sent.extend_from_slice(more);
        let mut said = script.to_vec();
        said.extend(["X-Ghost-Url", "xkey"].map(|name| (name.to_owned(), FORGED.to_owned())));
        self.bench.endpoints.prepare(said);
        let answer = self.bench.varnishd.send(request, &sent)?;
        let mut seen = self.bench.endpoints.seen(0, Duration::ZERO);
        if copies > 1 && !seen.is_empty() {
            self.bench.endpoints.seen(copies, PATIENCE);
            thread::sleep(SETTLE);
            seen = self.bench.endpoints.seen(0, Duration::ZERO);
        }
        Ok(Exchange { answer, seen, more: more.to_vec(), script: script.to_vec() })
    }
}

fn colliding(case: &Case, edits: impl Fn(&Routed) -> &Vec<Edit>, value: &str) -> Vec<Header> {
    let Expected::Live { outcomes, .. } = &case.expected else { return Vec::new() };
    let routed = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Routed(routed) => Some(&**routed),
        Outcome::Refused(_) | Outcome::Unmatched(..) => None,
    });
    let names: BTreeSet<_> = routed.flat_map(edits).map(|edit| edit.name().to_ascii_lowercase()).collect();
    names.into_iter().map(|name| (name, value.to_owned())).collect()
}

/// The host as objects know it: lower case, without port.
fn plain(host: Option<&str>) -> String {
    host.unwrap_or_default().split(':').next().unwrap_or_default().to_ascii_lowercase()
}

fn json(answer: &Answer) -> Result<Value, String> {
    serde_json::from_str(&answer.body).map_err(|e| format!("answer to a reload: {e}: {}", answer.body))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn refusal(value: &Value) -> String {
    let rule = value.get("rule").and_then(Value::as_u64).map_or("-".to_owned(), |rule| rule.to_string());
    let [effect, vhost, route, field] = ["effect", "vhost", "route", "field"].map(|name| text(value, name));
    format!("refused {effect} vhost={vhost} route={route} rule={rule} field={field}")
}
