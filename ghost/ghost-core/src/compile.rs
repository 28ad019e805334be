//! From the JSON of a route to a `Route`, or to the one field that is wrong with it.

use std::borrow::Cow;
use std::net::IpAddr;

use serde_json::value::RawValue;

use crate::compile_filters;
use crate::dto;
use crate::dto_cache;
use crate::endpoint::{Address, Endpoint};
use crate::filter;
use crate::intern::Shared;
use crate::limits;
use crate::line::{self, HeaderLine};
use crate::path::{BadPath, Slashes, write_normal_path};
use crate::pattern::Coverage;
use crate::pool::{Pool, Select};
use crate::route::{Group, NamedRule, OnEmpty, PathRule, Route, Target, ValueRule};
use crate::traffic::{Limit, Retry, Timeouts};
use std::sync::Arc;

const ROUTE_HEADER: &str = "X-Gateway-Route";

/// A field that is wrong, and why.
#[derive(Debug)]
pub struct Wrong {
    pub field: String,
    pub message: String,
}

pub(crate) type Checked<T> = Result<T, Wrong>;

pub(crate) fn wrong<T>(field: impl Into<String>, message: impl Into<String>) -> Checked<T> {
    Err(Wrong { field: field.into(), message: message.into() })
}

/// Names the field that a plain message is about.
pub(crate) trait At<T> {
    fn at(self, field: impl FnOnce() -> String) -> Checked<T>;
}

impl<T> At<T> for Result<T, String> {
    fn at(self, field: impl FnOnce() -> String) -> Checked<T> {
        self.map_err(|message| Wrong { field: field(), message })
    }
}

pub(crate) fn at_most(field: &str, count: usize, limit: usize) -> Checked<()> {
    if count > limit { wrong(field, format!("{count}, limit {limit}")) } else { Ok(()) }
}

/// Reads a value; the path to what is wrong is worked out only if something is, because keeping it costs time.
pub(crate) fn read<'a, T: serde::Deserialize<'a>>(raw: &'a str) -> Checked<T> {
    serde_json::from_str(raw).or_else(|plain| {
        let mut deserializer = serde_json::Deserializer::from_str(raw);
        match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
            // Errors of syntax have no path and say line and column instead.
            Err(error) => wrong(error.path().to_string().trim_matches(['?', '.']), error.inner().to_string()),
            Ok(_) => wrong("", plain.to_string()),
        }
    })
}

/// A route that is served, and what was wrong with its cache policy if anything.
#[derive(Debug)]
pub struct Compiled {
    pub route: Route,
    pub uncached: Option<Wrong>,
}

pub(crate) fn route(raw: &RawValue, shared: &mut Shared) -> Checked<Compiled> {
    let dto: dto::Route<'_> = read(raw.get())?;
    at_most("route_name", dto.route_name.len(), limits::ROUTE_NAME_BYTES)?;
    shared.budget.charge_to(&dto.route_name);
    let coverage = match dto.regex {
        dto::RegexMode::Search => Coverage::Search,
        dto::RegexMode::Full => Coverage::Full,
    };
    let path = path(dto.path_match.as_ref(), coverage, shared)?;
    let (groups, total_weight) = groups(&dto.backend_groups, &path, shared)?;
    let filters = match &dto.filters {
        Some(filters) => Some(Box::new(compile_filters::filters(filters, &path, shared)?)),
        None => None,
    };
    let (cache, uncached) = match dto.cache_policy {
        None => (None, None),
        Some(raw) => match cache(raw, &dto, shared) {
            Ok(policy) => (policy, None),
            Err(wrong) => (None, Some(wrong)),
        },
    };
    let buffer_bytes = dto.buffer_bytes.unwrap_or(limits::BUFFER_BYTES_DEFAULT);
    if buffer_bytes > limits::BUFFER_BYTES {
        return wrong("buffer_bytes", format!("{buffer_bytes}, limit {}", limits::BUFFER_BYTES));
    }
    let route = Route {
        method: dto.method.as_deref().map(method).transpose()?,
        headers: header_rules(&dto.headers, coverage, shared)?,
        query: query_rules(&dto.query_params, coverage, shared)?,
        listeners: dto.listeners.iter().map(|name| shared.name(&listener_name(name))).collect(),
        path,
        groups,
        total_weight,
        filters,
        timeouts: dto.timeouts.as_ref().map(timeouts).transpose()?.map(Box::new),
        retry: dto.retry.as_ref().map(retry).transpose()?.map(Box::new),
        cache,
        namespace: shared.namespace_usage(),
        log: Route::log_of(&dto.route_name, dto.origin.rule, dto.origin.match_),
        name: HeaderLine::new(ROUTE_HEADER, &dto.route_name).at(|| "route_name".into())?,
        rule_name: dto.rule_name.map(rule_name).transpose()?,
        buffer_bytes,
        rule: dto.origin.rule,
        match_: dto.origin.match_,
        order: (dto.priority, dto.rule_index),
    };
    shared.scans.admit(&route).map_err(|(place, message)| Wrong { field: place.field(), message })?;
    Ok(Compiled { route, uncached })
}

