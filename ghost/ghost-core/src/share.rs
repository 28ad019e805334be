//! Fair shares of varnishd's threads.
//!
//! A request that waits for its backend holds threads of varnishd: that of its client, and that of its fetch. A backend that hangs would
//! hold all of them before long. So threads are counted by namespace, and within it by backend, and while few are left, whoever holds more
//! than a fair share of them gets no more: first the namespaces share them, then the backends of a namespace its part. However many backends
//! of one namespace hang, another namespace's part is the same. The last few threads are for requests that end soon: those of a backend that
//! has released as many of late as it holds. These may wait for a thread in varnishd's queue, and a burst of them is not refused.
//!
//! varnishd has several pools of threads, each with a queue of its own: one that is used up is not helped by another. So each of them, a
//! *lane* here, is counted apart. Counters are atomic and relaxed: a request that is let in or refused one too many does no harm.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::fair::{Part, floor, is_within_shares};

/// Pools of threads that are counted apart; beyond that, several are counted together.
pub const LANES: usize = 8;

/// The threads that a backend or a namespace holds, and how many it has released of late.
#[derive(Debug, Default)]
pub struct Usage {
    held: [AtomicU32; LANES],
    /// Of a namespace: how many of its backends hold any.
    backends: [AtomicU32; LANES],
    released: AtomicU64,
}

/// Threads released in this period, of some two seconds, and the one before.
#[derive(Debug, Clone, Copy)]
struct Released {
    period: u64,
    before: u64,
    now: u64,
}

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
    /// That hold any.
    namespaces: AtomicU32,
}

/// Who holds threads. A backend that routes of two namespaces lead to is counted apart in each.
#[derive(Debug, Clone, Copy)]
pub struct Holder<'u> {
    pub backend: &'u Usage,
    pub namespace: &'u Usage,
}

impl Released {
    const COUNT: u32 = 16;
    const MOST: u64 = (1 << Self::COUNT) - 1;
    const PERIOD_MS_LOG2: u32 = 11;

    fn of(packed: u64, now_ms: u64) -> Self {
        let period = (now_ms >> Self::PERIOD_MS_LOG2) & u64::from(u32::MAX);
        let (noted, before, now) =
            (packed >> (2 * Self::COUNT), (packed >> Self::COUNT) & Self::MOST, packed & Self::MOST);
        match period.wrapping_sub(noted) {
            0 => Self { period, before, now },
            1 => Self { period, before: now, now: 0 },
            _ => Self { period, before: 0, now: 0 },
        }
    }

    fn packed(self) -> u64 {
        (self.period << (2 * Self::COUNT)) | (self.before << Self::COUNT) | self.now
    }
}

impl Usage {
    fn held(&self, lane: usize) -> u32 {
        self.held.get(lane).map_or(0, |held| held.load(Relaxed))
    }

    /// A count that is lost to another thread does no harm.
    fn note_released(&self, threads: u32, now_ms: u64) {
        let mut released = Released::of(self.released.load(Relaxed), now_ms);
        released.now = (released.now + u64::from(threads)).min(Released::MOST);
        self.released.store(released.packed(), Relaxed);
    }

    /// Whether as many threads were released in the last two to four seconds as are held: then each is held for no longer.
    fn ends_soon(&self, lane: usize, now_ms: u64) -> bool {
        let released = Released::of(self.released.load(Relaxed), now_ms);
        released.before + released.now >= u64::from(self.held(lane))
    }

    /// Adds to `held`; a holder that had none becomes one of `holders`.
    fn add(&self, lane: usize, threads: u32, holders: Option<&AtomicU32>) {
        let had_none = self.held.get(lane).is_some_and(|held| held.fetch_add(threads, Relaxed) == 0);
        if let Some(holders) = holders.filter(|_| had_none) {
            holders.fetch_add(1, Relaxed);
        }
    }

    fn subtract(&self, lane: usize, threads: u32, holders: Option<&AtomicU32>) {
        let has_none = self.held.get(lane).is_some_and(|held| held.fetch_sub(threads, Relaxed) == threads);
        if let Some(holders) = holders.filter(|_| has_none) {
            holders.fetch_sub(1, Relaxed);
        }
    }
}

