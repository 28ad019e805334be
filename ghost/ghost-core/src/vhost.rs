//! One host of the table: its routes in precedence order, their index, and what was refused.

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
    /// Of the bytes it was compiled from.
    pub(crate) digest: u128,
    pub(crate) routes: Box<[Arc<Route>]>,
    pub(crate) index: PathIndex,
    pub(crate) refusals: Box<[Refusal]>,
    /// Digest of a route's bytes and its rank, sorted: what the next table can take over.
    sources: Box<[(u128, u32)]>,
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

    fn compiled_from(&self, digest: u128) -> Option<&Arc<Route>> {
        let at = self.sources.binary_search_by_key(&digest, |(source, _)| *source).ok()?;
        self.routes.get(usize::try_from(self.sources.get(at)?.1).ok()?)
    }
}

/// Compiles a host, taking over the routes of `previous` whose bytes are the same. Also tells how many those were.
pub(crate) fn compile(
    name: &Arc<str>,
    raw: &RawValue,
    digest: u128,
    previous: Option<&Host>,
    shared: &mut Shared,
) -> Result<(Host, usize), Refusal> {
    let omitted = |wrong: Wrong| Refusal {
        vhost: Arc::clone(name),
        route: "".into(),
        rule: None,
        field: wrong.field.into(),
        effect: Effect::HostOmitted,
        message: wrong.message.into(),
    };
    let dto: dto::Vhost<'_> = compile::read(raw.get()).map_err(omitted)?;
    compile::at_most("routes", dto.routes.len(), limits::ROUTES_PER_HOST).map_err(omitted)?;
    let mut refusals = Vec::new();
    let mut compiled: Vec<(Option<u128>, Arc<Route>)> = Vec::with_capacity(dto.routes.len() + 1);
    let mut reused = 0;
    for (rule, raw) in (0..).zip(&dto.routes) {
        let digest = hash::digest(raw.get().as_bytes());
        if let Some(route) = previous.and_then(|previous| previous.compiled_from(digest)) {
            compiled.push((Some(digest), Arc::clone(route)));
            reused += 1;
            continue;
        }
        let refuse = |route: &str, wrong: Wrong, effect| Refusal {
            vhost: Arc::clone(name),
            route: route.into(),
            rule: Some(rule),
            field: wrong.field.into(),
            effect,
            message: wrong.message.into(),
        };
        match compile::route(raw, shared) {
            Ok(compile::Compiled { route, uncached: None }) => compiled.push((Some(digest), Arc::new(route))),
            Ok(compile::Compiled { route, uncached: Some(wrong) }) => {
                // Compiled again with every table, so that the refusal is told again.
                refusals.push(refuse(&route.name, wrong, Effect::Uncached));
                compiled.push((None, Arc::new(route)));
            }
            Err(wrong) => {
                let known = serde_json::from_str::<dto::RouteName<'_>>(raw.get());
                refusals.push(refuse(known.as_ref().map_or("", |known| &known.name), wrong, Effect::RouteOmitted));
            }
        }
    }
    if sort_if_needed(&mut compiled) {
        let message = "order contradicts priority and rule_index; sorted by them".into();
        refusals.push(Refusal { effect: Effect::Partial, ..omitted(Wrong { field: "routes".into(), message }) });
    }
    if !dto.default_backends.is_empty() {
        match compile::default_route(&dto.default_backends, shared) {
            Ok(route) => compiled.push((None, Arc::new(route))),
            Err(wrong) => refusals.push(Refusal { effect: Effect::RouteOmitted, ..omitted(wrong) }),
        }
    }
    let mut sources: Vec<_> = (0..).zip(&compiled).filter_map(|(rank, (digest, _))| Some(((*digest)?, rank))).collect();
    sources.sort_unstable();
    let routes: Box<[_]> = compiled.into_iter().map(|(_, route)| route).collect();
    let index = PathIndex::build(&routes);
    let host =
        Host { name: Arc::clone(name), digest, routes, index, refusals: refusals.into(), sources: sources.into() };
    Ok((host, reused))
}

/// The writer's order stands unless it contradicts what the format says about `priority`. Then that is what counts.
fn sort_if_needed(compiled: &mut [(Option<u128>, Arc<Route>)]) -> bool {
    let key = |(_, route): &(_, Arc<Route>)| (std::cmp::Reverse(route.order.0), route.order.1);
    if compiled.is_sorted_by_key(key) {
        return false;
    }
    compiled.sort_by_key(key);
    true
}
