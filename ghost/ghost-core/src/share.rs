//! Fair shares of varnishd's threads.
//!
//! A request that waits for its backend holds threads of varnishd: that of its client, and that of its fetch. A backend that hangs would
//! hold all of them before long. So threads are counted by backend and by namespace, and while few are left, whoever holds more
//! than a fair share of them gets no more. The last few are nobody's: they keep the control socket reachable.
//!
//! varnishd has several pools of threads, each with a queue of its own: one that is used up is not helped by another. So each of them, a
//! *lane* here, is counted apart. Counters are atomic and relaxed: a request that is let in or refused one too many does no harm.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Pools of threads that are counted apart; beyond that, several are counted together.
pub const LANES: usize = 8;

/// The threads that a backend or a namespace holds.
#[derive(Debug, Default)]
pub struct Usage([AtomicU32; LANES]);

/// The threads of all lanes.
#[derive(Debug)]
pub struct Threads([Lane; LANES]);

/// Two lanes never share a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Lane {
    /// How many threads requests can use; 0: this lane is not used.
    capacity: AtomicU32,
    used: AtomicU32,
    /// Backends and namespaces that hold any.
    backends: AtomicU32,
    namespaces: AtomicU32,
}

/// Who holds threads.
#[derive(Debug, Clone, Copy)]
pub struct Holder<'u> {
    pub backend: &'u Usage,
    pub namespace: &'u Usage,
}

/// Whether `held` of `capacity` may become more, with so many holders, when `used` are in use by all.
///
/// As long as an eighth is free, everybody may. Then those may that hold no more than a fair share of the rest.
pub fn is_within_share(capacity: u32, used: u32, held: u32, holders: u32) -> bool {
    let reserve = reserve(capacity);
    capacity.saturating_sub(used) >= reserve || held <= (capacity - reserve) / holders.max(1)
}

/// What is kept free for those below their share: an eighth.
fn reserve(capacity: u32) -> u32 {
    capacity.div_ceil(8)
}

/// What nobody gets: half of the reserve.
fn floor(capacity: u32) -> u32 {
    capacity.div_ceil(16)
}

impl Usage {
    fn held(&self, lane: usize) -> u32 {
        self.0.get(lane).map_or(0, |held| held.load(Relaxed))
    }

    /// Adds to `held`; a holder that had none becomes one of `holders`.
    fn add(&self, lane: usize, threads: u32, holders: &AtomicU32) {
        if self.0.get(lane).is_some_and(|held| held.fetch_add(threads, Relaxed) == 0) {
            holders.fetch_add(1, Relaxed);
        }
    }

    fn subtract(&self, lane: usize, threads: u32, holders: &AtomicU32) {
        if self.0.get(lane).is_some_and(|held| held.fetch_sub(threads, Relaxed) == threads) {
            holders.fetch_sub(1, Relaxed);
        }
    }
}

impl Threads {
    pub const fn new() -> Self {
        Self(
            [const {
                Lane {
                    capacity: AtomicU32::new(0),
                    used: AtomicU32::new(0),
                    backends: AtomicU32::new(0),
                    namespaces: AtomicU32::new(0),
                }
            }; LANES],
        )
    }

    /// How many threads a lane has for requests. Writes only what is new: all threads read it.
    pub fn set_capacity(&self, lane: usize, threads: u32) {
        if let Some(lane) = self.0.get(lane).filter(|lane| lane.capacity.load(Relaxed) != threads) {
            lane.capacity.store(threads, Relaxed);
        }
    }

    /// Counts threads; `give_back` has to follow, with the same arguments.
    pub fn take(&self, lane: usize, threads: u32, holder: Option<Holder<'_>>) {
        let Some(place) = self.0.get(lane) else { return };
        place.used.fetch_add(threads, Relaxed);
        if let Some(holder) = holder {
            holder.backend.add(lane, threads, &place.backends);
            holder.namespace.add(lane, threads, &place.namespaces);
        }
    }

    pub fn give_back(&self, lane: usize, threads: u32, holder: Option<Holder<'_>>) {
        let Some(place) = self.0.get(lane) else { return };
        place.used.fetch_sub(threads, Relaxed);
        if let Some(holder) = holder {
            holder.backend.subtract(lane, threads, &place.backends);
            holder.namespace.subtract(lane, threads, &place.namespaces);
        }
    }

    /// Whether a lane has no thread left for any request.
    pub fn is_exhausted(&self, lane: usize) -> bool {
        self.0.get(lane).is_some_and(Lane::is_exhausted)
    }

