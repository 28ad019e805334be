//! What a build says about its input.

use std::fmt;
use std::sync::Arc;

use crate::endpoint::Endpoint;

/// The table as a whole cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    pub field: String,
    pub message: String,
}

impl TableError {
    pub(crate) fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.field, self.message) }
    }
}

impl std::error::Error for TableError {}

/// What became of the thing that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    HostOmitted,
    /// With all rules of the same route on this host: left out alone, its requests would fall to a wider rule.
    RouteOmitted,
    /// Put off to the next build. Until then the route is served on its host as it was before.
    Deferred,
    /// The route is served, its cache policy is not applied.
    Uncached,
    /// Requests that need it are answered 503.
    Unavailable,
    /// Served as written, but not all of it can ever apply.
    Partial,
}

impl Effect {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HostOmitted => "host-omitted",
            Self::RouteOmitted => "route-omitted",
            Self::Deferred => "deferred",
            Self::Uncached => "uncached",
            Self::Unavailable => "unavailable",
            Self::Partial => "partial",
        }
    }
}

/// A mistake that was refused alone, with enough to find its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Empty if the mistake is in no host.
    pub vhost: Arc<str>,
    /// `route_name`; empty if unknown.
    pub route: Box<str>,
    /// Position in `routes`, if the mistake is in what that element says by itself.
    pub rule: Option<u32>,
    pub field: Box<str>,
    pub effect: Effect,
    pub message: Box<str>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: vhost `{}`", self.effect.as_str(), self.vhost)?;
        if !self.route.is_empty() {
            write!(f, " route `{}`", self.route)?;
        }
        if let Some(rule) = self.rule {
            write!(f, " routes[{rule}]")?;
        }
        write!(f, " {}: {}", self.field, self.message)
    }
}

/// The outcome of a build that succeeded.
#[derive(Debug, Default)]
pub struct Report {
    pub hosts: usize,
    pub hosts_reused: usize,
    pub routes: usize,
    pub routes_reused: usize,
    /// All refusals of the table, those of hosts carried over included.
    pub refusals: Vec<Refusal>,
    /// Patterns that were turned down for now because this build had spent enough on others. They are among the refusals;
    /// building the same bytes again, on top of this table, goes on with them.
    pub deferred: u64,
    /// What the patterns of this table take.
    pub pattern_bytes: u32,
    /// Endpoints of this table that the previous one did not have, and the reverse: those can be drained.
    pub endpoints_added: Vec<Arc<Endpoint>>,
    pub endpoints_removed: Vec<Arc<Endpoint>>,
}
