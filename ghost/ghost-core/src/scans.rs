//! How often the values of one request are gone through.
//!
//! A request chooses how long its path, its headers and its parameters are, and each numbered condition (`conditions.rs`) of a host goes
//! through one of them. So their number is bounded: a namespace may have half of a host's, and the last eighth is for those that
//! have few. A pattern whose automaton is large counts several times, because it is slower. Conditions count in the order of the table: from
//! the first that does not fit, a namespace loses its routes with conditions on that host, and no other namespace loses any.
//!
//! What no route of a host takes is asked of the wider hosts that cover it (`*.example.com`, `*.com`, `*`). So theirs count for it, too, and
//! hosts are built from the widest on.
//!
//! A condition of two namespaces counts for each, and once for all.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::conditions::{Condition, Place};
use crate::limits;
use crate::pattern::Pattern;
use crate::room;
use crate::route::Route;

/// Of one build.
#[derive(Debug, Default)]
pub struct Scans {
    /// The one that is being built, in lower case.
    host: Box<str>,
    hosts: HashMap<Box<str>, Account>,
    refusals: u64,
}

/// The conditions of a host.
#[derive(Debug, Default)]
struct Account {
    all: Counted,
    namespaces: HashMap<Box<str>, Own>,
}

#[derive(Debug, Default)]
struct Own {
    counted: Counted,
    /// There was one that did not fit.
    is_full: bool,
}

#[derive(Debug, Default)]
struct Counted {
    digests: HashSet<u128>,
    scans: u32,
}

impl Counted {
    /// How many scans these would be more, each one once.
    fn more(&self, wanted: &[Wanted]) -> u32 {
        let mut seen = HashSet::new();
        let new = wanted.iter().filter(|one| !self.digests.contains(&one.digest) && seen.insert(one.digest));
        new.map(|one| one.scans).sum()
    }

    fn count(&mut self, wanted: &[Wanted]) {
        for one in wanted {
            if self.digests.insert(one.digest) {
                self.scans = self.scans.saturating_add(one.scans);
            }
        }
    }
}

struct Wanted {
    digest: u128,
    scans: u32,
}

impl Wanted {
    fn new(condition: Condition<'_>, pattern: Option<&Arc<Pattern>>) -> Self {
        Self { digest: condition.digest(), scans: pattern.map_or(1, |pattern| pattern.scans()) }
    }
}

impl Scans {
    /// What follows is of this host.
    pub fn enter(&mut self, host: &str) {
        self.host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase().into();
    }

    /// Whether more of this namespace's conditions may come.
    pub fn is_open(&mut self, namespace: &str) -> Result<(), String> {
        let own = self.hosts.get(&self.host).and_then(|account| account.namespaces.get(namespace));
        if own.is_some_and(|own| own.is_full) { self.refuse() } else { Ok(()) }
    }

    /// Counts the conditions of a route, if there is room for all of them.
    pub fn admit(&mut self, route: &Route) -> Result<(), (Place, String)> {
        let wanted: Vec<_> =
            route.conditions().map(|(condition, pattern, _)| Wanted::new(condition, pattern)).collect();
        let Some((.., place)) = route.conditions().next() else { return Ok(()) };
        let namespace = room::namespace(route.name());
        self.is_open(namespace).map_err(|message| (place, message))?;
        let fits = self.fits(namespace, &wanted);
        let account = self.hosts.entry(self.host.clone()).or_default();
        let own = account.namespaces.entry(namespace.into()).or_default();
        if fits {
            own.counted.count(&wanted);
            account.all.count(&wanted);
            return Ok(());
        }
        own.is_full = true;
        self.refuse().map_err(|message| (place, message))
    }

    /// Counts those of all routes of the host, or none: then they have to be counted one by one.
    pub fn admit_host<'r>(&mut self, mut routes: impl Iterator<Item = &'r Route>) -> bool {
        let fits = routes.all(|route| self.admit(route).is_ok());
        if !fits {
            self.hosts.remove(&self.host);
        }
        fits
    }

    /// Whether there is room for these, here and beside what the wider hosts have.
    fn fits(&self, namespace: &str, wanted: &[Wanted]) -> bool {
        let here = self.hosts.get(&self.host);
        let own = here.and_then(|account| account.namespaces.get(namespace));
        let more_own = own.map_or_else(|| Counted::default().more(wanted), |own| own.counted.more(wanted));
        if more_own == 0 {
            return true;
        }
        let more = here.map_or(more_own, |account| account.all.more(wanted));
        let (mut all, mut held) = (more, more_own);
        for account in wider(&self.host).filter_map(|host| self.hosts.get(&*host)) {
            all = all.saturating_add(account.all.scans);
            held = held.saturating_add(account.namespaces.get(namespace).map_or(0, |own| own.counted.scans));
        }
        let free = limits::SCANS_PER_HOST.saturating_sub(all);
        let most =
            if free >= limits::SCANS_PER_HOST / 8 { limits::SCANS_PER_NAMESPACE } else { limits::SCANS_OF_LITTLE };
        all <= limits::SCANS_PER_HOST && held <= most
    }

    /// How many routes found no room so far.
    pub fn refusals(&self) -> u64 {
        self.refusals
    }

    fn refuse(&mut self) -> Result<(), String> {
        self.refusals += 1;
        Err(format!(
            "requests for this host would be searched too often for this namespace: its regular expressions and query parameters that \
             differ may come to {} here and on the wider hosts, of {} of all namespaces; a large expression counts several times",
            limits::SCANS_PER_NAMESPACE,
            limits::SCANS_PER_HOST
        ))
    }
}

/// A host, and those that requests for it fall to.
fn wider(host: &str) -> impl Iterator<Item = Box<str>> {
    let wildcards = host.match_indices('.').map(|(dot, _)| format!("*{}", host.get(dot..).unwrap_or_default()));
    let others = wildcards.chain(["*".to_owned()]).filter(move |wider| wider != host);
    std::iter::once(host.to_owned()).chain(others).map(Into::into)
}

/// The hosts of a table, each before those that it is wider than; otherwise in their order.
pub fn from_widest<'h, T>(hosts: &'h [(Cow<'_, str>, T)]) -> Vec<(&'h str, &'h T)> {
    let mut sorted: Vec<_> = hosts.iter().map(|(name, host)| (&**name, host)).collect();
    sorted.sort_by_key(|(name, _)| match name.strip_prefix('*') {
        Some(suffix) => suffix.trim_end_matches('.').matches('.').count(),
        None => usize::MAX,
    });
    sorted
}