    /// Whether a request may go on that works in this lane and was counted. A fetch may be given to any lane, so the shares of all count.
    pub fn admits(&self, lane: usize, holder: Holder<'_>) -> bool {
        let fits = |(number, lane): (usize, &Lane)| {
            let (capacity, used) = (lane.capacity.load(Relaxed), lane.used.load(Relaxed));
            let within = |usage: &Usage, holders: &AtomicU32| {
                is_within_share(capacity, used, usage.held(number), holders.load(Relaxed))
            };
            capacity == 0 || (within(holder.backend, &lane.backends) && within(holder.namespace, &lane.namespaces))
        };
        !self.is_exhausted(lane) && self.0.iter().enumerate().all(fits)
    }

    /// Threads in use, of all lanes.
    pub fn used(&self) -> u32 {
        self.0.iter().map(|lane| lane.used.load(Relaxed)).sum()
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::new()
    }
}

impl Lane {
    fn is_exhausted(&self) -> bool {
        let capacity = self.capacity.load(Relaxed);
        capacity != 0 && capacity.saturating_sub(self.used.load(Relaxed)) < floor(capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(capacity: u32) -> Threads {
        let threads = Threads::new();
        threads.set_capacity(0, capacity);
        threads
    }

    /// Requests of two threads each, until one is refused.
    fn fill(threads: &Threads, holder: Holder<'_>) -> u32 {
        let mut admitted = 0;
        loop {
            threads.take(0, 2, Some(holder));
            if !threads.admits(0, holder) {
                threads.give_back(0, 2, Some(holder));
                return admitted;
            }
            admitted += 1;
        }
    }

    #[test]
    fn a_single_backend_may_use_all_but_the_reserve() {
        let threads = threads(160);
        let (hung, tenant) = (Usage::default(), Usage::default());
        let holder = Holder { backend: &hung, namespace: &tenant };
        assert_eq!(fill(&threads, holder), 70);
        assert_eq!(threads.used(), 140);
    }

    #[test]
    fn others_are_served_while_one_holds_more_than_its_share() {
        let threads = threads(160);
        let (hung, fine, one, other) = (Usage::default(), Usage::default(), Usage::default(), Usage::default());
        fill(&threads, Holder { backend: &hung, namespace: &one });
        let honest = Holder { backend: &fine, namespace: &other };
        threads.take(0, 2, Some(honest));
        assert!(threads.admits(0, honest));
        assert!(!threads.admits(0, Holder { backend: &hung, namespace: &one }));
        let neighbour = Usage::default();
        let of_the_same = Holder { backend: &neighbour, namespace: &one };
        threads.take(0, 2, Some(of_the_same));
        assert!(!threads.admits(0, of_the_same), "the namespace has more than its share, too");
    }

    #[test]
    fn the_last_threads_are_nobodys() {
        let threads = threads(160);
        let (one, other) = (Usage::default(), Usage::default());
        threads.take(0, 150, None);
        let holder = Holder { backend: &one, namespace: &other };
        assert!(threads.admits(0, holder) && !threads.is_exhausted(0));
        threads.take(0, 1, Some(holder));
        assert!(threads.is_exhausted(0) && !threads.admits(0, holder));
    }

    #[test]
    fn a_lane_that_is_used_up_counts_for_those_who_used_it_up() {
        let threads = threads(80);
        threads.set_capacity(1, 80);
        let (hung, fine, one, other) = (Usage::default(), Usage::default(), Usage::default(), Usage::default());
        let holder = Holder { backend: &hung, namespace: &one };
        threads.take(1, 72, Some(holder));
        assert!(!threads.admits(0, holder));
        assert!(threads.admits(0, Holder { backend: &fine, namespace: &other }));
    }

    #[test]
    fn what_is_given_back_is_forgotten() {
        let threads = threads(16);
        let (backend, namespace) = (Usage::default(), Usage::default());
        let holder = Some(Holder { backend: &backend, namespace: &namespace });
        threads.take(0, 2, holder);
        threads.take(0, 1, holder);
        threads.give_back(0, 1, holder);
        threads.give_back(0, 2, holder);
        assert_eq!((threads.used(), backend.held(0), namespace.held(0)), (0, 0, 0));
        assert_eq!(threads.0[0].backends.load(Relaxed) + threads.0[0].namespaces.load(Relaxed), 0);
    }

    #[test]
    fn lanes_beyond_the_last_are_not_counted() {
        let threads = threads(16);
        let (backend, namespace) = (Usage::default(), Usage::default());
        let holder = Holder { backend: &backend, namespace: &namespace };
        threads.take(LANES, 50, Some(holder));
        assert_eq!(threads.used(), 0);
        assert!(threads.admits(LANES, holder));
    }
}
