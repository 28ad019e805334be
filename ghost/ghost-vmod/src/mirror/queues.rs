//! A queue of copies for each target, and who is next.
//!
//! Bytes and threads are shared by the rule for the threads of requests: as long as an eighth is free, everybody may have more; then the
//! namespaces that hold no more than a fair share, and within a namespace the targets that hold no more than a fair share of its part. Turns go
//! round. The last sixteenth of the threads is for namespaces that have none.
//! A target that let a copy run out of time gets one copy at a time until it answers, with growing pauses in which its copies are dropped.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ghost_core::{Part, Usage, is_within_shares};

/// In the memory budget of a pod: these bytes, and what so many threads touch.
const BYTES: u32 = 8 << 20;
pub const THREADS: u32 = 32;
/// For namespaces without any.
const RESERVED_THREADS: u32 = THREADS / 16;
/// What a copy takes beside its message.
const OVERHEAD: usize = 128;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MOST_DOUBLINGS: u32 = 5;
/// How long a target is remembered that nothing is sent to.
const MEMORY: Duration = Duration::from_secs(60);

/// Where a copy goes, and whose route sends it there. A target that routes of two namespaces name is one of each.
#[derive(Clone)]
pub struct Name {
    pub target: Arc<Usage>,
    pub namespace: Arc<Usage>,
}

pub struct Queues<C> {
    /// By address of what tells them apart.
    targets: HashMap<usize, Target<C>>,
    /// Those with copies, by address.
    namespaces: HashMap<usize, Namespace>,
    /// Targets with copies that wait, the next one first.
    turns: VecDeque<usize>,
    bytes: u32,
    running: u32,
}

impl<C> Default for Queues<C> {
    fn default() -> Self {
        Self { targets: HashMap::new(), namespaces: HashMap::new(), turns: VecDeque::new(), bytes: 0, running: 0 }
    }
}

struct Target<C> {
    /// Held, so that nobody else gets its addresses.
    name: Name,
    waiting: VecDeque<(u32, C)>,
    /// Of copies that wait or are being sent.
    bytes: u32,
    running: u32,
    /// In a row.
    timeouts: u32,
    paused_until: Instant,
}

/// What the targets of a namespace hold together.
#[derive(Debug, Default, Clone, Copy)]
struct Namespace {
    /// Targets with copies.
    busy: u32,
    bytes: u32,
    running: u32,
}

/// A copy that is being sent.
pub struct Work<C> {
    pub copy: C,
    target: usize,
    bytes: u32,
}

impl Name {
    fn target(&self) -> usize {
        Arc::as_ptr(&self.target).addr()
    }

    fn namespace(&self) -> usize {
        Arc::as_ptr(&self.namespace).addr()
    }
}

impl<C> Target<C> {
    fn new(name: &Name, now: Instant) -> Self {
        Self { name: name.clone(), waiting: VecDeque::new(), bytes: 0, running: 0, timeouts: 0, paused_until: now }
    }

    fn is_busy(&self) -> bool {
        self.running > 0 || !self.waiting.is_empty()
    }
}

impl<C> Queues<C> {
    /// Whether there was room.
    pub fn push(&mut self, name: &Name, bytes: usize, copy: C, now: Instant) -> bool {
        let Ok(bytes) = u32::try_from(bytes.saturating_add(OVERHEAD)) else { return false };
        let Some(used) = self.bytes.checked_add(bytes).filter(|&used| used <= BYTES) else { return false };
        let key = name.target();
        let place = self.targets.entry(key).or_insert_with(|| Target::new(name, now));
        let mut namespace = self.namespaces.get(&name.namespace()).copied().unwrap_or_default();
        namespace.bytes += bytes;
        namespace.busy += u32::from(!place.is_busy());
        let others = self.namespaces.len() - usize::from(self.namespaces.contains_key(&name.namespace()));
        let whole = Part { held: namespace.bytes, holders: count(others) + 1 };
        let part = Part { held: place.bytes + bytes, holders: namespace.busy };
        if now < place.paused_until || !is_within_shares(BYTES, used, whole, part) {
            return false;
        }
        place.bytes += bytes;
        place.waiting.push_back((bytes, copy));
        if place.waiting.len() == 1 {
            self.turns.push_back(key);
        }
        self.namespaces.insert(name.namespace(), namespace);
        self.bytes = used;
        true
    }

