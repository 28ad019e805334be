//! A compiled route: what it accepts and what becomes of a request that it accepts.

use std::sync::Arc;

use crate::cache::CachePolicy;
use crate::conditions::Asking;
use crate::cors::Cors;
use crate::filter::HeaderEdit;
use crate::line::HeaderLine;
use crate::pattern::Pattern;
use crate::pool::Pool;
use crate::redirect::Redirect;
use crate::request::{Headers, Url};
use crate::rewrite::UrlRewrite;
use crate::share::{Holder, Usage};
use crate::traffic::{Mirror, Retry, Timeouts};

#[derive(Debug)]
pub enum PathRule {
    Any,
    Exact(Box<[u8]>),
    /// Without trailing `/`, never empty: the prefix `/` is `Any`.
    Prefix(Box<[u8]>),
    Pattern(Arc<Pattern>),
}

#[derive(Debug)]
pub enum ValueRule {
    Exact(Box<[u8]>),
    Pattern(Arc<Pattern>),
}

impl ValueRule {
    fn accepts(&self, value: &[u8]) -> bool {
        match self {
            Self::Exact(expected) => **expected == *value,
            Self::Pattern(pattern) => pattern.is_match(value),
        }
    }

    fn is_pattern(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }
}

#[derive(Debug)]
pub struct NamedRule {
    pub(crate) name: Box<[u8]>,
    pub(crate) value: ValueRule,
}

/// Numbers of the listener that a request came in on: its key and its public name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenerNumbers(pub(crate) [Option<u32>; 2]);

#[derive(Debug)]
pub struct Route {
    pub(crate) path: PathRule,
    pub(crate) method: Option<Box<[u8]>>,
    pub(crate) headers: Box<[NamedRule]>,
    pub(crate) query: Box<[NamedRule]>,
    /// Empty: all.
    pub(crate) listeners: Box<[u32]>,
    pub(crate) groups: Box<[Group]>,
    pub(crate) total_weight: u32,
    pub(crate) filters: Option<Box<Filters>>,
    pub(crate) timeouts: Option<Box<Timeouts>>,
    pub(crate) retry: Option<Box<Retry>>,
    pub(crate) cache: Option<Box<CachePolicy>>,
    pub(crate) name: HeaderLine,
    pub(crate) namespace: Arc<Usage>,
    pub(crate) log: Box<str>,
    pub(crate) rule_name: Option<Box<str>>,
    pub(crate) buffer_bytes: u32,
    pub(crate) rule: u32,
    pub(crate) match_: u32,
    pub(crate) order: (i64, i64),
}

/// Everything in a request that is worked out once and asked for by many routes.
#[derive(Debug)]
pub(crate) struct Facts<'r, H: ?Sized> {
    pub listener: ListenerNumbers,
    pub url: Url<'r>,
    pub method: &'r [u8],
    pub preflight_method: Option<&'r [u8]>,
    pub headers: &'r H,
}

impl Route {
    /// Whether the route takes the request. Exact and prefix paths are the index's business and not looked at again. Conditions are asked
    /// for in the order of `conditions`.
    pub(crate) fn accepts<H: Headers + ?Sized>(&self, facts: &Facts<'_, H>, mut asking: Asking<'_>) -> bool {
        self.accepts_listener(facts.listener)
            && self.accepts_method(facts)
            && self.headers.iter().all(|rule| {
                let find_out = || facts.headers.all(&rule.name).any(|value| rule.value.accepts(value));
                if rule.value.is_pattern() { asking.matches(find_out) } else { find_out() }
            })
            && self.query.iter().all(|rule| {
                asking.parameter(&facts.url, &rule.name).is_some_and(|value| {
                    let find_out = || rule.value.accepts(value);
                    if rule.value.is_pattern() { asking.matches(find_out) } else { find_out() }
                })
            })
            && match &self.path {
                PathRule::Pattern(pattern) => asking.matches(|| pattern.is_match(facts.url.path)),
                PathRule::Any | PathRule::Exact(_) | PathRule::Prefix(_) => true,
            }
    }

