//! One host of the table: its routes in precedence order, their index, and what was refused.
//!
//! A route is served on a host with all of its rules or not at all: where one of them cannot be compiled, its requests would
//! fall to a wider rule of the same route, past a filter or to another backend. Where one is not compiled yet, the route stays as it was
//! (`waiting.rs`).

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::compile::{self, Wrong};
use crate::conditions::Conditions;
use crate::dto;
use crate::hash;
use crate::index::PathIndex;
use crate::intern::Shared;
use crate::limits;
use crate::pattern::Pattern;
use crate::report::{Effect, Refusal};
use crate::room;
use crate::route::Route;
use crate::waiting::{self, Kept};

#[derive(Debug)]
pub struct Host {
    pub(crate) name: Arc<str>,
    /// Of the bytes it was compiled from; 0 if compiling them again may come to more.
    pub(crate) digest: u128,
    pub(crate) routes: Box<[Arc<Route>]>,
    pub(crate) index: PathIndex,
    pub(crate) conditions: Conditions,
    /// Compiled, and not served for the sake of another rule of the same route.
    pub(crate) left_out: Box<[Arc<Route>]>,
    pub(crate) refusals: Box<[Refusal]>,
    /// What each element of `routes` became, sorted by digest: what the next table can take over.
    pub(crate) sources: Box<[Source]>,
    /// The routes that are served as they were before, sorted by name: their newest version is not all compiled.
    pub(crate) kept: Box<[Kept]>,
    /// What it has no route for does not fall to a less specific host.
    pub(crate) is_closed: bool,
}

/// An element of `routes`: its bytes, the route and the refusal that came of them. Refused ones are remembered too: a
/// pattern that is too large costs milliseconds to find out about, and must not cost them again with every change of the host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    digest: u128,
    place: Place,
    refusal: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// In `routes`.
    Served(u32),
    /// In `left_out`.
    LeftOut(u32),
    Nowhere,
}

impl Host {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// In precedence order.
    pub fn routes(&self) -> &[Arc<Route>] {
        &self.routes
    }

    /// A host that takes no request.
    pub(crate) fn empty(name: &Arc<str>) -> Self {
        Self {
            name: Arc::clone(name),
            digest: 0,
            routes: Box::default(),
            index: PathIndex::default(),
            conditions: Conditions::default(),
            left_out: Box::default(),
            refusals: Box::default(),
            sources: Box::default(),
            kept: Box::default(),
            is_closed: false,
        }
    }

    /// Of all routes that it holds, each with its namespace.
    fn patterns(&self) -> impl Iterator<Item = (&str, &Arc<Pattern>)> + Clone {
        self.routes.iter().chain(&self.left_out).flat_map(|route| room::patterns(route))
    }

    fn compiled(&self, place: Place) -> Option<&Arc<Route>> {
        let at = |number: u32| usize::try_from(number).ok();
        match place {
            Place::Served(number) => self.routes.get(at(number)?),
            Place::LeftOut(number) => self.left_out.get(at(number)?),
            Place::Nowhere => None,
        }
    }

    /// Counts the patterns of what came of this element, unless there is no room for them any more.
    fn has_room(&self, source: Source, shared: &mut Shared) -> bool {
        self.compiled(source.place)
            .is_none_or(|route| shared.room.admit_all(room::patterns(route)) && shared.scans.admit(route).is_ok())
    }

    /// The same of all that it holds.
    pub(crate) fn has_room_for_all(&self, shared: &mut Shared) -> bool {
        let all = self.routes.iter().chain(&self.left_out);
        shared.room.admit_all(self.patterns()) && shared.scans.admit_host(all.map(|route| &**route))
    }

    fn source(&self, digest: u128) -> Option<Source> {
        let at = self.sources.binary_search_by_key(&digest, |source| source.digest).ok()?;
        self.sources.get(at).copied()
    }
}

/// A host in the making.
struct Draft<'d> {
    name: &'d Arc<str>,
    routes: Vec<Drafted>,
    refused: Vec<Source>,
    refusals: Vec<Refusal>,
    /// Names of the routes that a rule is missing of.
    broken: HashSet<Box<str>>,
    /// Names of the routes of which something was put off to the next build.
    waiting: HashSet<Box<str>>,
    /// Nothing was.
    is_settled: bool,
    /// No pattern was refused for lack of room.
    has_room: bool,
}