impl Threads {
    pub const fn new() -> Self {
        Self(
            [const { Lane { capacity: AtomicU32::new(0), used: AtomicU32::new(0), namespaces: AtomicU32::new(0) } };
                LANES],
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
            holder.backend.add(lane, threads, holder.namespace.backends.get(lane));
            holder.namespace.add(lane, threads, Some(&place.namespaces));
        }
    }

    /// Threads of a request that has ended.
    pub fn give_back(&self, lane: usize, threads: u32, holder: Option<Holder<'_>>, now_ms: u64) {
        if let Some(holder) = holder {
            holder.backend.note_released(threads, now_ms);
        }
        self.put_back(lane, threads, holder);
    }

    /// Threads of a request that did not go on: they tell nothing of how long its backend takes.
    pub fn put_back(&self, lane: usize, threads: u32, holder: Option<Holder<'_>>) {
        let Some(place) = self.0.get(lane) else { return };
        place.used.fetch_sub(threads, Relaxed);
        if let Some(holder) = holder {
            holder.backend.subtract(lane, threads, holder.namespace.backends.get(lane));
            holder.namespace.subtract(lane, threads, Some(&place.namespaces));
        }
    }

    /// Whether a lane has no thread left for any request.
    pub fn is_exhausted(&self, lane: usize) -> bool {
        self.0.get(lane).is_some_and(Lane::is_exhausted)
    }

    /// Whether fewer than a quarter of the threads are free in any lane, if so many more are in use in one of them.
    pub fn are_scarce(&self, more: u32) -> bool {
        self.0.iter().any(|lane| {
            let capacity = lane.capacity.load(Relaxed);
            capacity.saturating_sub(lane.used.load(Relaxed).saturating_add(more)) < capacity.div_ceil(4)
        })
    }

    /// How many threads have to become free until a sixteenth is, in each lane, if so many more are in use in one of them.
    pub fn lacking(&self, more: u32) -> u32 {
        let lacks = |lane: &Lane| {
            let capacity = lane.capacity.load(Relaxed);
            let used = lane.used.load(Relaxed).saturating_add(more);
            floor(capacity).saturating_sub(capacity.saturating_sub(used))
        };
        self.0.iter().map(lacks).max().unwrap_or(0)
    }