    fn accepts_listener(&self, listener: ListenerNumbers) -> bool {
        self.listeners.is_empty() || listener.0.iter().flatten().any(|number| self.listeners.contains(number))
    }

    /// A preflight asks on behalf of another method: the rule for that method has to answer it.
    fn accepts_method<H: ?Sized>(&self, facts: &Facts<'_, H>) -> bool {
        let Some(method) = &self.method else { return true };
        **method == *facts.method || (self.cors().is_some() && facts.preflight_method == Some(method))
    }

    /// `namespace/name` of the object that the route came from.
    pub fn name(&self) -> &str {
        self.name.value()
    }

    pub(crate) fn log_of(name: &str, rule: u32, match_: u32) -> Box<str> {
        format!("route {name} rule {rule} match {match_}").into()
    }

    /// What the log says of it.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// The header that tells backends the name; `None` if there is no name.
    pub fn line(&self) -> Option<&HeaderLine> {
        Some(&self.name).filter(|line| !line.value().is_empty())
    }

    pub fn rule_name(&self) -> Option<&str> {
        self.rule_name.as_deref()
    }

    /// Index of the rule in the object and of the match in the rule.
    pub fn origin(&self) -> (u32, u32) {
        (self.rule, self.match_)
    }

    pub fn path(&self) -> &PathRule {
        &self.path
    }

    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The group for a uniform 32-bit number; `None` if no group has weight.
    pub fn group(&self, draw: u32) -> Option<(usize, &Group)> {
        let point = crate::pool::scale(draw, usize::try_from(self.total_weight).unwrap_or_default());
        let point = u32::try_from(point).unwrap_or_default();
        self.groups.iter().enumerate().find(|(_, group)| point < group.cumulative)
    }

    /// Who holds the threads of a request to this group.
    pub fn holder<'r>(&'r self, group: &'r Group) -> Holder<'r> {
        Holder { backend: &group.usage, namespace: &self.namespace }
    }

    /// Tells namespaces apart.
    pub fn namespace(&self) -> &Arc<Usage> {
        &self.namespace
    }

    /// The counters of `holder`, for a request that outlives its table.
    pub fn usages(&self, group: &Group) -> [Arc<Usage>; 2] {
        [Arc::clone(&group.usage), Arc::clone(&self.namespace)]
    }

    pub fn redirect(&self) -> Option<&Redirect> {
        self.filters.as_ref()?.redirect.as_ref()
    }

    pub fn cors(&self) -> Option<&Cors> {
        self.filters.as_ref()?.cors.as_ref()
    }

    pub fn request_edits(&self) -> &[HeaderEdit] {
        self.filters.as_ref().map(|filters| &*filters.edits.request).unwrap_or_default()
    }

    pub fn response_edits(&self) -> &[HeaderEdit] {
        self.filters.as_ref().map(|filters| &*filters.edits.response).unwrap_or_default()
    }

    pub fn rewrite(&self) -> Option<&UrlRewrite> {
        self.filters.as_ref()?.edits.rewrite.as_ref()
    }

    pub fn mirrors(&self) -> &[Mirror] {
        self.filters.as_ref().map(|filters| &*filters.mirrors).unwrap_or_default()
    }