pub(crate) struct Compiled {
    pub host: Host,
    /// How many of its routes were taken over.
    pub reused: usize,
    /// A route waits for the next build that was not there before.
    pub is_missing: bool,
}

/// What is known of a host from the table before.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Before<'h> {
    Nothing,
    /// Its routes have other numbers, so only what was refused can be taken over.
    Refused(&'h Host),
    Whole(&'h Host),
}

impl<'h> Before<'h> {
    fn source(self, digest: u128) -> Option<(&'h Host, Source)> {
        match self {
            Self::Nothing => None,
            Self::Refused(host) => {
                let source = host.source(digest).filter(|source| matches!(source.place, Place::Nowhere))?;
                Some((host, source))
            }
            Self::Whole(host) => Some((host, host.source(digest)?)),
        }
    }
}

pub(crate) struct Drafted {
    source: Source,
    pub(crate) route: Arc<Route>,
    is_reused: bool,
}

impl Drafted {
    /// Of an earlier version, so nothing to take over by the bytes of this one.
    pub(crate) fn kept(route: &Arc<Route>) -> Self {
        let source = Source { digest: 0, place: Place::Nowhere, refusal: None };
        Self { source, route: Arc::clone(route), is_reused: false }
    }
}

/// Compiles a host, taking over from `before` what came of equal bytes, as far as there is room for its patterns.
pub(crate) fn compile(
    name: &Arc<str>,
    raw: &RawValue,
    digest: u128,
    before: Before<'_>,
    shared: &mut Shared,
) -> Result<Compiled, Refusal> {
    let mut draft = Draft::new(name);
    let omitted = |wrong| refusal(name, Effect::HostOmitted, wrong);
    let dto: dto::Vhost<'_> = compile::read(raw.get()).map_err(omitted)?;
    compile::at_most("routes", dto.routes.len(), limits::ROUTES_PER_HOST).map_err(omitted)?;
    draft.routes.reserve_exact(dto.routes.len() + usize::from(!dto.default_backends.is_empty()));
    for (rule, raw) in (0..).zip(&dto.routes) {
        let digest = hash::digest(raw.get().as_bytes());
        match before.source(digest) {
            Some((host, source)) if host.has_room(source, shared) => draft.take_over(rule, host, source),
            _ => draft.compile(rule, raw, digest, shared),
        }
    }
    if draft.sort_if_needed() {
        let message = "order contradicts priority and rule_index; sorted by them".into();
        draft.refusals.push(refusal(name, Effect::Partial, Wrong { field: "routes".into(), message }));
    }
    let default = match &*dto.default_backends {
        [] => None,
        backends => match compile::default_route(backends, shared) {
            Ok(route) => Some(Arc::new(route)),
            Err(wrong) => {
                draft.refusals.push(refusal(name, Effect::RouteOmitted, wrong));
                None
            }
        },
    };
    Ok(draft.finish(digest, default, before, shared))
}

impl<'d> Draft<'d> {
    fn new(name: &'d Arc<str>) -> Self {
        Self {
            name,
            routes: Vec::new(),
            refused: Vec::new(),
            refusals: Vec::new(),
            broken: HashSet::new(),
            waiting: HashSet::new(),
            is_settled: true,
            has_room: true,
        }
    }

    fn take_over(&mut self, rule: u32, host: &Host, source: Source) {
        let at = |number: u32| usize::try_from(number).ok();
        let refusal = source.refusal.and_then(|number| host.refusals.get(at(number)?)).and_then(|refusal| {
            self.refusals.push(Refusal { rule: Some(rule), ..refusal.clone() });
            last(&self.refusals)
        });
        if let Some(route) = host.compiled(source.place) {
            let source = Source { refusal, ..source };
            self.routes.push(Drafted { source, route: Arc::clone(route), is_reused: true });
        } else {
            let name = self.refusals.last().map(|refusal| refusal.route.clone());
            self.broken.extend(name);
            self.refused.push(Source { refusal, ..source });
        }
    }

    fn compile(&mut self, rule: u32, raw: &RawValue, digest: u128, shared: &mut Shared) {
        let (deferred, refused) = (shared.budget.deferred(), shared.refusals());
        let (route, wrong) = match compile::route(raw, shared) {
            Ok(compile::Compiled { route, uncached }) => {
                let wrong = uncached.map(|wrong| (route.name().into(), Effect::Uncached, wrong));
                (Some(route), wrong)
            }
            Err(wrong) => {
                let name: Box<str> = serde_json::from_str(raw.get())
                    .map_or_else(|_| "".into(), |known: dto::RouteName<'_>| (*known.name).into());
                (None, Some((name, Effect::RouteOmitted, wrong)))
            }
        };
        let is_settled = shared.budget.deferred() == deferred;
        let has_room = shared.refusals() == refused;
        if let Some((name, effect, _)) = &wrong {
            match (is_settled, effect) {
                (false, _) => _ = self.waiting.insert(name.clone()),
                (true, Effect::RouteOmitted) => _ = self.broken.insert(name.clone()),
                (true, _) => {}
            }
        }
        let refusal = wrong.and_then(|(route, effect, wrong)| {
            let effect = if is_settled { effect } else { Effect::Deferred };
            self.refusals.push(Refusal { route, rule: Some(rule), ..refusal(self.name, effect, wrong) });
            last(&self.refusals)
        });
        self.is_settled &= is_settled;
        self.has_room &= has_room;
        // A digest that no bytes have: what was put off, or found no room, must be compiled again, not taken over.
        let digest = if is_settled && has_room { digest } else { 0 };
        let source = Source { digest, place: Place::Nowhere, refusal };
        match route {
            Some(route) => self.routes.push(Drafted { source, route: Arc::new(route), is_reused: false }),
            None => self.refused.push(source),
        }
    }

    /// The writer's order stands unless it contradicts what the format says about `priority`. Then that is what counts.
    fn sort_if_needed(&mut self) -> bool {
        let key = |drafted: &Drafted| (Reverse(drafted.route.order.0), drafted.route.order.1);
        if self.routes.is_sorted_by_key(key) {
            return false;
        }
        self.routes.sort_by_key(key);
        true
    }

    /// Of elements without a name nobody knows which belong together; a route that lacks a rule for good waits for nothing.
    fn name_waiting(&mut self) {
        self.broken.remove("");
        self.waiting.retain(|name| !name.is_empty() && !self.broken.contains(name));
    }

    fn finish(
        mut self,
        digest: u128,
        default: Option<Arc<Route>>,
        before: Before<'_>,
        shared: &mut Shared,
    ) -> Compiled {
        self.name_waiting();
        let (left_out, served): (Vec<_>, Vec<_>) = self.routes.into_iter().partition(|drafted| {
            let name = drafted.route.name();
            self.broken.contains(name) || self.waiting.contains(name)
        });
        let reused = served.iter().filter(|drafted| drafted.is_reused).count();
        let (served, kept) = match before {
            Before::Whole(host) => waiting::keep(host, served, &self.waiting, shared),
            Before::Refused(_) | Before::Nothing => (served, Box::default()),
        };
        let mut sources = self.refused;
        let mut place = |all: Vec<Drafted>, at: fn(u32) -> Place| {
            sources.extend((0..).zip(&all).map(|(n, drafted)| Source { place: at(n), ..drafted.source }));
            all.into_iter().map(|drafted| drafted.route).collect::<Vec<_>>()
        };
        let (served, left_out) = (place(served, Place::Served), place(left_out, Place::LeftOut));
        sources.sort_unstable_by_key(|source| source.digest);
        let routes: Box<[_]> = served.into_iter().chain(default).collect();
        let host = Host {
            digest: if self.is_settled && self.has_room { digest } else { 0 },
            index: PathIndex::build(&routes),
            conditions: Conditions::number(&routes),
            routes,
            left_out: left_out.into(),
            refusals: self.refusals.into(),
            sources: sources.into(),
            kept,
            ..Host::empty(self.name)
        };
        Compiled { is_missing: host.kept.len() < self.waiting.len(), host, reused }
    }
}

fn refusal(name: &Arc<str>, effect: Effect, wrong: Wrong) -> Refusal {
    let (field, message) = (wrong.field.into(), wrong.message.into());
    Refusal { vhost: Arc::clone(name), route: "".into(), rule: None, field, effect, message }
}

fn last<T>(list: &[T]) -> Option<u32> {
    u32::try_from(list.len().checked_sub(1)?).ok()
}
