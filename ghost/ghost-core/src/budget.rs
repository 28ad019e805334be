//! What one build may spend on large patterns.
//!
//! Turning a pattern into an automaton takes microseconds for what people write and tens of milliseconds for what a hostile
//! author can think of. Each is bounded (`limits::REGEX_*`); this bounds the sum, so that a thousand of them do not hold up
//! a reload that carries somebody else's change.
//!
//! * Work is counted, not timed: the outcome of a build depends on its input and on the table before it, not on the machine.
//! * Small patterns are free, whatever was spent: only a large pattern can be turned down.
//! * Each namespace has a share of its own, so that one author uses up that share and no more.
//! * What is turned down is tried again by the next build, with a fresh budget. What was compiled or refused for good costs
//!   nothing then (`verdicts.rs`), so a line of builds of the same bytes settles. Meanwhile routes stay as they were (`waiting.rs`).

use std::collections::HashMap;

use crate::limits;
use crate::room;

#[derive(Debug, Default)]
pub struct Budget {
    spent: u64,
    by_namespace: HashMap<Box<str>, u64>,
    namespace: Box<str>,
    deferred: u64,
}

impl Budget {
    /// What follows is on the account of this route's namespace.
    pub fn charge_to(&mut self, route_name: &str) {
        let namespace = room::namespace(route_name);
        if *self.namespace != *namespace {
            self.namespace = namespace.into();
        }
    }

    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Whether there is anything left; counts the times that there was not.
    pub fn allows(&mut self) -> Result<(), String> {
        let own = self.by_namespace.get(&self.namespace).copied().unwrap_or_default();
        let whose = if own >= limits::REGEX_WORK_PER_NAMESPACE {
            "of this namespace"
        } else if self.spent >= limits::REGEX_WORK_PER_BUILD {
            "of all namespaces"
        } else {
            return Ok(());
        };
        self.deferred += 1;
        Err(format!("too many new large regular expressions {whose} in one table; compiled with the next"))
    }

    pub fn spend(&mut self, work: u64) {
        self.spent = self.spent.saturating_add(work);
        let own = self.by_namespace.entry(self.namespace.clone()).or_default();
        *own = own.saturating_add(work);
    }

    /// How many patterns were turned down so far.
    pub fn deferred(&self) -> u64 {
        self.deferred
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_that_spent_its_share_leaves_the_others_theirs() {
        let mut budget = Budget::default();
        budget.charge_to("greedy/a");
        budget.spend(limits::REGEX_WORK_PER_NAMESPACE - 1);
        assert!(budget.allows().is_ok(), "the last unit buys one more pattern");
        budget.spend(1);
        assert!(budget.allows().unwrap_err().contains("of this namespace"));
        budget.charge_to("greedy/b");
        assert!(budget.allows().is_err(), "another route of the same namespace");
        budget.charge_to("modest/a");
        assert!(budget.allows().is_ok());
        assert_eq!(budget.deferred(), 2);
    }

    #[test]
    fn all_namespaces_together_have_a_limit_too() {
        let mut budget = Budget::default();
        let namespaces = limits::REGEX_WORK_PER_BUILD / limits::REGEX_WORK_PER_NAMESPACE;
        for n in 0..namespaces {
            budget.charge_to(&format!("n{n}/a"));
            assert!(budget.allows().is_ok());
            budget.spend(limits::REGEX_WORK_PER_NAMESPACE);
        }
        budget.charge_to("modest/a");
        assert!(budget.allows().unwrap_err().contains("of all namespaces"));
    }
}
