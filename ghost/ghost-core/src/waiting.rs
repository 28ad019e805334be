//! Routes of whose newest version not everything is compiled yet.
//!
//! A version of a route becomes live as a whole: without a rule that was put off, requests would fall to a wider one. Until then the host
//! goes on with the route's elements as they were before, among the others where they were; a route that was not there stays away. Other
//! routes of the host wait for nobody, and one that is gone is gone at once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::intern::Shared;
use crate::limits;
use crate::pool::Pool;
use crate::room;
use crate::route::{PathRule, Route, Target};
use crate::table::{NamedPools, Table};
use crate::vhost::{Drafted, Host};

/// A route that is served in an earlier version.
#[derive(Debug)]
pub struct Kept {
    name: Box<str>,
    /// For how many builds in a row.
    builds: u32,
}

impl Host {
    /// Whether this is of an earlier version of its route.
    pub(crate) fn is_kept(&self, route: &Route) -> bool {
        self.kept_builds(route.name()) > 0
    }

    fn kept_builds(&self, name: &str) -> u32 {
        let found = self.kept.binary_search_by(|kept| (*kept.name).cmp(name));
        found.ok().and_then(|at| self.kept.get(at)).map_or(0, |kept| kept.builds)
    }
}

/// Puts what `before` serves of the routes that wait among what is served of the newest version, and names them.
///
/// Their patterns are held beside those of the newest version, so they have a room of their own, of the same size. Who changes patterns
/// again and again must not keep what the earlier version was allowed to: it goes after some builds.
pub(crate) fn keep(
    before: &Host,
    newest: Vec<Drafted>,
    waiting: &HashSet<Box<str>>,
    shared: &mut Shared,
) -> (Vec<Drafted>, Box<[Kept]>) {
    let mut kept: BTreeMap<&str, Vec<&Arc<Route>>> = BTreeMap::new();
    let may_wait = |name: &str| waiting.contains(name) && before.kept_builds(name) < limits::WAITING_BUILDS;
    for route in before.routes.iter().filter(|route| may_wait(route.name())) {
        kept.entry(route.name()).or_default().push(route);
    }
    kept.retain(|_, whole| {
        shared.waiting_room.admit_all(whole.iter().flat_map(|route| room::patterns(route)))
            && whole.iter().all(|route| shared.waiting_scans.admit(route).is_ok())
    });
    if kept.is_empty() {
        return (newest, Box::default());
    }
    let routes = before.routes.iter().filter(|route| kept.contains_key(route.name()));
    let names = kept.keys().map(|name| Kept { name: (*name).into(), builds: before.kept_builds(name) + 1 }).collect();
    (Order::of(&before.routes).merge(newest, routes), names)
}

/// What takes fewer paths first, then what has more conditions, as Gateway API orders matches. Between equal ones it goes by the route.
type Specificity = (u8, Reverse<usize>, bool, Reverse<usize>, Reverse<usize>);

fn specificity(route: &Route) -> Specificity {
    let (kind, length) = match &route.path {
        PathRule::Exact(_) => (0, 0),
        PathRule::Prefix(path) => (1, path.len()),
        PathRule::Pattern(_) => (2, 0),
        PathRule::Any => (3, 0),
    };
    (kind, Reverse(length), route.method.is_none(), Reverse(route.headers.len()), Reverse(route.query.len()))
}

/// Of the routes of a host as it was: a table mostly has no other order than that of its list.
struct Order<'b> {
    ranks: HashMap<*const Route, usize>,
    /// For an element that changed: where others of its route stood that were as specific.
    alike: HashMap<(&'b str, Specificity), usize>,
}

impl<'b> Order<'b> {
    fn of(routes: &'b [Arc<Route>]) -> Self {
        let mut order = Self { ranks: HashMap::with_capacity(routes.len()), alike: HashMap::new() };
        for (rank, route) in routes.iter().enumerate() {
            order.ranks.insert(Arc::as_ptr(route), rank);
            order.alike.entry((route.name(), specificity(route))).or_insert(rank);
        }
        order
    }

    fn merge(&self, newest: Vec<Drafted>, kept: impl Iterator<Item = &'b Arc<Route>>) -> Vec<Drafted> {
        let mut merged = Vec::with_capacity(newest.len());
        let mut kept = kept.peekable();
        for drafted in newest {
            while let Some(first) = kept.next_if(|kept| self.is_before(kept, &drafted.route)) {
                merged.push(Drafted::kept(first));
            }
            merged.push(drafted);
        }
        merged.extend(kept.map(Drafted::kept));
        merged
    }

    fn rank(&self, route: &Arc<Route>) -> Option<usize> {
        let own = self.ranks.get(&Arc::as_ptr(route)).copied();
        own.or_else(|| self.alike.get(&(route.name(), specificity(route))).copied())
    }

    fn is_before(&self, kept: &Arc<Route>, other: &Arc<Route>) -> bool {
        let priority = |route: &Route| (Reverse(route.order.0), route.order.1);
        let by_place = || match self.rank(other) {
            Some(rank) => self.rank(kept).cmp(&Some(rank)),
            None => specificity(kept).cmp(&specificity(other)),
        };
        priority(kept).cmp(&priority(other)).then_with(by_place).is_le()
    }
}

/// What is kept may name pools that the newest version has no more.
pub(crate) fn keep_pools(hosts: &[Arc<Host>], pools: &mut Vec<Option<(u128, Arc<Pool>)>>, previous: Option<&Table>) {
    let before: &NamedPools = match previous {
        Some(previous) => &previous.pools,
        None => return,
    };
    let kept = hosts
        .iter()
        .filter(|host| !host.kept.is_empty())
        .flat_map(|host| host.routes.iter().filter(|route| host.is_kept(route)));
    for number in kept.flat_map(|route| route.targets()).filter_map(Target::number) {
        let Some(kept @ Some(_)) = before.get(number) else { continue };
        if pools.len() <= number {
            pools.resize_with(number + 1, || None);
        }
        if let Some(slot @ None) = pools.get_mut(number) {
            slot.clone_from(kept);
        }
    }
}
