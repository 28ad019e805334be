//! What the routes of a host ask of a request, each thing once.
//!
//! Thousands of rules can have the same pattern for the same header, and one pass over a value of 8 kB takes 8 to 60 µs. So the conditions
//! that go through a value are numbered when the host is built: a pattern on the path, on a header or on a query parameter, and finding a
//! query parameter. A request keeps what it was told under that number. The rest, comparing two texts or a method, costs nanoseconds
//! and is done anew. A host without such conditions has no numbers, and its requests keep nothing.

use std::collections::HashMap;
use std::sync::Arc;

use crate::hash;
use crate::pattern::{Coverage, Pattern};
use crate::request::Url;
use crate::route::{PathRule, Route, ValueRule};

/// Of the routes of a host.
#[derive(Debug, Default)]
pub struct Conditions {
    /// By rank: where the numbers of a route begin.
    starts: Box<[u32]>,
    /// In the order in which each route asks.
    numbers: Box<[u32]>,
    /// How many there are of each kind.
    patterns: usize,
    parameters: usize,
}

/// What a route asks of a request.
#[derive(Debug, Clone, Copy)]
pub enum Condition<'r> {
    Path(Text<'r>),
    Header(&'r [u8], Text<'r>),
    /// Which value it has.
    Parameter(&'r [u8]),
    Query(&'r [u8], Text<'r>),
}

impl Condition<'_> {
    /// Equal where the answers are.
    pub fn digest(&self) -> u128 {
        let none: Text<'_> = ("", Coverage::Full);
        let (kind, name, (source, coverage)) = match *self {
            Self::Path(text) => (b'p', &b""[..], text),
            Self::Header(name, text) => (b'h', name, text),
            Self::Parameter(name) => (b'v', name, none),
            Self::Query(name, text) => (b'q', name, text),
        };
        let mut key = vec![kind, u8::from(coverage == Coverage::Full)];
        key.extend_from_slice(&name.len().to_ne_bytes());
        key.extend_from_slice(name);
        if let Self::Header(..) = self {
            key.make_ascii_lowercase();
        }
        key.extend_from_slice(source.as_bytes());
        hash::digest(&key)
    }
}

/// Of a pattern.
type Text<'r> = (&'r str, Coverage);

fn text(pattern: &Arc<Pattern>) -> Text<'_> {
    (pattern.source(), pattern.coverage())
}

impl Route {
    /// Its numbered conditions, in the order in which `accepts` asks for them, each with its pattern and with the place of its rule.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = (Condition<'_>, Option<&Arc<Pattern>>, Place)> {
        let headers = (0..).zip(&self.headers).filter_map(|(n, rule)| match &rule.value {
            ValueRule::Pattern(pattern) => {
                Some((Condition::Header(&rule.name, text(pattern)), Some(pattern), Place::Header(n)))
            }
            ValueRule::Exact(_) => None,
        });
        let query = (0..).zip(&self.query).flat_map(|(n, rule)| {
            let found = (Condition::Parameter(&rule.name), None, Place::Query(n));
            let matched = match &rule.value {
                ValueRule::Pattern(pattern) => {
                    Some((Condition::Query(&rule.name, text(pattern)), Some(pattern), Place::Query(n)))
                }
                ValueRule::Exact(_) => None,
            };
            std::iter::once(found).chain(matched)
        });
        let path = match &self.path {
            PathRule::Pattern(pattern) => Some((Condition::Path(text(pattern)), Some(pattern), Place::Path)),
            PathRule::Any | PathRule::Exact(_) | PathRule::Prefix(_) => None,
        };
        headers.chain(query).chain(path)
    }
}

/// Of a rule in the JSON of its route.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    Path,
    Header(usize),
    Query(usize),
}

impl Place {
    pub fn field(self) -> String {
        match self {
            Self::Path => "path_match.value".into(),
            Self::Header(n) => format!("headers[{n}].value"),
            Self::Query(n) => format!("query_params[{n}].value"),
        }
    }
}

impl Conditions {
    pub fn number(routes: &[Arc<Route>]) -> Self {
        let mut numbering = Self::default();
        let mut known: HashMap<u128, u32> = HashMap::new();
        let (mut starts, mut numbers) = (Vec::with_capacity(routes.len()), Vec::new());
        for route in routes {
            starts.push(offset(&numbers));
            for (condition, ..) in route.conditions() {
                let number = *known.entry(condition.digest()).or_insert_with(|| numbering.next(condition));
                numbers.push(number);
            }
        }
        if !numbers.is_empty() {
            (numbering.starts, numbering.numbers) = (starts.into(), numbers.into());
        }
        numbering
    }

