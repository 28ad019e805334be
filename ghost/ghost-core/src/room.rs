//! The memory that the patterns of one table may take.
//!
//! An automaton has a bound of its own (`limits::REGEX_AUTOMATON_BYTES`), and a small route can name thousands of them. So the sum is bounded,
//! too: a namespace may have a quarter of it, and the last eighth is for those that have little. Patterns count in the order of the table: a
//! namespace whose share is used up loses those that come after, its small ones included, and no other namespace loses any.
//!
//! A pattern of two namespaces counts for each, and once for all.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::limits;
use crate::pattern::Pattern;
use crate::route::Route;

/// Of one build.
#[derive(Debug, Default)]
pub struct Room {
    used: u32,
    accounts: HashMap<Box<str>, Account>,
    /// By address. Held, so that no other gets it.
    counted: HashMap<usize, Arc<Pattern>>,
    refusals: u64,
}

/// The patterns of a namespace.
#[derive(Debug, Default)]
struct Account {
    bytes: u32,
    counted: HashSet<usize>,
    /// There was one that did not fit.
    is_full: bool,
}

/// The patterns of a route, each with its namespace.
pub fn patterns(route: &Route) -> impl Iterator<Item = (&str, &Arc<Pattern>)> + Clone {
    let namespace = namespace(route.name());
    route.patterns().map(move |pattern| (namespace, pattern))
}

/// What a route's `namespace/name` begins with; empty where there is none.
pub fn namespace(route: &str) -> &str {
    route.split_once('/').map_or("", |(namespace, _)| namespace)
}

fn key(pattern: &Arc<Pattern>) -> usize {
    Arc::as_ptr(pattern).addr()
}

impl Room {
    /// Whether more of this namespace's patterns may come. Those that are counted stay.
    pub fn is_open(&mut self, namespace: &str) -> Result<(), String> {
        if self.accounts.get(namespace).is_some_and(|account| account.is_full) { self.refuse() } else { Ok(()) }
    }

    /// Counts a pattern, if there is room for it.
    pub fn admit(&mut self, namespace: &str, pattern: &Arc<Pattern>) -> Result<(), String> {
        let account = self.accounts.get(namespace);
        if account.is_some_and(|account| account.counted.contains(&key(pattern))) {
            return Ok(());
        }
        let more = if self.has(pattern) { 0 } else { pattern.bytes() };
        self.reserve(namespace, pattern.bytes(), more)?;
        self.count(namespace, pattern);
        Ok(())
    }

    /// Whether a pattern of this size, which is not compiled, would be counted.
    pub fn would_admit(&mut self, namespace: &str, bytes: u32) -> Result<(), String> {
        self.reserve(namespace, bytes, bytes)
    }

