//! The memory that cached objects may take.
//!
//! varnishd counts the bytes of objects against its storages, and not what it keeps beside each: for tiny objects that is three times their
//! size. So ghost reserves a part of every storage for it, which objects cannot use. What is left shrinks while objects are many, and varnishd
//! makes room there by itself, the least recently used first.
//!
//! A storage in memory may be larger than the budget: the difference is reserved from the start. The bytes of a storage in a file are not
//! memory, but what is kept beside its objects is; once that takes half of the budget, the file is reserved in step with the rest of it.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// What is reserved at a time.
const PIECE_BYTES: u64 = 256 << 10;
/// Of a file; each takes some memory, too.
const PIECES_OF_A_FILE: u64 = 16 << 10;
const MOST_PIECE_BYTES: u64 = 64 << 20;
/// More storages than a varnishd has.
pub const STORAGES: usize = 16;

/// What the operator says of a pod: `BYTES OBJECT KEY NAME:MEDIUM:BYTES…`. What objects and keys take was measured, and is written down there.
#[derive(Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    /// For objects and what is kept beside them.
    bytes: u64,
    /// What varnishd keeps of an object beside its bytes, and `vmod_xkey` of one with keys.
    object: u64,
    /// What `vmod_xkey` keeps for each key of an object.
    key: u64,
    storages: Box<[Storage]>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Storage {
    pub name: Box<str>,
    medium: Medium,
    bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Medium {
    Memory,
    File,
}

/// The objects that there are, those that only say that there is nothing to store included.
#[derive(Debug, Default)]
pub struct StoredObjects {
    // Signed, and relaxed: an object that was there before ghost is only seen to go.
    objects: AtomicI64,
    keys: AtomicI64,
}

impl StoredObjects {
    pub const fn new() -> Self {
        Self { objects: AtomicI64::new(0), keys: AtomicI64::new(0) }
    }

    pub fn add(&self, keys: u32) {
        self.objects.fetch_add(1, Relaxed);
        self.keys.fetch_add(i64::from(keys), Relaxed);
    }

    pub fn subtract(&self, keys: u32) {
        self.objects.fetch_sub(1, Relaxed);
        self.keys.fetch_sub(i64::from(keys), Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.objects.load(Relaxed).max(0).unsigned_abs()
    }

    fn keys(&self) -> u64 {
        self.keys.load(Relaxed).max(0).unsigned_abs()
    }
}

impl MemoryBudget {
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let mut number = || words.next()?.parse().ok();
        let (bytes, object, key) = (number()?, number()?, number()?);
        let storages = words.map(Storage::read).collect::<Option<Box<[_]>>>()?;
        (bytes > 0 && !storages.is_empty() && storages.len() <= STORAGES).then_some(Self {
            bytes,
            object,
            key,
            storages,
        })
    }

    /// What is kept beside the bytes of objects.
    pub fn beside(&self, stored: &StoredObjects) -> u64 {
        let keys = stored.keys().saturating_mul(self.key);
        stored.count().saturating_mul(self.object).saturating_add(keys)
    }

    pub fn storages(&self) -> &[Storage] {
        &self.storages
    }

    /// How much of a storage objects cannot use, while so many bytes are kept beside them.
    pub fn reserve(&self, storage: usize, beside: u64) -> u64 {
        let Some(storage) = self.storages.get(storage) else { return 0 };
        let (part, of) = match storage.medium {
            Medium::Memory => {
                let memory = self.memory();
                (memory.saturating_add(beside).saturating_sub(self.bytes).min(memory), memory)
            }
            Medium::File => (beside.saturating_mul(2).saturating_sub(self.bytes).min(self.bytes), self.bytes),
        };
        share(storage.bytes, part, of)
    }

    /// How much of a storage objects can use, while so many bytes are kept beside them.
    pub fn room(&self, storage: usize, beside: u64) -> u64 {
        let bytes = self.storages.get(storage).map_or(0, |storage| storage.bytes);
        bytes.saturating_sub(self.reserve(storage, beside))
    }

    /// How much of a storage to reserve at a time.
    pub fn piece(&self, storage: usize) -> u64 {
        self.storages.get(storage).map_or(PIECE_BYTES, |storage| match storage.medium {
            Medium::Memory => PIECE_BYTES,
            Medium::File => (storage.bytes / PIECES_OF_A_FILE).clamp(PIECE_BYTES, MOST_PIECE_BYTES),
        })
    }

    fn memory(&self) -> u64 {
        let in_memory = self.storages.iter().filter(|storage| storage.medium == Medium::Memory);
        in_memory.fold(0, |sum, storage| sum.saturating_add(storage.bytes))
    }
}

impl Storage {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (name, medium, bytes) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
        let medium = match medium {
            "memory" => Medium::Memory,
            "file" => Medium::File,
            _ => return None,
        };
        (!name.is_empty() && bytes > 0 && parts.next().is_none()).then(|| Self { name: name.into(), medium, bytes })
    }
}

