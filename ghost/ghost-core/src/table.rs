//! The table: everything that a request needs, immutable, published by one pointer swap.

use std::sync::Arc;

use crate::choice::{Action, Choice, Forward, Matched, RouteId};
use crate::conditions::Answers;
use crate::endpoint::Endpoint;
use crate::hash;
use crate::health::Ejection;
use crate::host::{HostIndex, HostName};
use crate::index::Heads;
use crate::intern::Interner;
use crate::line::HeaderLine;
use crate::listener::{Found, Listeners};
use crate::pool::{Pick, Pool};
use crate::recent::Recent;
use crate::request::{Headers, Request, Url};
use crate::route::{Facts, OnEmpty, Route, Target};
use crate::vhost::Host;

/// By number, with the digest of the bytes that each was built from.
pub(crate) type NamedPools = Box<[Option<(u128, Arc<Pool>)>]>;

#[derive(Debug, Default)]
pub struct Table {
    /// Its own among all tables of the process; 0: that of the empty ones.
    pub(crate) number: u64,
    pub(crate) hash: Option<Box<str>>,
    pub(crate) listeners: Listeners,
    pub(crate) hosts: Box<[Arc<Host>]>,
    pub(crate) host_index: HostIndex,
    pub(crate) pools: NamedPools,
    pub(crate) ejection: Ejection,
    /// Sorted by id.
    pub(crate) endpoints: Box<[Arc<Endpoint>]>,
    pub(crate) interner: Arc<Interner>,
    /// Names in use, of all that the line of tables has numbered.
    pub(crate) names_in_use: usize,
    pub(crate) routes: usize,
}

/// Buffers for one lookup at a time, kept by the caller (one per thread) so that lookups allocate nothing, and what is known from the
/// lookup before.
#[derive(Debug, Default)]
pub struct Scratch {
    pub recent: Recent,
    heads: Heads,
    answers: Answers,
}

/// What a choice depends on besides table and request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chance {
    /// Uniformly random: the high half chooses the group, the low half the endpoint.
    pub draw: u64,
    /// Monotonic clock.
    pub now_ms: u64,
}

impl Table {
    /// The route for a request and what to do with it. Allocates nothing once `scratch` has grown.
    pub fn select<'a, H: Headers + ?Sized>(
        &'a self,
        request: &Request<'a, H>,
        chance: Chance,
        scratch: &mut Scratch,
    ) -> Choice<'a> {
        let Scratch { recent, heads, answers } = scratch;
        let place = recent.place(self, request);
        let listener = match &place.found {
            Found::Freed => return Choice::FreedSocket,
            Found::Nothing => return Choice::NoListener,
            Found::BadHost => return Choice::BadHost,
            Found::Misdirected => return Choice::Misdirected,
            Found::Listener(listener) => self.listeners.named(listener, request.socket),
        };
        let preflight_method = request.preflight_method();
        let facts = Facts {
            listener: listener.numbers,
            url: Url::split(request.url),
            method: request.method,
            preflight_method,
            headers: request.headers,
        };
        let mut seen = false;
        for &number in &place.hosts {
            let Some(candidate) = self.hosts.get(index(number)) else { continue };
            seen = true;
            answers.begin(&candidate.conditions);
            let found = candidate.index.find(&candidate.routes, facts.url.path, heads, |rank, route| {
                route.accepts(&facts, answers.to(&candidate.conditions, rank))
            });
            let Some(rank) = found else {
                if candidate.is_closed {
                    break;
                }
                continue;
            };
            let Some(route) = candidate.routes.get(index(rank)) else { continue };
            let id = RouteId { host: number, rank };
            let matched = Matched { listener, host: candidate, route, id };
            let action = match (route.cors(), preflight_method, route.redirect()) {
                (Some(cors), Some(_), _) => Action::Preflight(cors),
                (_, _, Some(redirect)) => Action::Redirect(redirect),
                _ => self.forward(route, || object_key(place.name.as_ref(), request.url), chance),
            };
            return Choice::Route(matched, action);
        }
        if seen { Choice::NoRoute(listener) } else { Choice::NoHost(listener) }
    }

    fn forward<'a>(&'a self, route: &'a Route, key: impl FnOnce() -> u64, chance: Chance) -> Action<'a> {
        let (for_group, for_endpoint) = halves(chance.draw);
        let Some((group_index, group)) = route.group(for_group) else { return Action::Invalid };
        if let Target::Invalid = group.target {
            return Action::Invalid;
        }
        let pool = self.pool(&group.target);
        let key = match pool.map(Pool::select) {
            Some(crate::pool::Select::Hash) => key(),
            Some(crate::pool::Select::Random) | None => 0,
        };
        let pick = Pick { draw: for_endpoint, key, now_ms: chance.now_ms, tried: &[] };
        match pool.and_then(|pool| Some((pool, pool.pick(&pick)?))) {
            Some((pool, endpoint)) => Action::Forward(Forward { group_index, group, pool, endpoint }),
            None => match group.on_empty {
                OnEmpty::Invalid => Action::Invalid,
                OnEmpty::Unavailable => Action::Unavailable,
            },
        }
    }

    /// The endpoints of a group or mirror; `None` if it is invalid or names no pool of this table.
    pub fn pool<'a>(&'a self, target: &'a Target) -> Option<&'a Pool> {
        match target {
            Target::Invalid => None,
            Target::Inline(pool) => Some(pool),
            Target::Named(number) => self.pools.get(index(*number))?.as_ref().map(|(_, pool)| &**pool),
        }
    }

    /// Whether the port of a connection decides anything: a socket serves several.
    pub fn asks_for_port(&self) -> bool {
        self.listeners.asks_for_port()
    }

    /// The header that tells backends the name of a listener, by `Listener::number`.
    pub fn listener_line(&self, number: u32) -> Option<&HeaderLine> {
        self.listeners.line(number)
    }

    /// A route chosen before from this table.
    pub fn route(&self, id: RouteId) -> Option<(&Host, &Route)> {
        let host = self.hosts.get(index(id.host))?;
        Some((host, host.routes.get(index(id.rank))?))
    }

    /// The writer's name for the bytes of this table.
    pub fn hash(&self) -> Option<&str> {
        self.hash.as_deref()
    }

    pub fn hosts(&self) -> &[Arc<Host>] {
        &self.hosts
    }

    pub fn routes(&self) -> usize {
        self.routes
    }

    /// Every endpoint that this table can send requests to, sorted by id.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    /// Public names of the listeners, by `Listener::number`, for counters; a name that several share comes several times.
    pub fn listener_names(&self) -> impl Iterator<Item = &str> {
        self.listeners.names()
    }

    pub fn ejection(&self) -> Ejection {
        self.ejection
    }
}

/// What `hash` pools choose by: one object, one endpoint, in every replica.
pub fn object_key(host: Option<&HostName>, url: &[u8]) -> u64 {
    hash::stable(&[host.map(HostName::as_bytes).unwrap_or_default(), url])
}

fn halves(draw: u64) -> (u32, u32) {
    let low = u32::try_from(draw & u64::from(u32::MAX)).unwrap_or_default();
    (u32::try_from(draw >> 32).unwrap_or_default(), low)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