/// The route that `default_backends` stands for.
fn rule_name(name: Cow<'_, str>) -> Checked<Box<str>> {
    line::printable(&name).at(|| "rule_name".into())?;
    Ok(name.into())
}

pub(crate) fn default_route(backends: &[dto::Endpoint<'_>], shared: &mut Shared) -> Checked<Route> {
    shared.budget.charge_to("");
    let target = Target::Inline(inline_pool("default_backends", backends, dto::Select::Random, None, shared)?);
    let group = Group {
        weight: 1,
        cumulative: 1,
        usage: shared.backend_usage(&target, None),
        target,
        on_empty: OnEmpty::Invalid,
        service: None,
        edits: None,
    };
    Ok(Route {
        path: PathRule::Any,
        method: None,
        headers: Box::default(),
        query: Box::default(),
        listeners: Box::default(),
        groups: [group].into(),
        total_weight: 1,
        filters: None,
        timeouts: None,
        retry: None,
        cache: None,
        namespace: shared.namespace_usage(),
        log: Route::log_of("", 0, 0),
        name: HeaderLine::new(ROUTE_HEADER, "").at(|| "route_name".into())?,
        rule_name: None,
        buffer_bytes: 0,
        rule: 0,
        match_: 0,
        order: (i64::MIN, 0),
    })
}

/// Listeners and pools share one space of numbers; the prefix keeps them apart.
pub(crate) fn listener_name(name: &str) -> String {
    format!("l:{name}")
}

pub(crate) fn pool_name(name: &str) -> String {
    format!("p:{name}")
}

fn path(dto: Option<&dto::PathMatch<'_>>, coverage: Coverage, shared: &mut Shared) -> Checked<PathRule> {
    let Some(dto) = dto else { return Ok(PathRule::Any) };
    let value = &*dto.value;
    let field = || "path_match.value".to_owned();
    if let dto::PathType::RegularExpression = dto.kind {
        return Ok(PathRule::Pattern(shared.condition(value, coverage).at(field)?));
    }
    if !value.starts_with('/') || value.contains("//") || value.len() > limits::PATH_BYTES {
        let limit = limits::PATH_BYTES;
        return wrong(field(), format!("`{value}` is no path: starts with `/`, no `//`, at most {limit} bytes"));
    }
    // Requests are compared in their normal form, and so is this.
    let mut normal = Vec::with_capacity(value.len());
    if let Err(BadPath(why)) = write_normal_path(value.as_bytes(), Slashes::Merge, &mut normal) {
        return wrong(field(), format!("`{value}` matches no request: {why}"));
    }
    Ok(match dto.kind {
        dto::PathType::Exact => PathRule::Exact(normal.into()),
        _ => match normal.strip_suffix(b"/").unwrap_or(&normal) {
            b"" => PathRule::Any,
            prefix => PathRule::Prefix(prefix.into()),
        },
    })
}

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

fn method(name: &str) -> Checked<Box<[u8]>> {
    if METHODS.contains(&name) { Ok(name.as_bytes().into()) } else { wrong("method", format!("`{name}` is no method")) }
}

fn header_rules(dtos: &[dto::NamedMatch<'_>], coverage: Coverage, shared: &mut Shared) -> Checked<Box<[NamedRule]>> {
    at_most("headers", dtos.len(), limits::HEADER_MATCHES)?;
    let check = |(n, dto): (usize, &dto::NamedMatch<'_>)| {
        filter::check_name(&dto.name).at(|| format!("headers[{n}].name"))?;
        named_rule(dto, "headers", n, limits::HEADER_VALUE_BYTES, coverage, shared)
    };
    dtos.iter().enumerate().map(check).collect()
}

fn query_rules(dtos: &[dto::NamedMatch<'_>], coverage: Coverage, shared: &mut Shared) -> Checked<Box<[NamedRule]>> {
    at_most("query_params", dtos.len(), limits::QUERY_MATCHES)?;
    let check = |(n, dto): (usize, &dto::NamedMatch<'_>)| {
        if dto.name.is_empty() || dto.name.len() > limits::QUERY_BYTES {
            return wrong(format!("query_params[{n}].name"), "must not be empty or longer than 1024 bytes");
        }
        shared.is_open().at(|| format!("query_params[{n}].value"))?;
        named_rule(dto, "query_params", n, limits::QUERY_BYTES, coverage, shared)
    };
    dtos.iter().enumerate().map(check).collect()
}

fn named_rule(
    dto: &dto::NamedMatch<'_>,
    list: &str,
    n: usize,
    limit: usize,
    coverage: Coverage,
    shared: &mut Shared,
) -> Checked<NamedRule> {
    let field = || format!("{list}[{n}].value");
    if dto.value.is_empty() || dto.value.len() > limit {
        return wrong(field(), format!("must not be empty or longer than {limit} bytes"));
    }
    let value = match dto.kind {
        dto::MatchType::Exact => ValueRule::Exact(dto.value.as_bytes().into()),
        dto::MatchType::RegularExpression => ValueRule::Pattern(shared.condition(&dto.value, coverage).at(field)?),
    };
    Ok(NamedRule { name: dto.name.as_bytes().into(), value })
}

fn groups(dtos: &[dto::Group<'_>], path: &PathRule, shared: &mut Shared) -> Checked<(Box<[Group]>, u32)> {
    at_most("backend_groups", dtos.len(), limits::GROUPS)?;
    let mut total = 0;
    let mut groups = Vec::with_capacity(dtos.len());
    for (n, dto) in dtos.iter().enumerate() {
        let here = |field: &str| format!("backend_groups[{n}].{field}");
        if dto.weight > limits::WEIGHT {
            return wrong(here("weight"), format!("{}, limit {}", dto.weight, limits::WEIGHT));
        }
        let on_empty = match (dto.on_empty, &dto.pool) {
            (Some(500), _) | (None, None) => OnEmpty::Invalid,
            (Some(503), _) | (None, Some(_)) => OnEmpty::Unavailable,
            (Some(other), _) => return wrong(here("on_empty"), format!("{other}, must be 500 or 503")),
        };
        let target = target(&here(""), dto, shared)?;
        total += dto.weight;
        groups.push(Group {
            weight: dto.weight,
            cumulative: total,
            usage: shared.backend_usage(&target, dto.pool.as_deref()),
            target,
            on_empty,
            service: dto.service.as_deref().map(Into::into),
            edits: match &dto.filters {
                Some(filters) => Some(Box::new(compile_filters::group_edits(&here("filters."), filters, path)?)),
                None => None,
            },
        });
    }
    Ok((groups.into(), total))
}

fn target(here: &str, dto: &dto::Group<'_>, shared: &mut Shared) -> Checked<Target> {
    let given = [dto.pool.is_some(), !dto.backends.is_empty(), dto.external_proxy.is_some()];
    if given.iter().filter(|&&given| given).count() > 1 {
        return wrong(here.trim_end_matches('.'), "more than one of `backends`, `pool`, `external_proxy`");
    }
    if dto.invalid {
        return Ok(Target::Invalid);
    }
    if let Some(pool) = &dto.pool {
        return Ok(Target::Named(shared.name(&pool_name(pool))));
    }
    if let Some(external) = &dto.external_proxy {
        if external.port == 0 || external.hostname.is_empty() {
            return wrong(format!("{here}external_proxy"), "needs a hostname and a port");
        }
        let name = external.hostname.to_ascii_lowercase();
        let tls = external.tls.then_some(name.as_str());
        let endpoint = shared.endpoint(Address::Dns(name.as_str().into(), external.port), tls);
        return Ok(Target::Inline(shared.pool(vec![endpoint], Select::Random)));
    }
    let field = format!("{here}backends");
    Ok(Target::Inline(inline_pool(&field, &dto.backends, dto.select, dto.backend_tls.as_ref(), shared)?))
}

pub(crate) fn inline_pool(
    field: &str,
    dtos: &[dto::Endpoint<'_>],
    select: dto::Select,
    tls: Option<&dto::BackendTls<'_>>,
    shared: &mut Shared,
) -> Checked<Arc<Pool>> {
    at_most(field, dtos.len(), limits::ENDPOINTS)?;
    let tls = tls.map(|tls| &*tls.hostname);
    let endpoints = dtos
        .iter()
        .enumerate()
        .map(|(n, dto)| {
            endpoint(dto, tls, shared)
                .map_err(|(part, message)| Wrong { field: format!("{field}[{n}].{part}"), message })
        })
        .collect::<Checked<Vec<_>>>()?;
    let select = match select {
        dto::Select::Random => Select::Random,
        dto::Select::Hash => Select::Hash,
    };
    Ok(shared.pool(endpoints, select))
}

fn endpoint(
    dto: &dto::Endpoint<'_>,
    tls: Option<&str>,
    shared: &mut Shared,
) -> Result<Arc<Endpoint>, (&'static str, String)> {
    let address = match (&dto.address, dto.port, &dto.path) {
        (Some(address), Some(port), None) => {
            let ip: IpAddr = address.parse().map_err(|_| ("address", format!("`{address}` is no IP address")))?;
            if port == 0 {
                return Err(("port", "must not be 0".into()));
            }
            Address::Ip(ip, port)
        }
        (None, None, Some(path)) => {
            if !path.starts_with('/') || path.len() > limits::SOCKET_PATH_BYTES || path.contains('\0') {
                return Err(("path", format!("`{path}` is no absolute path of at most 107 bytes")));
            }
            Address::Unix((**path).into())
        }
        _ => return Err(("address", "needs `address` and `port`, or `path`".into())),
    };
    Ok(shared.endpoint(address, tls))
}

fn timeouts(dto: &dto::Timeouts) -> Checked<Timeouts> {
    let limit = |name: &str, ms: Option<u32>| match ms {
        Some(ms) if ms > limits::TIMEOUT_MS => {
            wrong(format!("timeouts.{name}"), format!("{ms}, limit {}", limits::TIMEOUT_MS))
        }
        ms => Ok(Limit::of(ms)),
    };
    Ok(Timeouts {
        connect: limit("connect_ms", dto.connect_ms)?,
        first_byte: limit("first_byte_ms", dto.first_byte_ms)?,
        between_bytes: limit("between_bytes_ms", dto.between_bytes_ms)?,
        request: limit("request_ms", dto.request_ms)?,
        backend_request: limit("backend_request_ms", dto.backend_request_ms)?,
    })
}

fn retry(dto: &dto::Retry) -> Checked<Retry> {
    let attempts = dto.attempts.unwrap_or(1);
    if attempts > limits::RETRY_ATTEMPTS {
        return wrong("retry.attempts", format!("{attempts}, limit {}", limits::RETRY_ATTEMPTS));
    }
    if dto.backoff_ms > limits::BACKOFF_MS {
        return wrong("retry.backoff_ms", format!("{}, limit {}", dto.backoff_ms, limits::BACKOFF_MS));
    }
    at_most("retry.codes", dto.codes.len(), limits::RETRY_CODES)?;
    if let Some(code) = dto.codes.iter().find(|code| !(400..=599).contains(*code)) {
        return wrong("retry.codes", format!("{code} is no error status"));
    }
    let connection_errors = dto.connection_errors.unwrap_or(true);
    Ok(Retry { attempts, codes: dto.codes.as_slice().into(), connection_errors, backoff_ms: dto.backoff_ms })
}

fn cache(
    raw: &RawValue,
    route: &dto::Route<'_>,
    shared: &mut Shared,
) -> Checked<Option<Box<crate::cache::CachePolicy>>> {
    let nested = |wrong: Wrong| Wrong { field: format!("cache_policy.{}", wrong.field), message: wrong.message };
    let dto: dto_cache::CachePolicy<'_> = read(raw.get()).map_err(nested)?;
    if dto.pass {
        return Ok(None);
    }
    let rule = match &route.rule_name {
        Some(name) => name.to_string(),
        None => route.rule_index.to_string(),
    };
    let scope = format!("{}\n{rule}", route.route_name);
    compile_filters::cache(&dto, scope, shared).map(|policy| Some(Box::new(policy))).map_err(nested)
}