    /// The next copy that may be sent.
    pub fn next(&mut self) -> Option<Work<C>> {
        let at = self.turns.iter().position(|key| self.targets.get(key).is_some_and(|target| self.may_run(target)))?;
        let key = self.turns.remove(at)?;
        let target = self.targets.get_mut(&key)?;
        let (bytes, copy) = target.waiting.pop_front()?;
        target.running += 1;
        self.running += 1;
        if let Some(namespace) = self.namespaces.get_mut(&target.name.namespace()) {
            namespace.running += 1;
        }
        if !target.waiting.is_empty() {
            self.turns.push_back(key);
        }
        Some(Work { copy, target: key, bytes })
    }

    fn may_run(&self, target: &Target<C>) -> bool {
        let namespace = self.namespaces.get(&target.name.namespace()).copied().unwrap_or_default();
        let free = THREADS.saturating_sub(self.running);
        if namespace.running == 0 || free <= RESERVED_THREADS {
            return namespace.running == 0 && free > 0;
        }
        let holders = count(self.namespaces.len());
        let whole = Part { held: namespace.running + 1, holders };
        let part = Part { held: target.running + 1, holders: namespace.busy };
        let is_first = target.running == 0;
        (is_first || target.timeouts == 0)
            && ((is_first && holders == 1) || is_within_shares(THREADS, self.running + 1, whole, part))
    }

    /// A copy was sent, or was not.
    pub fn done(&mut self, work: &Work<C>, hung: bool, now: Instant) {
        self.running = self.running.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(work.bytes);
        let Some(target) = self.targets.get_mut(&work.target) else { return };
        target.running = target.running.saturating_sub(1);
        target.bytes = target.bytes.saturating_sub(work.bytes);
        if !hung {
            target.timeouts = 0;
        } else if now >= target.paused_until {
            // Those that run out of time together are one event.
            target.paused_until = now + FIRST_PAUSE * (1 << target.timeouts.min(MOST_DOUBLINGS));
            target.timeouts += 1;
        }
        let key = target.name.namespace();
        let Some(namespace) = self.namespaces.get_mut(&key) else { return };
        namespace.running = namespace.running.saturating_sub(1);
        namespace.bytes = namespace.bytes.saturating_sub(work.bytes);
        namespace.busy = namespace.busy.saturating_sub(u32::from(!target.is_busy()));
        if namespace.busy == 0 {
            self.namespaces.remove(&key);
        }
    }

    pub fn running(&self) -> u32 {
        self.running
    }

