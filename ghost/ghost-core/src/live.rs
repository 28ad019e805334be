//! The table that requests are served from.

use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::table::Table;

/// One pointer: readers load it without a lock, a reload replaces it.
///
/// A request loads once and keeps what it got to its end. The last reader of an old table frees it; to keep that off the
/// request path, hold on to what `publish` returns and drop it later, on a thread that may take its time.
#[derive(Debug, Default)]
pub struct Live(ArcSwap<Table>);

impl Live {
    pub fn load(&self) -> Arc<Table> {
        self.0.load_full()
    }

    /// Returns the table that was live before.
    pub fn publish(&self, table: Arc<Table>) -> Arc<Table> {
        self.0.swap(table)
    }
}