    /// Counts all of these or none. What is refused has to be compiled, and refused, one by one.
    pub fn admit_all<'p>(&mut self, patterns: impl Iterator<Item = (&'p str, &'p Arc<Pattern>)> + Clone) -> bool {
        let fits = self.fits(patterns.clone());
        if fits {
            patterns.for_each(|(namespace, pattern)| self.count(namespace, pattern));
        }
        fits
    }

    /// Whether it is in the table so far.
    pub fn has(&self, pattern: &Arc<Pattern>) -> bool {
        self.counted.contains_key(&key(pattern))
    }

    /// What a namespace would have more, and what all would.
    fn reserve(&mut self, namespace: &str, bytes: u32, more: u32) -> Result<(), String> {
        self.is_open(namespace)?;
        if self.is_within(self.used.saturating_add(more), [(namespace, bytes)].into_iter()) {
            return Ok(());
        }
        self.accounts.entry(namespace.into()).or_default().is_full = true;
        self.refuse()
    }

    /// Whether there is room for all of these.
    fn fits<'p>(&self, patterns: impl Iterator<Item = (&'p str, &'p Arc<Pattern>)>) -> bool {
        let mut used = self.used;
        let mut more: HashMap<&str, u32> = HashMap::new();
        let (mut seen, mut seen_of) = (HashSet::new(), HashSet::new());
        for (namespace, pattern) in patterns {
            let account = self.accounts.get(namespace);
            if account.is_some_and(|account| account.counted.contains(&key(pattern)))
                || !seen_of.insert((namespace, key(pattern)))
            {
                continue;
            }
            if account.is_some_and(|account| account.is_full) {
                return false;
            }
            *more.entry(namespace).or_default() += pattern.bytes();
            if !self.has(pattern) && seen.insert(key(pattern)) {
                used = used.saturating_add(pattern.bytes());
            }
        }
        self.is_within(used, more.into_iter())
    }

    /// Whether so many bytes in all, with so many more for each of these namespaces, are within the limits.
    fn is_within<'p>(&self, used: u32, mut more: impl Iterator<Item = (&'p str, u32)>) -> bool {
        let free = limits::REGEX_BYTES_PER_TABLE.saturating_sub(used);
        let most = if free >= limits::REGEX_BYTES_PER_TABLE / 8 {
            limits::REGEX_BYTES_PER_NAMESPACE
        } else {
            limits::REGEX_BYTES_OF_LITTLE
        };
        more.all(|(namespace, bytes)| {
            let held = self.accounts.get(namespace).map_or(0, |account| account.bytes).saturating_add(bytes);
            used <= limits::REGEX_BYTES_PER_TABLE && held <= most
        })
    }

    fn count(&mut self, namespace: &str, pattern: &Arc<Pattern>) {
        let account = match self.accounts.get_mut(namespace) {
            Some(account) => account,
            None => self.accounts.entry(namespace.into()).or_default(),
        };
        if account.counted.insert(key(pattern)) {
            account.bytes = account.bytes.saturating_add(pattern.bytes());
        }
        if self.counted.insert(key(pattern), Arc::clone(pattern)).is_none() {
            self.used = self.used.saturating_add(pattern.bytes());
        }
    }

    /// Of all namespaces.
    pub fn used(&self) -> u32 {
        self.used
    }

    /// How many patterns found no room so far.
    pub fn refusals(&self) -> u64 {
        self.refusals
    }

    fn refuse(&mut self) -> Result<(), String> {
        self.refusals += 1;
        Err(format!(
            "the regular expressions of this namespace take more memory than its share, {} MiB at most of the {} MiB of a table",
            limits::REGEX_BYTES_PER_NAMESPACE >> 20,
            limits::REGEX_BYTES_PER_TABLE >> 20
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Coverage;

    /// Of some 11 KiB.
    fn pattern(n: usize) -> Arc<Pattern> {
        Arc::new(Pattern::compile(&format!("{n}[ab]*a[ab]{{8}}"), Coverage::Full).unwrap())
    }

    fn filled(room: &mut Room, namespace: &str) -> usize {
        (0..1_000).take_while(|n| room.admit(namespace, &pattern(*n)).is_ok()).count()
    }

    #[test]
    fn a_namespace_has_a_quarter_and_leaves_the_rest() {
        let (mut room, size) = (Room::default(), pattern(1_000).bytes());
        let filled = filled(&mut room, "greedy");
        assert!(filled > 100 && room.used() > limits::REGEX_BYTES_PER_NAMESPACE - size);
        assert!(room.used() <= limits::REGEX_BYTES_PER_NAMESPACE);
        assert!(room.admit("greedy", &pattern(2_000)).is_err() && room.is_open("greedy").is_err());
        assert!(room.is_open("modest").is_ok());
        for n in 0..100 {
            assert!(room.admit("modest", &pattern(n)).is_ok());
        }
    }

    #[test]
    fn the_last_eighth_is_for_those_that_have_little() {
        let mut room = Room::default();
        for namespace in ["a", "b", "c", "d", "e"] {
            filled(&mut room, namespace);
        }
        assert!(room.accounts["d"].bytes > limits::REGEX_BYTES_PER_NAMESPACE / 4, "what is left");
        assert!(room.accounts["e"].bytes <= limits::REGEX_BYTES_OF_LITTLE);
        for namespace in ["f", "g", "h"] {
            for n in 0..10 {
                assert!(room.admit(namespace, &pattern(n)).is_ok());
            }
        }
        assert!(room.used() <= limits::REGEX_BYTES_PER_TABLE);
    }

    #[test]
    fn a_pattern_counts_once_for_each_namespace() {
        let (mut room, shared) = (Room::default(), pattern(0));
        for namespace in ["a", "b", "a"] {
            assert!(room.admit(namespace, &shared).is_ok());
        }
        assert_eq!(room.used(), shared.bytes());
        assert!(room.accounts.values().all(|account| account.bytes == shared.bytes()));
    }
}
