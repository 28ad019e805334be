//! From bytes to a table, beside the live one and as much of it as possible.
//!
//! The top level is read shallowly: hosts and pools stay raw text. A host whose bytes have the digest that the previous
//! table recorded is taken over whole, one whose bytes differ is compiled, route by route, taking over the routes that did not
//! change. The host index is made anew: it costs less than finding out whether it could be kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::value::RawValue;

use crate::compile::{self, Wrong};
use crate::dto;
use crate::endpoint::Endpoint;
use crate::hash;
use crate::health::Ejection;
use crate::host::{HostIndex, HostPattern};
use crate::intern::{Interner, Shared};
use crate::limits;
use crate::listener::Listeners;
use crate::pool::Pool;
use crate::report::{Effect, Refusal, Report, TableError};
use crate::route::Target;
use crate::scans;
use crate::table::{NamedPools, Table};
use crate::vhost::{self, Before, Compiled, Host};
use crate::waiting;

#[derive(Debug)]
pub struct Built {
    pub table: Table,
    pub report: Report,
}

/// Number of the next table. None has 0.
static TABLES: AtomicU64 = AtomicU64::new(1);

/// Names that may be numbered and unused before the numbering starts over.
const SPARE_NAMES: usize = 4_096;

impl Table {
    /// Compiles a table. Takes time and stack: call it on a thread of its own, with 2 MiB of stack or more.
    pub fn build(bytes: &[u8], previous: Option<&Table>) -> Result<Built, TableError> {
        let top = read_top(bytes)?;
        let Some(previous) = previous else { return build_on(Arc::default(), &top, None, None) };
        let names = previous.interner.lock().names();
        let built = build_on(Arc::clone(&previous.interner), &top, Some(previous), Some(previous))?;
        // What is kept of routes that wait has the old numbers.
        if names <= 2 * previous.names_in_use + SPARE_NAMES || built.report.deferred > 0 {
            return Ok(built);
        }
        let renewed = build_on(Arc::new(previous.interner.renewed()), &top, Some(previous), None)?;
        Ok(if renewed.report.deferred > 0 { built } else { renewed })
    }
}

/// The hosts and pools of `numbered` have numbers of this interner.
fn build_on(
    interner: Arc<Interner>,
    top: &dto::Top<'_>,
    previous: Option<&Table>,
    numbered: Option<&Table>,
) -> Result<Built, TableError> {
    let mut shared = interner.lock();
    shared.begin();
    let mut report = Report::default();
    let mut listeners = Listeners::build(top, &mut shared)?;
    let mut pools = build_pools(&top.pools.0, numbered, &mut shared, &mut report);
    let old = OldHosts::of(previous, numbered);
    let (hosts, host_index) = build_hosts(&top.vhosts.0, &old, &mut shared, &mut report);
    waiting::keep_pools(&hosts, &mut pools, numbered);
    let pools: NamedPools = pools.into();
    listeners.name_sockets(&shared);
    let mut survey = Survey::new(&listeners, &pools, shared.names());
    for host in &hosts {
        survey.visit(host);
    }
    let names_in_use = survey.names_in_use();
    let (endpoints, complaints) = survey.finish(&pools);
    report.refusals.extend(complaints);
    report.hosts = hosts.len();
    report.routes = hosts.iter().map(|host| host.routes.len()).sum();
    let before = previous.map(|previous| &*previous.endpoints).unwrap_or_default();
    report.endpoints_added = missing_from(&endpoints, before);
    report.endpoints_removed = missing_from(before, &endpoints);
    report.deferred = shared.budget.deferred();
    report.pattern_bytes = shared.room.used();
    shared.sweep();
    drop(shared);
    let table = Table {
        number: TABLES.fetch_add(1, Ordering::Relaxed),
        hash: top.hash.as_deref().map(Into::into),
        listeners,
        routes: report.routes,
        hosts: hosts.into(),
        host_index,
        pools,
        ejection: ejection(&top.passive_health)?,
        endpoints: endpoints.into(),
        names_in_use,
        interner,
    };
    Ok(Built { table, report })
}

