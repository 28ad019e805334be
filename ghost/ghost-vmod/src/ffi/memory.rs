//! The memory that cached objects may take.

use std::sync::OnceLock;

use ghost_core::{MemoryBudget, StoredObjects};

use super::text::Text;

static BUDGET: OnceLock<MemoryBudget> = OnceLock::new();
static STORED: StoredObjects = StoredObjects::new();

/// What is kept beside the objects that there are.
#[repr(C)]
pub struct Stored {
    objects: u64,
    bytes: u64,
}

/// Takes the budget that the process was started with. False if it cannot be read.
///
/// # Safety
/// `text` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_memory_start(text: Text) -> bool {
    // SAFETY: as promised.
    let text = unsafe { text.get() }.and_then(|text| std::str::from_utf8(text).ok());
    text.and_then(MemoryBudget::read).map(|budget| BUDGET.get_or_init(|| budget)).is_some()
}

/// The name of a storage that the budget is about; none behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_memory_storage(at: usize) -> Text {
    let storage = BUDGET.get().and_then(|budget| budget.storages().get(at));
    storage.map_or(Text::NONE, |storage| Text::of(storage.name.as_bytes()))
}

/// How many bytes of a storage one object can use, if all others are gone.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_memory_room(at: usize) -> u64 {
    BUDGET.get().map_or(0, |budget| budget.room(at, 0))
}

/// How much of a storage to take at a time.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_memory_piece(at: usize) -> u64 {
    BUDGET.get().map_or(0, |budget| budget.piece(at))
}

/// How many bytes of a storage objects cannot use now.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_memory_reserve(at: usize) -> u64 {
    BUDGET.get().map_or(0, |budget| budget.reserve(at, budget.beside(&STORED)))
}

/// An object came, or went, that has so many keys to be purged by.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_memory_stored(keys: u32) -> Stored {
    STORED.add(keys);
    stored()
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_memory_gone(keys: u32) -> Stored {
    STORED.subtract(keys);
    stored()
}

fn stored() -> Stored {
    Stored { objects: STORED.count(), bytes: BUDGET.get().map_or(0, |budget| budget.beside(&STORED)) }
}