    /// Forgets targets that nothing was sent to for a while.
    pub fn forget(&mut self, now: Instant) {
        self.targets.retain(|_, target| target.is_busy() || now < target.paused_until + MEMORY);
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEBI: usize = 1 << 20;

    /// Each of a namespace of its own.
    fn targets<const N: usize>() -> [Name; N] {
        [(); N].map(|()| Name { target: Arc::default(), namespace: Arc::default() })
    }

    fn targets_of_one<const N: usize>() -> [Name; N] {
        let namespace = Arc::default();
        [(); N].map(|()| Name { target: Arc::default(), namespace: Arc::clone(&namespace) })
    }

    fn filled(targets: &[Name], each: usize) -> Queues<usize> {
        let mut queues = Queues::default();
        for _ in 0..each {
            for (number, target) in targets.iter().enumerate() {
                assert!(queues.push(target, 1_000, number, Instant::now()));
            }
        }
        queues
    }

    fn run_all(queues: &mut Queues<usize>) -> Vec<usize> {
        std::iter::from_fn(|| queues.next().map(|work| work.copy)).collect()
    }

    #[test]
    fn a_target_that_hangs_leaves_threads_to_others() {
        let all = targets::<5>();
        let [hung, others @ ..] = &all;
        let mut queues = filled(std::slice::from_ref(hung), 100);
        assert_eq!(run_all(&mut queues).len(), 28, "all but the reserve");
        for (number, other) in others.iter().enumerate() {
            assert!(queues.push(other, 10, number, Instant::now()));
            assert!(queues.push(other, 10, number, Instant::now()));
        }
        assert_eq!(run_all(&mut queues), [0, 1, 2, 3]);
    }

    #[test]
    fn a_target_that_hangs_leaves_threads_to_others_of_its_namespace() {
        let [hung, other] = targets_of_one();
        let mut queues = filled(std::slice::from_ref(&hung), 100);
        assert_eq!(run_all(&mut queues).len(), 28);
        assert!(queues.push(&other, 10, 1, Instant::now()));
        assert_eq!(run_all(&mut queues), [1]);
    }

    #[test]
    fn many_targets_of_one_namespace_leave_threads_to_others() {
        let (hung, [fine, another], now) = (targets_of_one::<40>(), targets(), Instant::now());
        let mut queues = filled(&hung, 2);
        let running: Vec<_> = std::iter::from_fn(|| queues.next()).collect();
        assert_eq!(running.len(), 30, "all but the last");
        for name in [&fine, &fine, &another] {
            assert!(queues.push(name, 10, 100, now));
        }
        assert_eq!(run_all(&mut queues), [100, 100], "one for each that has none");
        for work in &running[..3] {
            queues.done(work, true, now);
        }
        assert_eq!(run_all(&mut queues), [100], "what is within its share goes before the many");
        queues.done(&running[3], true, now);
        assert_eq!(run_all(&mut queues), [] as [usize; 0]);
        for work in &running[4..10] {
            queues.done(work, true, now);
        }
        assert_eq!(run_all(&mut queues).len(), 5, "they may have what nobody needs, down to an eighth");
    }

    #[test]
    fn bytes_of_many_targets_of_one_namespace_leave_others_theirs() {
        let (many, [fine], now) = (targets_of_one::<40>(), targets(), Instant::now());
        let mut queues = Queues::default();
        let held = many.iter().cycle().take(4_000).filter(|name| queues.push(name, MEBI / 16, (), now)).count();
        assert_eq!(held, 111, "seven of eight mebibytes");
        let held = (0..100).take_while(|_| queues.push(&fine, MEBI / 16, (), now)).count();
        assert_eq!(held, 16, "what is left");
    }

    #[test]
    fn targets_take_turns() {
        let mut queues = filled(&targets::<3>(), 3);
        assert_eq!(run_all(&mut queues), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn bytes_are_shared_and_bounded() {
        let (mut queues, now, [one, other, third]) = (Queues::default(), Instant::now(), targets());
        let fill =
            |queues: &mut Queues<()>, target| (0..100).take_while(|_| queues.push(target, MEBI / 2, (), now)).count();
        assert_eq!(fill(&mut queues, &one), 13, "seven of eight mebibytes, less what copies take besides");
        assert_eq!(fill(&mut queues, &other), 2, "what is left");
        assert!(!queues.push(&third, MEBI / 2, (), now), "no more than there is");
        let work = queues.next().unwrap();
        assert!(!queues.push(&third, MEBI / 2, (), now), "a copy counts as long as it is being sent");
        queues.done(&work, false, now);
        assert!(queues.push(&third, MEBI / 2, (), now));
        assert!(!queues.push(&one, 10, (), now), "more than a fair share is not made more");
    }

    #[test]
    fn a_target_that_hangs_is_asked_with_pauses_and_one_at_a_time() {
        let [target] = targets();
        let (mut queues, now) = (filled(std::slice::from_ref(&target), 10), Instant::now());
        let (one, other) = (queues.next().unwrap(), queues.next().unwrap());
        queues.done(&one, true, now);
        queues.done(&other, true, now);
        assert!(!queues.push(&target, 10, 1, now + FIRST_PAUSE / 2));
        assert!(queues.push(&target, 10, 1, now + FIRST_PAUSE));
        let probe = queues.next().unwrap();
        assert!(queues.next().is_none());
        queues.done(&probe, true, now + FIRST_PAUSE);
        assert!(!queues.push(&target, 10, 1, now + FIRST_PAUSE * 2));
        let probe = queues.next().unwrap();
        queues.done(&probe, false, now + FIRST_PAUSE * 3);
        assert!(queues.next().is_some() && queues.next().is_some(), "it answers again");
    }

    #[test]
    fn unused_targets_are_forgotten() {
        let (mut queues, now) = (filled(&targets::<1>(), 1), Instant::now());
        queues.forget(now + MEMORY * 2);
        assert_eq!(queues.targets.len(), 1);
        let work = queues.next().unwrap();
        queues.done(&work, false, now);
        queues.forget(now + MEMORY * 2);
        assert_eq!((queues.targets.len(), queues.bytes, queues.running()), (0, 0, 0));
        assert!(queues.namespaces.is_empty());
    }
}
