//! The rule of fair shares: of threads, of the queues of mirrors.

/// What one holder has, and how many there are that share with it.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub held: u32,
    pub holders: u32,
}

/// Whether what a namespace holds, and what one of its members holds of that, may become more, when `used` are in use by all.
///
/// As long as an eighth is free, everybody may. Then a namespace may have no more than a fair share of the rest, and its members share that
/// by the same rule.
pub fn is_within_shares(capacity: u32, used: u32, namespace: Part, member: Part) -> bool {
    let reserve = reserve(capacity);
    if capacity.saturating_sub(used) >= reserve {
        return true;
    }
    let share = (capacity - reserve) / namespace.holders.max(1);
    namespace.held <= share && is_within_share(share, namespace.held, member.held, member.holders)
}

/// Whether `held` of `capacity` may become more, with so many holders, when `used` are in use by all.
///
/// As long as an eighth is free, everybody may. Then those may that hold no more than a fair share of the rest.
fn is_within_share(capacity: u32, used: u32, held: u32, holders: u32) -> bool {
    let reserve = reserve(capacity);
    capacity.saturating_sub(used) >= reserve || held <= (capacity - reserve) / holders.max(1)
}

/// What is kept free for those below their share: an eighth.
fn reserve(capacity: u32) -> u32 {
    capacity.div_ceil(8)
}

/// What nobody gets whose requests do not end soon: half of the reserve.
pub(crate) fn floor(capacity: u32) -> u32 {
    capacity.div_ceil(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_share_what_their_namespace_may_have() {
        let part = |held, holders| Part { held, holders };
        let within = |namespace, backend| is_within_shares(160, 150, part(namespace, 2), part(backend, 3));
        assert!(within(60, 60), "an eighth of the namespace's 70 is free");
        assert!(within(68, 20) && !within(68, 21), "a third of the rest");
        assert!(within(70, 20) && !within(71, 1), "the namespace has no more to share");
    }

    /// Whatever the numbers of others: who holds no more than an even part of a namespace's even part is served.
    #[test]
    fn nobody_within_an_even_part_is_refused() {
        for capacity in [16, 160, 246, 1_000] {
            let rest = capacity - reserve(capacity);
            for namespaces in 1..=rest {
                let share = rest / namespaces;
                for backends in 1..=share {
                    let even = (share - reserve(share)) / backends;
                    let (namespace, backend) =
                        (Part { held: share, holders: namespaces }, Part { held: even, holders: backends });
                    assert!(is_within_shares(capacity, capacity, namespace, backend));
                    let more = Part { held: share + 1, ..namespace };
                    assert!(!is_within_shares(capacity, capacity, more, backend));
                }
            }
        }
    }
}
