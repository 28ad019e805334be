//! Runs the shared cases of `tests/cases`; their README describes the files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ghost_core::{
    Action, CachePolicy, Chance, Choice, EditBuffer, Headers, HostName, Limit, Matched, Op, Pick, PurgeKey, Rewritten,
    Scratch, Table, Ttl, write_purge_key,
};
use support::{OwnedRequest, parse_requests, text};

fn directories() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut all: Vec<_> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

#[test]
fn every_case_says_what_it_said() {
    let bless = std::env::var_os("GHOST_BLESS").is_some();
    let mut failures = Vec::new();
    for directory in directories() {
        let name = directory.file_name().unwrap().to_string_lossy().into_owned();
        let read = |file| fs::read_to_string(directory.join(file)).unwrap_or_else(|e| panic!("{name}/{file}: {e}"));
        let actual = run(&read("table.json"), &read("requests.txt"));
        if bless {
            fs::write(directory.join("expected.txt"), &actual).unwrap();
        } else if actual != read("expected.txt") {
            failures.push(format!("--- {name}\n{actual}"));
        }
    }
    assert!(!bless, "expected.txt rewritten: read the difference, then run without GHOST_BLESS");
    assert!(failures.is_empty(), "{} cases differ; they say now:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn there_is_no_unread_file() {
    for directory in directories() {
        let mut names: Vec<_> = fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["expected.txt", "requests.txt", "table.json"], "{}", directory.display());
    }
}

#[test]
fn no_two_cases_expect_the_same() {
    let mut seen = std::collections::HashMap::new();
    for directory in directories() {
        let expected = fs::read_to_string(directory.join("expected.txt")).unwrap();
        if let Some(other) = seen.insert(expected, directory.clone()) {
            panic!("{} and {}", other.display(), directory.display());
        }
    }
}

