//! A pool of endpoints and the choice of one.
//!
//! `Random` is uniform over the endpoints that are available. `Hash` is rendezvous hashing: each endpoint has a score for
//! the key and the highest wins, so an endpoint that comes or goes moves its own share and nothing else. It costs a few
//! instructions an endpoint; a ring would be cheaper for thousands and less even for few.
//!
//! Availability is a preference, never a veto: endpoints that are out, or were tried before in this request, are used
//! when nothing better is left.

use std::sync::Arc;

use crate::endpoint::Endpoint;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Select {
    #[default]
    Random,
    Hash,
}

#[derive(Debug, Default)]
pub struct Pool {
    endpoints: Box<[Arc<Endpoint>]>,
    select: Select,
}

/// What a choice depends on besides the pool.
#[derive(Debug, Clone, Copy)]
pub struct Pick<'p> {
    /// Uniformly random.
    pub draw: u32,
    /// Names the object, for `Select::Hash`.
    pub key: u64,
    pub now_ms: u64,
    /// Ids of endpoints tried before in this request.
    pub tried: &'p [u64],
}

impl Pool {
    pub(crate) fn new(endpoints: Vec<Arc<Endpoint>>, select: Select) -> Self {
        Self { endpoints: endpoints.into(), select }
    }

    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    pub fn select(&self) -> Select {
        self.select
    }

    pub fn pick(&self, pick: &Pick<'_>) -> Option<&Arc<Endpoint>> {
        let available = |e: &Endpoint| !e.health.is_out(pick.now_ms);
        let untried = |e: &Endpoint| !pick.tried.contains(&e.id());
        self.pick_among(pick, |e| available(e) && untried(e))
            .or_else(|| self.pick_among(pick, available))
            .or_else(|| self.pick_among(pick, untried))
            .or_else(|| self.pick_among(pick, |_| true))
    }

    pub fn has_untried(&self, tried: &[u64]) -> bool {
        self.endpoints.iter().any(|endpoint| !tried.contains(&endpoint.id()))
    }

    fn pick_among(&self, pick: &Pick<'_>, accept: impl Fn(&Endpoint) -> bool) -> Option<&Arc<Endpoint>> {
        match self.select {
            Select::Hash => self.endpoints.iter().filter(|e| accept(e)).max_by_key(|e| e.score(pick.key)),
            Select::Random => {
                let first = self.endpoints.get(scale(pick.draw, self.endpoints.len()))?;
                if accept(first) {
                    return Some(first);
                }
                // Only now look at all of them, so that the endpoints left share evenly.
                let count = self.endpoints.iter().filter(|e| accept(e)).count();
                self.endpoints.iter().filter(|e| accept(e)).nth(scale(pick.draw, count))
            }
        }
    }
}

/// Maps a uniform 32-bit number to `0..count` without division.
pub(crate) fn scale(draw: u32, count: usize) -> usize {
    usize::try_from((u64::from(draw) * count as u64) >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Address, Slots};
    use crate::health::Ejection;
    use proptest::prelude::*;
    use std::net::IpAddr;

    fn pool(hosts: &[u8], select: Select) -> Pool {
        let slots = Arc::new(Slots::default());
        let endpoint = |&host: &u8| {
            let address = Address::Ip(IpAddr::from([10, 0, 0, host]), 80);
            let key = Endpoint::key_of(&address, None).into();
            Arc::new(Endpoint::new(u64::from(host), key, address, None, Arc::clone(&slots)))
        };
        Pool::new(hosts.iter().map(endpoint).collect(), select)
    }

    fn chosen(pool: &Pool, draw: u32, key: u64, tried: &[u64]) -> Option<u64> {
        pool.pick(&Pick { draw, key, now_ms: 0, tried }).map(|e| e.id())
    }

    #[test]
    fn an_empty_pool_has_nothing_to_choose() {
        assert_eq!(chosen(&pool(&[], Select::Random), 7, 7, &[]), None);
        assert_eq!(chosen(&pool(&[], Select::Hash), 7, 7, &[]), None);
    }

    #[test]
    fn the_draw_covers_the_pool_evenly() {
        let pool = pool(&[1, 2, 3, 4], Select::Random);
        let quarter = 1 << 30;
        let all: Vec<_> = (0..4).map(|n| chosen(&pool, n * quarter, 0, &[])).collect();
        assert_eq!(all, [Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(chosen(&pool, u32::MAX, 0, &[]), Some(4));
        assert_eq!(chosen(&pool, quarter - 1, 0, &[]), Some(1));
    }

    #[test]
    fn out_and_tried_endpoints_are_avoided_while_others_are_left() {
        for select in [Select::Random, Select::Hash] {
            let pool = pool(&[1, 2], select);
            for draw in [0, u32::MAX] {
                assert_eq!(chosen(&pool, draw, 5, &[1]), Some(2));
                assert!(chosen(&pool, draw, 5, &[1, 2]).is_some());
            }
            pool.endpoints()[1].health.failed(0, Ejection::default());
            assert_eq!(chosen(&pool, u32::MAX, 5, &[]), Some(1));
            assert_eq!(chosen(&pool, 0, 5, &[1]), Some(1), "available beats untried");
            pool.endpoints()[0].health.failed(0, Ejection::default());
            assert_eq!(chosen(&pool, 0, 5, &[1]), Some(2), "all out: all in");
        }
    }

    #[test]
    fn untried_is_what_nobody_tried() {
        let pool = pool(&[1, 2], Select::Random);
        assert!(pool.has_untried(&[]) && pool.has_untried(&[1]) && !pool.has_untried(&[2, 1, 7]));
    }

    proptest! {
        #[test]
        fn rendezvous_moves_only_the_share_of_what_left(hosts in prop::collection::hash_set(1u8..200, 2..30), key: u64) {
            let hosts: Vec<u8> = hosts.into_iter().collect();
            let before = chosen(&pool(&hosts, Select::Hash), 0, key, &[]);
            let (&gone, rest) = hosts.split_first().unwrap();
            let after = chosen(&pool(rest, Select::Hash), 0, key, &[]);
            if before != Some(u64::from(gone)) {
                prop_assert_eq!(before, after);
            }
        }
    }

    #[test]
    fn rendezvous_spreads_keys() {
        let pool = pool(&[1, 2, 3, 4], Select::Hash);
        let mut counts = [0_u32; 5];
        for n in 0..4_000_u64 {
            let key = crate::hash::stable(&[&n.to_le_bytes()]);
            counts[usize::try_from(chosen(&pool, 0, key, &[]).unwrap()).unwrap()] += 1;
        }
        assert!(counts[1..].iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
    }
}
