//! Invalidation of what is still on its way.
//!
//! A purge finds the objects that are stored. An answer that the backend gave before the purge and that is stored after it would
//! bring the old body back. So each purge leaves its time in the cell of its key, each ban leaves its time for
//! all, and an answer to a request that was sent no later than that is delivered but not stored. Two keys may share a cell:
//! then something is not stored that could have been, once.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ghost_core::{HostName, object_key};

const CELLS: usize = 4_096;

static PURGES: [AtomicU64; CELLS] = [const { AtomicU64::new(0) }; CELLS];
static BAN: AtomicU64 = AtomicU64::new(0);

fn cell(key: &[u8]) -> Option<&'static AtomicU64> {
    let at = object_key(None::<&HostName>, key) % CELLS as u64;
    PURGES.get(usize::try_from(at).unwrap_or_default())
}

pub fn purged(key: &[u8], now_ms: u64) {
    if let Some(cell) = cell(key) {
        cell.fetch_max(now_ms, Relaxed);
    }
}

pub fn banned(now_ms: u64) {
    BAN.fetch_max(now_ms, Relaxed);
}

/// Whether an answer to a request sent then may be stored under these keys, separated by spaces.
pub fn is_current(keys: &[u8], sent_ms: u64) -> bool {
    let before = |time: &AtomicU64| time.load(Relaxed) < sent_ms;
    before(&BAN) && keys.split(|&b| b == b' ').all(|key| cell(key).is_none_or(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_before_a_purge_is_not_stored_after_it() {
        assert!(is_current(b"path:a/x tag", 1));
        purged(b"path:a/x", 50);
        purged(b"path:a/x", 40);
        assert!(!is_current(b"path:a/x tag", 50));
        assert!(!is_current(b"tag path:a/x", 10));
        assert!(is_current(b"path:a/x tag", 51));
        assert!(is_current(b"path:a/y", 10));
        banned(60);
        assert!(!is_current(b"path:a/y", 60) && is_current(b"path:a/y", 61));
    }
}
