//! Timeouts, retries and mirrors: what the caller may do, decided here, done there.

use std::sync::Arc;

use crate::hash;
use crate::route::Target;
use crate::share::Usage;

/// A limit in milliseconds, as the table gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// Leave the proxy's own setting.
    #[default]
    Inherit,
    /// No limit.
    Never,
    Ms(u32),
}

impl Limit {
    pub(crate) fn of(ms: Option<u32>) -> Self {
        match ms {
            None => Self::Inherit,
            Some(0) => Self::Never,
            Some(ms) => Self::Ms(ms),
        }
    }

    fn ms(self) -> Option<u32> {
        match self {
            Self::Ms(ms) => Some(ms),
            Self::Inherit | Self::Never => None,
        }
    }

    /// This limit, but not beyond `ms`.
    fn within(self, ms: Option<u32>) -> Self {
        match (self, ms) {
            (limit, None) => limit,
            (Self::Ms(own), Some(ms)) => Self::Ms(own.min(ms)),
            (_, Some(ms)) => Self::Ms(ms),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timeouts {
    pub connect: Limit,
    pub first_byte: Limit,
    pub between_bytes: Limit,
    /// All attempts, from the first byte of the request to the last of the response.
    pub request: Limit,
    /// One attempt.
    pub backend_request: Limit,
}

/// The limits of the attempt that starts now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    pub connect: Limit,
    pub first_byte: Limit,
    pub between_bytes: Limit,
    /// Milliseconds from now until the attempt has to be over, body included.
    pub deadline_ms: Option<u32>,
}

impl Timeouts {
    /// `None` when the time for the whole request is spent: answer 504.
    pub fn attempt(&self, elapsed_ms: u64) -> Option<Attempt> {
        let left = match self.request.ms() {
            None => None,
            Some(total) => {
                let left = u64::from(total).saturating_sub(elapsed_ms);
                Some(u32::try_from(left).ok().filter(|&ms| ms > 0)?)
            }
        };
        let deadline_ms = match (self.backend_request.ms(), left) {
            (Some(own), Some(left)) => Some(own.min(left)),
            (own, left) => own.or(left),
        };
        Some(Attempt {
            connect: self.connect.within(deadline_ms),
            first_byte: self.first_byte.within(deadline_ms),
            between_bytes: self.between_bytes.within(deadline_ms),
            deadline_ms,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Tries after the first.
    pub attempts: u32,
    pub(crate) codes: Box<[u16]>,
    pub connection_errors: bool,
    pub backoff_ms: u32,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The backend answered.
    Status(u16),
    /// No connection came about, so the backend has seen nothing.
    NotConnected,
    /// The connection ended before the first byte of an answer to a GET or HEAD without a body, which asks for nothing that
    /// must not happen twice (RFC 9110, 9.2.2).
    Unanswered,
    /// The connection broke or timed out after the request was sent: the backend may have acted on it.
    Broken,
}

/// The tries of a request after its first, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tries {
    pub retries: u32,
    /// One of them followed a connection that ended without an answer.
    pub repeated: bool,
    /// There is an endpoint that this request has not tried.
    pub untried: bool,
}

/// How often a request whose rule asks for no retry is tried again. A pod that ends refuses connections before its
/// `EndpointSlice` says so: another one can serve the request, and nothing has happened yet.
const UNASKED: u32 = 2;

/// Whether there is another try. Those that nobody asked for count as the rule's own: `attempts` is the most in all.
pub fn tries_again(retry: Option<&Retry>, ended: Ended, tries: Tries) -> bool {
    if retry.is_some_and(|retry| retry.again(ended, tries.retries)) {
        return true;
    }
    let most = retry.map_or(UNASKED, |retry| retry.attempts.min(UNASKED));
    let refused = retry.is_none_or(|retry| retry.connection_errors);
    tries.retries < most
        && match ended {
            Ended::NotConnected => refused && tries.untried,
            Ended::Unanswered => !tries.repeated,
            Ended::Status(_) | Ended::Broken => false,
        }
}

impl Retry {
    /// `retries` is how many tries came after the first so far.
    pub fn again(&self, ended: Ended, retries: u32) -> bool {
        retries < self.attempts
            && match ended {
                Ended::Status(code) => self.codes.contains(&code),
                Ended::NotConnected => self.connection_errors,
                Ended::Unanswered | Ended::Broken => false,
            }
    }

    pub fn codes(&self) -> &[u16] {
        &self.codes
    }
}

#[derive(Debug)]
pub struct Mirror {
    pub(crate) target: Target,
    pub(crate) usage: Arc<Usage>,
    /// Fires if a uniform 32-bit number is below this; 2^32 is always.
    pub(crate) threshold: u64,
}

impl Mirror {
    pub(crate) fn threshold(numerator: u32, denominator: u32) -> u64 {
        (u64::from(numerator.min(denominator)) << 32) / u64::from(denominator.max(1))
    }

    /// Each mirror of a rule samples by itself: `position` sets their draws apart.
    pub(crate) fn fires(&self, position: u64, draw: u64) -> bool {
        hash::spread(draw.wrapping_add(position.wrapping_mul(0x9e37_79b9_7f4a_7c15))) >> 32 < self.threshold
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// One for all mirrors that lead to the same backend.
    pub fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_of_zero_is_never() {
        assert_eq!(
            [Limit::of(None), Limit::of(Some(0)), Limit::of(Some(5))],
            [Limit::Inherit, Limit::Never, Limit::Ms(5)]
        );
    }

    #[test]
    fn an_attempt_fits_in_what_is_left_of_the_request() {
        let timeouts = Timeouts {
            connect: Limit::Ms(50),
            first_byte: Limit::Never,
            request: Limit::Ms(1_000),
            backend_request: Limit::Ms(300),
            ..Timeouts::default()
        };
        let first = timeouts.attempt(0).unwrap();
        assert_eq!(first.deadline_ms, Some(300));
        assert_eq!(
            (first.connect, first.first_byte, first.between_bytes),
            (Limit::Ms(50), Limit::Ms(300), Limit::Ms(300))
        );
        let last = timeouts.attempt(990).unwrap();
        assert_eq!((last.deadline_ms, last.connect), (Some(10), Limit::Ms(10)));
        assert_eq!(timeouts.attempt(1_000), None);
        assert_eq!(timeouts.attempt(u64::MAX), None);
    }

    #[test]
    fn no_limits_means_none() {
        let attempt = Timeouts { request: Limit::Never, ..Timeouts::default() }.attempt(u64::MAX).unwrap();
        assert_eq!((attempt.deadline_ms, attempt.first_byte), (None, Limit::Inherit));
        let only_request = Timeouts { request: Limit::Ms(7), ..Timeouts::default() }.attempt(2).unwrap();
        assert_eq!(only_request.deadline_ms, Some(5));
    }

    #[test]
    fn retries_end() {
        let retry = Retry { attempts: 2, codes: [502, 503].into(), connection_errors: true, backoff_ms: 0 };
        assert!(retry.again(Ended::Status(503), 0) && retry.again(Ended::Status(502), 1));
        assert!(!retry.again(Ended::Status(503), 2), "attempts are spent");
        assert!(!retry.again(Ended::Status(500), 0), "not a listed code");
        assert!(retry.again(Ended::NotConnected, 0) && !retry.again(Ended::Broken, 0));
        let never = Retry { attempts: 0, connection_errors: true, ..retry.clone() };
        assert!(!never.again(Ended::NotConnected, 0));
        let codes_only = Retry { connection_errors: false, ..retry };
        assert!(!codes_only.again(Ended::NotConnected, 0));
    }

    #[test]
    fn nobody_has_to_ask_for_another_endpoint() {
        let first = Tries { retries: 0, repeated: false, untried: true };
        let after = |retries| Tries { retries, ..first };
        assert!(tries_again(None, Ended::NotConnected, after(0)) && tries_again(None, Ended::NotConnected, after(1)));
        assert!(!tries_again(None, Ended::NotConnected, after(2)), "twice is enough");
        assert!(!tries_again(None, Ended::NotConnected, Tries { untried: false, ..first }), "there is no other");
        assert!(tries_again(None, Ended::Unanswered, Tries { untried: false, ..first }), "the same may do");
        assert!(!tries_again(None, Ended::Unanswered, Tries { repeated: true, ..after(1) }), "once is enough");
        assert!(!tries_again(None, Ended::Broken, first) && !tries_again(None, Ended::Status(503), first));
    }

    #[test]
    fn attempts_are_the_most_in_all() {
        let tries = |retries| Tries { retries, repeated: false, untried: true };
        let rule = |attempts| Retry { attempts, codes: [503].into(), connection_errors: true, backoff_ms: 0 };
        for ended in [Ended::NotConnected, Ended::Unanswered, Ended::Status(503)] {
            assert!(!tries_again(Some(&rule(0)), ended, tries(0)), "{ended:?}: the rule says none");
            assert!(tries_again(Some(&rule(1)), ended, tries(0)) && !tries_again(Some(&rule(1)), ended, tries(1)));
        }
        assert!(tries_again(Some(&rule(5)), Ended::NotConnected, tries(4)), "as the rule asks");
        assert!(!tries_again(Some(&rule(5)), Ended::Unanswered, tries(2)), "which it did not ask for");
        let codes_only = Retry { connection_errors: false, ..rule(2) };
        assert!(!tries_again(Some(&codes_only), Ended::NotConnected, tries(0)), "the rule says no");
    }

    #[test]
    fn mirrors_sample_by_themselves() {
        let mirror = |numerator, denominator| Mirror {
            usage: Arc::default(),
            target: Target::Invalid,
            threshold: Mirror::threshold(numerator, denominator),
        };
        let share =
            |mirror: &Mirror, position| (0..10_000).filter(|&n| mirror.fires(position, hash::spread(n))).count();
        assert_eq!(share(&mirror(0, 100), 0), 0);
        assert_eq!(share(&mirror(100, 100), 0), 10_000);
        assert_eq!(share(&mirror(7, 5), 0), 10_000);
        assert!((2_300..2_700).contains(&share(&mirror(25, 100), 0)));
        let half = mirror(1, 2);
        let both = (0..10_000).filter(|&n| half.fires(0, hash::spread(n)) && half.fires(1, hash::spread(n))).count();
        assert!((2_300..2_700).contains(&both), "independent, not the same draw: {both}");
    }
}
