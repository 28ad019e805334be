//! One host of the table: its routes in precedence order, their index, and what was refused.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::compile::{self, Wrong};
use crate::dto;
use crate::hash;
use crate::index::PathIndex;
use crate::intern::Shared;
use crate::limits;
use crate::report::{Effect, Refusal};
use crate::route::Route;

#[derive(Debug)]
pub struct Host {
    pub(crate) name: Arc<str>,
    /// Of the bytes it was compiled from; 0 if compiling them again may come to more.
    pub(crate) digest: u128,
    pub(crate) routes: Box<[Arc<Route>]>,
    pub(crate) index: PathIndex,
    pub(crate) refusals: Box<[Refusal]>,
    /// What each element of `routes` became, sorted by digest: what the next table can take over.
    sources: Box<[Source]>,
}

/// An element of `routes`: its bytes, the route and the refusal that came of them. Refused ones are remembered too: a
/// pattern that is too large costs milliseconds to find out about, and must not cost them again with every change of the host.
#[derive(Debug, Clone, Copy)]
struct Source {
    digest: u128,
    rank: Option<u32>,
    refusal: Option<u32>,
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
            refusals: Box::default(),
            sources: Box::default(),
        }
    }

    fn source(&self, digest: u128) -> Option<Source> {
        let at = self.sources.binary_search_by_key(&digest, |source| source.digest).ok()?;
        self.sources.get(at).copied()
    }
}

/// A host in the making.
struct Draft<'d> {
    name: &'d Arc<str>,
    routes: Vec<(Source, Arc<Route>)>,
    refused: Vec<Source>,
    refusals: Vec<Refusal>,
    reused: usize,
    /// Nothing was put off to the next build.
    settled: bool,
}

/// Compiles a host, taking over from `previous` what came of equal bytes. Also tells how many routes those were.
pub(crate) fn compile(
    name: &Arc<str>,
    raw: &RawValue,
    digest: u128,
    previous: Option<&Host>,
    shared: &mut Shared,
) -> Result<(Host, usize), Refusal> {
    let mut draft =
        Draft { name, routes: Vec::new(), refused: Vec::new(), refusals: Vec::new(), reused: 0, settled: true };
    let omitted = |wrong| refusal(name, Effect::HostOmitted, wrong);
    let dto: dto::Vhost<'_> = compile::read(raw.get()).map_err(omitted)?;
    compile::at_most("routes", dto.routes.len(), limits::ROUTES_PER_HOST).map_err(omitted)?;
    draft.routes.reserve_exact(dto.routes.len() + usize::from(!dto.default_backends.is_empty()));
    for (rule, raw) in (0..).zip(&dto.routes) {
        let digest = hash::digest(raw.get().as_bytes());
        match previous.and_then(|host| Some((host, host.source(digest)?))) {
            Some((host, source)) => draft.take_over(rule, host, source),
            None => draft.compile(rule, raw, digest, shared),
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
    let reused = draft.reused;
    Ok((draft.finish(digest, default), reused))
}

impl Draft<'_> {
    fn take_over(&mut self, rule: u32, host: &Host, source: Source) {
        let at = |number: u32| usize::try_from(number).ok();
        let refusal = source.refusal.and_then(|number| host.refusals.get(at(number)?)).and_then(|refusal| {
            self.refusals.push(Refusal { rule: Some(rule), ..refusal.clone() });
            last(&self.refusals)
        });
        match source.rank.and_then(|rank| host.routes.get(at(rank)?)) {
            Some(route) => {
                self.reused += 1;
                self.routes.push((Source { refusal, ..source }, Arc::clone(route)));
            }
            None => self.refused.push(Source { refusal, ..source }),
        }
    }

    fn compile(&mut self, rule: u32, raw: &RawValue, digest: u128, shared: &mut Shared) {
        let deferred = shared.budget.deferred();
        let (route, refused) = match compile::route(raw, shared) {
            Ok(compile::Compiled { route, uncached }) => {
                let refused = uncached.map(|wrong| (route.name().into(), Effect::Uncached, wrong));
                (Some(route), refused)
            }
            Err(wrong) => {
                let name = serde_json::from_str(raw.get())
                    .map_or_else(|_| "".into(), |known: dto::RouteName<'_>| (*known.name).into());
                (None, Some((name, Effect::RouteOmitted, wrong)))
            }
        };
        let refusal = refused.and_then(|(route, effect, wrong)| {
            self.refusals.push(Refusal { route, rule: Some(rule), ..refusal(self.name, effect, wrong) });
            last(&self.refusals)
        });
        // A digest that no bytes have: what was put off must be compiled again, not taken over.
        let settled = shared.budget.deferred() == deferred;
        self.settled &= settled;
        let source = Source { digest: if settled { digest } else { 0 }, rank: None, refusal };
        match route {
            Some(route) => self.routes.push((source, Arc::new(route))),
            None => self.refused.push(source),
        }
    }

    /// The writer's order stands unless it contradicts what the format says about `priority`. Then that is what counts.
    fn sort_if_needed(&mut self) -> bool {
        let key = |(_, route): &(_, Arc<Route>)| (Reverse(route.order.0), route.order.1);
        if self.routes.is_sorted_by_key(key) {
            return false;
        }
        self.routes.sort_by_key(key);
        true
    }

    fn finish(self, digest: u128, default: Option<Arc<Route>>) -> Host {
        let ranked = (0..).zip(&self.routes).map(|(rank, (source, _))| Source { rank: Some(rank), ..*source });
        let mut sources: Vec<_> = ranked.chain(self.refused).collect();
        sources.sort_unstable_by_key(|source| source.digest);
        let routes: Box<[_]> = self.routes.into_iter().map(|(_, route)| route).chain(default).collect();
        Host {
            name: Arc::clone(self.name),
            digest: if self.settled { digest } else { 0 },
            index: PathIndex::build(&routes),
            routes,
            refusals: self.refusals.into(),
            sources: sources.into(),
        }
    }
}

fn refusal(name: &Arc<str>, effect: Effect, wrong: Wrong) -> Refusal {
    let (field, message) = (wrong.field.into(), wrong.message.into());
    Refusal { vhost: Arc::clone(name), route: "".into(), rule: None, field, effect, message }
}

fn last<T>(list: &[T]) -> Option<u32> {
    u32::try_from(list.len().checked_sub(1)?).ok()
}
