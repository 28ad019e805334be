//! One case: its table is loaded into the running varnishd, its requests are sent, and everything that shows is compared.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use ghost_core::Table;
use serde_json::Value;

use crate::case::{Action, Cache, Case, Expected, Outcome, Request, Routed, Ttl, Why};
use crate::draws::{possible, reached};
use crate::endpoints::Endpoints;
use crate::exchange::{Exchange, FORGED, colliding, forged};
use crate::log::Log;
use crate::logged::{Logged, Stored};
use crate::message::Answer;
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
}

impl Bench<'_> {
    pub fn replay(&self, case: &Case) -> Result<Tally, String> {
        let mut run = Run { bench: self, tally: Tally::default(), logged: Vec::new() };
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
            let exchange = self.exchange(request, Vec::new(), Vec::new(), 0)?;
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
            Outcome::Unmatched(status, why) => {
                let exchange = self.exchange(request, Vec::new(), Vec::new(), 0)?;
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
                let exchange = self.exchange(request, Vec::new(), Vec::new(), 0)?;
                exchange.check_own(&mut self.tally, *status);
                let got = exchange.answer.head.joined("location");
                self.tally.equal("location", &Some(location.clone()), &got);
                self.logged.push(Logged::routed(&self.tally.place, exchange.id(), routed));
            }
            Action::Preflight => {
                let exchange = self.exchange(request, Vec::new(), Vec::new(), 0)?;
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
        if let Some(exchange) = self.draw(asked, &status.to_string(), Vec::new(), Vec::new())? {
            exchange.check_own(&mut self.tally, status);
            self.logged.push(Logged::routed(&self.tally.place, exchange.id(), asked.routed));
        }
        Ok(())
    }

    fn forward(&mut self, asked: &Asked<'_>, key: &str) -> Result<(), String> {
        let (request, routed) = (asked.request, asked.routed);
        self.tally.not_seen("group of a `forward` line: shows in its endpoint and edits only");
        let mut sent = vec![Vec::new()];
        if !routed.request.is_empty() {
            sent.push(colliding(&routed.request, "from-client"));
        }
        for more in sent {
            let Some(exchange) = self.draw(asked, key, more, script(routed))? else { return Ok(()) };
            exchange.check_request(&mut self.tally, request, routed, key);
            exchange.check_response(&mut self.tally, routed);
            self.logged.push(Logged::routed(&self.tally.place, exchange.id(), routed));
        }
        match &routed.cache {
            Some(cache) if asked.caches => self.cached(asked, cache, key)?,
            _ if asked.possible.len() == 1 => {
                // The endpoint allows it, so only ghost keeps this from the cache.
                let again = self.exchange(request, Vec::new(), script(routed), routed.mirrors.len() + 1)?;
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
            let Some(first) = self.draw(asked, key, Vec::new(), script(routed))? else { return Ok(()) };
            let second = self.exchange(request, Vec::new(), script(routed), 0)?;
            // A slow machine must not make an object of one second a miss.
            if began.elapsed() < Duration::from_secs(ttl.into()) {
                break (first, second);
            }
        };
        self.logged.extend(Stored::of(&first, cache, ttl, &routed.purge).log(&self.tally.place));
        self.tally.holds("the second request is a hit", second.is_hit());
        second.check_response(&mut self.tally, routed);
        self.logged.push(Logged::routed(&self.tally.place, second.id(), routed));

        let path = request.url.split('?').next().unwrap_or_default();
        let host = request.header("host").unwrap_or_default();
        let purged = self.bench.varnishd.control("PURGE", &format!("{path}?any=query"), host)?;
        self.tally.equal("status of the purge", &200, &purged.status);
        let third = self.exchange(request, Vec::new(), script(routed), 0)?;
        let by_path = routed.purge.iter().any(|key| key.starts_with("path:"));
        self.tally.equal("a hit after a purge of its path", &!by_path, &third.is_hit());

        if matches!(cache.ttl, Ttl::Default(_)) {
            let mut script = script(routed);
            script.push(("Cache-Control".into(), format!("max-age={ORIGIN_TTL}")));
            let Some(spoken) = self.draw(asked, key, Vec::new(), script)? else { return Ok(()) };
            self.logged.extend(Stored::of(&spoken, cache, ORIGIN_TTL, &routed.purge).log(&self.tally.place));
        }
        Ok(())
    }

    /// Asks until the expected one of several outcomes comes; none may come that no draw leads to.
    fn draw(
        &mut self,
        asked: &Asked<'_>,
        wanted: &str,
        more: Vec<(String, String)>,
        script: Vec<(String, String)>,
    ) -> Result<Option<Exchange>, String> {
        self.tally.holds(&format!("{wanted} is not possible by ghost-core"), asked.possible.contains(wanted));
        for _ in 0..DRAWS {
            if asked.caches {
                let host = asked.request.header("host").unwrap_or_default();
                self.tally.equal("status of the ban", &200, &self.bench.varnishd.control("BAN", "/", host)?.status);
            }
            let copies = if script.is_empty() { 0 } else { asked.routed.mirrors.len() + 1 };
            let exchange = self.exchange(asked.request, more.clone(), script.clone(), copies)?;
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
        more: Vec<(String, String)>,
        script: Vec<(String, String)>,
        copies: usize,
    ) -> Result<Exchange, String> {
        let mut sent = forged();
        sent.extend(more.clone());
        let mut said = script.clone();
        said.extend(["X-Ghost-Url", "xkey"].map(|name| (name.to_owned(), FORGED.to_owned())));
        self.bench.endpoints.prepare(said);
        let answer = self.bench.varnishd.send(request, &sent)?;
        let mut seen = self.bench.endpoints.seen(0, Duration::ZERO);
        if copies > 1 && !seen.is_empty() {
            self.bench.endpoints.seen(copies, PATIENCE);
            thread::sleep(SETTLE);
            seen = self.bench.endpoints.seen(0, Duration::ZERO);
        }
        Ok(Exchange { answer, seen, more, script })
    }
}

/// Headers of an endpoint's answer: something to edit, and freshness unless the policy is about its absence.
fn script(routed: &Routed) -> Vec<(String, String)> {
    let mut headers = colliding(&routed.response, "from-endpoint");
    if !matches!(routed.cache, Some(Cache { ttl: Ttl::Default(_), .. })) {
        headers.push(("Cache-Control".into(), format!("max-age={ORIGIN_TTL}")));
    }
    headers
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
