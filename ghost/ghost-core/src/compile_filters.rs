//! Filters, CORS, mirrors and cache policies: from JSON to what the request path replays.

use std::borrow::Cow;

use crate::cache::{Bypass, CachePolicy, KeyQuery, Ttl};
use crate::compile::{At, Checked, at_most, inline_pool, pool_name, wrong};
use crate::cors::{Allowed, Cors, OriginPattern};
use crate::dto;
use crate::dto_cache;
use crate::filter::{self, HeaderEdit, Op};
use crate::host::HostPattern;
use crate::intern::Shared;
use crate::limits;
use crate::line;
use crate::pattern::Coverage;
use crate::redirect::{Redirect, Scheme};
use crate::rewrite::{PathRewrite, UrlRewrite};
use crate::route::{Edits, Filters, PathRule, Target};
use crate::traffic::Mirror;

pub(crate) fn filters(dto: &dto::Filters<'_>, path: &PathRule, shared: &mut Shared) -> Checked<Filters> {
    let edits = Edits {
        request: edits("filters.request_header_modifier", dto.request_header_modifier.as_ref())?,
        response: edits("filters.response_header_modifier", dto.response_header_modifier.as_ref())?,
        rewrite: dto.url_rewrite.as_ref().map(|dto| rewrite("filters.url_rewrite", dto, path)).transpose()?,
    };
    Ok(Filters {
        edits,
        redirect: dto.request_redirect.as_ref().map(|dto| redirect(dto, path)).transpose()?,
        cors: dto.cors.as_ref().map(cors).transpose()?,
        mirrors: mirrors(&dto.request_mirrors, shared)?,
    })
}

pub(crate) fn group_edits(here: &str, dto: &dto::GroupFilters<'_>, path: &PathRule) -> Checked<Edits> {
    Ok(Edits {
        request: edits(&format!("{here}request_header_modifier"), dto.request_header_modifier.as_ref())?,
        response: edits(&format!("{here}response_header_modifier"), dto.response_header_modifier.as_ref())?,
        rewrite: match &dto.url_rewrite {
            Some(dto) => Some(rewrite(&format!("{here}url_rewrite"), dto, path)?),
            None => None,
        },
    })
}

fn edits(here: &str, dto: Option<&dto::HeaderModifier<'_>>) -> Checked<Box<[HeaderEdit]>> {
    let Some(dto) = dto else { return Ok(Box::default()) };
    for (list, count) in [("remove", dto.remove.len()), ("set", dto.set.len()), ("add", dto.add.len())] {
        at_most(&format!("{here}.{list}"), count, limits::HEADER_EDITS)?;
    }
    let mut edits = Vec::with_capacity(dto.remove.len() + dto.set.len() + dto.add.len());
    for (n, name) in dto.remove.iter().enumerate() {
        filter::check_editable(name).at(|| format!("{here}.remove[{n}]"))?;
        edits.push(HeaderEdit { op: Op::Remove, name: (**name).into(), value: "".into() });
    }
    for (list, op, values) in [("set", Op::Set, &dto.set), ("add", Op::Add, &dto.add)] {
        for (n, header) in values.iter().enumerate() {
            filter::check_editable(&header.name).at(|| format!("{here}.{list}[{n}].name"))?;
            filter::check_value(&header.value).at(|| format!("{here}.{list}[{n}].value"))?;
            edits.push(HeaderEdit { op, name: (*header.name).into(), value: (*header.value).into() });
        }
    }
    Ok(edits.into())
}

fn rewrite(here: &str, dto: &dto::UrlRewrite<'_>, path: &PathRule) -> Checked<UrlRewrite> {
    let replacement = (dto.path_type, dto.replace_full_path.as_deref(), dto.replace_prefix_match.as_deref());
    Ok(UrlRewrite {
        hostname: dto.hostname.as_deref().map(|name| hostname(here, name)).transpose()?,
        path: path_rewrite(here, replacement, path)?,
    })
}

fn hostname(here: &str, name: &str) -> Checked<Box<str>> {
    match HostPattern::parse(name).at(|| format!("{here}.hostname"))? {
        HostPattern::Exact(_) => Ok(name.into()),
        HostPattern::Any | HostPattern::Suffix(_) => wrong(format!("{here}.hostname"), "must not be a wildcard"),
    }
}

type Replacement<'d> = (Option<dto::RewriteType>, Option<&'d str>, Option<&'d str>);

