//! Passive health of one endpoint: failed connections put it out for a short, growing time.
//!
//! One atomic word holds the number of failures in a row (high 16 bits) and the time until which the endpoint is out (low
//! 48 bits, milliseconds on the caller's monotonic clock). Failures that arrive while the endpoint is already out do not
//! count: a burst of a hundred requests that fail together is one event, not a hundred doublings.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Debug, Default)]
pub struct Health(AtomicU64);

/// How long endpoints are left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ejection {
    /// After the first failure; 0 turns ejection off.
    pub first_ms: u32,
    pub longest_ms: u32,
}

impl Default for Ejection {
    fn default() -> Self {
        Self { first_ms: 1_000, longest_ms: 30_000 }
    }
}

const TIME_BITS: u32 = 48;
const TIME_MASK: u64 = (1 << TIME_BITS) - 1;

impl Health {
    pub fn is_out(&self, now_ms: u64) -> bool {
        let word = self.0.load(Relaxed);
        word != 0 && now_ms < word & TIME_MASK
    }

    /// No connection came about.
    pub fn failed(&self, now_ms: u64, ejection: Ejection) {
        if ejection.first_ms == 0 {
            return;
        }
        // An update that loses its race is a failure of the same burst: the winner has counted it.
        let word = self.0.load(Relaxed);
        if now_ms < word & TIME_MASK {
            return;
        }
        let failures = (word >> TIME_BITS).min(30);
        let pause =
            (u64::from(ejection.first_ms) << failures).min(u64::from(ejection.longest_ms.max(ejection.first_ms)));
        let next = ((failures + 1) << TIME_BITS) | (now_ms.saturating_add(pause) & TIME_MASK);
        let _ = self.0.compare_exchange(word, next, Relaxed, Relaxed);
    }

    /// A connection came about. Writes only when there is something to forget: the word is shared by all threads.
    pub fn succeeded(&self) {
        if self.0.load(Relaxed) != 0 {
            self.0.store(0, Relaxed);
        }
    }

    pub fn failures(&self) -> u64 {
        self.0.load(Relaxed) >> TIME_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EJECTION: Ejection = Ejection { first_ms: 100, longest_ms: 350 };

    #[test]
    fn pauses_grow_and_end() {
        let health = Health::default();
        assert!(!health.is_out(0));
        health.failed(1_000, EJECTION);
        assert!(health.is_out(1_000) && health.is_out(1_099) && !health.is_out(1_100));
        health.failed(1_100, EJECTION);
        assert!(health.is_out(1_299) && !health.is_out(1_300));
        health.failed(1_300, EJECTION);
        assert!(health.is_out(1_649) && !health.is_out(1_650), "capped");
        assert_eq!(health.failures(), 3);
        for turn in 0..100 {
            health.failed(10_000 + turn * 1_000, EJECTION);
        }
        assert!(health.is_out(109_349) && !health.is_out(109_350));
    }

    #[test]
    fn a_burst_counts_once() {
        let health = Health::default();
        for _ in 0..100 {
            health.failed(5, EJECTION);
        }
        assert_eq!(health.failures(), 1);
        assert!(!health.is_out(105));
    }

    #[test]
    fn success_forgets() {
        let health = Health::default();
        health.failed(5, EJECTION);
        health.succeeded();
        assert!(!health.is_out(6));
        assert_eq!(health.failures(), 0);
    }

    #[test]
    fn can_be_turned_off() {
        let health = Health::default();
        health.failed(5, Ejection { first_ms: 0, longest_ms: 9 });
        assert!(!health.is_out(5));
    }
}