    /// Whether a request may go on that works in this lane and was counted. A fetch may be given to any lane, so the shares of all count.
    pub fn admits(&self, lane: usize, holder: Holder<'_>, now_ms: u64) -> bool {
        let fits = |(number, lane): (usize, &Lane)| {
            let (capacity, used) = (lane.capacity.load(Relaxed), lane.used.load(Relaxed));
            let namespace = Part { held: holder.namespace.held(number), holders: lane.namespaces.load(Relaxed) };
            let backends = holder.namespace.backends.get(number);
            let backend = Part {
                held: holder.backend.held(number),
                holders: backends.map_or(0, |backends| backends.load(Relaxed)),
            };
            capacity == 0 || is_within_shares(capacity, used, namespace, backend)
        };
        let may_wait = || !self.is_exhausted(lane) || holder.backend.ends_soon(lane, now_ms);
        self.0.iter().enumerate().all(fits) && may_wait()
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

    const NOW: u64 = 1_000_000;

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
            if !threads.admits(0, holder, NOW) {
                threads.put_back(0, 2, Some(holder));
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
        assert!(threads.admits(0, honest, NOW));
        assert!(!threads.admits(0, Holder { backend: &hung, namespace: &one }, NOW));
        let neighbour = Usage::default();
        let of_the_same = Holder { backend: &neighbour, namespace: &one };
        threads.take(0, 2, Some(of_the_same));
        assert!(!threads.admits(0, of_the_same, NOW), "the namespace has more than its share, too");
    }

    #[test]
    fn many_hung_backends_of_one_namespace_leave_another_its_share() {
        let threads = threads(246);
        let (hung, bad): ([Usage; 107], Usage) = (std::array::from_fn(|_| Usage::default()), Usage::default());
        for backend in &hung {
            let holder = Holder { backend, namespace: &bad };
            threads.take(0, 2, Some(holder));
            assert!(threads.admits(0, holder, NOW));
        }
        let (backends, good): ([Usage; 3], Usage) = (std::array::from_fn(|_| Usage::default()), Usage::default());
        for backend in backends.iter().cycle().take(8) {
            let honest = Holder { backend, namespace: &good };
            threads.take(0, 2, Some(honest));
            assert!(threads.admits(0, honest, NOW), "{} threads in use", threads.used());
        }
        let another = Holder { backend: &hung[0], namespace: &bad };
        threads.take(0, 2, Some(another));
        assert!(!threads.admits(0, another, NOW));
    }

    #[test]
    fn the_last_threads_are_nobodys() {
        let threads = threads(160);
        let (one, other) = (Usage::default(), Usage::default());
        threads.take(0, 150, None);
        let holder = Holder { backend: &one, namespace: &other };
        assert!(threads.admits(0, holder, NOW) && !threads.is_exhausted(0));
        threads.take(0, 1, Some(holder));
        assert!(threads.is_exhausted(0) && !threads.admits(0, holder, NOW));
    }

    #[test]
    fn a_burst_of_requests_that_end_soon_is_let_in_when_others_hold_the_rest() {
        let threads = threads(160);
        let (hung, fine, slow, one, other) =
            (Usage::default(), Usage::default(), Usage::default(), Usage::default(), Usage::default());
        fill(&threads, Holder { backend: &hung, namespace: &one });
        let honest = Holder { backend: &fine, namespace: &other };
        for _ in 0..20 {
            threads.take(0, 2, Some(honest));
            threads.give_back(0, 2, Some(honest), NOW);
        }
        for _ in 0..20 {
            threads.take(0, 2, Some(honest));
            assert!(threads.admits(0, honest, NOW + 2048));
        }
        assert!(threads.is_exhausted(0));
        assert!(!threads.admits(0, honest, NOW + 5000), "none of them has ended for seconds");
        let second = Holder { backend: &slow, namespace: &other };
        threads.take(0, 2, Some(second));
        assert!(!threads.admits(0, second, NOW));
    }

    #[test]
    fn requests_that_are_refused_are_none_that_end_soon() {
        let threads = threads(160);
        let (hung, one) = (Usage::default(), Usage::default());
        let holder = Holder { backend: &hung, namespace: &one };
        fill(&threads, holder);
        assert_eq!(threads.used(), 140);
        for _ in 0..200 {
            threads.take(0, 2, Some(holder));
            threads.put_back(0, 2, Some(holder));
        }
        assert!(!hung.ends_soon(0, NOW));
    }

    #[test]
    fn threads_are_scarce_when_fewer_than_a_quarter_are_free() {
        let threads = threads(160);
        assert!(!threads.are_scarce(120) && threads.are_scarce(121));
        threads.take(0, 100, None);
        assert!(!threads.are_scarce(20) && threads.are_scarce(21));
    }

    #[test]
    fn threads_are_lacking_while_less_than_a_sixteenth_is_free() {
        let threads = threads(160);
        assert_eq!((threads.lacking(150), threads.lacking(151), threads.lacking(500)), (0, 1, 10));
        threads.take(0, 100, None);
        assert_eq!((threads.lacking(50), threads.lacking(55)), (0, 5));
    }

    #[test]
    fn a_lane_that_is_used_up_counts_for_those_who_used_it_up() {
        let threads = threads(80);
        threads.set_capacity(1, 80);
        let (hung, fine, one, other) = (Usage::default(), Usage::default(), Usage::default(), Usage::default());
        let holder = Holder { backend: &hung, namespace: &one };
        threads.take(1, 72, Some(holder));
        assert!(!threads.admits(0, holder, NOW));
        assert!(threads.admits(0, Holder { backend: &fine, namespace: &other }, NOW));
    }

    #[test]
    fn what_is_given_back_is_forgotten() {
        let threads = threads(16);
        let (backend, namespace) = (Usage::default(), Usage::default());
        let holder = Some(Holder { backend: &backend, namespace: &namespace });
        threads.take(0, 2, holder);
        threads.take(0, 1, holder);
        threads.give_back(0, 1, holder, NOW);
        threads.give_back(0, 2, holder, NOW);
        assert_eq!((threads.used(), backend.held(0), namespace.held(0)), (0, 0, 0));
        assert_eq!(namespace.backends[0].load(Relaxed) + threads.0[0].namespaces.load(Relaxed), 0);
    }

    #[test]
    fn lanes_beyond_the_last_are_not_counted() {
        let threads = threads(16);
        let (backend, namespace) = (Usage::default(), Usage::default());
        let holder = Holder { backend: &backend, namespace: &namespace };
        threads.take(LANES, 50, Some(holder));
        assert_eq!(threads.used(), 0);
        assert!(threads.admits(LANES, holder, NOW));
    }
}