fn path_rewrite(here: &str, dto: Replacement<'_>, path: &PathRule) -> Checked<Option<PathRewrite>> {
    use dto::RewriteType::{ReplaceFullPath, ReplacePrefixMatch};
    let check = |field: &str, value: &str| {
        let visible = value.bytes().all(|b| b.is_ascii_graphic() && !b"?#".contains(&b));
        if visible && value.len() <= limits::PATH_BYTES {
            Ok(())
        } else {
            wrong(format!("{here}.{field}"), "is no path: visible ASCII without `?` and `#`, at most 1024 bytes")
        }
    };
    match dto {
        (None, None, None) => Ok(None),
        (Some(ReplaceFullPath), full, _) | (None, full @ Some(_), None) => {
            let full = full.unwrap_or_default();
            check("replace_full_path", full)?;
            Ok(Some(PathRewrite::full(full)))
        }
        (Some(ReplacePrefixMatch), _, with) | (None, None, with @ Some(_)) => {
            let with = with.unwrap_or_default();
            check("replace_prefix_match", with)?;
            let strip = match path {
                PathRule::Any => 0,
                PathRule::Prefix(path) | PathRule::Exact(path) => path.len(),
                PathRule::Pattern(_) => {
                    return wrong(format!("{here}.replace_prefix_match"), "needs a PathPrefix path to replace");
                }
            };
            Ok(Some(PathRewrite::prefix(strip, with)))
        }
        (None, Some(_), Some(_)) => wrong(format!("{here}.path_type"), "two replacements and no type"),
    }
}

fn redirect(dto: &dto::Redirect<'_>, path: &PathRule) -> Checked<Redirect> {
    const HERE: &str = "filters.request_redirect";
    let scheme = match dto.scheme.as_deref() {
        None => None,
        Some("http") => Some(Scheme::Http),
        Some("https") => Some(Scheme::Https),
        Some(other) => return wrong(format!("{HERE}.scheme"), format!("`{other}`, must be http or https")),
    };
    let status = dto.status_code.unwrap_or(302);
    if ![301, 302, 303, 307, 308].contains(&status) {
        return wrong(format!("{HERE}.status_code"), format!("{status} is no redirect"));
    }
    if dto.port == Some(0) {
        return wrong(format!("{HERE}.port"), "must not be 0");
    }
    let replacement = (dto.path_type, dto.replace_full_path.as_deref(), dto.replace_prefix_match.as_deref());
    Ok(Redirect {
        scheme,
        hostname: dto.hostname.as_deref().map(|name| hostname(HERE, name)).transpose()?,
        port: dto.port,
        path: path_rewrite(HERE, replacement, path)?,
        status,
    })
}

fn cors(dto: &dto::Cors<'_>) -> Checked<Cors> {
    const HERE: &str = "filters.cors";
    let lists = [
        ("allow_origins", &dto.allow_origins),
        ("allow_methods", &dto.allow_methods),
        ("allow_headers", &dto.allow_headers),
        ("expose_headers", &dto.expose_headers),
    ];
    for (name, list) in lists {
        at_most(&format!("{HERE}.{name}"), list.len(), limits::CORS_ENTRIES)?;
    }
    if dto.allow_origins.is_empty() {
        return wrong(format!("{HERE}.allow_origins"), "must not be empty");
    }
    let origins = dto.allow_origins.iter().enumerate();
    let max_age = dto.max_age_seconds.unwrap_or(5);
    check_seconds("filters.cors.max_age_seconds", max_age)?;
    Ok(Cors {
        origins: origins
            .map(|(n, text)| OriginPattern::parse(text).at(|| format!("{HERE}.allow_origins[{n}]")))
            .collect::<Checked<_>>()?,
        methods: allowed("allow_methods", &dto.allow_methods)?,
        headers: allowed("allow_headers", &dto.allow_headers)?,
        expose: joined("expose_headers", &dto.expose_headers)?,
        credentials: dto.allow_credentials,
        max_age,
    })
}

