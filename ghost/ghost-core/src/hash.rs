//! Three hashes for three jobs.
//!
//! * `keyed`/`chain`: the lookup tables. Seeded at random per process, so that nobody can choose paths or hosts that collide.
//! * `digest`: "are these the bytes I compiled before?" 128 bits, keyed, because the bytes come from many tenants and a
//!   collision would serve one tenant's route in place of another's.
//! * `stable`: endpoint choice by URL. The same in every process, so that all replicas send one URL to one endpoint.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use siphasher::sip128::{Hasher128, SipHasher13};

static LOOKUP: LazyLock<foldhash::fast::RandomState> = LazyLock::new(foldhash::fast::RandomState::default);
static DIGEST: LazyLock<(u64, u64)> =
    LazyLock::new(|| (RandomState::new().hash_one(1), RandomState::new().hash_one(2)));

pub fn keyed(bytes: &[u8]) -> u64 {
    let mut hasher = LOOKUP.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Extends the hash of a path by one more element, so that one walk over a path hashes every prefix of it.
pub fn chain(so_far: u64, element: &[u8]) -> u64 {
    spread(so_far.rotate_left(29) ^ keyed(element))
}

pub fn digest(bytes: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new_with_keys(DIGEST.0, DIGEST.1);
    hasher.write(bytes);
    hasher.finish128().as_u128()
}

/// FNV-1a over the parts with a separator between them, then `spread`.
pub fn stable(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut step = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    for part in parts {
        part.iter().copied().for_each(&mut step);
        step(0xff);
    }
    spread(hash)
}

/// A bijection in which every input bit reaches every output bit (the finaliser of splitmix64).
pub fn spread(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_is_the_same_in_every_process() {
        assert_eq!(stable(&[b"example.com", b"/a"]), stable(&[b"example.com", b"/a"]));
        assert_ne!(stable(&[b"ab", b"c"]), stable(&[b"a", b"bc"]));
        // Changing this value moves every object to another endpoint on upgrade.
        assert_eq!(stable(&[b"example.com", b"/"]), 11_594_748_233_673_147_078);
    }

    #[test]
    fn chain_depends_on_order() {
        assert_ne!(chain(chain(0, b"a"), b"b"), chain(chain(0, b"b"), b"a"));
    }
}