fn read_top(bytes: &[u8]) -> Result<dto::Top<'_>, TableError> {
    if bytes.len() > limits::TABLE_BYTES {
        return Err(TableError::new("", format!("{} bytes, limit {}", bytes.len(), limits::TABLE_BYTES)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| TableError::new("", error.to_string()))?;
    let top: dto::Top<'_> = compile::read(text).map_err(|wrong| TableError::new(wrong.field, wrong.message))?;
    if top.version != 2 {
        return Err(TableError::new("version", format!("{}, must be 2", top.version)));
    }
    if top.hash.as_ref().is_some_and(|hash| hash.len() > limits::HASH_BYTES) {
        return Err(TableError::new("hash", "longer than 128 bytes"));
    }
    if top.vhosts.0.len() > limits::HOSTS {
        return Err(TableError::new("vhosts", format!("{} hosts, limit {}", top.vhosts.0.len(), limits::HOSTS)));
    }
    Ok(top)
}

fn ejection(dto: &dto::PassiveHealth) -> Result<Ejection, TableError> {
    let default = Ejection::default();
    let first_ms = dto.eject_ms.unwrap_or(default.first_ms);
    let longest_ms = dto.eject_max_ms.unwrap_or(default.longest_ms);
    if first_ms.max(longest_ms) > limits::EJECT_MS {
        return Err(TableError::new("passive_health", format!("limit {} ms", limits::EJECT_MS)));
    }
    Ok(Ejection { first_ms, longest_ms })
}

type RawEntries<'a> = [(std::borrow::Cow<'a, str>, &'a RawValue)];

fn build_pools(
    entries: &RawEntries<'_>,
    previous: Option<&Table>,
    shared: &mut Shared,
    report: &mut Report,
) -> Vec<Option<(u128, Arc<Pool>)>> {
    let mut pools: Vec<Option<(u128, Arc<Pool>)>> = Vec::new();
    for (name, raw) in entries {
        let number = usize::try_from(shared.name(&compile::pool_name(name))).unwrap_or_default();
        let digest = hash::digest(raw.get().as_bytes());
        let kept = previous.and_then(|previous| previous.pools.get(number)?.as_ref()).filter(|(was, _)| *was == digest);
        let pool = match kept {
            Some((_, pool)) => Arc::clone(pool),
            None => build_pool(raw, shared).unwrap_or_else(|wrong| {
                report.refusals.push(Refusal {
                    vhost: "".into(),
                    route: "".into(),
                    rule: None,
                    field: format!("pools.{name}.{}", wrong.field).trim_end_matches('.').into(),
                    effect: Effect::Unavailable,
                    message: wrong.message.into(),
                });
                Arc::default()
            }),
        };
        // A refused pool is read again next time, so that the refusal is told again.
        let digest = if pool.endpoints().is_empty() { 0 } else { digest };
        if pools.len() <= number {
            pools.resize_with(number + 1, || None);
        }
        if let Some(slot) = pools.get_mut(number) {
            *slot = Some((digest, pool));
        }
    }
    pools
}

fn build_pool(raw: &RawValue, shared: &mut Shared) -> Result<Arc<Pool>, Wrong> {
    let dto: dto::Pool<'_> = compile::read(raw.get())?;
    compile::inline_pool("backends", &dto.backends, dto.select, dto.backend_tls.as_ref(), shared)
}

struct OldHosts<'t> {
    by_name: HashMap<&'t str, &'t Arc<Host>, foldhash::fast::RandomState>,
    /// What they name has the same numbers in this build.
    are_numbered: bool,
}

impl<'t> OldHosts<'t> {
    fn of(previous: Option<&'t Table>, numbered: Option<&Table>) -> Self {
        let hosts = previous.map(|previous| &*previous.hosts).unwrap_or_default();
        Self { by_name: hosts.iter().map(|host| (host.name(), host)).collect(), are_numbered: numbered.is_some() }
    }

    fn is_first_table(&self) -> bool {
        self.by_name.is_empty()
    }
}

fn build_hosts(
    entries: &RawEntries<'_>,
    old: &OldHosts<'_>,
    shared: &mut Shared,
    report: &mut Report,
) -> (Vec<Arc<Host>>, HostIndex) {
    let mut hosts = Vec::with_capacity(entries.len());
    let mut index = HostIndex::default();
    for (name, raw) in scans::from_widest(entries) {
        let number = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
        let fits = HostPattern::parse(name)
            .and_then(|pattern| if index.insert(pattern, number) { Ok(()) } else { Err("is there twice".to_owned()) });
        if let Err(message) = fits {
            report.refusals.push(Refusal {
                vhost: name.into(),
                route: "".into(),
                rule: None,
                field: "vhosts".into(),
                effect: Effect::HostOmitted,
                message: message.into(),
            });
            continue;
        }
        let host = build_host(name, raw, old, shared, report);
        report.refusals.extend(host.refusals.iter().cloned());
        hosts.push(host);
    }
    (hosts, index)
}