    /// Where its requests and their copies go.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        let mirrors = self.mirrors().iter().map(|mirror| &mirror.target);
        self.groups.iter().map(|group| &group.target).chain(mirrors)
    }

    /// The mirrors that this request is sent to.
    pub fn mirrors_for(&self, draw: u64) -> impl Iterator<Item = &Mirror> {
        (0..)
            .zip(self.mirrors())
            .filter(move |(position, mirror)| mirror.fires(*position, draw))
            .map(|(_, mirror)| mirror)
    }

    pub fn timeouts(&self) -> Timeouts {
        self.timeouts.as_deref().copied().unwrap_or_default()
    }

    pub fn retry(&self) -> Option<&Retry> {
        self.retry.as_deref()
    }

    /// `None`: pass.
    pub fn cache(&self) -> Option<&CachePolicy> {
        self.cache.as_deref()
    }

    /// Those of its conditions and of its cache policy.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Arc<Pattern>> + Clone {
        let path = match &self.path {
            PathRule::Pattern(pattern) => Some(pattern),
            _ => None,
        };
        let values = self.headers.iter().chain(&self.query).filter_map(|rule| match &rule.value {
            ValueRule::Pattern(pattern) => Some(pattern),
            ValueRule::Exact(_) => None,
        });
        path.into_iter().chain(values).chain(self.cache().into_iter().flat_map(CachePolicy::patterns))
    }

    /// How much of a request body to keep for retry and mirror; 0 where neither can happen.
    pub fn buffer_bytes(&self) -> u32 {
        let needed = self.retry().is_some_and(|retry| retry.attempts > 0) || !self.mirrors().is_empty();
        if needed { self.buffer_bytes } else { 0 }
    }
}

#[derive(Debug, Default)]
pub struct Edits {
    pub(crate) request: Box<[HeaderEdit]>,
    pub(crate) response: Box<[HeaderEdit]>,
    pub(crate) rewrite: Option<UrlRewrite>,
}

#[derive(Debug, Default)]
pub struct Filters {
    pub(crate) edits: Edits,
    pub(crate) redirect: Option<Redirect>,
    pub(crate) cors: Option<Cors>,
    pub(crate) mirrors: Box<[Mirror]>,
}

#[derive(Debug)]
pub enum Target {
    /// 500.
    Invalid,
    Inline(Arc<Pool>),
    /// A pool of the table, found by number so that its endpoints can change without touching the route.
    Named(u32),
}

impl Target {
    /// Of the pool in the table.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            Self::Named(number) => usize::try_from(*number).ok(),
            Self::Invalid | Self::Inline(_) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnEmpty {
    Invalid,
    Unavailable,
}

#[derive(Debug)]
pub struct Group {
    pub(crate) weight: u32,
    /// Sum of the weights up to and including this group.
    pub(crate) cumulative: u32,
    pub(crate) target: Target,
    pub(crate) usage: Arc<Usage>,
    pub(crate) on_empty: OnEmpty,
    pub(crate) service: Option<Box<str>>,
    pub(crate) edits: Option<Box<Edits>>,
}

impl Group {
    pub fn weight(&self) -> u32 {
        self.weight
    }

    pub fn service(&self) -> Option<&str> {
        self.service.as_deref()
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    pub fn request_edits(&self) -> &[HeaderEdit] {
        self.edits.as_ref().map(|edits| &*edits.request).unwrap_or_default()
    }

    pub fn response_edits(&self) -> &[HeaderEdit] {
        self.edits.as_ref().map(|edits| &*edits.response).unwrap_or_default()
    }

    pub fn rewrite(&self) -> Option<&UrlRewrite> {
        self.edits.as_ref()?.rewrite.as_ref()
    }
}

/// Host and path as they reach the backend: the group's rewrite where it has one, else the rule's.
#[derive(Debug, Clone, Copy)]
pub struct Rewritten<'t> {
    pub hostname: Option<&'t str>,
    pub path: Option<&'t crate::rewrite::PathRewrite>,
}

impl<'t> Rewritten<'t> {
    /// Without a group: what the rule alone does, as the cache key sees it.
    pub fn of(route: &'t Route, group: Option<&'t Group>) -> Self {
        let both = [group.and_then(Group::rewrite), route.rewrite()];
        let mut both = both.into_iter().flatten();
        let mut result = Self { hostname: None, path: None };
        for rewrite in &mut both {
            result.hostname = result.hostname.or(rewrite.hostname.as_deref());
            result.path = result.path.or(rewrite.path.as_ref());
        }
        result
    }

    /// Appends the URL for the backend.
    pub fn write_url(&self, url: &[u8], out: &mut Vec<u8>) {
        match self.path {
            Some(path) => path.write_url(url, out),
            None => out.extend_from_slice(url),
        }
    }
}