/// `bytes * part / of`, rounded up.
fn share(bytes: u64, part: u64, of: u64) -> u64 {
    let share = (u128::from(bytes) * u128::from(part)).div_ceil(u128::from(of.max(1)));
    u64::try_from(share).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEBI: u64 = 1 << 20;

    fn budget(text: &str) -> MemoryBudget {
        MemoryBudget::read(text).unwrap()
    }

    #[test]
    fn a_storage_as_large_as_the_budget_gives_what_is_kept_beside_its_objects() {
        let budget = budget("104857600 900 100 s0:memory:104857600");
        assert_eq!(budget.reserve(0, 0), 0);
        assert_eq!(budget.reserve(0, MEBI), MEBI);
        assert_eq!(budget.reserve(0, 200 * MEBI), 100 * MEBI, "no more than there is");
    }

    #[test]
    fn what_a_larger_storage_has_too_much_is_reserved_from_the_start() {
        let budget = budget("104857600 900 100 s0:memory:1073741824");
        assert_eq!(budget.reserve(0, 0), 924 * MEBI);
        assert_eq!(budget.reserve(0, 10 * MEBI), 934 * MEBI);
        assert_eq!((budget.room(0, 10 * MEBI), budget.room(1, 0)), (90 * MEBI, 0));
    }

    #[test]
    fn a_smaller_storage_is_all_for_objects_until_the_rest_of_the_budget_is_used() {
        let budget = budget("104857600 900 100 s0:memory:20971520");
        assert_eq!(budget.reserve(0, 80 * MEBI), 0);
        assert_eq!(budget.reserve(0, 90 * MEBI), 10 * MEBI);
        assert_eq!(budget.reserve(0, 101 * MEBI), 20 * MEBI);
    }

    #[test]
    fn storages_reserve_by_their_size() {
        let budget = budget("104857600 900 100 a:memory:104857600 b:memory:314572800");
        assert_eq!((budget.reserve(0, 0), budget.reserve(1, 0)), (75 * MEBI, 225 * MEBI));
        assert_eq!(budget.reserve(2, 0), 0, "there is no third one");
    }

    #[test]
    fn a_file_is_reserved_when_what_is_beside_its_objects_takes_more_than_half_of_the_budget() {
        let budget = budget("104857600 900 100 s0:file:1073741824");
        assert_eq!(budget.reserve(0, 50 * MEBI), 0);
        assert_eq!(budget.reserve(0, 75 * MEBI), 512 * MEBI);
        assert_eq!(budget.reserve(0, 100 * MEBI), 1024 * MEBI);
        assert_eq!(budget.reserve(0, u64::MAX), 1024 * MEBI);
    }

    #[test]
    fn a_large_file_is_reserved_in_large_pieces() {
        let gibi = 1_u64 << 30;
        let budget = budget(&format!("1 1 1 s0:memory:{} s1:file:{} s2:file:{gibi}", 64 * gibi, 64 * gibi));
        assert_eq!((budget.piece(0), budget.piece(1), budget.piece(2)), (MEBI / 4, 4 * MEBI, MEBI / 4));
    }

    #[test]
    fn keys_count_beside_their_objects() {
        let stored = StoredObjects::new();
        stored.add(0);
        stored.add(3);
        let budget = budget("104857600 900 100 s0:file:1");
        assert_eq!((stored.count(), budget.beside(&stored)), (2, 2 * 900 + 3 * 100));
        stored.subtract(3);
        assert_eq!(budget.beside(&stored), 900);
        stored.subtract(0);
        stored.subtract(0);
        assert_eq!((stored.count(), budget.beside(&stored)), (0, 0), "one of before ghost was there");
    }

    #[test]
    fn what_cannot_be_read_is_no_budget() {
        for text in [
            "",
            "x",
            "1024 1 1",
            "1 s0:memory:1",
            "0 1 1 s0:memory:1",
            "1 1 1 s0:memory",
            "1 1 1 s0:disk:1",
            "1 1 1 :memory:1",
            "1 1 1 s0:memory:1:1",
        ] {
            assert_eq!(MemoryBudget::read(text), None, "{text}");
        }
        assert_eq!(MemoryBudget::read(&format!("1 1 1{}", " s0:memory:1".repeat(STORAGES + 1))), None);
    }
}