/// Takes over what it can.
fn build_host(name: &str, raw: &RawValue, old: &OldHosts<'_>, shared: &mut Shared, report: &mut Report) -> Arc<Host> {
    let before = old.by_name.get(name).copied();
    let numbered = before.filter(|_| old.are_numbered);
    let digest = hash::digest(raw.get().as_bytes());
    shared.enter(name);
    if let Some(host) = numbered.filter(|host| host.digest == digest && host.has_room_for_all(shared)) {
        report.hosts_reused += 1;
        report.routes_reused += host.routes.len();
        return Arc::clone(host);
    }
    let name = before.map_or_else(|| Arc::from(name), |host| Arc::clone(&host.name));
    let known = match before {
        Some(host) if old.are_numbered => Before::Whole(host),
        Some(host) => Before::Refused(host),
        None => Before::Nothing,
    };
    match vhost::compile(&name, raw, digest, known, shared) {
        Ok(Compiled { host, reused, is_missing }) => {
            report.routes_reused += reused;
            // Before the first table there was no wider host to answer for it.
            let is_closed = is_missing && before.map_or(old.is_first_table(), |host| host.is_closed);
            Arc::new(Host { is_closed, ..host })
        }
        Err(refusal) => {
            report.refusals.push(refusal);
            // Its place in the index is taken: an empty host keeps the numbers right.
            Arc::new(Host::empty(&name))
        }
    }
}

/// A last look over the finished hosts: which endpoints they reach, and which names lead nowhere.
struct Survey<'s> {
    listeners: Option<HashSet<u32>>,
    pools: &'s NamedPools,
    used: Vec<bool>,
    seen: HashSet<*const Pool, foldhash::fast::RandomState>,
    endpoints: HashMap<u64, Arc<Endpoint>, foldhash::fast::RandomState>,
    complaints: Vec<Refusal>,
}

impl<'s> Survey<'s> {
    fn new(listeners: &Listeners, pools: &'s NamedPools, names: usize) -> Self {
        let listeners = listeners.numbers();
        let mut used = vec![false; names];
        for number in listeners.iter().flatten() {
            mark(&mut used, *number);
        }
        for (slot, pool) in used.iter_mut().zip(pools) {
            *slot |= pool.is_some();
        }
        Self { listeners, pools, used, seen: HashSet::default(), endpoints: HashMap::default(), complaints: Vec::new() }
    }

    fn visit(&mut self, host: &Host) {
        for route in &host.routes {
            let is_newest = !host.is_kept(route);
            let complain = |field: &str, effect, message: &str| Refusal {
                vhost: Arc::clone(&host.name),
                route: route.name().into(),
                rule: None,
                field: field.into(),
                effect,
                message: message.into(),
            };
            for number in &route.listeners {
                mark(&mut self.used, *number);
                if is_newest && self.listeners.as_ref().is_some_and(|known| !known.contains(number)) {
                    self.complaints.push(complain("listeners", Effect::Partial, "names no listener of this table"));
                }
            }
            let groups = route.groups.iter().map(|group| ("backend_groups", &group.target));
            let mirrors = route.mirrors().iter().map(|mirror| ("filters.request_mirrors", &mirror.target));
            for (field, target) in groups.chain(mirrors) {
                match target {
                    Target::Invalid => {}
                    Target::Inline(pool) => self.collect(pool),
                    Target::Named(number) => {
                        mark(&mut self.used, *number);
                        let named = usize::try_from(*number).ok().and_then(|number| self.pools.get(number));
                        if is_newest && named.is_none_or(Option::is_none) {
                            self.complaints.push(complain(field, Effect::Unavailable, "names no pool of this table"));
                        }
                    }
                }
            }
        }
    }

    fn collect(&mut self, pool: &Arc<Pool>) {
        if self.seen.insert(Arc::as_ptr(pool)) {
            self.endpoints.extend(pool.endpoints().iter().map(|endpoint| (endpoint.id(), Arc::clone(endpoint))));
        }
    }

    fn names_in_use(&self) -> usize {
        self.used.iter().filter(|used| **used).count()
    }

    fn finish(mut self, pools: &NamedPools) -> (Vec<Arc<Endpoint>>, Vec<Refusal>) {
        for (_, pool) in pools.iter().flatten() {
            self.collect(pool);
        }
        let mut endpoints: Vec<_> = self.endpoints.into_values().collect();
        endpoints.sort_unstable_by_key(|endpoint| endpoint.id());
        (endpoints, self.complaints)
    }
}

fn mark(used: &mut [bool], number: u32) {
    if let Some(slot) = usize::try_from(number).ok().and_then(|number| used.get_mut(number)) {
        *slot = true;
    }
}

/// Both sorted by id.
fn missing_from(some: &[Arc<Endpoint>], others: &[Arc<Endpoint>]) -> Vec<Arc<Endpoint>> {
    let absent = |endpoint: &&Arc<Endpoint>| others.binary_search_by_key(&endpoint.id(), |other| other.id()).is_err();
    some.iter().filter(absent).cloned().collect()
}