fn allowed(field: &str, list: &[Cow<'_, str>]) -> Checked<Allowed> {
    if list.iter().any(|entry| entry == "*") {
        return Ok(Allowed::Requested);
    }
    joined(field, list).map(Allowed::These)
}

fn joined(field: &str, list: &[Cow<'_, str>]) -> Checked<Box<str>> {
    for (n, entry) in list.iter().enumerate() {
        filter::check_name(entry).at(|| format!("filters.cors.{field}[{n}]"))?;
    }
    Ok(list.join(", ").into())
}

fn mirrors(dtos: &[dto::Mirror<'_>], shared: &mut Shared) -> Checked<Box<[Mirror]>> {
    at_most("filters.request_mirrors", dtos.len(), limits::MIRRORS)?;
    let compile = |(n, dto): (usize, &dto::Mirror<'_>)| {
        let here = format!("filters.request_mirrors[{n}]");
        let target = match (&dto.pool, dto.backends.is_empty()) {
            (Some(_), false) => return wrong(here, "both `pool` and `backends`"),
            (Some(pool), true) => Target::Named(shared.name(&pool_name(pool))),
            (None, _) => {
                let field = format!("{here}.backends");
                Target::Inline(inline_pool(&field, &dto.backends, dto.select, dto.backend_tls.as_ref(), shared)?)
            }
        };
        let (numerator, denominator) = match (dto.percent, &dto.fraction) {
            (None, None) => (100, 100),
            (Some(percent), None) => (percent, 100),
            (None, Some(fraction)) => (fraction.numerator, fraction.denominator.unwrap_or(100)),
            (Some(_), Some(_)) => return wrong(here, "both `percent` and `fraction`"),
        };
        if denominator == 0 || numerator > denominator {
            return wrong(here, format!("{numerator} of {denominator} is no share"));
        }
        let usage = shared.backend_usage(&target, dto.pool.as_deref());
        Ok(Mirror { target, usage, threshold: Mirror::threshold(numerator, denominator) })
    };
    dtos.iter().enumerate().map(compile).collect()
}

fn check_seconds(field: &str, seconds: u32) -> Checked<()> {
    if seconds > limits::SECONDS { wrong(field, format!("{seconds}, limit {}", limits::SECONDS)) } else { Ok(()) }
}

pub(crate) fn cache(
    dto: &dto_cache::CachePolicy<'_>,
    default_scope: String,
    shared: &mut Shared,
) -> Checked<CachePolicy> {
    let ttl = match (dto.default_ttl_seconds, dto.forced_ttl_seconds) {
        (None, None) => Ttl::Origin,
        (Some(seconds), None) => Ttl::Default(seconds),
        (None, Some(seconds)) => Ttl::Forced(seconds),
        (Some(_), Some(_)) => return wrong("forced_ttl_seconds", "not together with default_ttl_seconds"),
    };
    for (field, seconds) in [
        ("default_ttl_seconds", dto.default_ttl_seconds.unwrap_or_default()),
        ("forced_ttl_seconds", dto.forced_ttl_seconds.unwrap_or_default()),
        ("grace_seconds", dto.grace_seconds),
        ("keep_seconds", dto.keep_seconds),
        ("stale_if_error_seconds", dto.stale_if_error_seconds),
    ] {
        check_seconds(field, seconds)?;
    }
    at_most("scope", dto.scope.as_deref().map_or(0, str::len), limits::NAME_BYTES)?;
    line::printable(dto.scope.as_deref().unwrap_or_default()).at(|| "scope".into())?;
    let scope = dto.scope.as_deref().map_or(default_scope, Into::into);
    if let Some(name) = &dto.tags_header {
        filter::check_name(name).at(|| "tags_header".into())?;
    }
    let purge_by = |key| dto.purge_keys.as_ref().map_or(key == dto_cache::PurgeKey::Path, |keys| keys.contains(&key));
    Ok(CachePolicy {
        ttl,
        grace_seconds: dto.grace_seconds,
        keep_seconds: dto.keep_seconds,
        stale_if_error_seconds: dto.stale_if_error_seconds,
        allow_cookies: dto.allow_cookies,
        allow_authorization: dto.allow_authorization,
        allow_set_cookie: dto.allow_set_cookie,
        purge_by_path: purge_by(dto_cache::PurgeKey::Path),
        purge_by_url: purge_by(dto_cache::PurgeKey::Url),
        tags_header: dto.tags_header.as_deref().map(Into::into),
        scope: scope.into_bytes().into(),
        key_headers: key_headers(&dto.cache_key.headers)?,
        key_query: key_query(&dto.cache_key)?,
        bypass: bypass(&dto.bypass_headers, shared)?,
    })
}

fn key_headers(names: &[Cow<'_, str>]) -> Checked<Box<[Box<str>]>> {
    at_most("cache_key.headers", names.len(), limits::CACHE_PARTS)?;
    for (n, name) in names.iter().enumerate() {
        filter::check_name(name).at(|| format!("cache_key.headers[{n}]"))?;
    }
    Ok(names.iter().map(|name| (**name).into()).collect())
}

fn key_query(dto: &dto_cache::CacheKey<'_>) -> Checked<KeyQuery> {
    let list = |names: &[Cow<'_, str>]| names.iter().map(|name| (**name).into()).collect();
    at_most("cache_key.query_params_include", dto.query_params_include.len(), limits::CACHE_PARTS)?;
    at_most("cache_key.query_params_exclude", dto.query_params_exclude.len(), limits::CACHE_PARTS)?;
    match (dto.query_params_include.is_empty(), dto.query_params_exclude.is_empty()) {
        (true, true) => Ok(KeyQuery::All),
        (false, true) => Ok(KeyQuery::Only(list(&dto.query_params_include))),
        (true, false) => Ok(KeyQuery::Without(list(&dto.query_params_exclude))),
        (false, false) => wrong("cache_key.query_params_exclude", "not together with query_params_include"),
    }
}

fn bypass(dtos: &[dto_cache::BypassHeader<'_>], shared: &mut Shared) -> Checked<Box<[Bypass]>> {
    at_most("bypass_headers", dtos.len(), limits::CACHE_PARTS)?;
    let compile = |(n, dto): (usize, &dto_cache::BypassHeader<'_>)| {
        filter::check_name(&dto.name).at(|| format!("bypass_headers[{n}].name"))?;
        let pattern =
            |source: &str| shared.pattern(source, Coverage::Search).at(|| format!("bypass_headers[{n}].value_regex"));
        Ok(Bypass { name: (*dto.name).into(), value: dto.value_regex.as_deref().map(pattern).transpose()? })
    };
    dtos.iter().enumerate().map(compile).collect()
}