#[test]
fn tables_without_refusals_fit_the_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let schema = serde_json::from_str(&fs::read_to_string(root.join("ghost-json.schema.json")).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut checked = 0;
    for directory in directories() {
        if fs::read_to_string(directory.join("expected.txt")).unwrap().contains("refused") {
            continue;
        }
        let table = serde_json::from_str(&fs::read_to_string(directory.join("table.json")).unwrap()).unwrap();
        let errors: Vec<_> = validator.iter_errors(&table).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", directory.display());
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
    let example = fs::read_to_string(root.join("ghost-json.md")).unwrap();
    let example = example.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(validator.is_valid(&serde_json::from_str(example).unwrap()), "the example of the document");
    assert!(Table::build(example.as_bytes(), None).unwrap().report.refusals.is_empty());
}

fn run(table: &str, requests: &str) -> String {
    let built = match Table::build(table.as_bytes(), None) {
        Ok(built) => built,
        Err(error) if error.field.is_empty() => return "table refused -\n".into(),
        Err(error) => return format!("table refused {}\n", error.field),
    };
    let mut out = String::new();
    for refusal in &built.report.refusals {
        let rule = refusal.rule.map_or("-".to_owned(), |rule| rule.to_string());
        let (effect, vhost, route) = (refusal.effect.as_str(), &refusal.vhost, &refusal.route);
        writeln!(out, "refused {effect} vhost={vhost} route={route} rule={rule} field={}", refusal.field).unwrap();
    }
    let mut scratch = Scratch::default();
    for request in parse_requests(requests) {
        if !out.is_empty() {
            out.push('\n');
        }
        writeln!(out, "{} {}", text(&request.method), text(&request.url)).unwrap();
        let normal = match request.normalised() {
            Ok(normal) => normal,
            Err(refused) => {
                writeln!(out, "  {} refused", refused.status).unwrap();
                continue;
            }
        };
        let chance = Chance { draw: request.draw, now_ms: 0 };
        for line in describe(&built.table, (&request, &normal), chance, &mut scratch).lines() {
            writeln!(out, "  {line}").unwrap();
        }
    }
    out
}

fn describe(
    table: &Table,
    (sent, request): (&OwnedRequest, &OwnedRequest),
    chance: Chance,
    scratch: &mut Scratch,
) -> String {
    let (matched, action) = match table.select(&request.view(), chance, scratch) {
        Choice::FreedSocket => return "404 freed-socket".into(),
        Choice::NoListener => return "404 no-listener".into(),
        Choice::BadHost => return "400 bad-host".into(),
        Choice::Misdirected => return "421 misdirected".into(),
        Choice::NoHost(_) => return "404 no-host".into(),
        Choice::NoRoute(_) => return "404 no-route".into(),
        Choice::Route(matched, action) => (matched, action),
    };
    let route = matched.route;
    let (rule, match_) = route.origin();
    let listener = text(matched.listener.name);
    let name = if route.name().is_empty() { "-" } else { route.name() };
    let mut out = format!("route {name} rule {rule} match {match_} host {} listener {listener}\n", matched.host.name());
    match action {
        Action::Redirect(redirect) => {
            let mut location = Vec::new();
            redirect.write_location(&matched.origin(request.host().as_deref(), &request.url), &mut location);
            writeln!(out, "{} redirect {}", redirect.status, text(&location)).unwrap();
        }
        Action::Preflight(cors) => {
            out.push_str("200 preflight\n");
            let mut edits = EditBuffer::default();
            cors.write_preflight(&request.headers, &mut edits);
            write_edits(&mut out, "response", edits.iter());
        }
        Action::Invalid => out.push_str("500 invalid\n"),
        Action::Unavailable => out.push_str("503 unavailable\n"),
        Action::Forward(forward) => {
            writeln!(out, "forward group {} endpoint {}", forward.group_index, forward.endpoint.key()).unwrap();
            let rewritten = Rewritten::of(route, Some(forward.group));
            if sent.url != request.url || rewritten.path.is_some() {
                let mut url = Vec::new();
                rewritten.write_url(&request.url, &mut url);
                writeln!(out, "url {}", text(&url)).unwrap();
            }
            let host = request.host().filter(|host| sent.host().as_ref() != Some(host)).map(|host| text(&host));
            if let Some(host) = rewritten.hostname.map(ToOwned::to_owned).or(host) {
                writeln!(out, "host {host}").unwrap();
            }
            describe_forward(&mut out, table, request, &matched, forward.group);
        }
    }
    out
}

fn describe_forward(
    out: &mut String,
    table: &Table,
    request: &OwnedRequest,
    matched: &Matched<'_>,
    group: &ghost_core::Group,
) {
    let route = matched.route;
    let edits = |list: &'static str, edits: &[ghost_core::HeaderEdit], out: &mut String| {
        write_edits(out, list, edits.iter().map(|edit| (edit.op, edit.name.as_bytes(), edit.value.as_bytes())));
    };
    edits("request", route.request_edits(), out);
    edits("request", group.request_edits(), out);
    edits("response", group.response_edits(), out);
    edits("response", route.response_edits(), out);
    if let Some(cors) = route.cors() {
        let mut edits = EditBuffer::default();
        cors.write_response(&request.headers, &mut edits);
        write_edits(out, "response", edits.iter());
    }
    for mirror in route.mirrors_for(u64::MAX) {
        let pick = Pick { draw: 0, key: 0, now_ms: 0, tried: &[] };
        let endpoint = table.pool(mirror.target()).and_then(|pool| pool.pick(&pick));
        writeln!(out, "mirror {}", endpoint.map_or("-", |endpoint| endpoint.key())).unwrap();
    }
    let timeouts = route.timeouts();
    if timeouts != ghost_core::Timeouts::default() {
        let first = timeouts.attempt(0).unwrap();
        let ms = |limit| match limit {
            Limit::Inherit => "inherit".to_owned(),
            Limit::Never => "never".to_owned(),
            Limit::Ms(ms) => ms.to_string(),
        };
        let deadline = first.deadline_ms.map_or("none".to_owned(), |ms| ms.to_string());
        let (connect, first_byte, between) = (ms(first.connect), ms(first.first_byte), ms(first.between_bytes));
        writeln!(out, "timeout connect={connect} first_byte={first_byte} between_bytes={between} deadline={deadline}")
            .unwrap();
    }
    if let Some(retry) = route.retry() {
        let codes: Vec<_> = retry.codes().iter().map(u16::to_string).collect();
        let (attempts, errors) = (retry.attempts, retry.connection_errors);
        let codes = codes.join(",");
        writeln!(
            out,
            "retry attempts={attempts} codes={codes} connection_errors={errors} backoff={}",
            retry.backoff_ms
        )
        .unwrap();
    }
    if route.buffer_bytes() > 0 {
        writeln!(out, "buffer {}", route.buffer_bytes()).unwrap();
    }
    if let Some(cache) = route.cache() {
        describe_cache(out, cache, request);
    }
}

fn describe_cache(out: &mut String, cache: &CachePolicy, request: &OwnedRequest) {
    let ttl = match cache.ttl {
        Ttl::Origin => "origin".to_owned(),
        Ttl::Default(seconds) => format!("default={seconds}"),
        Ttl::Forced(seconds) => format!("forced={seconds}"),
    };
    let (grace, keep, stale) = (cache.grace_seconds, cache.keep_seconds, cache.stale_if_error_seconds);
    writeln!(out, "cache {ttl} grace={grace} keep={keep} stale_if_error={stale}").unwrap();
    if cache.bypasses(&request.headers) {
        out.push_str("bypass\n");
        return;
    }
    let host = request.headers.first(b"host").and_then(HostName::parse);
    for (kind, wanted) in [(PurgeKey::Path, cache.purge_by_path), (PurgeKey::Url, cache.purge_by_url)] {
        if wanted {
            let mut key = Vec::new();
            write_purge_key(kind, host.as_ref(), &request.url, &mut key);
            writeln!(out, "purge {}", text(&key)).unwrap();
        }
    }
}

fn write_edits<'e>(out: &mut String, list: &str, edits: impl Iterator<Item = (Op, &'e [u8], &'e [u8])>) {
    for (op, name, value) in edits {
        match op {
            Op::Remove => writeln!(out, "{list} remove {}", text(name)),
            Op::Set => writeln!(out, "{list} set {}: {}", text(name), text(value)),
            Op::Add => writeln!(out, "{list} add {}: {}", text(name), text(value)),
        }
        .unwrap();
    }
}