    fn next(&mut self, condition: Condition<'_>) -> u32 {
        let count = match condition {
            Condition::Parameter(_) => &mut self.parameters,
            Condition::Path(_) | Condition::Header(..) | Condition::Query(..) => &mut self.patterns,
        };
        *count += 1;
        u32::try_from(*count - 1).unwrap_or(u32::MAX)
    }

    /// Of the condition that a route asks for, by its place among the route's.
    fn of(&self, rank: u32, place: usize) -> Option<usize> {
        let start = self.starts.get(usize::try_from(rank).ok()?)?;
        let number = self.numbers.get(usize::try_from(*start).ok()? + place)?;
        usize::try_from(*number).ok()
    }
}

fn offset(numbers: &[u32]) -> u32 {
    u32::try_from(numbers.len()).unwrap_or(u32::MAX)
}

/// What one request was told on one host; kept by the caller from request to request, so that nothing is allocated.
#[derive(Debug, Default)]
pub struct Answers {
    /// By number.
    patterns: Vec<Verdict>,
    parameters: Vec<Found>,
}

#[derive(Debug, Clone, Copy)]
enum Verdict {
    Unknown,
    Matches,
    Differs,
}

#[derive(Debug, Clone, Copy)]
enum Found {
    Unknown,
    Absent,
    /// In the query, from and to.
    At(usize, usize),
}

impl Answers {
    /// Forgets what it was told on another host, or by another request.
    pub fn begin(&mut self, conditions: &Conditions) {
        if conditions.numbers.is_empty() {
            return;
        }
        self.patterns.clear();
        self.patterns.resize(conditions.patterns, Verdict::Unknown);
        self.parameters.clear();
        self.parameters.resize(conditions.parameters, Found::Unknown);
    }

    /// For the route of this rank.
    pub fn to<'a>(&'a mut self, conditions: &'a Conditions, rank: u32) -> Asking<'a> {
        Asking { answers: self, conditions, rank, asked: 0 }
    }
}

/// A route asks for its conditions in order.
pub struct Asking<'a> {
    answers: &'a mut Answers,
    conditions: &'a Conditions,
    rank: u32,
    asked: usize,
}

