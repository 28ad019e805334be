//! What a build says about its input.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use crate::endpoint::Endpoint;
use crate::room;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl Refusal {
    /// Whose mistake it is; empty if unknown.
    fn namespace(&self) -> &str {
        match self.field.strip_prefix("pools.") {
            Some(pool) => room::namespace(pool),
            None => room::namespace(&self.route),
        }
    }

    /// Equal for the elements of a route that one host refuses for one reason.
    fn cause(&self) -> impl Hash + Eq {
        let field = if self.route.is_empty() { &*self.field } else { "" };
        (&*self.vhost, &*self.route, self.effect, &*self.message, field)
    }
}

/// One for all refusals of a route on a host for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed<'r> {
    pub first: &'r Refusal,
    /// How many there are, the first included.
    pub count: usize,
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

impl Report {
    /// At most so many refusals, in their order. Namespaces take turns until the list is full, so that a crowd of one's hides no other's.
    pub fn listed(&self, most: usize) -> Vec<Listed<'_>> {
        let mut all: Vec<Listed<'_>> = Vec::new();
        let mut known = HashMap::new();
        for refusal in &self.refusals {
            let place = *known.entry(refusal.cause()).or_insert(all.len());
            match all.get_mut(place) {
                Some(listed) => listed.count += 1,
                None => all.push(Listed { first: refusal, count: 1 }),
            }
        }
        // By turn, then by place; how many turns each namespace has had.
        let mut turns: HashMap<&str, usize> = HashMap::new();
        let in_turn: BTreeSet<(usize, usize)> = (0..)
            .zip(&all)
            .map(|(place, listed)| {
                let turn = turns.entry(listed.first.namespace()).or_default();
                *turn += 1;
                (*turn, place)
            })
            .collect();
        let chosen: BTreeSet<usize> = in_turn.into_iter().take(most).map(|(_, place)| place).collect();
        (0..).zip(all).filter(|(place, _)| chosen.contains(place)).map(|(_, listed)| listed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(vhost: &str, route: &str, rule: u32, message: &str) -> Refusal {
        let (field, effect) = (format!("headers[{rule}].value").into(), Effect::RouteOmitted);
        Refusal { vhost: vhost.into(), route: route.into(), rule: Some(rule), field, effect, message: message.into() }
    }

    fn routes<'r>(listed: &[Listed<'r>]) -> Vec<(&'r str, &'r str, usize)> {
        listed.iter().map(|listed| (&*listed.first.vhost, &*listed.first.route, listed.count)).collect()
    }

    #[test]
    fn elements_of_a_route_are_one_on_each_host() {
        let hosts = ["a.com", "b.com"];
        let refusals = hosts.iter().flat_map(|host| (0..128).map(|n| refusal(host, "ns/r", n, "full"))).collect();
        let mut report = Report { refusals, ..Report::default() };
        report.refusals.push(refusal("b.com", "ns/r", 128, "unclosed"));
        assert_eq!(routes(&report.listed(10)), [("a.com", "ns/r", 128), ("b.com", "ns/r", 128), ("b.com", "ns/r", 1)]);
        assert!(report.listed(10).iter().all(|listed| listed.first.rule == Some(0) || listed.count == 1));
    }

    #[test]
    fn a_crowd_of_one_namespace_hides_no_others() {
        let mut report = Report::default();
        for n in 0..50 {
            for host in 0..16 {
                report.refusals.push(refusal(&format!("{host}.com"), &format!("crowd/{n}"), n, "full"));
            }
        }
        report.refusals.push(refusal("y.com", "modest/b", 0, "unclosed"));
        report.refusals.push(refusal("z.com", "modest/c", 0, "unclosed"));
        let pool = Refusal { field: "pools.third/s:80.backends".into(), ..refusal("", "", 0, "no address") };
        report.refusals.push(Refusal { field: "pools.third/t:80.backends".into(), ..pool.clone() });
        report.refusals.push(pool);
        let listed = report.listed(8);
        assert_eq!(routes(&listed)[..4], [0, 1, 2, 3].map(|n| (["0.com", "1.com", "2.com", "3.com"][n], "crowd/0", 1)));
        let others = [("y.com", "modest/b", 1), ("z.com", "modest/c", 1), ("", "", 1), ("", "", 1)];
        assert_eq!(routes(&listed)[4..], others);
        assert_eq!(routes(&report.listed(3)), [("0.com", "crowd/0", 1), others[0], others[2]]);
        assert_eq!(report.listed(2_000).len(), 804);
    }
}
