//! What was checked, what could not be, and what was wrong.

use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Default)]
pub struct Tally {
    pub checks: usize,
    /// By reason.
    pub unseen: BTreeMap<&'static str, usize>,
    pub failures: Vec<String>,
    /// Where in the case the checks are.
    pub place: String,
}

impl Tally {
    pub fn equal<T: PartialEq + Debug>(&mut self, what: &str, expected: &T, got: &T) {
        self.checks += 1;
        if expected != got {
            self.fail(&format!("{what}: expected {expected:?}, got {got:?}"));
        }
    }

    pub fn holds(&mut self, what: &str, holds: bool) {
        self.checks += 1;
        if !holds {
            self.fail(what);
        }
    }

    pub fn fail(&mut self, what: &str) {
        self.failures.push(format!("{}: {what}", self.place));
    }

    pub fn not_seen(&mut self, why: &'static str) {
        *self.unseen.entry(why).or_default() += 1;
    }

    pub fn add(&mut self, other: &Self) {
        self.checks += other.checks;
        for (why, number) in &other.unseen {
            *self.unseen.entry(why).or_default() += number;
        }
    }
}