impl Asking<'_> {
    fn next(&mut self) -> Option<usize> {
        let number = self.conditions.of(self.rank, self.asked);
        self.asked += 1;
        number
    }

    /// Whether the pattern that comes next matches, which `find_out` knows.
    pub fn matches(&mut self, find_out: impl FnOnce() -> bool) -> bool {
        let number = self.next();
        let Some(verdict) = number.and_then(|number| self.answers.patterns.get_mut(number)) else { return find_out() };
        if let Verdict::Unknown = verdict {
            *verdict = if find_out() { Verdict::Matches } else { Verdict::Differs };
        }
        matches!(verdict, Verdict::Matches)
    }

    /// The value of the parameter that comes next.
    pub fn parameter<'u>(&mut self, url: &Url<'u>, name: &[u8]) -> Option<&'u [u8]> {
        let number = self.next();
        let Some(found) = number.and_then(|number| self.answers.parameters.get_mut(number)) else {
            return url.parameter(name);
        };
        if let Found::Unknown = found {
            *found = url.find_parameter(name).map_or(Found::Absent, |value| Found::At(value.start, value.end));
        }
        match found {
            Found::At(start, end) => url.query?.get(*start..*end),
            Found::Unknown | Found::Absent => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::choice::Choice;
    use crate::pattern::SCANNED;
    use crate::request::Request;
    use crate::table::{Chance, Scratch, Table};

    const RULES: usize = 3_000;
    const VALUE: usize = 8_000;

    fn pattern(name: &str, value: &str) -> Value {
        json!([{ "name": name, "value": value, "type": "RegularExpression" }])
    }

    /// Rules of namespaces `n0` to `n9` on one host.
    fn table(rule: impl Fn(usize) -> Value) -> Table {
        let rules: Vec<_> = (0..RULES)
            .map(|n| {
                let mut rule = rule(n);
                rule["route_name"] = format!("n{}/{n}", n * 10 / RULES).into();
                rule["regex"] = "full".into();
                rule
            })
            .collect();
        let json = json!({ "version": 2, "vhosts": { "a.com": { "routes": rules } } }).to_string();
        Table::build(json.as_bytes(), None).unwrap().table
    }

    /// How many times as many bytes as a header or parameter of this value has are gone through for a request; none is taken.
    fn scans(table: &Table) -> usize {
        let value = vec![b'a'; VALUE];
        let url = [b"/?p=", &*value].concat();
        let headers: [(&[u8], &[u8]); 2] = [(b"X-A", &value), (b"x-b", b"1")];
        let request = Request {
            socket: b"s",
            port: None,
            server_name: None,
            method: b"GET",
            url: &url,
            host: Some(b"a.com"),
            headers: &headers[..],
        };
        let before = SCANNED.get();
        let choice = table.select(&request, Chance::default(), &mut Scratch::default());
        assert!(matches!(choice, Choice::NoRoute(_)), "{choice:?}");
        (SCANNED.get() - before).div_ceil(VALUE)
    }

    #[test]
    fn a_pattern_goes_through_a_value_once() {
        let equal = table(|n| json!({ "headers": pattern(["X-A", "x-a"][n % 2], "a*b") }));
        assert_eq!((equal.routes(), scans(&equal)), (RULES, 1));
        let equal = table(|_| json!({ "query_params": pattern("p", "a*b") }));
        assert_eq!((equal.routes(), scans(&equal)), (RULES, 1));
        let equal = table(|_| json!({ "path_match": { "type": "RegularExpression", "value": "/a*b" } }));
        assert_eq!((equal.routes(), scans(&equal)), (RULES, 1));
    }

    #[test]
    fn patterns_that_differ_go_through_it_as_often_as_a_host_has_room_for() {
        let most = usize::try_from(crate::limits::SCANS_PER_HOST).unwrap();
        let different = table(|n| json!({ "headers": pattern("x-a", &format!("a*{n}")) }));
        assert_eq!((different.routes(), scans(&different)), (most, most));
    }

    fn rule() -> impl Strategy<Value = Value> {
        let value = prop::sample::select(vec!["1", "[12]", "[^1]", "1|a"]);
        let named = |names: Vec<&'static str>| {
            let one = (prop::sample::select(names), value.clone()).prop_map(|(name, value)| {
                json!({ "name": name, "value": value, "type": if value == "1" { "Exact" } else { "RegularExpression" } })
            });
            prop::collection::vec(one, 0..3)
        };
        let path = prop::sample::select(vec![".*", "/[a-c]+", "/a|/b", "/"]);
        (named(vec!["x", "X", "y"]), named(vec!["p", "P", "q"]), prop::option::of(path)).prop_map(
            |(headers, query, path)| {
                let mut rule = json!({ "headers": headers, "query_params": query, "regex": "full" });
                if let Some(path) = path {
                    rule["path_match"] = json!({ "type": "RegularExpression", "value": path });
                }
                rule
            },
        )
    }

    proptest! {
        /// A request that keeps what it was told finds each rule as willing as one that asks every time.
        #[test]
        fn what_is_kept_is_what_would_be_found_out(
            rules in prop::collection::vec(rule(), 1..20),
            headers in prop::collection::vec((prop::sample::select(vec!["x", "y"]), prop::sample::select(vec!["1", "2", "a"])), 0..4),
            url in "/[a-d]{0,1}(\\?([pPq]=[12a]?&?){0,3})?",
        ) {
            let json = json!({ "version": 2, "vhosts": { "*": { "routes": rules } } }).to_string();
            let table = Table::build(json.as_bytes(), None).unwrap().table;
            let host = &table.hosts()[0];
            let headers: Vec<(Vec<u8>, Vec<u8>)> = headers.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
            let facts = crate::route::Facts {
                listener: crate::route::ListenerNumbers([None; 2]),
                url: Url::split(url.as_bytes()),
                method: b"GET",
                preflight_method: None,
                headers: &headers,
            };
            let mut kept = Answers::default();
            kept.begin(&host.conditions);
            for (rank, route) in (0..).zip(host.routes()) {
                let naive = route.accepts(&facts, Answers::default().to(&Conditions::default(), rank));
                prop_assert_eq!(route.accepts(&facts, kept.to(&host.conditions, rank)), naive, "{}", rank);
            }
        }
    }
}
